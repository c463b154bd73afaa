package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/mirrorworthy/mirrorworthy/infra/console"
	"github.com/mirrorworthy/mirrorworthy/infra/runtimeapi"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/gateway"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/mcpserver"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// drainTimeout is how long requests under way may still take when the server is told to stop.
const drainTimeout = 10 * time.Second

// server is the whole service on one machine.
type server struct {
	listener net.Listener
	// handler is the service; the console is before it.
	handler http.Handler
	key     string
	data    string // the data folder
	forgets bool   // the store is in memory
	// processes are the functions that are processes of their own; nil where they run in this one.
	processes map[string]runtimeapi.Options
	sample    *samplemarket.Market // nil unless the providers are the sample market
	samples   samplemarket.Samples
	nodes     map[string]string // of the sample market, by chain
	now       func() time.Time  // the sample market's
	clock     *movableClock     // nil unless the sample market's time can be moved
	jobs      *jobs
	settled   chan struct{} // closed when every schedule has run once
	close     []func() error
	log       *slog.Logger
}

// newServer opens the port before anything is done that takes time, so that a taken one is told at once.
func newServer(config host.Config, log *slog.Logger) (_ *server, err error) {
	source, err := os.ReadFile(config.Template)
	if err != nil {
		return nil, fmt.Errorf("TEMPLATE=%s: %w", config.Template, err)
	}
	deployed, err := readTemplate(source)
	if err == nil {
		_, err = scheduled(deployed.Schedules, config) // said before anything is made
	}
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(config.Port)))
	if err != nil {
		return nil, fmt.Errorf("PORT=%d: %w; set PORT to a free one", config.Port, err)
	}
	s := &server{listener: listener, log: log, settled: make(chan struct{}), close: []func() error{listener.Close}}
	defer func() {
		if err != nil {
			s.shut()
		}
	}()
	kept, pepper, err := s.open(&config)
	if err != nil {
		return nil, err
	}
	if config.Mode == host.Sample {
		// What is in other processes has the computer's clock.
		if config.FixedClock.IsZero() && config.Runtime == host.InProcess {
			if s.clock, err = newMovableClock(time.Now, filepath.Join(config.DataDir, "sample-ahead")); err != nil {
				return nil, err
			}
			config.Now = s.clock.now
		}
		if err := s.startSample(&config); err != nil {
			return nil, err
		}
	}
	if s.handler, err = s.newHandler(config, source, kept, pepper); err != nil {
		return nil, err
	}
	return s, nil
}

// open opens the store, and the secrets of the data folder: the pepper, the secret of agents, and the key, which are made at the first
// start.
func (s *server) open(config *host.Config) (kept host.Engine, pepper []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("DATA_DIR=%s: %w", config.DataDir, err)
		}
	}()
	if config.Runtime == host.Binaries {
		// What is kept elsewhere has keys of its own.
		config.DataDir = filepath.Join(config.DataDir, string(host.Binaries))
	}
	s.data = config.DataDir
	if err := os.MkdirAll(config.DataDir, 0o700); err != nil {
		return nil, nil, err
	}
	if config.Runtime == host.Binaries {
		kept, err = s.openDynamo(config)
	} else {
		kept, err = s.openEmbedded(*config)
	}
	if err != nil {
		return nil, nil, err
	}
	if config.Pepper != "" {
		pepper, err = partnerkey.ParsePepper(config.Pepper.Reveal())
	} else {
		pepper, err = partnerkey.LoadPepper(filepath.Join(config.DataDir, "pepper"), rand.Reader)
	}
	if err != nil {
		return nil, nil, err
	}
	if config.AgentSecret == "" {
		secret, err := partnerkey.LoadPepper(filepath.Join(config.DataDir, "agent-secret"), rand.Reader)
		if err != nil {
			return nil, nil, err
		}
		config.AgentSecret = host.Secret(hex.EncodeToString(secret))
	}
	if config.Pepper == "" {
		config.Pepper = host.Secret(hex.EncodeToString(pepper))
	}
	s.key, err = localKey(*config, kept.Keys(), pepper)
	return kept, pepper, err
}

