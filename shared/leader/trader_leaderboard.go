package leader

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

const (
	// maximumWallets is how many wallets can be compared at once.
	maximumWallets = 25
	// unitsPerWallet is what each costs.
	unitsPerWallet = 2
	// answerMargin is the most that is kept of the answer's time for putting it together once slow wallets are given up.
	answerMargin = 200 * time.Millisecond
)

var wallets = endpoint.AddressList("wallets", "The wallets to compare, each once.", true, maximumWallets)

// TraderLeaderboard ranks the wallets that were asked for.
type TraderLeaderboard struct {
	// Rows are in the order of the ranks, the wallets that could not be graded last.
	Rows []LeaderboardRow `json:"rows"`
	// Partial is true where some wallets could not be graded, and left out otherwise.
	Partial bool `json:"partial,omitzero"`
	// Failed lists the wallets that could not be graded; left out where there are none.
	Failed []string `json:"failed,omitzero"`
}

// LeaderboardRow is a wallet's grade, the same as trader-score's; a wallet that could not be graded has an error instead and no rank.
// Grade, score and subscores are null when unrated, which is unknown, not bad: such a wallet ranks in the middle.
type LeaderboardRow struct {
	// Rank is the wallet's place among those asked for, from 1; null for one that could not be graded.
	Rank *int `json:"rank"`
	// Wallet is the wallet's address.
	Wallet chain.Address `json:"wallet"`
	// Grade is the one-glance answer. One of A, B, C, D or F; null when unrated.
	Grade *string `json:"grade"`
	// Verdict says whether the trader is worth mirroring. One of mirror-worthy, watch, avoid or unrated; null for a wallet that could
	// not be graded.
	Verdict *string `json:"verdict"`
	// Score is 0 to 100; null when unrated.
	Score *float64 `json:"score"`
	// Subscores are what the score is made of; null when unrated.
	Subscores *wallet.Subscores `json:"subscores"`
	// Confidence is how much history backs the score, 0 to 1.
	Confidence *float64 `json:"confidence"`
	// SampleSize counts closed positions with a known result; null for a wallet that could not be graded.
	SampleSize *int `json:"sampleSize"`
	// Reasons are one to five sentences, the weightiest first; none for a wallet that could not be graded.
	Reasons []reason.Reason `json:"reasons"`
	// Error is the code of why the wallet could not be graded.
	Error string `json:"error,omitzero"`
	// Message says what to do about it.
	Message string `json:"message,omitzero"`
}

func traderLeaderboard() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "trader-leaderboard", Graded: true,
		Summary:    "Grades up to 25 wallets on one chain and ranks them.",
		Parameters: []endpoint.Parameter{wallets, endpoint.Chain},
		UnitsFor:   func(r *endpoint.Request) int { return unitsPerWallet * len(wallets.Of(r)) },
		Needs:      tradingrecord.Needs,
		Check: func(_ context.Context, r *endpoint.Request) error {
			asked := slices.SortedFunc(slices.Values(wallets.Of(r)), chain.Address.Compare)
			for i := 1; i < len(asked); i++ {
				if asked[i] == asked[i-1] {
					return endpoint.Invalid("wallets", "wallets must hold each wallet once; "+asked[i].String()+" is there twice.")
				}
			}
			return nil
		},
	}, compare)
}

// gradedWallet is a wallet's score, or why there is none.
type gradedWallet struct {
	score wallet.TraderScoreAnswer
	err   error
}

// compare grades the wallets side by side. It fails when all of them do.
func compare(ctx context.Context, r *endpoint.Request) (TraderLeaderboard, error) {
	asked := wallets.Of(r)
	graded := gradeAll(ctx, r, asked)
	if !slices.ContainsFunc(graded, func(g gradedWallet) bool { return g.err == nil }) {
		return TraderLeaderboard{}, graded[0].err
	}
	answer := TraderLeaderboard{Rows: make([]LeaderboardRow, 0, len(asked))}
	var failed []LeaderboardRow
	for i, address := range asked {
		if err := graded[i].err; err != nil {
			problem := r.PartFailed(ctx, "trader-leaderboard", "wallet", err)
			failed = append(failed, LeaderboardRow{Wallet: address, Reasons: []reason.Reason{}, Error: problem.Code, Message: problem.Message})
			answer.Failed = append(answer.Failed, address.String())
			continue
		}
		answer.Rows = append(answer.Rows, leaderboardRow(address, &graded[i].score))
	}
	slices.SortStableFunc(answer.Rows, byScore)
	for i := range answer.Rows {
		rank := i + 1
		answer.Rows[i].Rank = &rank
	}
	answer.Rows, answer.Partial = append(answer.Rows, failed...), len(failed) > 0
	return answer, nil
}

// gradeAll grades wallets side by side. Those that are not done shortly before the answer is due have failed.
func gradeAll(ctx context.Context, r *endpoint.Request, asked []chain.Address) []gradedWallet {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-answerMargin))
		defer cancel()
	}
	graded := make([]gradedWallet, len(asked))
	group := parallel.NewGroup()
	for i, address := range asked {
		group.Go(func() error {
			one := parallel.NewGroup() // makes a panic the error of its wallet
			one.Go(func() error {
				record, err := tradingrecord.Of(ctx, r.Session, endpoint.Chain.Of(r), address, r.AsOf)
				if err == nil {
					graded[i].score = wallet.ScoreOf(record, r.AsOf)
				}
				return err
			})
			graded[i].err = one.Wait()
			return nil
		})
	}
	_ = group.Wait() // each function keeps its own error
	return graded
}

func leaderboardRow(address chain.Address, score *wallet.TraderScoreAnswer) LeaderboardRow {
	return LeaderboardRow{
		Wallet: address, Grade: score.Grade, Verdict: &score.Verdict, Score: score.Score, Subscores: score.Subscores,
		Confidence: score.Confidence, SampleSize: &score.SampleSize, Reasons: score.Reasons,
	}
}

// byScore ranks mirror-worthy wallets first, then by score, confidence and address; an unrated wallet ranks where nothing is known.
func byScore(a, b LeaderboardRow) int {
	first, firstConfidence := rankedBy(a.Score, a.Confidence)
	second, secondConfidence := rankedBy(b.Score, b.Confidence)
	return cmp.Or(worthyFirst(*a.Verdict == trader.MirrorWorthy, *b.Verdict == trader.MirrorWorthy),
		cmp.Compare(second, first), cmp.Compare(secondConfidence, firstConfidence), a.Wallet.Compare(b.Wallet))
}
