package host

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/defillama"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/dexscreener"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/geckoterminal"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/goplus"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/honeypotis"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/hyperliquid"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/polymarket"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Mode tells where facts come from.
type Mode string

// The ways to feed the service.
const (
	// Sample asks the simulated market on loopback.
	Sample Mode = "sample"
	// Live asks the real providers.
	Live Mode = "live"
	// Replay answers from recorded exchanges.
	Replay Mode = "replay"
)

// Runtime tells how the local gateway runs functions.
type Runtime string

// The ways to run functions.
const (
	// InProcess calls their handlers.
	InProcess Runtime = "inprocess"
	// Binaries starts their binaries as Lambda does.
	Binaries Runtime = "binaries"
)

// Config is the whole configuration, read once at start.
type Config struct {
	Mode Mode
	// ReplayDir holds the recorded exchanges of the Replay mode; RecordDir is where the Live mode writes them, empty for nowhere.
	ReplayDir, RecordDir string
	// FixedClock stops the service's clock at an instant; zero lets it run.
	FixedClock time.Time
	// Addresses are the providers' base URLs by name; blockscout and the nodes have one for each chain, like
	// "blockscout/base". Keys are their optional keys.
	Addresses map[string]string
	Keys      map[string]Secret
	// SingleTimeout and BundleTimeout end a request's work.
	SingleTimeout, BundleTimeout time.Duration
	// Pepper keys the hashes of partner keys.
	Pepper Secret
	// AgentSecret is what agents' trading keys are derived from and webhooks' secrets are sealed under, in hexadecimal digits; empty where it is not set.
	// LiveTrading lets agents be made that trade with real money.
	AgentSecret Secret
	LiveTrading bool
	// RecordsTable and MetersTable are the DynamoDB tables; DynamoDBEndpoint replaces the region's own, for tests.
	RecordsTable, MetersTable, DynamoDBEndpoint, Region string
	// Queues are the addresses of the jobs' queues by the jobs' names; SQSEndpoint replaces the region's own, for tests.
	Queues      map[string]string
	SQSEndpoint string
	LogLevel    slog.Level
	// Tracing sends X-Ray segments.
	Tracing bool

	// Now is the clock while it runs, nil for the computer's. It is no setting: the local gateway moves it.
	Now func() time.Time
	// Port, DataDir, Template, SampleSeed, Jobs, Runtime and BinariesDir matter to the local gateway only. Jobs are those that run by
	// their schedules; nil for all. BinariesDir holds the functions' binaries by their names.
	Runtime     Runtime
	BinariesDir string
	Port        int
	Template    string
	DataDir     string
	SampleSeed  uint64
	Jobs        []string
}

// Scheduled reports whether a job runs by its schedule.
func (c Config) Scheduled(job string) bool { return c.Jobs == nil || slices.Contains(c.Jobs, job) }

// Setting describes one environment variable.
type Setting struct {
	Name, Default, Meaning string
	read                   func(c *Config, value string) error
	// show writes a wrong value into an error; nil shows it as it is.
	show func(value string) string
}

