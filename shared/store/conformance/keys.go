package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func newPartner(id string) store.Partner {
	return store.Partner{
		ID: id, Name: "Partner <" + id + "> \"& Söhne\" 株式会社", Limit: store.Limit{PerMinute: 6000, Burst: 1200}, CreatedAt: epoch,
	}
}

func newKey(id, partnerID, mode string) store.Key {
	return store.Key{
		ID: id, PartnerID: partnerID, Mode: mode, Hash: []byte("\x00\xff hash of " + id), Label: "label of " + id, CreatedAt: epoch,
	}
}

func samePartner(t tester, got, want store.Partner) {
	t.Helper()
	if !sameTime(got.CreatedAt, want.CreatedAt) {
		t.Errorf("partner %s created at %v, want %v in UTC", want.ID, got.CreatedAt, want.CreatedAt)
	}
	got.CreatedAt, want.CreatedAt = time.Time{}, time.Time{}
	if got != want {
		t.Errorf("partner %+v, want %+v", got, want)
	}
}

func samePartners(t tester, got, want []store.Partner) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d partners %+v, want %d", len(got), got, len(want))
	}
	for i := range want {
		samePartner(t, got[i], want[i])
	}
}

func sameKey(t tester, got, want store.Key) {
	t.Helper()
	if !sameTime(got.CreatedAt, want.CreatedAt) || !sameTime(got.RevokedAt, want.RevokedAt) {
		t.Errorf("key %s created at %v and revoked at %v, want %v and %v in UTC",
			want.ID, got.CreatedAt, got.RevokedAt, want.CreatedAt, want.RevokedAt)
	}
	if got.ID != want.ID || got.PartnerID != want.PartnerID || got.Mode != want.Mode || got.Label != want.Label ||
		!bytes.Equal(got.Hash, want.Hash) {
		t.Errorf("key %+v, want %+v", got, want)
	}
}

func sameKeys(t tester, got, want []store.Key) {
	t.Helper()
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d keys %+v, want %d, and never nil", len(got), got, len(want))
	}
	for i := range want {
		sameKey(t, got[i], want[i])
	}
}

// sameTime reports whether got is the time want, in UTC; the zero time stays zero.
func sameTime(got, want time.Time) bool {
	return got.Equal(want) && got.Location() == time.UTC && got.IsZero() == want.IsZero()
}

func checkPartners(t *testing.T, s Stores) {
	ctx := t.Context()
	if none := must[[]store.Partner](t)(s.Keys.Partners(ctx)); none == nil || len(none) != 0 {
		t.Errorf("partners of an empty store: %#v, want an empty list", none)
	}

	far := newPartner("Zeta.9")
	far.CreatedAt = epoch.In(time.FixedZone("somewhere", 5*60*60+30*60))
	want := []store.Partner{newPartner("10"), newPartner("9"), far, newPartner("alpha"), newPartner("alpha-2"), newPartner("alpha_2")}
	for _, i := range []int{3, 0, 5, 2, 4, 1} {
		mustDo(t, s.Keys.CreatePartner(ctx, want[i]))
	}
	samePartners(t, must[[]store.Partner](t)(s.Keys.Partners(ctx)), want)

	imposter := newPartner("alpha")
	imposter.Name = "Imposter"
	wantError(t, "CreatePartner of a taken id", s.Keys.CreatePartner(ctx, imposter), store.ErrConflict)
	samePartner(t, must[store.Partner](t)(s.Keys.Partner(ctx, "alpha")), newPartner("alpha"))

	limit := store.Limit{PerMinute: 60, Burst: 7}
	mustDo(t, s.Keys.SetLimit(ctx, "alpha", limit))
	want[3].Limit = limit
	samePartner(t, must[store.Partner](t)(s.Keys.Partner(ctx, "alpha")), want[3])
	samePartners(t, must[[]store.Partner](t)(s.Keys.Partners(ctx)), want)

	for _, id := range []string{"nobody", "alph", "ALPHA"} {
		got, err := s.Keys.Partner(ctx, id)
		wantError(t, "Partner "+id, err, store.ErrNotFound)
		if got != (store.Partner{}) {
			t.Errorf("partner %s: %+v beside an error", id, got)
		}
		wantError(t, "SetLimit of "+id, s.Keys.SetLimit(ctx, id, limit), store.ErrNotFound)
	}
	samePartners(t, must[[]store.Partner](t)(s.Keys.Partners(ctx)), want)
}

