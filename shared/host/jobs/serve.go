// Package jobs runs jobs as Lambda functions: for a schedule's events, and for the messages of an Amazon SQS queue where the work of a job
// is spread over one. What the jobs do is theirs to know.
package jobs

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Serve runs the Lambda function of a job of a part of the service, given by its name. It does not return.
func Serve(name string, part func(host.Process) (host.Jobs, error)) {
	p, err := host.BeginJob()
	if err != nil {
		host.CannotStart(p.Parts.Log, err)
	}
	all, err := part(p)
	if err != nil {
		host.CannotStart(p.Parts.Log, err)
	}
	function, err := functionOf(name, p, all)
	if err != nil {
		host.CannotStart(p.Parts.Log, err)
	}
	lambda.Start(function)
}

// functionOf is what the function of a job runs: a plain job for its schedule's events, a spread one for its queue's messages too.
func functionOf(name string, p host.Process, all host.Jobs) (job.Function, error) {
	for _, j := range all.Single {
		if j.Name == name {
			return job.Handler(j, p.Config.Clock(), p.Parts.Log), nil
		}
	}
	for _, s := range all.Spread {
		if s.Name == name {
			s.Finished = host.ObservePasses(p.Parts.Metrics, name)
			return spreadFunction(s, p.Config, p.Kept.Passes, OpenQueue(p.Config, os.Getenv, p.Parts.Log), p.Parts.Log)
		}
	}
	return nil, fmt.Errorf("there is no job %s", name)
}

// spreadFunction is the function of a spread job, which needs to know the queues that it sends to.
func spreadFunction(s job.Spread, config host.Config, passes store.Passes, queue *Queue, log *slog.Logger) (job.Function, error) {
	for _, to := range append([]string{s.Name}, s.Then...) {
		if config.Queues[to] == "" {
			return nil, fmt.Errorf("%s must be the address of the queue of %s", host.QueueSetting(to), to)
		}
	}
	return queue.retrying(s.Name, job.SpreadHandler(s, passes, queue, config.Clock(), log)), nil
}
