// Package host puts the service together and is the only package that knows it runs on AWS Lambda: configuration, provider
// clients, the DynamoDB store, tracing, logging, metrics, and the Lambda loop.
//
// Everything is configured by environment variables, read in config.go and nowhere else. The local gateway builds the same
// service from the same configuration with its own store and its own provider addresses. Nothing that answers a request lives
// here.
package host