func checkKeys(t *testing.T, s Stores) {
	ctx := t.Context()
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("acme")))
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, "acme")), []store.Key{})

	second, first := newKey("bbbb2222", "acme", store.ModeLive), newKey("aaaa1111", "acme", store.ModeLive)
	first.Label = ""
	first.CreatedAt = epoch.In(time.FixedZone("elsewhere", -7*60*60))
	mustDo(t, s.Keys.AddKey(ctx, second))
	mustDo(t, s.Keys.AddKey(ctx, first))
	sameKey(t, must[store.Key](t)(s.Keys.Key(ctx, first.ID)), first)
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, "acme")), []store.Key{first, second})

	third := newKey("CCCC3333", "acme", store.ModeLive)
	wantError(t, "a third live key", s.Keys.AddKey(ctx, third), store.ErrTooManyKeys)
	_, err := s.Keys.Key(ctx, third.ID)
	wantError(t, "Key that was refused", err, store.ErrNotFound)

	// The modes are counted apart.
	trial := newKey("0000test", "acme", store.ModeTest)
	mustDo(t, s.Keys.AddKey(ctx, trial))
	mustDo(t, s.Keys.AddKey(ctx, newKey("0001test", "acme", store.ModeTest)))
	wantError(t, "a third test key", s.Keys.AddKey(ctx, newKey("0002test", "acme", store.ModeTest)), store.ErrTooManyKeys)

	// A rotation: revoke one, add the next; the revoked one stays known. Revoking again changes nothing and frees nothing.
	first.RevokedAt = epoch.Add(time.Hour)
	mustDo(t, s.Keys.RevokeKey(ctx, first.ID, first.RevokedAt.In(time.FixedZone("far", 3600))))
	sameKey(t, must[store.Key](t)(s.Keys.Key(ctx, first.ID)), first)
	mustDo(t, s.Keys.AddKey(ctx, third))
	for _, again := range []time.Time{first.RevokedAt, epoch, epoch.Add(24 * time.Hour)} {
		mustDo(t, s.Keys.RevokeKey(ctx, first.ID, again))
	}
	sameKey(t, must[store.Key](t)(s.Keys.Key(ctx, first.ID)), first)
	wantError(t, "a third live key after a rotation", s.Keys.AddKey(ctx, newKey("dddd4444", "acme", store.ModeLive)), store.ErrTooManyKeys)
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, "acme")),
		[]store.Key{trial, newKey("0001test", "acme", store.ModeTest), third, first, second})

	got, err := s.Keys.Key(ctx, "nosuchid")
	wantError(t, "Key", err, store.ErrNotFound)
	if got.ID != "" || got.Hash != nil {
		t.Errorf("key %+v beside an error", got)
	}
	wantError(t, "RevokeKey", s.Keys.RevokeKey(ctx, "nosuchid", epoch), store.ErrNotFound)
	none, err := s.Keys.KeysOf(ctx, "nobody")
	wantError(t, "KeysOf", err, store.ErrNotFound)
	if none != nil {
		t.Errorf("keys %+v beside an error", none)
	}

	// Many keys of one partner, more than any engine reads in one piece.
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("many")))
	var all []store.Key
	for i := range 120 {
		key := newKey(fmt.Sprintf("many%04d", i), "many", store.ModeLive)
		mustDo(t, s.Keys.AddKey(ctx, key))
		key.RevokedAt = epoch.Add(time.Duration(i) * time.Minute)
		mustDo(t, s.Keys.RevokeKey(ctx, key.ID, key.RevokedAt))
		all = append(all, key)
	}
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, "many")), all)
}