// Settings lists every environment variable that is read, with its default.
func Settings() []Setting {
	settings := []Setting{
		{Name: "PROVIDERS", Default: "sample", Meaning: "sample, live, or replay:DIR with recorded exchanges", read: readMode},
		{Name: "CLOCK", Meaning: "an RFC 3339 time at which the service's clock stands still; empty lets it run", read: func(c *Config, value string) (err error) {
			c.FixedClock, err = time.Parse(time.RFC3339, value)
			return wantIf(err, "a time like 2026-11-21T00:00:00Z")
		}},
		{Name: "RECORD", Meaning: "a folder to which live exchanges are written, keys removed", read: func(c *Config, value string) error {
			c.RecordDir = value
			return nil
		}},
		{Name: "PORT", Default: "3000", Meaning: "the local gateway's port", read: func(c *Config, value string) (err error) {
			c.Port, err = strconv.Atoi(value)
			if err != nil || c.Port < 0 || c.Port > 65535 {
				return errors.New("want a port number from 0 to 65535")
			}
			return nil
		}},
		{Name: "DATA_DIR", Default: "data", Meaning: "the folder of the local store and key", read: func(c *Config, value string) error {
			c.DataDir = value
			return nil
		}},
		{Name: "TEMPLATE", Default: "template.yaml", Meaning: "the deployment template that the local gateway takes its routes from", read: func(c *Config, value string) error {
			c.Template = value
			return nil
		}},
		{Name: "SAMPLE_SEED", Default: "1", Meaning: "the seed of the sample market", read: func(c *Config, value string) (err error) {
			c.SampleSeed, err = strconv.ParseUint(value, 10, 64)
			return wantIf(err, "a whole number from 0")
		}},
		{Name: "JOBS", Default: "all", Meaning: "which jobs the local gateway runs by their schedules: all, none, or names with commas between them", read: func(c *Config, value string) error {
			c.Jobs = readJobs(value)
			return nil
		}},
		{Name: "RUNTIME", Default: "inprocess", Meaning: "how the local gateway runs functions: inprocess, or binaries for what is deployed, built for this machine", read: func(c *Config, value string) error {
			c.Runtime = Runtime(value)
			if c.Runtime != InProcess && c.Runtime != Binaries {
				return errors.New("want inprocess or binaries")
			}
			return nil
		}},
		{Name: "BINARIES_DIR", Default: "build/native", Meaning: "the folder of the functions' binaries for RUNTIME=binaries", read: func(c *Config, value string) error {
			c.BinariesDir = value
			return nil
		}},
		{Name: "SINGLE_TIMEOUT", Default: "6s", Meaning: "how long a single answer may take", read: func(c *Config, value string) (err error) {
			c.SingleTimeout, err = readTimeout(value)
			return err
		}},
		{Name: "BUNDLE_TIMEOUT", Default: "8s", Meaning: "how long a bundle may take", read: func(c *Config, value string) (err error) {
			c.BundleTimeout, err = readTimeout(value)
			return err
		}},
		{Name: "LOG_LEVEL", Default: "info", Meaning: "how much the local gateway logs: debug, info, warn or error; a function goes by AWS_LAMBDA_LOG_LEVEL", read: func(c *Config, value string) error {
			return wantIf(c.LogLevel.UnmarshalText([]byte(value)), "debug, info, warn or error")
		}},
		{Name: "TRACING", Default: "off", Meaning: "on sends X-Ray segments", read: func(c *Config, value string) error {
			c.Tracing = value == "on"
			if value != "on" && value != "off" {
				return errors.New("want on or off")
			}
			return nil
		}},
		{Name: "KEY_PEPPER", show: hide, Meaning: "the secret under which partner keys are hashed; the local gateway makes its own", read: func(c *Config, value string) error {
			c.Pepper = Secret(value)
			_, err := partnerkey.ParsePepper(value)
			return err
		}},
		{Name: "AGENT_SECRET", show: hide, Meaning: "the secret that agents' trading keys are derived from and webhooks' secrets are sealed under; the local gateway makes its own", read: func(c *Config, value string) (err error) {
			c.AgentSecret = Secret(value)
			_, err = DecodeSecret(c.AgentSecret)
			return wantIf(err, fmt.Sprintf("at least %d hexadecimal digits", 2*minimumSecret))
		}},
		{Name: "LIVE_TRADING", Default: "off", Meaning: "on lets agents be made that trade with real money", read: func(c *Config, value string) error {
			c.LiveTrading = value == "on"
			if value != "on" && value != "off" {
				return errors.New("want on or off")
			}
			return nil
		}},
		{Name: "RECORDS_TABLE", Meaning: "the DynamoDB table of records", read: func(c *Config, value string) error { c.RecordsTable = value; return nil }},
		{Name: "METERS_TABLE", Meaning: "the DynamoDB table of meters", read: func(c *Config, value string) error { c.MetersTable = value; return nil }},
		{Name: "DYNAMODB_ENDPOINT", show: showHost, Meaning: "a DynamoDB endpoint other than the region's", read: func(c *Config, value string) error {
			c.DynamoDBEndpoint = value
			return wantURL(value)
		}},
		{Name: "SQS_ENDPOINT", show: showHost, Meaning: "an SQS endpoint other than the region's", read: func(c *Config, value string) error {
			c.SQSEndpoint = value
			return wantURL(value)
		}},
		{Name: "AWS_REGION", Meaning: "the AWS region", read: func(c *Config, value string) error { c.Region = value; return nil }},
	}
	for _, name := range queues {
		settings = append(settings, queueSetting(name))
	}
	for _, p := range providers() {
		settings = append(settings, addressSetting(p.variable+"_URL", p.name, p.limits.Base))
		if p.key != noCredential {
			settings = append(settings, Setting{Name: p.variable + "_KEY", Meaning: p.key.meaning(p.name), show: hide, read: func(c *Config, value string) (err error) {
				c.Keys[p.name], err = readKey(value)
				return err
			}})
		}
	}
	return settings
}