// openEmbedded opens the store in the data folder.
func (s *server) openEmbedded(config host.Config) (host.Engine, error) {
	kept, err := embedded.Open(filepath.Join(config.DataDir, "store.db"))
	if err != nil {
		return nil, err
	}
	s.close = append(s.close, kept.Close)
	return kept, nil
}

// functions are the functions of the template: those that answer requests, and those that run by schedules and queues.
type functions struct {
	answering map[string]functionHandler
	working   map[string]job.Function
	// spread are the jobs among them that take from queues.
	spread []job.Spread
}

// inThisProcess builds each function of the template as its Lambda would.
func (s *server) inThisProcess(config host.Config, kept host.Engine, pepper []byte, to *queues) (functions, error) {
	ports := host.KeptIn(kept)
	parts := host.Parts{
		Keys: kept.Keys(), Meter: kept.Meter(), Idempotency: kept.Idempotency(), Log: s.log, Metrics: &logMetrics{s.log}, Pepper: pepper,
	}
	service, err := host.NewService(config, parts)
	if err != nil {
		return functions{}, err
	}
	copies, err := copying.New(config, parts)
	if err != nil {
		return functions{}, err
	}
	endpoints := catalogue.Endpoints(ports, copies)
	service.Routes = catalogue.Routes()
	forJobs, err := host.NewSources(config, parts)
	if err != nil {
		return functions{}, err
	}
	f := functions{answering: map[string]functionHandler{catalogue.NotFound: gateway.LambdaHandler(endpoint.NewHandler(service), s.log)}}
	for _, e := range append(endpoints, mcpserver.Endpoint(endpoints...)) {
		of := service
		if e.Open {
			// Its function looks at no key either.
			of.Keys, of.Meter = nil, nil
		}
		f.answering[e.Name] = gateway.LambdaHandler(endpoint.NewHandler(of, e), s.log)
	}
	f.spread = catalogue.Spreads(ports, forJobs, copies, chain.All())
	f.working = inProcess(catalogue.Jobs(ports, forJobs), f.spread, ports.Passes, to, config.Clock(), s.log)
	return f, nil
}

// newHandler makes the functions of the template, and the gateway before them.
func (s *server) newHandler(config host.Config, source []byte, kept host.Engine, pepper []byte) (http.Handler, error) {
	routes, err := readTemplate(source)
	if err != nil {
		return nil, err
	}
	to := newQueues(routes.Consumers, s.log)
	var made functions
	if config.Runtime == host.Binaries {
		made, err = s.asBinaries(config, routes, to)
	} else {
		made, err = s.inThisProcess(config, kept, pepper, to)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range routes.Routes {
		if made.answering[r.Function] == nil {
			return nil, fmt.Errorf("template.yaml: %s %s: there is no function %s", r.Method, r.Path, r.Function)
		}
	}
	if routes.Schedules, err = scheduled(routes.Schedules, config); err != nil {
		return nil, err
	}
	if s.jobs, err = newJobs(routes, to, made.working, made.spread, host.KeptIn(kept).Passes, config.Clock(), s.log); err != nil {
		return nil, err
	}
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	api := newAPIGateway(routes, made.answering, time.Now, newID, s.log)
	// Not a ServeMux: it would redirect paths that the service answers with a 404 of its own.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		onChain, ofNode := strings.CutPrefix(r.URL.EscapedPath(), "/sample/nodes/")
		switch {
		case r.Method == http.MethodGet && r.URL.EscapedPath() == "/sample":
			s.serveSamples(w)
		case r.Method == http.MethodGet && r.URL.EscapedPath() == "/queues":
			s.writeJSON(w, s.jobs.queues.states())
		case r.Method == http.MethodPost && r.URL.EscapedPath() == "/sample/advance":
			s.advance(w, r)
		case r.Method == http.MethodPost && ofNode:
			s.askNode(w, r, onChain)
		default:
			api.ServeHTTP(w, r)
		}
	}), nil
}

