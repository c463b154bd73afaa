package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
	"github.com/mirrorworthy/mirrorworthy/shared/client/localwallet"
)

// chainIDs are the numbers of the sample market's chains.
var chainIDs = map[string]int64{"eth": 1, "base": 8453, "bsc": 56, "arbitrum": 42161, "polygon": 137, "optimism": 10}

// walk is one way through the flow.
type walk struct {
	out      io.Writer
	market   *market
	receiver *receiver
	wallet   *localwallet.Wallet
	client   *client.Client
	// ahead is how far the sample market's clock is ahead of ours.
	ahead atomic.Int64
}

func newWalk(ctx context.Context, address, key string, out io.Writer) (*walk, error) {
	w := &walk{out: out}
	var err error
	if w.market, err = openMarket(ctx, address); err != nil {
		return nil, err
	}
	w.synchronize()
	if w.receiver, err = newReceiver(w.now); err != nil {
		return nil, err
	}
	var private [32]byte
	if _, err := rand.Read(private[:]); err != nil {
		return nil, err
	}
	nodes := make(map[int64]string)
	for slug, node := range w.market.Nodes {
		nodes[chainIDs[slug]] = node
	}
	if w.wallet, err = localwallet.New(ctx, hex.EncodeToString(private[:]), nodes); err != nil {
		return nil, err
	}
	base := address + "/v1"
	signedIn, err := client.AuthHeadersFor(client.SignIn{
		BaseURL: base, Address: w.wallet.Address(), ChainID: 8453, SignMessage: w.wallet.SignMessage, Clock: w.now,
	})
	if err != nil {
		return nil, err
	}
	w.client, err = client.New(client.Options{BaseURL: base, APIKey: key, AuthHeaders: signedIn, Clock: w.now})
	return w, err
}

func (w *walk) close() {
	_ = w.receiver.server.Close()
	w.wallet.Close()
}

// synchronize sets our clock by the sample market's.
func (w *walk) synchronize() { w.ahead.Store(int64(time.Until(w.market.Now))) }

// now is the sample market's time.
func (w *walk) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *walk) title(format string, values ...any) {
	fmt.Fprintf(w.out, "\n"+format+"\n", values...)
}

func (w *walk) say(format string, values ...any) {
	fmt.Fprintf(w.out, "   "+format+"\n", values...)
}

// pass lets time pass.
func (w *walk) pass(ctx context.Context, by time.Duration) error {
	w.ahead.Add(int64(by)) // webhooks of the time that passes come before the answer
	if err := w.market.advance(ctx, by); err != nil {
		return err
	}
	w.synchronize()
	return nil
}

// all is the whole flow.
func (w *walk) all(ctx context.Context) error {
	leaders, err := w.browse(ctx)
	if err != nil {
		return err
	}
	plan, err := w.vet(ctx, leaders.spot)
	if err != nil {
		return err
	}
	if err := w.listen(ctx); err != nil {
		return err
	}
	spot, err := w.create(ctx, client.VenueSpot, leaders.spot, plan)
	if err != nil {
		return err
	}
	perps, err := w.create(ctx, client.VenuePerps, leaders.perps, client.RiskConfig{MaxUSD: "250", CopyPercent: 100, CopyExisting: true})
	if err != nil {
		return err
	}
	if err := w.follow(ctx, spot, perps); err != nil {
		return err
	}
	return w.lapse(ctx, perps)
}

// chosen are the leaders that the flow is about.
type chosen struct{ spot, perps client.Leader }

// boardsWithin is how long the boards of a service that was just started may take to fill.
const boardsWithin = 10 * time.Minute

