package activation

import (
	"fmt"
	"time"
)

// Each of these lines is a commitment. What enforces it is named beside it, and a test of this package checks that it is there.

// Enforced by TestTheFactoryIsAskedForTheWalletsOwnAccount in shared/activation.
// Enforced by TestASmartAccountIsMadeAndAnswersForItsOwner in shared/samplemarket.
func safeDeployment(s Subject) string {
	return fmt.Sprintf("The account belongs to your wallet %s: the transaction names no other owner, "+
		"and we check that none is set.", s.Owner.Checksum())
}

// Enforced by TestAnApprovalIsOfExactlyTheCap in shared/activation.
// Enforced by TestStopIsFinalAndAlwaysPossible in shared/agent.
func safeSpending(amount string) string {
	return fmt.Sprintf("Spending is capped at %s: the approval is for exactly that and never unlimited. You can stop at any time.", amount)
}

// Enforced by TestASessionNamesItsCapAndItsEnd in shared/activation.
// Enforced by TestWarningsAndExpiry in shared/agent.
// Enforced by TestStopIsFinalAndAlwaysPossible in shared/agent.
func safeSession(amount string, until time.Time) string {
	return fmt.Sprintf("The session is for at most %s and ends by itself on %s. You can stop at any time.", amount, until.Format(time.RFC1123))
}

// Enforced by TestATradingAgentCanOnlyTradeAndNeverWithdraw in shared/provider/hyperliquid.
// Enforced by TestStopIsFinalAndAlwaysPossible in shared/agent.
func safeTrading() string {
	return "We can never withdraw: the agent can place and cancel orders and set leverage, and nothing else. You can stop at any time."
}

// Enforced by TestEveryInputHasOneOutcomeWithinTheLimits in shared/mirroring.
// Enforced by TestStopIsFinalAndAlwaysPossible in shared/agent.
func safeLeverage(leverage string) string {
	return fmt.Sprintf("No copy is opened with more than %s of leverage, whatever the leader does. This signature moves no money. You can stop at any time.", leverage)
}

// Enforced by TestCredentialsAttestTheWalletAndNothingElse in shared/activation.
// Enforced by TestWarningsAndExpiry in shared/agent.
func safeCredentials(until time.Time) string {
	return fmt.Sprintf("This signature moves no money and approves no spending: it only says that the wallet is yours. "+
		"We stop using what it makes on %s.", until.Format(time.RFC1123))
}