// checkKeyRefusals: when several rules refuse a key, the answer is always that of the first.
func checkKeyRefusals(t *testing.T, s Stores) {
	ctx := t.Context()
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("full")))
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("other")))
	mustDo(t, s.Keys.AddKey(ctx, newKey("full0001", "full", store.ModeLive)))
	mustDo(t, s.Keys.AddKey(ctx, newKey("full0002", "full", store.ModeLive)))
	mustDo(t, s.Keys.AddKey(ctx, newKey("revoked1", "other", store.ModeLive)))
	mustDo(t, s.Keys.RevokeKey(ctx, "revoked1", epoch))

	tests := []struct {
		what string
		key  store.Key
		want error
	}{
		{"no partner, free id", newKey("free0001", "nobody", store.ModeLive), store.ErrNotFound},
		{"no partner, taken id", newKey("full0001", "nobody", store.ModeLive), store.ErrNotFound},
		{"full, taken id", newKey("full0001", "full", store.ModeLive), store.ErrConflict},
		{"full, another partner's id", newKey("revoked1", "full", store.ModeLive), store.ErrConflict},
		{"taken by another partner", newKey("full0001", "other", store.ModeLive), store.ErrConflict},
		{"taken by a revoked key", newKey("revoked1", "other", store.ModeLive), store.ErrConflict},
		{"taken by the other mode", newKey("full0001", "full", store.ModeTest), store.ErrConflict},
		{"full", newKey("free0001", "full", store.ModeLive), store.ErrTooManyKeys},
	}
	for _, test := range tests {
		err := s.Keys.AddKey(ctx, test.key)
		wantError(t, test.what, err, test.want)
		for _, other := range []error{store.ErrNotFound, store.ErrConflict, store.ErrTooManyKeys} {
			if other != test.want && errors.Is(err, other) {
				t.Errorf("%s: error %v is %v as well", test.what, err, other)
			}
		}
	}
	sameKey(t, must[store.Key](t)(s.Keys.Key(ctx, "full0001")), newKey("full0001", "full", store.ModeLive))
	_, err := s.Keys.Key(ctx, "free0001")
	wantError(t, "refused key", err, store.ErrNotFound)

	// What was refused took no place: the other partner still has room for two.
	mustDo(t, s.Keys.AddKey(ctx, newKey("other001", "other", store.ModeLive)))
	mustDo(t, s.Keys.AddKey(ctx, newKey("other002", "other", store.ModeLive)))
}

func checkSimilarPartners(t *testing.T, s Stores) {
	ctx := t.Context()
	ids := []string{"a", "a-", "a-b", "a/b", "aa", "A", strings.Repeat("a", 128)}
	for i, id := range ids {
		mustDo(t, s.Keys.CreatePartner(ctx, newPartner(id)))
		mustDo(t, s.Keys.AddKey(ctx, newKey(fmt.Sprintf("key-%d", i), id, store.ModeLive)))
	}
	for i, id := range ids {
		sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, id)), []store.Key{newKey(fmt.Sprintf("key-%d", i), id, store.ModeLive)})
	}
}

