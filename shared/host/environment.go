package host

import (
	"log/slog"
	"strings"
	"time"
)

// Environment gives the variables by which a Lambda function reads this configuration: all of it but what matters to the local gateway
// only. The level of logs is in the variable that Lambda has for it.
func (c Config) Environment() map[string]string {
	variables := map[string]string{
		"PROVIDERS": string(c.Mode), "RECORD": c.RecordDir, "SINGLE_TIMEOUT": c.SingleTimeout.String(), "BUNDLE_TIMEOUT": c.BundleTimeout.String(),
		"TRACING": onOff(c.Tracing), "KEY_PEPPER": c.Pepper.Reveal(), "AGENT_SECRET": c.AgentSecret.Reveal(), "LIVE_TRADING": onOff(c.LiveTrading),
		"RECORDS_TABLE": c.RecordsTable, "METERS_TABLE": c.MetersTable, "DYNAMODB_ENDPOINT": c.DynamoDBEndpoint, "SQS_ENDPOINT": c.SQSEndpoint,
		"AWS_REGION": c.Region, "AWS_LAMBDA_LOG_LEVEL": lambdaLevel(c.LogLevel),
	}
	if c.Mode == Replay {
		variables["PROVIDERS"] += ":" + c.ReplayDir
	}
	if !c.FixedClock.IsZero() {
		variables["CLOCK"] = c.FixedClock.Format(time.RFC3339Nano)
	}
	for name, address := range c.Queues {
		variables[QueueSetting(name)] = address
	}
	for _, p := range providers() {
		variables[p.variable+"_URL"] = c.Addresses[p.name]
		variables[p.variable+"_KEY"] = c.Keys[p.name].Reveal()
	}
	for name, value := range variables {
		if value == "" {
			delete(variables, name)
		}
	}
	return variables
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// lambdaLevel is Lambda's word for a level of logs.
func lambdaLevel(level slog.Level) string { return strings.ToUpper(level.String()) }
