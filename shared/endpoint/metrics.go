package endpoint

// Metrics counts what happens, for dashboards and alarms. Dimensions are pairs of a name and a value.
type Metrics interface {
	Count(name string, value int, dimensions ...string)
}

// The metrics that this package counts.
const (
	// MetricRequests counts answered requests by endpoint and code ("ok" or the error's code).
	MetricRequests = "requests"
	// MetricUnits counts units charged for successful answers, by endpoint.
	MetricUnits = "units"
	// MetricSlotFailed counts failed components of bundles by bundle, slot, code and provider.
	MetricSlotFailed = "slot_failed"
	// MetricMeterFallback counts requests that were metered in memory because the store could not be asked.
	MetricMeterFallback = "meter_fallback"
	// MetricUncounted counts units of successful answers that are missing from the partner's usage because the store failed.
	MetricUncounted = "units_uncounted"
)

type discard struct{}

func (discard) Count(string, int, ...string) {}