// browse lists the venues and the leaders that can be copied there, and chooses the first of spot and of perpetuals.
func (w *walk) browse(ctx context.Context) (chosen, error) {
	w.title("1. Who can be copied?")
	venues, err := w.client.ListVenues(ctx)
	if err != nil {
		return chosen{}, err
	}
	for _, v := range venues {
		w.say("%-21s %s (%s)", v.Venue, v.About, strings.Join(v.Modes, ", "))
	}
	var picked chosen
	for _, of := range []struct {
		venue string
		to    *client.Leader
	}{{client.VenueSpot, &picked.spot}, {client.VenuePerps, &picked.perps}} {
		if *of.to, err = w.first(ctx, of.venue); err != nil {
			return chosen{}, err
		}
		place := of.venue
		if of.to.Chain != nil {
			place += " on " + *of.to.Chain
		}
		w.say("First at %s: %s, grade %s from %d closed positions (%s)", place, of.to.Address, *of.to.Grade, of.to.SampleSize, of.to.Assessment.Evidence)
		for i, reason := range of.to.Assessment.Reasons {
			if i < 2 {
				w.say("  - %s", reason)
			}
		}
		if of.to.Disclosure != nil {
			w.say("  Note: %s", *of.to.Disclosure)
		}
	}
	return picked, nil
}

// mostPicked is how many leaders are looked at for one that holds something.
const mostPicked = 8

// pick is the first graded leader of a venue; of perpetuals the first that has a position open, so that there is something to copy at
// once, where one of the first has. Without any the leader has no grade.
func (w *walk) pick(ctx context.Context, venue string) (client.Leader, error) {
	var picked client.Leader
	looked := 0
	for leader, err := range w.client.ListLeaders(ctx, venue, client.LeaderFilter{}) {
		if err != nil {
			return leader, err
		}
		if leader.Grade == nil {
			continue
		}
		if picked.Grade == nil {
			picked = leader
		}
		if venue != client.VenuePerps || looked == mostPicked {
			break
		}
		looked++
		page, err := w.client.Post(ctx, "/perp-wallet", map[string]string{"wallet": leader.Address})
		if err != nil {
			return client.Leader{}, err
		}
		var account struct {
			Positions []json.RawMessage `json:"positions"`
		}
		if err := json.Unmarshal(page, &account); err != nil {
			return client.Leader{}, err
		}
		if len(account.Positions) > 0 {
			return leader, nil
		}
	}
	return picked, nil
}

// first is the leader picked at a venue, as soon as there is one.
func (w *walk) first(ctx context.Context, venue string) (client.Leader, error) {
	until := time.Now().Add(boardsWithin)
	for told := false; ; told = true {
		leader, err := w.pick(ctx, venue)
		if err != nil || leader.Grade != nil {
			return leader, err
		}
		if !told {
			w.say("The boards are being filled; that takes a minute or two after the first start.")
		}
		select {
		case <-ctx.Done():
			return client.Leader{}, ctx.Err()
		case <-time.After(3 * time.Second):
		}
		if time.Now().After(until) {
			return client.Leader{}, fmt.Errorf("no leader at %s can be copied", venue)
		}
	}
}

// vet looks at a leader's page and asks how much of our money should follow.
func (w *walk) vet(ctx context.Context, leader client.Leader) (client.RiskConfig, error) {
	w.title("2. Is the leader worth it, and how much should follow?")
	page, err := w.client.WalletOverview(ctx, leader.Address, *leader.Chain)
	if err != nil {
		return client.RiskConfig{}, err
	}
	var overview struct {
		Score struct {
			Grade   *string  `json:"grade"`
			Verdict string   `json:"verdict"`
			Reasons []string `json:"reasons"`
		} `json:"traderScore"`
		Style struct {
			Style string `json:"style"`
			Tempo string `json:"tempo"`
		} `json:"traderStyle"`
	}
	if err := json.Unmarshal(page, &overview); err != nil {
		return client.RiskConfig{}, err
	}
	grade := "none"
	if overview.Score.Grade != nil {
		grade = *overview.Score.Grade
	}
	w.say("Its page says: grade %s, %s; %s, %s.", grade, overview.Score.Verdict, overview.Style.Style, overview.Style.Tempo)
	plan, err := w.client.CopyPlan(ctx, client.CopyPlanRequest{Wallet: w.wallet.Address(), LeadWallet: leader.Address, Chain: *leader.Chain, RiskProfile: "moderate"})
	if err != nil {
		return client.RiskConfig{}, err
	}
	w.say("The plan for a new wallet: copy %v, %.2f %% of the money, %.2f %% a position.", plan.Copy, plan.Plan.CapitalPct, plan.Plan.PerPositionCapPct)
	for _, line := range append(plan.Reasons, plan.Warnings...) {
		w.say("  - %s", line)
	}
	for _, line := range plan.Plan.Exclusions {
		w.say("  leaves out: %s", line)
	}
	w.say("This wallet is empty, so the agents of this walk trade on paper, with 250 USD.")
	return client.RiskConfig{MaxUSD: "250", CopyPercent: 100, CopyExisting: true}, nil
}