// startSample serves the sample market on a loopback port of its own and points every provider at it.
func (s *server) startSample(config *host.Config) error {
	start, err := sampleStart(config)
	if err != nil {
		return err
	}
	sample := samplemarket.New(samplemarket.Config{Seed: config.SampleSeed, Start: start, Clock: config.Clock()})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	upstream := &http.Server{Handler: sample.Handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = upstream.Serve(listener) }()
	s.close = append(s.close, upstream.Close)
	s.sample, s.samples = sample, sample.Samples()
	config.Addresses = host.SampleAddresses("http://" + listener.Addr().String())
	s.nodes, s.now = make(map[string]string), config.Clock()
	for _, on := range chain.All() {
		s.nodes[string(on.Slug)] = config.Addresses["rpc/"+string(on.Slug)]
	}
	return nil
}

// sampleHistory is how much history the sample market has when it is first started.
const sampleHistory = 200 * 24 * time.Hour

// sampleStart is the first instant of the sample market. It is kept, so that the market goes on where it was after a restart, also
// when the clock was stopped at a later time meanwhile. A clock that is stopped before the kept market has its history has a market of
// its own, which is not kept.
func sampleStart(config *host.Config) (time.Time, error) {
	start := config.Clock()().UTC().Truncate(24 * time.Hour).Add(-sampleHistory)
	file := filepath.Join(config.DataDir, "sample-start")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return start, os.WriteFile(file, []byte(start.Format(time.RFC3339)+"\n"), 0o600)
	}
	if err != nil {
		return start, err
	}
	kept, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	switch {
	case err == nil && kept.After(start) && !config.FixedClock.IsZero():
		return start, nil
	case err != nil || kept.After(start.Add(24*time.Hour)):
		return start, fmt.Errorf("%s does not hold a time in the past; remove it to start the sample market anew", file)
	}
	return kept, nil
}

// The partner whose key the local gateway makes for itself.
const (
	localPartner = "local"
	localKeyFile = "key"
)

