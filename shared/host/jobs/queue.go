package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/cenkalti/backoff/v4"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

const (
	// batchLimit is how many messages SQS takes in one call.
	batchLimit = 10
	// sendRetries is how often messages are sent again that SQS did not take though the call succeeded.
	sendRetries = 4
	// What failed is delivered again after half a minute, then after twice as long each time: long before the queue's own visibility
	// time-out, which has to outlast the longest call.
	firstRetry, longestRetry = 30 * time.Second, 8 * time.Minute
)

// Queue sends messages to Amazon SQS.
type Queue struct {
	client *sqs.Client
	urls   map[string]string
	log    *slog.Logger
	// pause makes the pauses between attempts at messages that were not taken.
	pause func() backoff.BackOff
}

// OpenSQS opens the region's SQS with the credentials of the environment.
func OpenSQS(config host.Config, getenv func(string) string) *sqs.Client {
	return sqs.New(sqs.Options{Region: config.Region, Credentials: host.EnvironmentCredentials(getenv)}, func(o *sqs.Options) {
		if config.SQSEndpoint != "" {
			o.BaseEndpoint = aws.String(config.SQSEndpoint)
		}
	})
}

// OpenQueue opens the configured queues with the credentials of the environment, as OpenDynamo does.
func OpenQueue(config host.Config, getenv func(string) string, log *slog.Logger) *Queue {
	return &Queue{client: OpenSQS(config, getenv), urls: config.Queues, log: log, pause: func() backoff.BackOff {
		return backoff.NewExponentialBackOff(backoff.WithInitialInterval(100 * time.Millisecond))
	}}
}

// Send puts messages into the queue of a job, ten at a time. What SQS does not take for reasons of its own is sent again; after an
// error some messages may be there.
func (q *Queue) Send(ctx context.Context, name string, messages ...job.Message) error {
	url, ok := q.urls[name]
	if !ok {
		return fmt.Errorf("%s is not set: there is no queue %s", host.QueueSetting(name), name)
	}
	for batch := range slices.Chunk(messages, batchLimit) {
		entries := make([]types.SendMessageBatchRequestEntry, len(batch))
		for i, message := range batch {
			entries[i] = types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(string(message.Body))}
		}
		err := backoff.Retry(func() (err error) {
			entries, err = q.sendBatch(ctx, url, entries)
			return err
		}, backoff.WithContext(backoff.WithMaxRetries(q.pause(), sendRetries), ctx))
		if err != nil {
			return fmt.Errorf("queue %s: %w", name, err)
		}
	}
	return nil
}

// sendBatch sends entries and gives back those that were not taken, with an error that is permanent when sending them again would
// not help: the client has retried a call that failed as a whole already.
func (q *Queue) sendBatch(ctx context.Context, url string, entries []types.SendMessageBatchRequestEntry) ([]types.SendMessageBatchRequestEntry, error) {
	answer, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &url, Entries: entries})
	if err != nil {
		return entries, backoff.Permanent(err)
	}
	left := slices.DeleteFunc(slices.Clone(entries), func(entry types.SendMessageBatchRequestEntry) bool {
		return slices.ContainsFunc(answer.Successful, func(taken types.SendMessageBatchResultEntry) bool { return aws.ToString(taken.Id) == *entry.Id })
	})
	if len(left) == 0 {
		return nil, nil
	}
	err = fmt.Errorf("%d of %d messages were not taken", len(left), len(entries))
	for _, failed := range answer.Failed {
		err = fmt.Errorf("%w; %s: %s", err, aws.ToString(failed.Code), aws.ToString(failed.Message))
		if failed.SenderFault {
			return left, backoff.Permanent(err)
		}
	}
	return left, err
}

// retrying runs a function that takes from a job's queue, and has what it names as failed delivered again soon: by itself SQS waits
// for the visibility time-out, which is longer than a pass.
func (q *Queue) retrying(name string, function job.Function) job.Function {
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
		answer, err := function(ctx, payload)
		if err != nil || len(answer) == 0 {
			return answer, err
		}
		if err := q.hasten(ctx, name, payload, answer); err != nil {
			q.log.Warn("failed messages wait for the visibility time-out", "queue", name, "error", err)
		}
		return answer, nil
	}
}

// hasten sets when the messages that an answer names are delivered again.
func (q *Queue) hasten(ctx context.Context, name string, payload, answer json.RawMessage) error {
	var batch events.SQSEvent
	var failed events.SQSEventResponse
	if err := errors.Join(json.Unmarshal(payload, &batch), json.Unmarshal(answer, &failed)); err != nil {
		return err
	}
	var entries []types.ChangeMessageVisibilityBatchRequestEntry
	for _, message := range batch.Records {
		if !slices.ContainsFunc(failed.BatchItemFailures, func(f events.SQSBatchItemFailure) bool { return f.ItemIdentifier == message.MessageId }) {
			continue
		}
		received, err := strconv.Atoi(message.Attributes["ApproximateReceiveCount"])
		if err != nil {
			return err
		}
		entries = append(entries, types.ChangeMessageVisibilityBatchRequestEntry{
			Id: aws.String(strconv.Itoa(len(entries))), ReceiptHandle: aws.String(message.ReceiptHandle),
			VisibilityTimeout: int32(retryAfter(received) / time.Second),
		})
	}
	var refused error
	for chunk := range slices.Chunk(entries, batchLimit) {
		changed, err := q.client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: aws.String(q.urls[name]), Entries: chunk})
		if err != nil {
			return err
		}
		for _, failed := range changed.Failed {
			refused = errors.Join(refused, fmt.Errorf("%s: %s", aws.ToString(failed.Code), aws.ToString(failed.Message)))
		}
	}
	return refused
}

// retryAfter is how long a message waits after it was received n times and failed.
func retryAfter(n int) time.Duration {
	if n < 1 || n > 5 {
		return longestRetry
	}
	return min(firstRetry<<(n-1), longestRetry)
}