// minimumSecret is the length of the shortest secret that is taken, in bytes.
const minimumSecret = 32

// DecodeSecret gives the bytes of a secret in hexadecimal digits.
func DecodeSecret(secret Secret) ([]byte, error) {
	decoded, err := hex.DecodeString(secret.Reveal())
	if err == nil && len(decoded) < minimumSecret {
		err = errors.New("too short")
	}
	return decoded, err
}

// queues are the jobs that have a queue. They are named here for their settings alone: what they do is for those who run them to know.
var queues = []string{"discover-leaders", "grade-leaders", "resolve-track-record", "mirror-trades", "deliver-webhooks"}

// QueueSetting is the environment variable with the address of a job's queue.
func QueueSetting(name string) string {
	return "QUEUE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func queueSetting(name string) Setting {
	meaning := "the address of the queue of " + name + "; the local gateway has a queue of its own"
	return Setting{Name: QueueSetting(name), Meaning: meaning, read: func(c *Config, value string) error {
		c.Queues[name] = value
		return wantURL(value)
	}}
}

func addressSetting(variable, name, byDefault string) Setting {
	return Setting{Name: variable, Default: byDefault, Meaning: "the base address of " + name, show: showHost, read: func(c *Config, value string) error {
		c.Addresses[name] = strings.TrimSuffix(value, "/")
		return wantURL(value)
	}}
}

// hide shows nothing of a secret.
func hide(value string) string { return Secret(value).String() }

// showHost shows no more of an address than its scheme and host: the rest may be a key.
func showHost(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return hidden
	}
	shown := u.Scheme + "://" + u.Host
	if value != shown {
		shown += "/..."
	}
	return shown
}

// ReadConfig reads the configuration. Every variable that is set to something impossible is named in the error, with what would
// be right.
func ReadConfig(getenv func(string) string) (Config, error) {
	config := Config{Addresses: make(map[string]string), Keys: make(map[string]Secret), Queues: make(map[string]string)}
	var wrong []error
	for _, setting := range Settings() {
		value := getenv(setting.Name)
		if value == "" {
			value = setting.Default
		}
		if value == "" {
			continue
		}
		if err := setting.read(&config, value); err != nil {
			if setting.show != nil {
				value = setting.show(value)
			}
			wrong = append(wrong, fmt.Errorf("%s=%s: %w", setting.Name, value, err))
		}
	}
	if wrong != nil {
		return config, errors.Join(wrong...)
	}
	if config.RecordDir != "" && config.Mode != Live {
		wrong = append(wrong, fmt.Errorf("RECORD=%s: only PROVIDERS=live can be recorded", config.RecordDir))
	}
	if config.BundleTimeout < config.SingleTimeout {
		wrong = append(wrong, fmt.Errorf("BUNDLE_TIMEOUT=%s: want at least SINGLE_TIMEOUT (%s)", config.BundleTimeout, config.SingleTimeout))
	}
	return config, errors.Join(wrong...)
}

func readMode(c *Config, value string) error {
	if dir, ok := strings.CutPrefix(value, "replay:"); ok && dir != "" {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			return errors.New("want replay:DIR with a folder that exists")
		}
		c.Mode, c.ReplayDir = Replay, dir
		return nil
	}
	switch Mode(value) {
	case Sample, Live:
		c.Mode = Mode(value)
		return nil
	}
	return errors.New("want sample, live or replay:DIR")
}

func readTimeout(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 100*time.Millisecond || d > 29*time.Second {
		return 0, errors.New("want a duration from 100ms to 29s")
	}
	return d, nil
}

func wantIf(err error, want string) error {
	if err != nil {
		return errors.New("want " + want)
	}
	return nil
}

func wantURL(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("want an http or https address without a query")
	}
	return nil
}

// provider is one upstream, or one of its hosts.
type provider struct {
	name, variable string
	// limits are those that the provider publishes for callers without a key; their Base is its live address.
	limits upstream.Config
	key    credential
}

