package copying

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
)

// What deals with keys and secrets does not start without the secret that they come from; what does not, does.
func TestTheSecretOfAgentsIsAskedForWhereItIsNeeded(t *testing.T) {
	config, err := host.ReadConfig(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	p := host.Process{Config: config, Parts: host.Parts{Metrics: host.NewEMF(io.Discard, time.Now)}}
	start := func() (failed []string) {
		for name, part := range map[string]func(host.Process) error{
			"agents":   func(p host.Process) error { _, err := Agents(p); return err },
			"webhooks": func(p host.Process) error { _, err := Webhooks(p); return err },
			"jobs":     func(p host.Process) error { _, err := Jobs(p); return err },
			"deciding": func(p host.Process) error { _, err := Deciding(p); return err },
			"expiry":   func(p host.Process) error { _, err := Expiry(p); return err },
		} {
			if err := part(p); errors.Is(err, errSecret) {
				failed = append(failed, name)
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		slices.Sort(failed)
		return failed
	}
	if failed := start(); strings.Join(failed, " ") != "agents jobs webhooks" {
		t.Errorf("without the secret %v do not start", failed)
	}
	p.Config.AgentSecret = host.Secret(strings.Repeat("00", 32))
	if failed := start(); failed != nil {
		t.Errorf("with the secret %v do not start", failed)
	}
}
