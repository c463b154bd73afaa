package host_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
)

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestDefaultsSuitOneMachine(t *testing.T) {
	config, err := host.ReadConfig(environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	if config.Mode != host.Sample || config.Port != 3000 || config.DataDir != "data" || config.Template != "template.yaml" || config.SampleSeed != 1 ||
		config.SingleTimeout != 6*time.Second || config.BundleTimeout != 8*time.Second || config.LogLevel != slog.LevelInfo || config.Tracing ||
		!config.FixedClock.IsZero() || config.RecordDir != "" || config.Pepper != "" || config.AgentSecret != "" || config.LiveTrading || config.RecordsTable != "" || len(config.Keys) != 0 {
		t.Errorf("%+v", config)
	}
	for name, address := range config.Addresses {
		if !strings.HasPrefix(address, "https://") || strings.HasSuffix(address, "/") {
			t.Errorf("%s is at %s", name, address)
		}
	}
	for _, on := range chain.All() {
		if config.Addresses["rpc/"+string(on.Slug)] == "" {
			t.Errorf("%s has no node", on.Slug)
		}
	}
}

const pepperOf32Bytes = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func TestEverySettingIsRead(t *testing.T) {
	folder := t.TempDir()
	values := map[string]string{
		"PROVIDERS": "live", "CLOCK": "2026-11-20T01:02:03Z", "RECORD": folder, "PORT": "0", "DATA_DIR": "elsewhere", "TEMPLATE": "other.yaml",
		"SAMPLE_SEED": "18446744073709551615", "SINGLE_TIMEOUT": "100ms", "BUNDLE_TIMEOUT": "29s", "LOG_LEVEL": "debug", "TRACING": "on",
		"KEY_PEPPER": pepperOf32Bytes, "AGENT_SECRET": pepperOf32Bytes, "LIVE_TRADING": "on", "RECORDS_TABLE": "records", "METERS_TABLE": "meters", "DYNAMODB_ENDPOINT": "http://127.0.0.1:8000",
		"SQS_ENDPOINT": "http://127.0.0.1:8001", "RUNTIME": "binaries", "BINARIES_DIR": "bin", "JOBS": "refresh-peers,grade-leaders",
		"AWS_REGION": "eu-central-1",
	}
	providers, queues := 0, 0
	for _, setting := range host.Settings() {
		switch {
		case values[setting.Name] != "":
		case strings.HasSuffix(setting.Name, "_URL"):
			values[setting.Name] = "http://127.0.0.1/" + strings.ToLower(setting.Name) + "/"
			providers++
		case strings.HasSuffix(setting.Name, "_KEY"):
			values[setting.Name] = "key-of-" + setting.Name
		case strings.HasPrefix(setting.Name, "QUEUE_"):
			values[setting.Name] = "http://127.0.0.1/1/" + setting.Name
			queues++
		default:
			t.Errorf("this test does not know %s", setting.Name)
		}
	}
	config, err := host.ReadConfig(environment(values))
	if err != nil {
		t.Fatal(err)
	}
	if config.Mode != host.Live || !config.FixedClock.Equal(time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC)) || config.RecordDir != folder || config.Port != 0 ||
		config.DataDir != "elsewhere" || config.Template != "other.yaml" || config.SampleSeed != 1<<64-1 || config.SingleTimeout != 100*time.Millisecond ||
		config.BundleTimeout != 29*time.Second || config.LogLevel != slog.LevelDebug || !config.Tracing || config.Pepper.Reveal() != pepperOf32Bytes ||
		config.RecordsTable != "records" || config.MetersTable != "meters" || config.DynamoDBEndpoint != "http://127.0.0.1:8000" || config.Region != "eu-central-1" ||
		config.Runtime != host.Binaries || config.BinariesDir != "bin" || !config.Scheduled("grade-leaders") || config.Scheduled("discover-leaders") {
		t.Errorf("%+v", config)
	}
	for name, address := range config.Queues {
		if address != "http://127.0.0.1/1/"+host.QueueSetting(name) {
			t.Errorf("the queue of %s is at %s", name, address)
		}
	}
	if len(config.Queues) != queues || config.SQSEndpoint != "http://127.0.0.1:8001" {
		t.Errorf("%d queues of %d, SQS at %s", len(config.Queues), queues, config.SQSEndpoint)
	}
	if len(config.Addresses) != providers {
		t.Errorf("%d addresses of %d providers", len(config.Addresses), providers)
	}
	for _, at := range config.Addresses {
		if !strings.HasPrefix(at, "http://127.0.0.1/") || strings.HasSuffix(at, "/") {
			t.Error(at)
		}
	}
	if config.Addresses["blockscout/base"] != "http://127.0.0.1/blockscout_base_url" || config.Keys["blockscout/base"].Reveal() != "key-of-BLOCKSCOUT_BASE_KEY" ||
		config.Keys["goplus"].Reveal() != "key-of-GOPLUS_KEY" {
		t.Error("settings are mixed up")
	}
	if config.AgentSecret.Reveal() != pepperOf32Bytes || strings.Contains(fmt.Sprintf("%+v", config), pepperOf32Bytes) || !config.LiveTrading {
		t.Error("copy trading has another secret, or no leave to trade")
	}
	if config.Clock()() != config.FixedClock {
		t.Error("the clock does not stand still")
	}
	replay, err := host.ReadConfig(environment(map[string]string{"PROVIDERS": "replay:" + folder}))
	if err != nil || replay.Mode != host.Replay || replay.ReplayDir != folder {
		t.Errorf("%+v, %v", replay, err)
	}
	if now := replay.Clock()(); time.Since(now) > time.Minute {
		t.Error("the clock does not run")
	}
}

