// Package runtimeapi runs the real binary of a Lambda function on this machine: it serves the Lambda Runtime API, starts the binary as
// processes beside it, and hands them invocations.
//
// As on Lambda, a process has one invocation at a time, is started when none is free, is used again as long as it lives, and is
// replaced once it exits or takes longer than its time-out. Each process has an address of its own, with the operations next, response,
// error and init/error. Memory and processor time are not limited, extensions and response streaming are not served, and nothing here
// knows what a function does.
package runtimeapi
