package accuracy

import (
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// answer is an answer about a token that was listed so long ago.
func tokenAnswer(kind, trap string, age time.Duration, verdict string) tokenAnswers {
	now := sampleNow()
	a := tokenAnswers{truth: samplemarket.TokenTruth{Kind: kind, Trap: trap, Honeypot: trap == "honeypot", Listed: now.Add(-age), LockedShare: 1}, at: now, last: true}
	if verdict != "" {
		a.Risk = &struct {
			Verdict string   `json:"verdict"`
			Flags   []string `json:"flags"`
		}{Verdict: verdict}
	}
	return a
}

// measured finds what a row measured.
func measured(t *testing.T, rows []Row, name string) Row {
	t.Helper()
	for _, row := range rows {
		if strings.HasSuffix(row.Name, name) {
			return row
		}
	}
	t.Fatalf("no row %q in %v", name, rows)
	return Row{}
}

func check(t *testing.T, rows []Row, name, want string, pass bool) {
	t.Helper()
	if row := measured(t, rows, name); row.Measured != want || row.Pass != pass {
		t.Errorf("%s: measured %q, pass %v; want %q, %v", name, row.Measured, row.Pass, want, pass)
	}
}

func TestTrapRows(t *testing.T) {
	const day = 24 * time.Hour
	young := tokenAnswer("honeypot", "honeypot", time.Hour, "low") // not tried yet
	missed := tokenAnswer("honeypot", "honeypot", 9*day, "high")
	missed.truth.Overlooked = true
	pulled := tokenAnswer("rug", "rug", 9*day, "critical")
	pulled.truth.RuggedAt = sampleNow().Add(-day)
	open := tokenAnswer("rug", "rug", 2*day, "high")
	open.truth.Manner = "withdrawal"
	mint := tokenAnswer("rug", "rug", 2*day, "medium")
	mint.truth.Manner, mint.truth.Overlooked = "mint", true
	locked := tokenAnswer("rug", "rug", 2*day, "low") // the lock still holds for long: nothing shows
	locked.truth.Manner, locked.truth.LockedUntil = "lock-ended", sampleNow().Add(90*day)
	soon := tokenAnswer("rug", "rug", 2*day, "critical")
	soon.truth.Manner, soon.truth.LockedUntil = "lock-ended", sampleNow().Add(2*day)
	buy := tokenAnswer("rug", "rug", 2*day, "")
	buy.Signal = &struct {
		Signal string `json:"signal"`
	}{"ACCUMULATE"}
	avoid := buy
	avoid.Signal = &struct {
		Signal string `json:"signal"`
	}{"AVOID"}
	rows := trapRows([]tokenAnswers{young, missed, tokenAnswer("honeypot", "honeypot", day, "critical"), pulled, open, mint, locked, soon, buy, avoid})
	check(t, rows, ": honeypots are critical", "0.500 of 2", false)
	check(t, rows, "honeypots that the security provider overlooks are critical", "0.000 of 1", false)
	check(t, rows, "rugs that were pulled are critical", "1.000 of 1", true)
	check(t, rows, "rugs to come whose signs show are high or critical", "0.667 of 3", false)
	check(t, rows, "the same where the security provider overlooks the contract", "0.000 of 1", false)
	check(t, rows, "BUY or ACCUMULATE on a trap", "0.500 of 2", false)
	for _, row := range trapRows(nil) {
		if row.Pass {
			t.Errorf("nothing was measured, and it passes: %+v", row)
		}
	}
}

func TestAlarmRows(t *testing.T) {
	const day = 24 * time.Hour
	open := tokenAnswer("grower", "", 9*day, "high") // its creator can take the liquidity: no false alarm
	open.truth.LockedShare = 0
	old := tokenAnswer("grower", "", 90*day, "high")
	old.truth.LockedShare = 0
	rows := alarmRows([]tokenAnswers{
		open, old, tokenAnswer("grower", "", 9*day, "medium"), tokenAnswer("grower", "", 9*day, "critical"), tokenAnswer("grower", "", day, "low"),
		tokenAnswer("major", "", 900*day, "low"), tokenAnswer("major", "", 900*day, "unknown"), tokenAnswer("stagnant", "", day, "unknown"), tokenAnswer("rug", "rug", day, "critical"),
		tokenAnswer("stagnant", "", day, ""),
	})
	check(t, rows, "false alarms on a grower", "0.500 of 4", false)
	check(t, rows, "false alarms on a major", "0.000 of 2", true)
	check(t, rows, "false alarms on a stagnant", "0.000 of 1", true)
	check(t, rows, "a major is low", "0.500 of 2", false)
}

func TestOriginRows(t *testing.T) {
	of := func(planted, origin, wantTrend, trend string, compared bool) tokenAnswers {
		a := tokenAnswer("fader", "", time.Hour, "")
		a.truth.Origin, a.truth.Trend, a.trend = planted, wantTrend, compared
		a.Holders = &struct {
			Trend  string `json:"trend"`
			Origin string `json:"origin"`
		}{trend, origin}
		return a
	}
	rows := originRows([]tokenAnswers{
		of("organic", "organic", "stable", "stable", true), of("organic", "mixed", "stable", "bleeding", false), of("bot-driven", "bot-driven", "bleeding", "stable", true),
		of("", "bot-driven", "", "unknown", true),
	})
	check(t, rows, "origin organic", "precision 1.000, recall 0.500 of 2 planted; 1 taken for mixed", false)
	check(t, rows, "origin bot-driven", "precision 1.000, recall 1.000 of 1 planted", true)
	check(t, rows, "trend stable", "precision 0.500, recall 1.000 of 1 planted", false)
	check(t, rows, "trend bleeding", "precision 1.000, recall 0.000 of 1 planted; 1 taken for stable", false)
}