// listen has events sent to this process.
func (w *walk) listen(ctx context.Context) error {
	w.title("3. Where are we told?")
	webhook, err := w.client.PutWebhook(ctx, client.PutWebhookRequest{URL: w.receiver.address, RotateSecret: true})
	if err != nil {
		return err
	}
	w.receiver.mu.Lock()
	w.receiver.secret = webhook.Secret
	w.receiver.mu.Unlock()
	test, err := w.client.TestWebhook(ctx)
	if err != nil {
		return err
	}
	w.say("Webhooks go to %s; a test was delivered: %v, and its signature holds.", w.receiver.address, test.Delivered)
	w.receiver.take()
	return nil
}

// create makes an agent and has the wallet activate it.
func (w *walk) create(ctx context.Context, venue string, leader client.Leader, risk client.RiskConfig) (client.Agent, error) {
	w.title("4. An agent at %s", venue)
	asked := client.CreateAgentRequest{Venue: venue, SmartAccountAddress: w.wallet.Address(), LeaderWalletAddress: leader.Address, RiskConfig: risk}
	if leader.Chain != nil {
		asked.Chain = *leader.Chain
		account, err := w.market.smartAccount(ctx, *leader.Chain, w.wallet.Address())
		if err != nil {
			return client.Agent{}, err
		}
		asked.SmartAccountAddress = account
	}
	agent, err := w.client.CreateAgent(ctx, asked)
	if err != nil {
		return client.Agent{}, err
	}
	w.say("%s is %s; it may have %s USD at stake.", agent.AgentID, agent.Status, agent.RiskConfig.MaxUSD)
	return agent, w.activate(ctx, agent.AgentID)
}

func (w *walk) activate(ctx context.Context, agentID string) error {
	round := 0
	done, err := w.client.Activate(ctx, agentID, w.wallet, client.ActivateOptions{OnRound: func(steps []client.Step) error {
		round++
		w.say("Round %d:", round)
		for _, step := range steps {
			told := client.ExplainStep(step)
			w.say("  %s (%s)", told.Title, told.Cost)
			w.say("    what    %s", told.What)
			w.say("    why     %s", told.Why)
			w.say("    safety  %s", told.Safety)
			w.say("    shows   %s", told.WalletShows)
		}
		return nil
	}})
	if err != nil {
		return err
	}
	agent, err := w.client.GetAgent(ctx, agentID)
	if err != nil {
		return err
	}
	w.say("Signed and sent: the agent is %s, until %s.", done.Status, *agent.CredentialsExpireAt)
	return nil
}

// longestWatch bounds the time that passes until agents have opened, closed and skipped something.
const longestWatch = 14 * 24 * time.Hour

