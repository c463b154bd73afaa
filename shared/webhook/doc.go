// Package webhook tells partners of events: it keeps where each wants to be told, signs what it sends, and delivers every event at
// least once, by the Standard Webhooks specification (version 1).
//
// url.go says which addresses are accepted, registration.go what is kept of a partner's webhook, sealer.go and secret.go how its secrets
// are kept and rotated, message.go what is sent, sender.go how, endpoints.go and try.go what partners can do. deliver.go is the job that
// works on the outbox, receiver.go how it treats one receiver, schedule.go when it tries again, replay.go brings back what it gave up.
//
// A receiver's address is somebody else's word. Every connection is therefore held against the addresses that may be called after
// its name was resolved, whatever was checked before; redirects are not followed, and nothing of an answer but its status is used.
//
// The package says no events itself: whoever makes a change says the event in the same step, and the store's outbox has it then. It
// promises no order.
package webhook