func TestJobsAreAllOrNoneOrThoseNamed(t *testing.T) {
	for value, want := range map[string]bool{"": true, "all": true, "none": false, "refresh-peers": true, "grade-leaders": false} {
		config, err := host.ReadConfig(environment(map[string]string{"JOBS": value}))
		if err != nil || config.Scheduled("refresh-peers") != want {
			t.Errorf("JOBS=%s: %t, %v", value, !want, err)
		}
	}
}

// wrongValues are values that no reader takes, by the setting's name, its beginning or its ending.
var wrongValues = map[string][]string{
	"PROVIDERS":         {"real", "Sample", "replay", "replay:", "replay:/no/such/folder", " live"},
	"CLOCK":             {"now", "2026-11-20", "2026-11-20 01:02:03", "1763600000"},
	"PORT":              {"-1", "65536", "http", "80.5"},
	"SAMPLE_SEED":       {"-1", "1.5", "one", "18446744073709551616"},
	"SINGLE_TIMEOUT":    {"6", "99ms", "30s", "-1s", "soon"},
	"BUNDLE_TIMEOUT":    {"8", "99ms", "30s", "-1s", "soon"},
	"LOG_LEVEL":         {"loud", "5"},
	"RUNTIME":           {"docker", "Binaries", "in process"},
	"TRACING":           {"yes", "ON", "1"},
	"KEY_PEPPER":        {"canary-secret", "c2hvcnQ="},
	"AGENT_SECRET":      {"canary-secret", "c2hvcnQ=", "00", strings.Repeat("0", 62), strings.Repeat("0", 65)},
	"LIVE_TRADING":      {"yes", "ON", "1", "true"},
	"DYNAMODB_ENDPOINT": {"localhost", "localhost:8000", "ftp://x", "http://", "http://:80", "http://[::1"},
	"SQS_ENDPOINT":      {"localhost", "ftp://x", "http://"},
	"QUEUE_":            {"grade-leaders", "arn:aws:sqs:eu-central-1:1:grade", "ftp://x/1/grade"},
	"_URL":              {"provider.example", "ftp://provider.example/canary-secret", "https://", "https:///canary-secret", "https://provider.example/v1?apikey=canary-secret", "https://user:canary-secret@/x", "canary-secret", "https://provider.example/#canary-secret", "http://provider.example/%zzcanary-secret"},
	"_KEY":              {"canary-secret\n", "canary secret", "canary-\u200bsecret", "canary\x00secret"},
}

// anything are the settings in which every text is right as far as can be told at start.
var anything = []string{"RECORD", "DATA_DIR", "BINARIES_DIR", "TEMPLATE", "JOBS", "RECORDS_TABLE", "METERS_TABLE", "AWS_REGION"}