func checkInvalidKeys(t *testing.T, s Stores) {
	ctx := t.Context()
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("acme")))
	mustDo(t, s.Keys.AddKey(ctx, newKey("aaaa1111", "acme", store.ModeLive)))
	limit := store.Limit{PerMinute: 6000, Burst: 1200}

	for _, id := range []string{"", " ", "a b", "a#b", "#", "tab\t", "nul\x00", "ümlaut", "\xff", strings.Repeat("x", 129)} {
		wantError(t, "CreatePartner", s.Keys.CreatePartner(ctx, newPartner(id)), store.ErrInvalid)
		wantError(t, "SetLimit", s.Keys.SetLimit(ctx, id, limit), store.ErrInvalid)
		wantError(t, "AddKey with that id", s.Keys.AddKey(ctx, newKey(id, "acme", store.ModeLive)), store.ErrInvalid)
		wantError(t, "AddKey to that partner", s.Keys.AddKey(ctx, newKey("bbbb2222", id, store.ModeLive)), store.ErrInvalid)
		wantError(t, "RevokeKey", s.Keys.RevokeKey(ctx, id, epoch), store.ErrInvalid)
		_, err := s.Keys.Partner(ctx, id)
		wantError(t, "Partner", err, store.ErrInvalid)
		_, err = s.Keys.Key(ctx, id)
		wantError(t, "Key", err, store.ErrInvalid)
		_, err = s.Keys.KeysOf(ctx, id)
		wantError(t, "KeysOf", err, store.ErrInvalid)
	}

	for _, limit := range []store.Limit{{}, {PerMinute: 1}, {Burst: 1}, {PerMinute: -1, Burst: 1}, {PerMinute: 1, Burst: -1},
		{PerMinute: 10_000_001, Burst: 1}, {PerMinute: 1, Burst: 10_000_001}} {
		partner := newPartner("limit")
		partner.Limit = limit
		wantError(t, "CreatePartner", s.Keys.CreatePartner(ctx, partner), store.ErrInvalid)
		wantError(t, "SetLimit", s.Keys.SetLimit(ctx, "acme", limit), store.ErrInvalid)
	}

	for _, at := range []time.Time{{}, time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC)} {
		partner, key := newPartner("time"), newKey("bbbb2222", "acme", store.ModeLive)
		partner.CreatedAt, key.CreatedAt = at, at
		wantError(t, "CreatePartner", s.Keys.CreatePartner(ctx, partner), store.ErrInvalid)
		wantError(t, "AddKey", s.Keys.AddKey(ctx, key), store.ErrInvalid)
		wantError(t, "RevokeKey", s.Keys.RevokeKey(ctx, "aaaa1111", at), store.ErrInvalid)
	}

	for _, spoil := range []func(*store.Key){
		func(k *store.Key) { k.Mode = "" },
		func(k *store.Key) { k.Mode = "Live" },
		func(k *store.Key) { k.Hash = nil },
		func(k *store.Key) { k.Hash = []byte{} },
		func(k *store.Key) { k.RevokedAt = epoch },
	} {
		key := newKey("bbbb2222", "acme", store.ModeLive)
		spoil(&key)
		wantError(t, fmt.Sprintf("AddKey of %+v", key), s.Keys.AddKey(ctx, key), store.ErrInvalid)
	}

	samePartners(t, must[[]store.Partner](t)(s.Keys.Partners(ctx)), []store.Partner{newPartner("acme")})
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, "acme")), []store.Key{newKey("aaaa1111", "acme", store.ModeLive)})
}

// checkKeyMemory: neither what goes in nor what comes out shares bytes with the store.
func checkKeyMemory(t *testing.T, s Stores) {
	ctx := t.Context()
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("acme")))
	want := newKey("aaaa1111", "acme", store.ModeLive)
	passed := newKey("aaaa1111", "acme", store.ModeLive)
	mustDo(t, s.Keys.AddKey(ctx, passed))
	clear(passed.Hash)
	got := must[store.Key](t)(s.Keys.Key(ctx, want.ID))
	sameKey(t, got, want)
	clear(got.Hash)
	list := must[[]store.Key](t)(s.Keys.KeysOf(ctx, "acme"))
	sameKeys(t, list, []store.Key{want})
	clear(list[0].Hash)
	list[0] = store.Key{}
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, "acme")), []store.Key{want})
	sameKey(t, must[store.Key](t)(s.Keys.Key(ctx, want.ID)), want)
}

