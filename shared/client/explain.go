package client

// Explanation is what to show a person before a step is done. Safety is a commitment and is to be shown word by word.
type Explanation struct {
	Title, What, Why, Safety string
	// Cost is one of the labels of CostLabel.
	Cost        string
	WalletShows string
}

// The labels of costs.
const (
	labelNone      = "no gas"
	labelGas       = "network fee"
	labelSponsored = "network fee (may be covered)"
)

// CostLabel is what to show for a step's cost: "no gas", "network fee" or "network fee (may be covered)". A cost that is not known is
// shown as a fee: nobody is to find one that was not announced.
func CostLabel(cost string) string {
	switch cost {
	case "none":
		return labelNone
	case "gas-sponsored":
		return labelSponsored
	}
	return labelGas
}

// unsaid stands where the service gave no safety line: none is made up for it.
const unsaid = "The service gave no safety statement for this step. Go on only if what your wallet shows is what you want."

// ExplainStep is what to show of a step: the service's own words, and where there are none, what can be said of any step of its kind.
func ExplainStep(step Step) Explanation {
	e := Explanation{
		Title: "Confirm in your wallet", What: "The service asks your wallet to do something that this version of the app does not know.",
		Why: "It is part of the activation of your agent.", Safety: unsaid, WalletShows: "Read what your wallet shows. If you do not understand it, say no.",
	}
	switch step.Kind {
	case StepSignMessage:
		e.Title, e.What = "Sign a message", "Your wallet signs a text. That sends no transaction."
		e.WalletShows = "The text of the message. If it is not what you were told, say no."
	case StepSignTypedData:
		e.Title, e.What = "Sign a permission", "Your wallet signs a permission. That sends no transaction, and what it permits is in its fields."
		e.WalletShows = "The fields of the permission. If they are not what you were told, say no."
	case StepSendTransaction:
		e.Title, e.What = "Send a transaction", "Your wallet sends a transaction to the network."
		e.WalletShows = "The address that is called, the amount, and the network fee. If they are not what you were told, say no."
	}
	for _, own := range []struct {
		text *string
		said string
	}{{&e.Title, step.Title}, {&e.What, step.What}, {&e.Why, step.Why}, {&e.Safety, step.Safety}, {&e.WalletShows, step.WalletShows}} {
		if own.said != "" {
			*own.text = own.said
		}
	}
	e.Cost = CostLabel(step.Cost)
	return e
}