func TestEveryWrongSettingIsNamedWithWhatWouldBeRight(t *testing.T) {
	for _, setting := range host.Settings() {
		wrong, known := wrongValues[setting.Name]
		for _, ending := range []string{"_URL", "_KEY"} {
			if !known && strings.HasSuffix(setting.Name, ending) {
				wrong, known = wrongValues[ending], true
			}
		}
		if strings.HasPrefix(setting.Name, "QUEUE_") {
			wrong, known = wrongValues["QUEUE_"], true
		}
		if !known && !slices.Contains(anything, setting.Name) {
			t.Errorf("this test does not know %s", setting.Name)
		}
		for _, value := range wrong {
			_, err := host.ReadConfig(environment(map[string]string{setting.Name: value}))
			if err == nil {
				t.Errorf("%s=%q is taken", setting.Name, value)
				continue
			}
			text := err.Error()
			if !strings.HasPrefix(text, setting.Name+"=") || strings.Count(text, "\n") > 0 || !strings.Contains(text, "want ") && !strings.Contains(text, "must ") {
				t.Errorf("%s=%q: %s", setting.Name, value, text)
			}
			for _, part := range []string{"canary", "c2hvcnQ"} {
				if strings.Contains(text, part) {
					t.Errorf("%s: the error shows a secret: %s", setting.Name, text)
				}
			}
		}
	}
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	_, err := host.ReadConfig(environment(map[string]string{"PORT": "x", "CLOCK": "y", "BUNDLE_TIMEOUT": "z", "PROVIDERS": "w", "RECORD": "folder"}))
	if err == nil {
		t.Fatal("taken")
	}
	var named []string
	for line := range strings.Lines(err.Error()) {
		name, _, _ := strings.Cut(line, "=")
		named = append(named, name)
	}
	if !slices.Equal(named, []string{"PROVIDERS", "CLOCK", "PORT", "BUNDLE_TIMEOUT"}) {
		t.Error(err)
	}
}

func TestSettingsThatDoNotGoTogether(t *testing.T) {
	for name, values := range map[string]map[string]string{
		"RECORD":         {"RECORD": "folder"},
		"BUNDLE_TIMEOUT": {"SINGLE_TIMEOUT": "9s"},
	} {
		if _, err := host.ReadConfig(environment(values)); err == nil || !strings.HasPrefix(err.Error(), name+"=") {
			t.Errorf("%v: %v", values, err)
		}
	}
	if _, err := host.ReadConfig(environment(map[string]string{"SINGLE_TIMEOUT": "8s"})); err != nil {
		t.Error(err)
	}
}

func TestSettingsAreDescribed(t *testing.T) {
	name := regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	seen := make(map[string]bool)
	for _, setting := range host.Settings() {
		if !name.MatchString(setting.Name) || seen[setting.Name] || len(setting.Meaning) < 10 {
			t.Errorf("%+v", setting)
		}
		seen[setting.Name] = true
	}
}

func TestTheSampleMarketStandsInForEveryProvider(t *testing.T) {
	config, err := host.ReadConfig(environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	sample := host.SampleAddresses("http://127.0.0.1:1")
	want, got := slices.Sorted(maps.Keys(config.Addresses)), slices.Sorted(maps.Keys(sample))
	if !slices.Equal(want, got) {
		t.Errorf("%v\n%v", want, got)
	}
	places := make(map[string]string)
	for name, address := range sample {
		if !strings.HasPrefix(address, "http://127.0.0.1:1/") || strings.HasSuffix(address, "/") {
			t.Errorf("%s is at %s", name, address)
		}
		if other, taken := places[address]; taken {
			t.Errorf("%s and %s are both at %s", name, other, address)
		}
		places[address] = name
	}
}

func TestSecretsNeverPrint(t *testing.T) {
	const canary = "canary-secret"
	config := host.Config{Pepper: canary, Keys: map[string]host.Secret{"goplus": canary}}
	secret := config.Pepper
	var printed []string
	for _, value := range []any{secret, &secret, config, &config, []host.Secret{secret}, map[string]host.Secret{"a": secret}, struct{ S host.Secret }{secret}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s", "%T=%v"} {
			if verb == "%T=%v" {
				printed = append(printed, fmt.Sprintf(verb, value, value))
				continue
			}
			printed = append(printed, fmt.Sprintf(verb, value))
		}
		text, err := json.Marshal(value, json.Deterministic(true))
		if err == nil {
			printed = append(printed, string(text))
		}
		standard, err := stdjson.Marshal(value)
		if err == nil {
			printed = append(printed, string(standard))
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("message", "value", value, slog.Group("group", "value", value))
		slog.New(slog.NewJSONHandler(&log, nil)).Info("message", "value", value, slog.Group("group", "value", value))
		printed = append(printed, log.String())
	}
	printed = append(printed, fmt.Sprint(secret), secret.String(), fmt.Errorf("with %w and %v", fmt.Errorf("%s", secret), secret).Error())
	for _, text := range printed {
		lower := strings.ToLower(text)
		if strings.Contains(lower, canary) || strings.Contains(lower, fmt.Sprintf("%x", canary)) {
			t.Errorf("shows the secret: %s", text)
		}
	}
	if got := fmt.Sprintf("%s|%q|%#v|%d", secret, secret, secret, secret); got != "***|***|***|***" {
		t.Error(got)
	}
	if secret.Reveal() != canary {
		t.Error(secret.Reveal())
	}
}

func TestReplayWantsAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "missing")
	if _, err := host.ReadConfig(environment(map[string]string{"PROVIDERS": "replay:" + file})); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
}
