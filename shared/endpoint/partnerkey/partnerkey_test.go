package partnerkey_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func generate(t *rapid.T) partnerkey.Key {
	seed := rapid.SliceOfN(rapid.Byte(), 200, 200).Draw(t, "random")
	mode := rapid.SampledFrom([]string{store.ModeLive, store.ModeTest}).Draw(t, "mode")
	key, err := partnerkey.Generate(mode, strings.NewReader(string(seed)+strings.Repeat("0123456789abcdef", 32)))
	if err != nil {
		t.Fatal(err)
	}
	if key.Mode != mode {
		t.Fatalf("mode %s, want %s", key.Mode, mode)
	}
	return key
}

func TestGeneratedKeysParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := generate(t)
		text := key.Reveal()
		parsed, err := partnerkey.Parse(text)
		if err != nil || parsed.ID != key.ID || parsed.Mode != key.Mode || parsed.Reveal() != text {
			t.Fatalf("%q: %v %v", text, parsed, err)
		}
		if len(text) != 52 || !strings.HasPrefix(text, "mw_"+key.Mode+"_"+key.ID) {
			t.Fatalf("%q with id %s", text, key.ID)
		}
		// The checksum, from its definition.
		sum, digits := big.NewInt(int64(crc32.ChecksumIEEE([]byte(text[:46])))), ""
		for range 6 {
			var digit big.Int
			sum.DivMod(sum, big.NewInt(62), &digit)
			digits = base62[digit.Int64():digit.Int64()+1] + digits
		}
		if text[46:] != digits {
			t.Fatalf("checksum of %q, want %s", text, digits)
		}
	})
}

func TestMutatedKeysAreMalformed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(generate(t).Reveal())
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		mutated := bytes.Clone(text)
		mutated[at] = rapid.OneOf(rapid.SampledFrom([]byte(base62)), rapid.Byte()).Filter(func(b byte) bool { return b != text[at] }).Draw(t, "to")
		if _, err := partnerkey.Parse(string(mutated)); !errors.Is(err, partnerkey.ErrMalformed) {
			t.Fatalf("%q was %q: %v", mutated, text, err)
		}
		swapped := bytes.Clone(text)
		if at > 0 && swapped[at] != swapped[at-1] {
			swapped[at], swapped[at-1] = swapped[at-1], swapped[at]
			if _, err := partnerkey.Parse(string(swapped)); !errors.Is(err, partnerkey.ErrMalformed) {
				t.Fatalf("%q was %q: %v", swapped, text, err)
			}
		}
	})
}

func TestHashIsTheHMACOfTheWholeKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, pepper := generate(t), rapid.SliceOfN(rapid.Byte(), 32, 64).Draw(t, "pepper")
		mac := hmac.New(sha256.New, pepper)
		mac.Write([]byte(key.Reveal()))
		if !bytes.Equal(partnerkey.Hash(pepper, key), mac.Sum(nil)) {
			t.Fatal("another hash")
		}
	})
}

func TestCharactersAreEquallyLikely(t *testing.T) {
	const keys = 5000
	counts, random := make(map[byte]int), rand.NewChaCha8([32]byte{3})
	for range keys {
		key, err := partnerkey.Generate(store.ModeLive, random)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []byte(key.Reveal()[8:46]) {
			counts[c]++
		}
	}
	// Six standard deviations of what each of 62 equally likely characters comes to.
	const expected, allowed = keys * 38 / 62, 6 * 55
	for _, c := range []byte(base62) {
		if counts[c] < expected-allowed || counts[c] > expected+allowed {
			t.Errorf("%c came %d times, want about %d", c, counts[c], expected)
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	if _, err := partnerkey.Generate("admin", bytes.NewReader(make([]byte, 1000))); err == nil {
		t.Error("an unknown mode")
	}
	if _, err := partnerkey.Generate(store.ModeLive, strings.NewReader("too little")); err == nil {
		t.Error("no randomness")
	}
}

func TestKeysDoNotPrintThemselves(t *testing.T) {
	f := endpointtest.New(t)
	key, err := partnerkey.Parse(f.Key)
	if err != nil {
		t.Fatal(err)
	}
	secret := f.Key[16:46]
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "key", key, "pointer", &key)
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "key", key)
	encoded, err := json.Marshal(map[string]any{"key": key})
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{
		log.String(), string(encoded), key.String(), fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %s %q %x %d", key, key, key, key, key, key, key), fmt.Sprintf("%v", struct{ K partnerkey.Key }{key}),
	} {
		if strings.Contains(shown, secret) || strings.Contains(shown, fmt.Sprintf("%x", secret)) || strings.Contains(shown, fmt.Sprint([]byte(secret))) || !strings.Contains(shown, key.ID) {
			t.Errorf("shows %q", shown)
		}
	}
}

