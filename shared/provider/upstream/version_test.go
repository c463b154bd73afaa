package upstream

import (
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func TestPoolVersion(t *testing.T) {
	address := "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640"
	id := address + address[2:26]
	for _, c := range []struct {
		id, exchange, label string
		want                market.PoolVersion
	}{
		{address, "uniswap", "v2", market.ConstantPool},
		{address, "uniswap", "V3", market.ConcentratedPool},
		{address, "uniswap", "", market.UnknownPool},
		{address, "uniswap_v2", "", market.ConstantPool},
		{address, "uniswap-v3-polygon", "", market.ConcentratedPool},
		{id, "uniswap", "", market.SingletonPool},
		{id, "balancer", "v2", market.SingletonPool},
		{address, "pancakeswap-infinity-clmm-bsc", "", market.ConcentratedPool},
		{address, "sushiswap", "", market.ConstantPool},
		{address, "sushiswap-v3-base", "", market.ConcentratedPool},
		{address, "balancer", "v2", market.UnknownPool},
		{address, "traderjoe", "v2", market.UnknownPool},
		{address, "trader-joe-v2-1-arbitrum", "", market.UnknownPool},
		{address, "aerodrome", "", market.UnknownPool},
		{address, "aerodrome", "slipstream", market.ConcentratedPool},
		{address, "aerodrome-slipstream", "", market.ConcentratedPool},
		{address, "pancakeswap", "v1", market.UnknownPool},
		{address, "curve", "v2", market.UnknownPool},
		{address, "", "", market.UnknownPool},
	} {
		labels := []string{c.label}
		if c.label == "" {
			labels = nil
		}
		if got := PoolVersion(c.id, c.exchange, labels...); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.exchange, c.label, got, c.want)
		}
	}
}
