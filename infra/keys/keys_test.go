package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// shell runs command lines against a fixture's store.
type shell struct {
	t *testing.T
	f *endpointtest.Fixture
}

func (s shell) run(line ...string) (string, error) {
	s.t.Helper()
	var out, notes bytes.Buffer
	err := command{administration: s.f.Administration, out: &out, notes: &notes}.run(s.t.Context(), line)
	return strings.TrimSpace(out.String()), err
}

// must runs a line that has to work.
func (s shell) must(line ...string) string {
	s.t.Helper()
	out, err := s.run(line...)
	if err != nil {
		s.t.Fatalf("%q: %v", line, err)
	}
	return out
}

func (s shell) identity(key string) (partnerkey.Identity, error) {
	s.f.Clock.Advance(time.Minute)
	return s.f.Service.Keys.Authenticate(s.t.Context(), key)
}

func TestLifeOfAKey(t *testing.T) {
	s := shell{t, endpointtest.New(t)}
	first := s.must("create", "-per-minute", "600", "globex", "Globex Wallet", "-burst=60")
	if identity, err := s.identity(first); err != nil || identity.PartnerID != "globex" || identity.Limit != (store.Limit{PerMinute: 600, Burst: 60}) || identity.Mode != store.ModeLive {
		t.Fatalf("%+v, %v", identity, err)
	}
	second := s.must("rotate", first[8:16])
	for _, key := range []string{first, second} {
		if _, err := s.identity(key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := s.run("issue", "globex"); !errors.Is(err, store.ErrTooManyKeys) {
		t.Errorf("a third key: %v", err)
	}
	sample := s.must("issue", "globex", "-test", "-label", "staging")
	if identity, err := s.identity(sample); err != nil || identity.Mode != store.ModeTest {
		t.Errorf("%+v, %v", identity, err)
	}
	s.must("revoke", first) // the whole key is taken for its id
	third := s.must("rotate", "-revoke-old", second[8:16])
	s.must("limit", "globex", "100", "10")
	for key, want := range map[string]error{first: partnerkey.ErrUnauthorized, second: partnerkey.ErrUnauthorized, third: nil} {
		if identity, err := s.identity(key); !errors.Is(err, want) || (want == nil && identity.Limit.Burst != 10) {
			t.Errorf("%.16s: %+v, %v, want %v", key, identity, err, want)
		}
	}
	list := s.must("list")
	for _, key := range []string{first, second, third, sample} {
		if !strings.Contains(list, key[8:16]) || strings.Contains(list, key[16:]) {
			t.Errorf("key %s in the list:\n%s", key[8:16], list)
		}
	}
	if lines := strings.Split(list, "\n"); len(lines) != 1+1+4 || !strings.Contains(list, `"staging"`) || strings.Count(list, "revoked") != 0 {
		t.Errorf("the list:\n%s", list)
	}
}

func TestLinesThatChangeNothing(t *testing.T) {
	s := shell{t, endpointtest.New(t)}
	before := s.must("list")
	for _, line := range [][]string{
		{"help"}, {"create", "globex"}, {"create", "globex", "Globex", "x"}, {"create", "globex", "Globex", "-burst", "none"}, {"create", "globex", "Globex", "-burst", "0"},
		{"create", "acme", "again"}, {"create", "two words", "x"}, {"issue", "nobody"}, {"issue"}, {"rotate", "nobodys1"}, {"revoke", "nobodys1"}, {"revoke"},
		{"limit", "acme", "fast", "1"}, {"limit", "acme", "1", "slow"}, {"limit", "acme", "0", "1"}, {"limit", "nobody", "1", "1"}, {"list", "x"}, {"list", "-x"},
	} {
		if out, err := s.run(line...); err == nil || out != "" {
			t.Errorf("%q: %q, %v", line, out, err)
		}
	}
	if after := s.must("list"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestStoreInAFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	environment := map[string]string{"DATA_DIR": folder}
	getenv := func(name string) string { return environment[name] }
	if err := administer(t.Context(), []string{"create", "acme", "Acme"}, getenv); err != nil {
		t.Fatal(err)
	}
	if err := administer(t.Context(), []string{"create", "acme", "Acme"}, getenv); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the partner is not kept: %v", err)
	}
	config, err := host.ReadConfig(getenv)
	if err != nil {
		t.Fatal(err)
	}
	keys, pepper, closeStore, err := open(config, getenv)
	if err != nil || len(pepper) != 32 {
		t.Fatalf("%x, %v", pepper, err)
	}
	if all, err := keys.KeysOf(t.Context(), "acme"); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if err := administer(t.Context(), []string{"list"}, getenv); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("while another process has the file: %v", err)
	}
	if err := closeStore(); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]map[string]string{
		"no command": nil, "one table": {"RECORDS_TABLE": "r"}, "no pepper": {"RECORDS_TABLE": "r", "METERS_TABLE": "m"}, "short pepper": {"KEY_PEPPER": "00"},
		"no folder": {"DATA_DIR": "/dev/null/x"},
	} {
		line := []string{"list"}
		if wrong == nil {
			line = nil
		}
		if err := administer(t.Context(), line, func(name string) string { return wrong[name] }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
