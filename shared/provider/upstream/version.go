package upstream

import (
	"slices"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// ownDesigns are exchanges whose version numbers do not follow Uniswap's: a pool of theirs may price its reserves in any way.
var ownDesigns = []string{
	"aerodrome", "balancer", "beethovenx", "beets", "curve", "dodo", "equalizer", "fluid", "kyberswap", "maverick", "ramses", "solidly",
	"thena", "trader", "traderjoe", "velodrome", "wombat", "woofi",
}

// constantByDefault are exchanges whose pools are x*y=k unless a version says otherwise.
var constantByDefault = []string{"apeswap", "baseswap", "biswap", "quickswap", "shibaswap", "sushiswap"}

// PoolVersion tells a pool's kind from its id, the name of its exchange and the provider's labels, where they tell it. Only a pool
// inside one contract for all has an id of 32 bytes.
func PoolVersion(id, exchange string, labels ...string) market.PoolVersion {
	if len(id) == 66 {
		return market.SingletonPool
	}
	said := words(strings.Join(append([]string{exchange}, labels...), " "))
	if slices.Contains(said, "slipstream") || slices.Contains(said, "clmm") {
		return market.ConcentratedPool
	}
	if slices.ContainsFunc(said, func(word string) bool { return slices.Contains(ownDesigns, word) }) {
		return market.UnknownPool
	}
	for _, version := range []struct {
		word string
		kind market.PoolVersion
	}{
		{"v4", market.SingletonPool}, {"infinity", market.SingletonPool}, {"v3", market.ConcentratedPool},
		{"v2", market.ConstantPool}, {"v1", market.UnknownPool},
	} {
		if slices.Contains(said, version.word) {
			return version.kind
		}
	}
	if slices.ContainsFunc(said, func(word string) bool { return slices.Contains(constantByDefault, word) }) {
		return market.ConstantPool
	}
	return market.UnknownPool
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
}