// follow lets time pass until the agents have opened a copy, closed one and skipped one, and shows what they did.
func (w *walk) follow(ctx context.Context, agents ...client.Agent) error {
	w.title("5. What did the copies do?")
	shown := make(map[string]string)
	var opened, closed, skipped bool
	for passed := time.Duration(0); passed < longestWatch && !(opened && closed && skipped); {
		step := 6 * time.Hour
		if passed == 0 {
			step = time.Minute
		}
		if err := w.pass(ctx, step); err != nil {
			return err
		}
		passed += step
		for _, agent := range agents {
			for execution, err := range w.client.ListExecutions(ctx, agent.AgentID, "") {
				if err != nil {
					return err
				}
				if shown[execution.ExecutionID] == execution.Status {
					break // those after it were shown before
				}
				shown[execution.ExecutionID] = execution.Status
				done := execution.Status == "executed" || execution.Status == "partial"
				opened = opened || done && execution.Leg == "open"
				closed = closed || done && execution.Leg == "close"
				skipped = skipped || execution.Status == "skipped"
				w.show(execution)
			}
		}
	}
	if !opened || !skipped {
		return errors.New("the leaders did too little to show a copy and a skip")
	}
	w.say("Webhooks told of %s.", counted(w.receiver.take()))
	return nil
}

func (w *walk) show(e client.Execution) {
	what := fmt.Sprintf("%s %s %s", e.Leg, e.Side, e.Asset.Name)
	switch {
	case e.SkipReason != nil:
		w.say("%s  %-28s skipped, %s: %s", e.DetectedAt, what, *e.SkipReason, e.Reason)
	case e.Price != nil:
		line := fmt.Sprintf("%s  %-28s %s at %.6g", e.DetectedAt, what, e.Status, *e.Price)
		if e.LeaderPrice != nil && e.SlippageBps != nil {
			line += fmt.Sprintf(" (leader %.6g, %+.1f bps)", *e.LeaderPrice, *e.SlippageBps)
		}
		if e.SizeUSD != nil {
			line += ", " + *e.SizeUSD + " USD"
		}
		if e.RealizedUSD != nil {
			line += ", result " + *e.RealizedUSD + " USD"
		}
		w.say("%s", line)
	default:
		w.say("%s  %-28s %s: %s", e.DetectedAt, what, e.Status, e.Reason)
	}
}

// counted tells how many events of each type there are, in the order in which the types came first.
func counted(events []client.Event) string {
	var order []string
	counts := make(map[string]int)
	for _, e := range events {
		if counts[e.Type] == 0 {
			order = append(order, e.Type)
		}
		counts[e.Type]++
	}
	for i, kind := range order {
		order[i] = fmt.Sprintf("%d %s", counts[kind], kind)
	}
	if len(order) == 0 {
		return "nothing"
	}
	return strings.Join(order, ", ")
}

// lapse lets an agent's credentials run out, as they do after a month, and activates it again.
func (w *walk) lapse(ctx context.Context, agent client.Agent) error {
	w.title("6. A month later")
	for _, left := range []time.Duration{71 * time.Hour, 23 * time.Hour, -time.Hour} {
		now, err := w.client.GetAgent(ctx, agent.AgentID)
		if err != nil {
			return err
		}
		lapses, err := time.Parse(time.RFC3339, *now.CredentialsExpireAt)
		if err != nil {
			return err
		}
		if by := lapses.Add(-left).Sub(w.now()); by > 0 {
			if err := w.pass(ctx, by.Truncate(time.Second)+time.Second); err != nil {
				return err
			}
		}
		for _, event := range w.receiver.take() {
			if strings.HasPrefix(event.Type, "agent.") && strings.Contains(string(event.Data), agent.AgentID) {
				w.say("%s  webhook %s", event.At.Format(time.RFC3339), event.Type)
			}
		}
	}
	_, err := w.client.Resume(ctx, agent.AgentID)
	refused := (*client.Error)(nil)
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		return fmt.Errorf("resuming an expired agent: %w", err)
	}
	w.say("Resume is refused, %s: %s", refused.Code, refused.Message)
	if err := w.activate(ctx, agent.AgentID); err != nil {
		return err
	}
	stopped, err := w.client.Stop(ctx, agent.AgentID)
	if err != nil {
		return err
	}
	w.say("And at the end of this walk it is %s.", stopped.Status)
	return nil
}