func checkConcurrentKeys(t *testing.T, s Stores) {
	ctx := t.Context()

	// Different keys of one partner: as many as may be live get in, the others are too many.
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("one")))
	results := make([]error, goroutines)
	atOnce(goroutines, func(i int) {
		results[i] = s.Keys.AddKey(ctx, newKey(fmt.Sprintf("one-%02d", i), "one", store.ModeLive))
	})
	var won []store.Key
	for i, err := range results {
		if err == nil {
			won = append(won, newKey(fmt.Sprintf("one-%02d", i), "one", store.ModeLive))
		} else {
			wantError(t, "AddKey beside others", err, store.ErrTooManyKeys)
		}
	}
	if len(won) != store.MaxLiveKeys {
		t.Errorf("%d of %d keys were added at once, want %d", len(won), goroutines, store.MaxLiveKeys)
	}
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, "one")), won)

	// One id for many partners: one gets it, and it costs the others none of their places.
	atOnce(goroutines, func(i int) {
		id := fmt.Sprintf("many-%02d", i)
		if results[i] = s.Keys.CreatePartner(ctx, newPartner(id)); results[i] == nil {
			results[i] = s.Keys.AddKey(ctx, newKey("wanted", id, store.ModeLive))
		}
	})
	winner := -1
	for i, err := range results {
		id := fmt.Sprintf("many-%02d", i)
		if err != nil {
			wantError(t, "AddKey of one id", err, store.ErrConflict)
			sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, id)), []store.Key{})
			continue
		}
		if winner >= 0 {
			t.Errorf("partners %d and %d both got the key", winner, i)
		}
		winner = i
		sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, id)), []store.Key{newKey("wanted", id, store.ModeLive)})
	}
	if winner < 0 {
		t.Error("nobody got the key")
	}
	loser := fmt.Sprintf("many-%02d", (winner+1)%goroutines)
	mustDo(t, s.Keys.AddKey(ctx, newKey("loser-1", loser, store.ModeLive)))
	mustDo(t, s.Keys.AddKey(ctx, newKey("loser-2", loser, store.ModeLive)))

	// One partner id: one creates it.
	created := 0
	atOnce(goroutines, func(i int) {
		partner := newPartner("wanted")
		partner.Name = fmt.Sprint(i)
		results[i] = s.Keys.CreatePartner(ctx, partner)
	})
	for i, err := range results {
		if err != nil {
			wantError(t, "CreatePartner of one id", err, store.ErrConflict)
			continue
		}
		created++
		if got := must[store.Partner](t)(s.Keys.Partner(ctx, "wanted")); got.Name != fmt.Sprint(i) {
			t.Errorf("partner %s was created by %d", got.Name, i)
		}
	}
	if created != 1 {
		t.Errorf("%d created the partner, want 1", created)
	}
}

// checkConcurrentRevocation: however many revoke a key, one of their times is kept and one place becomes free.
func checkConcurrentRevocation(t *testing.T, s Stores) {
	ctx := t.Context()
	mustDo(t, s.Keys.CreatePartner(ctx, newPartner("acme")))
	mustDo(t, s.Keys.AddKey(ctx, newKey("kept", "acme", store.ModeLive)))
	mustDo(t, s.Keys.AddKey(ctx, newKey("ends", "acme", store.ModeLive)))
	results := make([]error, goroutines)
	atOnce(goroutines, func(i int) {
		results[i] = s.Keys.RevokeKey(ctx, "ends", epoch.Add(time.Duration(i)*time.Second))
	})
	mustDo(t, errors.Join(results...))
	ended := must[store.Key](t)(s.Keys.Key(ctx, "ends"))
	if since := ended.RevokedAt.Sub(epoch); since < 0 || since >= goroutines*time.Second || since%time.Second != 0 {
		t.Errorf("revoked at %v, which nobody said", ended.RevokedAt)
	}
	mustDo(t, s.Keys.AddKey(ctx, newKey("next", "acme", store.ModeLive)))
	wantError(t, "a third key", s.Keys.AddKey(ctx, newKey("more", "acme", store.ModeLive)), store.ErrTooManyKeys)
}

