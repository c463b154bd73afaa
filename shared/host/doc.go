// Package host is what every function of the service runs on, and with the packages below it the only place that knows it runs on AWS
// Lambda: configuration, provider clients, the DynamoDB store, tracing, logging, metrics, and the Lambda loop.
//
// Everything is configured by environment variables, read in config.go and nowhere else. The local gateway builds the same service from
// the same configuration with its own store and its own provider addresses. Nothing that answers a request lives here, and no page is
// imported: a function links its own part of the service, put together in tokenpage, boards, copying or jobs, and no other, so that it
// starts fast. Package catalogue lists all of them.
package host
