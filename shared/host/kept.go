package host

import "github.com/mirrorworthy/mirrorworthy/shared/store"

// Engine is an open store: DynamoDB's or the file's.
type Engine interface {
	Keys() store.Keys
	Meter() store.Meter
	Snapshots() store.Snapshots
	Observations() store.Observations
	Peers() store.Peers
	Passes() store.Passes
	Leaders() store.Leaders
	Events() store.Events
	Boards() store.Boards
	Launches() store.Launches
	TrackRecords() store.TrackRecords
	Agents() store.Agents
	Executions() store.Executions
	Readings() store.Readings
	Idempotency() store.Idempotency
	Nonces() store.Nonces
	Webhooks() store.Webhooks
	Outbox() store.Outbox
}

// Kept are the ports of a store. The zero value is enough to list endpoints and jobs, and not to run them.
type Kept struct {
	Keys         store.Keys
	Meter        store.Meter
	Snapshots    store.Snapshots
	Observations store.Observations
	Peers        store.Peers
	Passes       store.Passes
	Leaders      store.Leaders
	Events       store.Events
	Boards       store.Boards
	Launches     store.Launches
	TrackRecords store.TrackRecords
	Agents       store.Agents
	Executions   store.Executions
	Readings     store.Readings
	Idempotency  store.Idempotency
	Nonces       store.Nonces
	Webhooks     store.Webhooks
	Outbox       store.Outbox
}

// KeptIn gives the ports of a store.
func KeptIn(engine Engine) Kept {
	return Kept{
		Keys: engine.Keys(), Meter: engine.Meter(),
		Snapshots: engine.Snapshots(), Observations: engine.Observations(), Peers: engine.Peers(),
		Passes: engine.Passes(), Leaders: engine.Leaders(), Events: engine.Events(), Boards: engine.Boards(),
		Launches: engine.Launches(), TrackRecords: engine.TrackRecords(),
		Agents: engine.Agents(), Executions: engine.Executions(), Readings: engine.Readings(), Idempotency: engine.Idempotency(),
		Nonces: engine.Nonces(), Webhooks: engine.Webhooks(), Outbox: engine.Outbox(),
	}
}
