package host

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// local are the settings that matter to the local gateway only, and those that Lambda has a variable of its own for.
var local = map[string]bool{
	"PORT": true, "DATA_DIR": true, "TEMPLATE": true, "SAMPLE_SEED": true, "JOBS": true, "RUNTIME": true, "BINARIES_DIR": true, "LOG_LEVEL": true,
}

// A function that has the environment of a configuration reads that configuration: every setting that is not the gateway's own.
func TestEnvironmentIsReadAsTheConfiguration(t *testing.T) {
	const secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	folder := t.TempDir()
	values := map[string]string{
		"PROVIDERS": "live", "RECORD": folder, "CLOCK": "2026-09-01T12:00:00.000000001Z", "SINGLE_TIMEOUT": "7s", "BUNDLE_TIMEOUT": "11s", "TRACING": "on",
		"KEY_PEPPER": secret, "AGENT_SECRET": "ff" + secret, "LIVE_TRADING": "on", "RECORDS_TABLE": "r", "METERS_TABLE": "m",
		"DYNAMODB_ENDPOINT": "http://127.0.0.1:1", "SQS_ENDPOINT": "http://127.0.0.1:2", "AWS_REGION": "eu-central-1",
	}
	for _, setting := range Settings() {
		switch {
		case values[setting.Name] != "" || local[setting.Name]:
		case strings.HasSuffix(setting.Name, "_URL"), strings.HasPrefix(setting.Name, "QUEUE_"):
			values[setting.Name] = "http://127.0.0.1/" + setting.Name
		case strings.HasSuffix(setting.Name, "_KEY"):
			values[setting.Name] = "key-of-" + setting.Name
		default:
			t.Errorf("this test does not know %s", setting.Name)
		}
	}
	for _, changed := range []map[string]string{{}, {"PROVIDERS": "replay:" + folder, "RECORD": ""}, {"PROVIDERS": "sample", "RECORD": "", "TRACING": "off", "LIVE_TRADING": "", "CLOCK": ""}} {
		want, err := ReadConfig(func(name string) string {
			if value, ok := changed[name]; ok {
				return value
			}
			return values[name]
		})
		if err != nil {
			t.Fatal(err)
		}
		variables := want.Environment()
		got, err := ReadConfig(func(name string) string { return variables[name] })
		if err != nil {
			t.Fatal(err)
		}
		if !got.FixedClock.Equal(want.FixedClock) || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %+v, want %+v", changed, got, want)
		}
		for name := range variables {
			if local[name] {
				t.Errorf("%s is the gateway's own", name)
			}
		}
	}
}

func TestLevelOfLogsIsLambdas(t *testing.T) {
	for level, want := range map[string]string{"debug": "DEBUG", "": "INFO", "warn": "WARN", "error": "ERROR"} {
		config, err := ReadConfig(func(name string) string { return map[string]string{"LOG_LEVEL": level}[name] })
		if got := config.Environment()["AWS_LAMBDA_LOG_LEVEL"]; err != nil || got != want {
			t.Errorf("LOG_LEVEL=%s: %s, %v", level, got, err)
		}
	}
}

func TestSampleMarketIsBesideTheFunction(t *testing.T) {
	read := func() Config {
		config, err := ReadConfig(func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		config.Addresses = SampleAddresses("http://127.0.0.1:1")
		return config
	}
	if err := read().checkSample(); err != nil {
		t.Error(err)
	}
	for _, p := range providers() {
		for _, address := range []string{p.limits.Base, "http://192.0.2.1", "http://localhost.example", ""} {
			config := read()
			config.Addresses[p.name] = address
			if err := config.checkSample(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("want live or replay:DIR on Lambda, or %s_URL", p.variable)) {
				t.Errorf("%s at %q: %v", p.name, address, err)
			}
			config.Mode = Live
			if err := config.checkSample(); err != nil {
				t.Errorf("live: %v", err)
			}
		}
	}
}