func check(t *testing.T, f *endpointtest.Fixture, text string, want error) {
	t.Helper()
	identity, err := f.Service.Keys.Authenticate(t.Context(), text)
	if !errors.Is(err, want) || (want == nil && identity.PartnerID != endpointtest.Partner) {
		t.Errorf("%.16s: %+v, %v, want %v", text, identity, err, want)
	}
}

func TestRotation(t *testing.T) {
	f, ctx := endpointtest.New(t), t.Context()
	first := f.Key
	firstID := first[8:16]
	successor, err := f.Administration.Rotate(ctx, firstID, false)
	if err != nil {
		t.Fatal(err)
	}
	second := successor.Reveal()
	check(t, f, first, nil)
	check(t, f, second, nil)
	if _, err := f.Administration.Issue(ctx, endpointtest.Partner, store.ModeLive, ""); !errors.Is(err, store.ErrTooManyKeys) {
		t.Errorf("a third key: %v", err)
	}
	if _, err := f.Administration.Rotate(ctx, firstID, false); !errors.Is(err, store.ErrTooManyKeys) {
		t.Errorf("a third key by rotation: %v", err)
	}
	if err := f.Administration.Revoke(ctx, firstID); err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(29 * time.Second)
	check(t, f, first, nil) // remembered
	f.Clock.Advance(time.Second)
	check(t, f, first, partnerkey.ErrUnauthorized)
	check(t, f, second, nil)
	if _, err := f.Administration.Rotate(ctx, firstID, true); err == nil {
		t.Error("a revoked key has a successor")
	}
	third := f.Issue(t, endpointtest.Partner, store.ModeLive)
	// With two keys live, the old one makes room for its successor.
	fourth, err := f.Administration.Rotate(ctx, third[8:16], true)
	if err != nil {
		t.Fatal(err)
	}
	check(t, f, fourth.Reveal(), nil)
	check(t, f, third, partnerkey.ErrUnauthorized)
	// With one key live, it is revoked once its successor is there.
	if err := f.Administration.Revoke(ctx, second[8:16]); err != nil {
		t.Fatal(err)
	}
	fifth, err := f.Administration.Rotate(ctx, fourth.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(30 * time.Second)
	check(t, f, fifth.Reveal(), nil)
	check(t, f, fourth.Reveal(), partnerkey.ErrUnauthorized)
	all, err := f.Administration.List(ctx)
	if err != nil || len(all) != 1 || len(all[0].Keys) != 5 {
		t.Fatalf("%+v, %v", all, err)
	}
	live := 0
	for _, key := range all[0].Keys {
		if key.Live() {
			live++
		}
		if key.Mode != store.ModeLive || key.Label != "test" {
			t.Errorf("%+v", key)
		}
	}
	if live != 1 {
		t.Errorf("%d keys live, want 1", live)
	}
}

func TestKeysThatNobodyHas(t *testing.T) {
	f := endpointtest.New(t)
	// Same id, other secret: the checksum is right, the store knows the id.
	forged := []byte(f.Key)
	forged[20] ^= 1
	if !strings.Contains(base62, string(forged[20])) {
		forged[20] = 'x'
	}
	sum := crc32.ChecksumIEEE(forged[:46])
	for i := 51; i >= 46; i-- {
		forged[i], sum = base62[sum%62], sum/62
	}
	if _, err := partnerkey.Parse(string(forged)); err != nil {
		t.Fatal(err)
	}
	check(t, f, string(forged), partnerkey.ErrUnauthorized)
	// The same key in the other mode.
	other := []byte(strings.Replace(f.Key, "live", "test", 1))
	sum = crc32.ChecksumIEEE(other[:46])
	for i := 51; i >= 46; i-- {
		other[i], sum = base62[sum%62], sum/62
	}
	check(t, f, string(other), partnerkey.ErrUnauthorized)
	unissued, err := partnerkey.Generate(store.ModeLive, strings.NewReader(strings.Repeat("xyz12345", 100)))
	if err != nil {
		t.Fatal(err)
	}
	check(t, f, unissued.Reveal(), partnerkey.ErrUnauthorized)
	before := f.Store.Calls()
	for range 10 {
		check(t, f, unissued.Reveal(), partnerkey.ErrUnauthorized)
		check(t, f, f.Key[:51]+"~", partnerkey.ErrUnauthorized)
		check(t, f, "", partnerkey.ErrUnauthorized)
	}
	if f.Store.Calls() != before {
		t.Error("the store is asked about keys that cannot be, or that it has just denied")
	}
	// A pepper other than the one a key was issued under makes it worthless.
	elsewhere := partnerkey.NewKeyring(f.Store, bytes.Repeat([]byte{8}, 32), f.Clock.Now)
	if _, err := elsewhere.Authenticate(t.Context(), f.Key); !errors.Is(err, partnerkey.ErrUnauthorized) {
		t.Errorf("under another pepper: %v", err)
	}
}

func TestLimitsFollowWithinThirtySeconds(t *testing.T) {
	f := endpointtest.New(t)
	check(t, f, f.Key, nil)
	want := store.Limit{PerMinute: 60, Burst: 10}
	if err := f.Administration.SetLimit(t.Context(), endpointtest.Partner, want); err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(30 * time.Second)
	identity, err := f.Service.Keys.Authenticate(t.Context(), f.Key)
	if err != nil || identity.Limit != want {
		t.Errorf("%+v, %v", identity, err)
	}
}

func TestManyAskersShareOneReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := endpointtest.New(t)
		release := make(chan struct{})
		f.Store.Trouble(func(ctx context.Context) error { <-release; return ctx.Err() })
		before := f.Store.Calls()
		impatient, hangUp := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				ctx := t.Context()
				if i == 0 {
					ctx = impatient
				}
				if _, err := f.Service.Keys.Authenticate(ctx, f.Key); (err != nil) != (i == 0) {
					t.Errorf("asker %d: %v", i, err)
				}
			})
			synctest.Wait() // the first to ask, whose reading it is, is the one that hangs up
		}
		synctest.Wait()
		hangUp()
		synctest.Wait()
		close(release)
		all.Wait()
		if calls := f.Store.Calls() - before; calls != 2 { // the key, its partner
			t.Errorf("%d calls of the store", calls)
		}
	})
}

