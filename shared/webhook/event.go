package webhook

import "slices"

// testType is the type of what POST /v1/webhooks/test sends. It cannot be subscribed to, because it comes only when asked for.
const testType = "webhook.test"

// Types lists the types of events that partners can be told of, in the order of the API document.
func Types() []string {
	return []string{
		"agent.activated", "agent.paused", "agent.resumed", "agent.session_expiring", "agent.expired", "agent.stopped",
		"execution.executed", "execution.partial", "execution.skipped", "execution.failed", "leader.grade_changed",
	}
}

// chosen are the types among these, each once and in the order of Types.
func chosen(among []string) []string {
	return slices.DeleteFunc(Types(), func(kind string) bool { return !slices.Contains(among, kind) })
}
