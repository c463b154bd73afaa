package samplemarket

// tokenSamples are tokens of every kind, on chains in turn, and a few addresses that are no tokens.
func (m *Market) tokenSamples() []Sample {
	var list []Sample
	add := func(w *world, entity int32, kind, about string) {
		list = append(list, Sample{Address: w.entities[entity].address.String(), Chain: w.spec.slug, Kind: kind, About: about})
	}
	for i, wanted := range tokenSamples {
		found := 0
		for n := range m.worlds {
			w := m.worlds[(i+n)%len(m.worlds)]
			if t := w.newest(wanted.is); t != nil && found < 2 {
				add(w, t.entity, wanted.name, wanted.about)
				found++
			}
		}
	}
	first, last := m.worlds[0], m.worlds[len(m.worlds)-1]
	for _, w := range []*world{first, last} {
		add(w, w.assets[wrappedAsset+1].entity, "stable", "A stablecoin, whose issuer can mint, block and pause.")
	}
	add(first, first.assets[wrappedAsset].entity, "wrapped", "The native coin, wrapped.")
	add(first, first.wallets[first.crowd[0]].entity, "not-a-token", "A wallet, not a token.")
	add(first, first.assets[first.collection].entity, "not-a-token", "An NFT collection, not a token.")
	for _, p := range first.pools {
		if p.receipt >= 0 && p.drainedAt == 0 {
			add(first, p.entity, "not-a-token", "A liquidity pool, not a token.")
			break
		}
	}
	return list
}

// tokenSamples are the kinds of tokens worth trying.
var tokenSamples = []struct {
	name, about string
	is          func(w *world, t *token) bool
}{
	{"major", "An established token with deep liquidity.", ofKind(kindMajor)},
	{"grower", "Rises over weeks.", ofKind(kindGrower)},
	{"recovered", "Fell by more than half, then recovered.", ofKind(kindPhoenix)},
	{"pump-and-fade", "Pumped within hours, then faded.", ofKind(kindPump)},
	{"rug-to-come", "Its creator is going to take the money.", func(_ *world, t *token) bool { return t.kind == kindRug && t.ruggedAt == 0 }},
	{"rug", "Its creator has taken the liquidity.", func(_ *world, t *token) bool {
		return t.kind == kindRug && t.ruggedAt != 0 && t.traits.manner != rugByMint
	}},
	{"rug-by-mint", "Its liquidity is still locked; its creator minted new supply and sold it.", func(_ *world, t *token) bool {
		return t.ruggedAt != 0 && t.traits.manner == rugByMint
	}},
	{"honeypot", "It can be bought and not sold.", ofKind(kindHoneypot)},
	{"honeypot-overlooked", "It cannot be sold, and the security provider does not see it.", func(_ *world, t *token) bool {
		return t.kind == kindHoneypot && t.traits.overlooked
	}},
	{"tax", "Every trade is taxed by the contract.", ofKind(kindTaxed)},
	{"bundled", "One hand's accounts bought it up in its first block and trade it like clockwork.", func(w *world, t *token) bool {
		return len(t.bots) > 0 && w.now-t.listed < t.traits.botLife && t.ruggedAt == 0
	}},
	{"organic", "Just launched, and many different people trade it.", func(w *world, t *token) bool {
		return len(t.bots) == 0 && w.now-t.listed < 2*daySeconds && w.origin(t) == "organic"
	}},
	{"stagnant", "Barely moves.", ofKind(kindStagnant)},
	{"fader", "Bleeds slowly.", ofKind(kindFader)},
	{"thin", "A few accounts trade it among themselves.", ofKind(kindThin)},
}

func ofKind(kind tokenKind) func(*world, *token) bool {
	return func(_ *world, t *token) bool { return t.kind == kind }
}

// newest is the youngest token of some sort that has traded a while.
func (w *world) newest(is func(*world, *token) bool) *token {
	for i := len(w.tokens) - 1; i >= 0; i-- {
		if t := &w.tokens[i]; t.pool >= 0 && len(w.pools[t.pool].swaps) >= 20 && is(w, t) {
			return t
		}
	}
	return nil
}