// checkKeyModel compares random sequences of calls with maps in memory.
func checkKeyModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		run := unique("m")
		partners, keys := map[string]store.Partner{}, map[string]store.Key{}
		partnerID := rapid.Map(rapid.SampledFrom([]string{"a", "b", "a-b"}), func(id string) string { return run + "." + id })
		keyID := rapid.Map(rapid.IntRange(0, 5), func(n int) string { return fmt.Sprintf("%s.%d", run, n) })
		moment := rapid.Map(rapid.Int64Range(0, int64(365*24*time.Hour)), func(n int64) time.Time { return epoch.Add(time.Duration(n)) })
		limit := rapid.Custom(func(t *rapid.T) store.Limit {
			return store.Limit{PerMinute: rapid.IntRange(1, 10_000_000).Draw(t, "per minute"), Burst: rapid.IntRange(1, 10_000_000).Draw(t, "burst")}
		})
		same := func(t *rapid.T, what string, err, want error) {
			if (err == nil) != (want == nil) || !errors.Is(err, want) {
				t.Fatalf("%s: error %v, want %v", what, err, want)
			}
		}

		for range rapid.IntRange(1, 20).Draw(t, "calls") {
			switch rapid.SampledFrom([]string{"partner", "limit", "add", "add", "add", "revoke", "revoke"}).Draw(t, "call") {
			case "partner":
				partner := store.Partner{ID: partnerID.Draw(t, "id"), Name: rapid.String().Draw(t, "name"), Limit: limit.Draw(t, "limit"), CreatedAt: moment.Draw(t, "at")}
				partner.Name = strings.ToValidUTF8(partner.Name, "?")
				var want error
				if _, taken := partners[partner.ID]; taken {
					want = store.ErrConflict
				} else {
					partners[partner.ID] = partner
				}
				same(t, "CreatePartner", s.Keys.CreatePartner(ctx, partner), want)
			case "limit":
				id, limit := partnerID.Draw(t, "id"), limit.Draw(t, "limit")
				want := store.ErrNotFound
				if partner, ok := partners[id]; ok {
					partner.Limit, want = limit, nil
					partners[id] = partner
				}
				same(t, "SetLimit", s.Keys.SetLimit(ctx, id, limit), want)
			case "add":
				key := store.Key{ID: keyID.Draw(t, "key"), PartnerID: partnerID.Draw(t, "id"), Mode: rapid.SampledFrom([]string{store.ModeLive, store.ModeTest}).Draw(t, "mode"),
					Hash: rapid.SliceOfN(rapid.Byte(), 1, 32).Draw(t, "hash"), Label: rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "label"), CreatedAt: moment.Draw(t, "at")}
				live := 0
				for _, other := range keys {
					if other.PartnerID == key.PartnerID && other.Mode == key.Mode && other.Live() {
						live++
					}
				}
				var want error
				if _, ok := partners[key.PartnerID]; !ok {
					want = store.ErrNotFound
				} else if _, taken := keys[key.ID]; taken {
					want = store.ErrConflict
				} else if live == store.MaxLiveKeys {
					want = store.ErrTooManyKeys
				} else {
					keys[key.ID] = key
				}
				same(t, "AddKey", s.Keys.AddKey(ctx, key), want)
			case "revoke":
				id, at := keyID.Draw(t, "key"), moment.Draw(t, "at")
				want := store.ErrNotFound
				if key, ok := keys[id]; ok {
					want = nil
					if key.Live() {
						key.RevokedAt = at
						keys[id] = key
					}
				}
				same(t, "RevokeKey", s.Keys.RevokeKey(ctx, id, at), want)
			}
		}

		for _, want := range keys {
			sameKey(t, must[store.Key](t)(s.Keys.Key(ctx, want.ID)), want)
		}
		var all []store.Partner
		for id, partner := range partners {
			all = append(all, partner)
			of := []store.Key{}
			for _, key := range keys {
				if key.PartnerID == id {
					of = append(of, key)
				}
			}
			slices.SortFunc(of, func(a, b store.Key) int { return strings.Compare(a.ID, b.ID) })
			sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, id)), of)
			samePartner(t, must[store.Partner](t)(s.Keys.Partner(ctx, id)), partner)
		}
		slices.SortFunc(all, func(a, b store.Partner) int { return strings.Compare(a.ID, b.ID) })
		got := slices.DeleteFunc(must[[]store.Partner](t)(s.Keys.Partners(ctx)), func(p store.Partner) bool { return !strings.HasPrefix(p.ID, run+".") })
		samePartners(t, got, all)
	})
}
