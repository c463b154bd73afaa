// Package store says what the service keeps, as small ports: one interface for each kind of thing, one file a port.
//
// It holds the ports, their records and their rules, and no engine. store/dynamo keeps everything in DynamoDB, store/embedded
// in one file; store/conformance is the one suite that both pass, and so the definition of every port's behaviour. The format
// of a partner's key, the hashing of it and the prices in units are not known here.
//
// # Rules for every port
//
//   - What was acknowledged (a nil error) survives a crash. An error other than one of a lost connection means that nothing
//     was changed, and so does a context that had ended before the call.
//   - Time comes in as a parameter. Times are kept to the nanosecond and come back in UTC.
//   - What is returned belongs to the caller, what was passed in stays the caller's: nothing is shared with the store.
//   - A list is never nil, and is ordered by what its method says.
//   - Bad arguments are ErrInvalid.
//
// # Key layout in DynamoDB
//
// The parts of a key are joined by '#', which no id may hold (CheckID). One partition holds what is read together. RecordsTable
// keeps what matters for good, MetersTable what is hot and expires; a new port adds its rows here.
//
//	table    pk                                    sk             what
//	Records  PARTNERS                              <partner>      a Partner
//	Records  PARTNER#<partner>                     LIVEKEYS       how many keys are live, one number for each mode
//	Records  PARTNER#<partner>                     KEY#<key>      that the key is the partner's
//	Records  KEY#<key>                             KEY            a Key
//	Records  SNAPSHOTS#<partner>#<chain>#<token>   LATEST         a history's latest Snapshot, kept for good
//	Records  SNAPSHOTS#<partner>#<chain>#<token>   VERSION#<n>    each Snapshot, n in 20 digits; expires
//	Records  OBSERVATIONS#<chain>#<token>          2006-01-02T15  the Observation of a UTC hour; expires
//	Records  PEERS#<chain>                         PEERS          a PeerSet; that of all buyers as PEERS#active-buyers
//	Records  PASSES#<job>                          LATEST         a job's latest Pass
//	Records  LEADERS#<kind>#<place>                <address>      a Leader, each Finding as an attribute of its own
//	Records  EVENTS#2006-01-02                     <time>#<id>    an Event of a UTC day; expires
//	Records  BOARD#<board>                         BOARD          which drafts are a board's editions, and which are unfinished
//	Records  BOARD#<board>#<draft>                 EDITION        an Edition's Data; deleted by a later Publish, like its rows
//	Records  BOARD#<board>#<draft>                 ROW#<n>        a row, n in 6 digits
//	Records  LAUNCHES#<chain>#2006-01-02           TOKEN#<token>  a Launch of a UTC day; expires
//	Records  LAUNCHES#<chain>#2006-01-02           KNOWNUNTIL     up to when the day's launches are known; expires
//	Records  FORECASTS#<source>                    <chain> <wallet>  a Forecast, kept for good
//	Records  FOLLOWUPS#<source>#<chain>#<wallet>   <id>           a FollowUp, kept for good
//	Records  DUE#<source>                          <due>#<id>     the FollowUp again until it is resolved, due in UTC with nanoseconds
//	Records  AGENT#<partner>#<agent>               AGENT          an Agent
//	Records  AGENT#<partner>#<agent>               BOOK           its Book
//	Records  AGENT#<partner>#<agent>               EXECUTION#<id>  an Execution
//	Records  AGENT#<partner>#<agent>               LISTED#<time>#<id>  refers to the Execution of that time, and has its status
//	Records  AGENTS#<partner>#<owner>              <time>#<agent>  refers to an Agent of the wallet, created then
//	Records  AGENTSDUE                             <due>#<partner> <agent>  refers to the Agent that is due then
//	Records  FOLLOWED                              <kind> <place> <leader>  that the leader is or was followed
//	Records  FOLLOWERS#<kind>#<place>#<leader>     <partner> <agent>  refers to an Agent that follows the leader
//	Records  READING#<kind>#<place>#<leader>       READING        a Reading
//	Records  REQUEST#<partner>#<key>               REQUEST        a KeyedRequest; expires
//	Records  NONCE#<scope>#<nonce>                 NONCE          who claimed the nonce; expires
//	Records  WEBHOOKS                              <partner>      a Webhook
//	Records  OUTBOXIDS#<id>                        PARTNER#<partner>  a Delivery, due or parked; the partner is empty where it goes to all
//	Records  OUTBOX#<shard>                        <due>#<id> <partner>  refers to the Delivery that is due then
//	Records  PARKED#<partner>                      <id>           refers to the Delivery that is parked
//	Meters   BUCKET#<partner>                      BUCKET         the partner's token bucket
//	Meters   USAGE#<partner>#2006-01-02            <endpoint>     units of a UTC day, and of the latest minute of it, at an endpoint
//
// A row that refers to another is written in the same transaction, and only the other counts: whoever lists goes by what that row says
// when it is read, so a reference that is left over shows nothing. Names are parted by a space where they must sort one after the other:
// it comes before whatever an id may hold.
//
// Rows that do not last carry expiresAt (Unix seconds), after which DynamoDB deletes them in its own time: a reader must not
// rely on it. RecordsTable has an index byOwner (ownerPk, ownerSk) for rows that must be found by something other than their
// key; it lags behind the table, so it is not for anything that a decision hangs on.
//
// The embedded engine keeps the same rows in one bucket of its file for each kind.
//
// # Events
//
// Every port that says events writes them into the log (Events) and into the outbox (Outbox) in the same step as what they tell of.
//
// # Adding a port
//
// A port is an interface and its records in a file of this package, a file of the same name with a type and an accessor on Store
// in each engine, a field of conformance.Stores and a file of checks in store/conformance.
package store
