package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// checkedAt is when the clock stands still while binaries are checked.
var checkedAt = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// eventsFolder has a sample event for each function, beside template.yaml.
const eventsFolder = "events"

// check starts the binary of every function of the template and gives it its sample event, about something that the sample market has.
// One that answers requests must answer as it does in this process, to the byte but for what is made for the moment; one that is a job must succeed,
// and put as many messages into queues.
func check(ctx context.Context, getenv func(string) string, out, logs io.Writer) error {
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mirrorworthy-check")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	secret := host.Secret(strings.Repeat("c0", 32))
	config.Mode, config.Port, config.FixedClock, config.Jobs = host.Sample, 0, checkedAt, []string{}
	config.Pepper, config.AgentSecret, config.DynamoDBEndpoint = secret, secret, ""
	// What runs beside must not make an answer late on one side alone.
	config.SingleTimeout, config.BundleTimeout = 12*time.Second, 14*time.Second
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: max(config.LogLevel, slog.LevelWarn)}))
	var sides []*side
	for _, runtime := range []host.Runtime{host.InProcess, host.Binaries} {
		mine := config
		mine.Runtime, mine.DataDir = runtime, filepath.Join(folder, string(runtime))
		mine.Addresses, mine.Queues = maps.Clone(config.Addresses), maps.Clone(config.Queues)
		server, err := newServer(mine, log)
		if err != nil {
			return err
		}
		s := &side{server: server, web: &http.Server{Handler: server.handler, ReadHeaderTimeout: time.Second}}
		defer s.close()
		go func() { _ = s.web.Serve(server.listener) }()
		sides = append(sides, s)
	}
	source, err := os.ReadFile(config.Template)
	if err != nil {
		return err
	}
	deployed, err := readTemplate(source)
	if err != nil {
		return err
	}
	// Webhooks go to a receiver on this machine: what a name on the network resolves to is not for a check to depend on.
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer receiver.Close()
	about := mentioned{samples: sides[0].server.samples, receiver: receiver.URL}
	var wrong []string
	names := slices.Sorted(maps.Keys(deployed.Functions))
	// Jobs come first: requests are answered from what they keep.
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(rank(deployed, a), rank(deployed, b))
	})
	for _, name := range names {
		event, err := os.ReadFile(filepath.Join(filepath.Dir(config.Template), eventsFolder, name+".json"))
		if err != nil {
			return err
		}
		said, err := checkFunction(ctx, name, event, about, sides[0], sides[1])
		if err != nil {
			wrong = append(wrong, name)
			said = err.Error()
		}
		fmt.Fprintf(out, "%-24s %s\n", name, said)
	}
	if wrong != nil {
		return fmt.Errorf("%d of %d functions are wrong: %s", len(wrong), len(deployed.Functions), strings.Join(wrong, ", "))
	}
	fmt.Fprintf(out, "%d functions are right\n", len(deployed.Functions))
	return nil
}

// rank is 0 for jobs and 1 for what answers requests.
func rank(deployed template, name string) int {
	if slices.ContainsFunc(deployed.Routes, func(r route) bool { return r.Function == name }) {
		return 1
	}
	return 0
}

// side is a service with a way of its own to run functions.
type side struct {
	server *server
	web    *http.Server
}

func (s *side) close() {
	_ = s.web.Close()
	s.server.shut()
}

// checkFunction says how a function answered its event.
func checkFunction(ctx context.Context, name string, event []byte, about mentioned, here, binary *side) (string, error) {
	var request events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(event, &request); err != nil {
		return "", err
	}
	if request.RouteKey == "" {
		for _, s := range []*side{here, binary} {
			function := s.server.jobs.functions[name]
			if function == nil {
				return "", errors.New("the event is no request, and there is no job of that name")
			}
			if _, err := function(ctx, event); err != nil {
				return "", err
			}
		}
		if left, want := binary.server.jobs.queues.left(), here.server.jobs.queues.left(); left != want {
			return "", fmt.Errorf("leaves %d messages in the queues, want %d", left, want)
		}
		return "ran as in this process", nil
	}
	body, err := about.put(name, request.Body)
	if err != nil {
		return "", err
	}
	request.Body = body
	want, err := here.ask(ctx, request)
	if err != nil {
		return "", err
	}
	got, err := binary.ask(ctx, request)
	switch {
	case err != nil:
		return "", err
	case got.status >= http.StatusInternalServerError || got.text != want.text || got.status != want.status:
		return "", fmt.Errorf("answers %d %s\nwant %d %s", got.status, got.text, want.status, want.text)
	}
	return fmt.Sprintf("%d, %d bytes as in this process", got.status, len(got.text)), nil
}

// reply is an answer without what differs from request to request.
type reply struct {
	status int
	text   string
}

// ofTheMoment is what each answer has of its own: the request's id, a secret made for it, and times by the clock that goes on.
var ofTheMoment = regexp.MustCompile(`"(requestId|secret|createdAt|changedAt|durationMs)":("[^"]*"|[0-9]+)`)

// ask sends the request of an event.
func (s *side) ask(ctx context.Context, event events.APIGatewayV2HTTPRequest) (reply, error) {
	address := s.server.address() + event.RawPath
	if event.RawQueryString != "" {
		address += "?" + event.RawQueryString
	}
	request, err := http.NewRequestWithContext(ctx, event.RequestContext.HTTP.Method, address, strings.NewReader(event.Body))
	if err != nil {
		return reply{}, err
	}
	for name, value := range event.Headers {
		if name != "host" {
			request.Header.Set(name, value)
		}
	}
	request.Header.Set("Authorization", "Bearer "+s.server.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, err
	}
	text := fmt.Sprintf("%s %s units\n%s", response.Header.Get("Content-Type"), response.Header.Get("X-Usage-Units"), bytes.TrimSpace(body))
	return reply{response.StatusCode, ofTheMoment.ReplaceAllString(text, `"$1":""`)}, nil
}

// mentioned is what events are about in a check, in the place of what they name.
type mentioned struct {
	samples samplemarket.Samples
	// receiver is the address of a webhook's receiver.
	receiver string
}

// put puts a wallet or a token of the sample market, or the address of the receiver, into a body.
func (m mentioned) put(name, body string) (string, error) {
	if body == "" {
		return "", nil
	}
	var values map[string]any
	if err := json.Unmarshal([]byte(body), &values); err != nil {
		return "", err
	}
	wallets := m.samples.Wallets
	switch name {
	case "perp-wallet":
		wallets = m.samples.Perps
	case "prediction-wallet":
		wallets = m.samples.Predictions
	}
	replace := func(field string, sample samplemarket.Sample) {
		if _, has := values[field]; !has {
			return
		}
		values[field] = sample.Address
		if _, has := values["chain"]; has {
			values["chain"] = sample.Chain
		}
	}
	replace("wallet", wallets[0])
	replace("token", m.samples.Tokens[0])
	if _, has := values["leadWallet"]; has {
		values["leadWallet"] = wallets[len(wallets)-1].Address
	}
	if _, has := values["wallets"]; has {
		values["wallets"], values["chain"] = []string{wallets[0].Address, wallets[1].Address}, wallets[0].Chain
	}
	if _, has := values["url"]; has {
		values["url"] = m.receiver
	}
	written, err := json.Marshal(values)
	return string(written), err
}