// perpLeaderboard is the host of the perpetuals venue's leaderboard.
const perpLeaderboard = "hyperliquid-stats"

// nodeMemory is how long a node's answers stand: everything on one page is read at one head of the chain, once.
const nodeMemory = 5 * time.Second

// providers lists every upstream the service can ask.
func providers() []provider {
	all := []provider{
		{"geckoterminal", "GECKOTERMINAL", geckoterminal.Defaults(), noCredential},
		{"dexscreener", "DEXSCREENER", dexscreener.Defaults(), noCredential},
		{"defillama", "DEFILLAMA", defillama.Defaults(), noCredential},
		{"goplus", "GOPLUS", goplus.Defaults(), accessToken},
		{"honeypotis", "HONEYPOTIS", honeypotis.Defaults(), noCredential},
		{"hyperliquid", "HYPERLIQUID", hyperliquid.Defaults(), noCredential},
		{perpLeaderboard, "HYPERLIQUID_STATS", hyperliquid.LeaderboardDefaults(), noCredential},
		{"polymarket-data", "POLYMARKET_DATA", polymarket.DataDefaults(), noCredential},
		{"polymarket-gamma", "POLYMARKET_GAMMA", polymarket.GammaDefaults(), noCredential},
		{"polymarket-clob", "POLYMARKET_CLOB", polymarket.CLOBDefaults(), noCredential},
	}
	for _, on := range chain.All() {
		suffix := strings.ToUpper(string(on.Slug))
		if host := explorers[on.Slug]; host != "" {
			all = append(all, provider{explorerOf(on), "BLOCKSCOUT_" + suffix, upstream.Config{Base: host, PerMinute: 180}, apiKey})
		}
		all = append(all, provider{nodeOf(on), "RPC_" + suffix, upstream.Config{Base: nodes[on.Slug], PerMinute: 600, Examine: evmrpc.Examine, Remember: nodeMemory}, noCredential})
	}
	return all
}

func explorerOf(on *chain.Chain) string { return "blockscout/" + string(on.Slug) }
func nodeOf(on *chain.Chain) string     { return "rpc/" + string(on.Slug) }

// explorers are the public explorers; a chain without one is read through its node.
var explorers = map[chain.Slug]string{
	chain.Ethereum: "https://eth.blockscout.com/api/v2",
	chain.Base:     "https://base.blockscout.com/api/v2",
	chain.Arbitrum: "https://arbitrum.blockscout.com/api/v2",
	chain.Polygon:  "https://polygon.blockscout.com/api/v2",
	chain.Optimism: "https://optimism.blockscout.com/api/v2",
}

// nodes are public nodes that answer without a key.
var nodes = map[chain.Slug]string{
	chain.Ethereum: "https://ethereum.publicnode.com",
	chain.Base:     "https://base.publicnode.com",
	chain.BSC:      "https://binance.llamarpc.com",
	chain.Arbitrum: "https://arbitrum-one.publicnode.com",
	chain.Polygon:  "https://polygon-bor.publicnode.com",
	chain.Optimism: "https://optimism.publicnode.com",
}

// SampleAddresses are the providers' addresses on a sample market served at base.
func SampleAddresses(base string) map[string]string {
	addresses := map[string]string{
		"geckoterminal": base + "/geckoterminal/api/v2",
		"dexscreener":   base + "/dexscreener",
		"defillama":     base + "/defillama",
		"goplus":        base + "/goplus",
		"honeypotis":    base + "/honeypotis",
		"hyperliquid":   base + "/hyperliquid",
		perpLeaderboard: base + "/hyperliquid-stats",
	}
	for _, name := range []string{"polymarket-data", "polymarket-gamma", "polymarket-clob"} {
		addresses[name] = base + "/" + name
	}
	for _, on := range chain.All() {
		if explorers[on.Slug] != "" {
			addresses[explorerOf(on)] = base + "/blockscout/" + string(on.Slug) + "/api/v2"
		}
		addresses[nodeOf(on)] = base + "/rpc/" + string(on.Slug)
	}
	return addresses
}

// readJobs reads which jobs run: nil for all of them.
func readJobs(value string) []string {
	switch value {
	case "all":
		return nil
	case "none":
		return []string{}
	}
	return strings.Split(value, ",")
}