func TestAPanickingStoreIsAnError(t *testing.T) {
	f := endpointtest.New(t)
	f.Store.Trouble(func(context.Context) error { panic("no such row") })
	_, err := f.Service.Keys.Authenticate(t.Context(), f.Key)
	if err == nil || errors.Is(err, partnerkey.ErrUnauthorized) || !strings.Contains(err.Error(), "no such row") {
		t.Errorf("error %v, want the panic", err)
	}
	f.Store.Trouble(nil)
	check(t, f, f.Key, nil)
}

func TestPepperIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pepper")
	random := strings.NewReader(strings.Repeat("0123456789abcdef", 8))
	first, err := partnerkey.LoadPepper(path, random)
	if err != nil || len(first) != 32 {
		t.Fatalf("%x, %v", first, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	second, err := partnerkey.LoadPepper(path, random)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%x, then %x, %v", first, second, err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := partnerkey.LoadPepper(path, random); err == nil {
		t.Error("a damaged pepper is replaced or taken")
	}
	if _, err := partnerkey.LoadPepper(filepath.Join(t.TempDir(), "no", "such"), random); err == nil {
		t.Error("a pepper that was not kept")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("")
	f.Add("mw_live_")
	f.Add("mw_test_0123456789")
	key, err := partnerkey.Generate(store.ModeTest, strings.NewReader(strings.Repeat("seed", 100)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(key.Reveal())
	f.Add(key.Reveal() + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := partnerkey.Parse(text)
		if err != nil {
			if !errors.Is(err, partnerkey.ErrMalformed) {
				t.Error(err)
			}
			return
		}
		if key.Reveal() != text || len(text) != 52 || text[8:16] != key.ID {
			t.Errorf("%q parsed as %v", text, key)
		}
	})
}