// localKey is the key kept in the data folder; it is made at the first start.
func localKey(config host.Config, keys store.Keys, pepper []byte) (string, error) {
	ctx, clock := context.Background(), time.Now
	file := filepath.Join(config.DataDir, localKeyFile+"-"+keyMode(config))
	if text, err := os.ReadFile(file); err == nil {
		key := strings.TrimSpace(string(text))
		if _, err := partnerkey.NewKeyring(keys, pepper, clock).Authenticate(ctx, key); err == nil {
			return key, nil
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	administration := partnerkey.NewAdministration(keys, pepper, clock, rand.Reader)
	if _, err := administration.Create(ctx, localPartner, "Local gateway", store.Limit{PerMinute: 6000, Burst: 1200}); err != nil && !errors.Is(err, store.ErrConflict) {
		return "", err
	}
	key, err := administration.Issue(ctx, localPartner, keyMode(config), "made at the first start")
	if err != nil {
		return "", err
	}
	return key.Reveal(), os.WriteFile(file, []byte(key.Reveal()+"\n"), 0o600)
}

// keyMode is the kind of key that reaches the configured providers.
func keyMode(config host.Config) string {
	if config.Mode == host.Sample {
		return store.ModeTest
	}
	return store.ModeLive
}

// serve answers and runs the schedules until ctx ends, then lets the requests under way finish and ends the jobs.
func (s *server) serve(ctx context.Context) error {
	defer s.shut()
	handler, err := console.Handler(s.handler)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: maximumHeaders, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(s.listener) }()
	settled, stop := s.jobs.run(ctx)
	defer stop()
	go func() {
		<-settled
		close(s.settled)
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := web.Shutdown(drain); err != nil {
		return fmt.Errorf("requests still under way after %s: %w", drainTimeout, err)
	}
	return nil
}

// shut closes everything that was opened, the last first.
func (s *server) shut() {
	for i := len(s.close) - 1; i >= 0; i-- {
		_ = s.close[i]()
	}
}

// address is where the service answers.
func (s *server) address() string { return "http://" + s.listener.Addr().String() }

// consoleAddress is where the console opens. A test key is handed to it in the part of the address that is sent to nobody; a live key is
// pasted there, so that no history of a browser keeps it.
func (s *server) consoleAddress() string {
	if !strings.HasPrefix(s.key, "mw_"+store.ModeTest+"_") {
		return s.address() + "/"
	}
	return s.address() + "/#key=" + s.key
}

// greeting is the ready line, where the console is, and a few calls to try.
func (s *server) greeting() string {
	var text strings.Builder
	fmt.Fprintf(&text, "ready %s key=%s\n", s.address(), s.key)
	fmt.Fprintf(&text, "\nOpen the console:\n  %s\n", s.consoleAddress())
	if s.forgets {
		text.WriteString("\nThe functions run as binaries on a DynamoDB in memory: nothing but the key's folder is kept when this ends.\n")
	}
	if s.sample == nil {
		return text.String()
	}
	fmt.Fprintf(&text, "\nTry:\n  curl -s %s/sample\n", s.address())
	for i, sample := range s.samples.Wallets {
		if i == 3 {
			break
		}
		path := []string{"wallet-overview", "trader-score", "copy-simulate"}[i]
		fmt.Fprintf(&text, "  curl -s %s/v1/%s -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{\"wallet\":\"%s\",\"chain\":\"%s\"}'\n",
			s.address(), path, s.key, sample.Address, sample.Chain)
	}
	for _, sample := range s.samples.Tokens[:min(1, len(s.samples.Tokens))] {
		fmt.Fprintf(&text, "  curl -s %s/v1/token-overview -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{\"token\":\"%s\",\"chain\":\"%s\"}'\n",
			s.address(), s.key, sample.Address, sample.Chain)
	}
	for i, list := range [][]samplemarket.Sample{s.samples.Perps, s.samples.Predictions} {
		for _, sample := range list[:min(1, len(list))] {
			fmt.Fprintf(&text, "  curl -s %s/v1/%s -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{\"wallet\":\"%s\"}'\n",
				s.address(), []string{"perp-wallet", "prediction-wallet"}[i], s.key, sample.Address)
		}
	}
	fmt.Fprintf(&text, "  curl -s %s/v1/usage -H 'Authorization: Bearer %s'\n", s.address(), s.key)
	if s.clock != nil {
		fmt.Fprintf(&text, "\nCopying a leader, from the boards to the end of an agent:\n  make demo URL=%s DATA_DIR=%s\n", s.address(), s.data)
	}
	return text.String()
}

// serveSamples lists what there is to try in the sample market.
func (s *server) serveSamples(w http.ResponseWriter) {
	if s.sample == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":"not_found","message":"Only PROVIDERS=sample has samples."}`))
		return
	}
	s.writeJSON(w, struct {
		samplemarket.Samples
		// Nodes take transactions by chain, each also at /sample/nodes/{chain}; ChainIDs are the chains' EIP-155 ids. AccountFactory makes
		// smart accounts on each of them. Now is the sample market's time.
		Nodes          map[string]string `json:"nodes"`
		ChainIDs       map[string]int64  `json:"chainIds"`
		AccountFactory string            `json:"accountFactory"`
		Now            string            `json:"now"`
	}{s.samples, s.nodes, chainIDs(), samplemarket.AccountFactory, s.now().UTC().Format(time.RFC3339)})
}

func chainIDs() map[string]int64 {
	ids := make(map[string]int64)
	for _, on := range chain.All() {
		ids[string(on.Slug)] = on.ID
	}
	return ids
}

// writeJSON answers with a value.
func (s *server) writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	body, err := json.Marshal(value)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(append(body, '\n'))
}

// logMetrics writes metrics to the debug log.
type logMetrics struct{ log *slog.Logger }

// Count logs one count.
func (m *logMetrics) Count(name string, value int, dimensions ...string) {
	m.log.Debug("metric", "name", name, "value", value, "dimensions", dimensions)
}
