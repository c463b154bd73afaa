package activation

import (
	"fmt"
	"strconv"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// exchange settles the trades of the prediction venue on its chain, and takes the money of its buyers.
var exchange = chain.Address{0x4b, 0xfb, 0x41, 0xd5, 0xb3, 0x57, 0x0d, 0xef, 0xd0, 0x3c, 0x39, 0xa9, 0xa4, 0xd8, 0xde, 0x6b, 0xd8, 0xb8, 0x98, 0x2e}

// bridgedDollarOf is the dollar that the prediction venue takes on its chain: the bridged one, where the chain has it.
func bridgedDollarOf(on *chain.Chain) chain.Asset {
	for _, stable := range on.Stables {
		if stable.Symbol == "USDC.e" {
			return stable
		}
	}
	return dollarOf(on)
}

// credentials proves to the venue whose wallet it is. The nonce stands for the challenge.
func credentials(s Subject, p Progress) (Step, error) {
	document, err := typedData(domain{Name: "ClobAuthDomain", Version: "1", ChainID: s.Chain.ID}, "ClobAuth",
		fields("address address", "string timestamp", "uint256 nonce", "string message"),
		struct {
			Address   string `json:"address"`
			Timestamp string `json:"timestamp"`
			Nonce     uint64 `json:"nonce"`
			Message   string `json:"message"`
		}{s.Owner.Checksum(), strconv.FormatInt(p.IssuedAt.Unix(), 10), drawn(p.Challenge, 1<<31), "This message attests that I control the given wallet"})
	return Step{
		Kind:   SignTypedData,
		Title:  "Create trading credentials",
		What:   "You prove to the prediction venue that this wallet is yours, and it makes credentials by which orders can be placed for it.",
		Why:    "The venue takes orders only with credentials that belong to a wallet." + onPaper(s),
		Safety: safeCredentials(p.CredentialsExpireAt), Cost: CostNone,
		WalletShows: fmt.Sprintf("A message of the kind ClobAuth that says that you control the wallet %s. No token and no amount is in it.", s.Owner.Checksum()),
		TypedData:   document,
	}, err
}
