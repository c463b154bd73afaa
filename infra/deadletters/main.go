// Command deadletters deals with what the jobs of a deployed stack gave up:
//
//	deadletters list            the stack's dead-letter queues: what lies there, and what is being moved back
//	deadletters show QUEUE      up to ten of a queue's dead letters, which stay where they are
//	deadletters redrive QUEUE   has all of them done again, by moving them back to the queue that they came from
//
// QUEUE is a job's name, like grade-leaders. STACK names the stack (mirrorworthy), AWS_REGION the region, and the credentials are those of
// the shell. Messages are moved by SQS itself, in its own time; nothing is lost when this ends.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
)

const (
	// suffix ends the names of dead-letter queues in the template; schedules is the one that no queue is behind.
	suffix    = "-dead-letters"
	schedules = "schedule"
	// shownAtOnce is how many messages SQS gives in one call.
	shownAtOnce = 10
)

var errUsage = errors.New("want: list, show QUEUE or redrive QUEUE, with a job's name as QUEUE")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "deadletters:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, getenv func(string) string, out io.Writer) error {
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	if config.Region == "" {
		return errors.New("AWS_REGION must name the region of the stack")
	}
	c := command{client: jobs.OpenSQS(config, getenv), prefix: cmp.Or(getenv("STACK"), "mirrorworthy") + "-", out: out}
	switch {
	case len(arguments) == 1 && arguments[0] == "list":
		return c.list(ctx)
	case len(arguments) == 2 && arguments[0] == "show":
		return c.show(ctx, arguments[1])
	case len(arguments) == 2 && arguments[0] == "redrive":
		return c.redrive(ctx, arguments[1])
	}
	return errUsage
}

type command struct {
	client *sqs.Client
	prefix string
	out    io.Writer
}

// letters is a dead-letter queue.
type letters struct {
	name, url, arn string
	waiting        string // how many messages, as SQS says it
}

// find reads a dead-letter queue by its address.
func (c command) find(ctx context.Context, url string) (letters, error) {
	attributes, err := c.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []types.QueueAttributeName{
		types.QueueAttributeNameQueueArn, types.QueueAttributeNameApproximateNumberOfMessages,
	}})
	if err != nil {
		return letters{}, err
	}
	full := url[strings.LastIndexByte(url, '/')+1:]
	return letters{
		name: strings.TrimSuffix(strings.TrimPrefix(full, c.prefix), suffix), url: url,
		arn:     attributes.Attributes[string(types.QueueAttributeNameQueueArn)],
		waiting: attributes.Attributes[string(types.QueueAttributeNameApproximateNumberOfMessages)],
	}, nil
}

// all are the stack's dead-letter queues by name.
func (c command) all(ctx context.Context) ([]letters, error) {
	var all []letters
	pages := sqs.NewListQueuesPaginator(c.client, &sqs.ListQueuesInput{QueueNamePrefix: &c.prefix, MaxResults: aws.Int32(100)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("the queues of the stack: %w", err)
		}
		for _, url := range page.QueueUrls {
			if !strings.HasSuffix(url, suffix) {
				continue
			}
			found, err := c.find(ctx, url)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", url, err)
			}
			all = append(all, found)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no queues whose names begin with %q and end with %q: STACK must be the name of the stack", c.prefix, suffix)
	}
	slices.SortFunc(all, func(a, b letters) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// named is the dead-letter queue of a job.
func (c command) named(ctx context.Context, name string) (letters, error) {
	all, err := c.all(ctx)
	if err != nil {
		return letters{}, err
	}
	var names []string
	for _, found := range all {
		if found.name == name {
			return found, nil
		}
		names = append(names, found.name)
	}
	return letters{}, fmt.Errorf("QUEUE=%s: want one of %s", name, strings.Join(names, ", "))
}

func (c command) list(ctx context.Context) error {
	all, err := c.all(ctx)
	if err != nil {
		return err
	}
	for _, found := range all {
		moving := ""
		// The queue of schedules is nobody's dead-letter queue to SQS, which has no tasks of it.
		if found.name != schedules {
			tasks, err := c.client.ListMessageMoveTasks(ctx, &sqs.ListMessageMoveTasksInput{SourceArn: &found.arn, MaxResults: aws.Int32(1)})
			if err != nil {
				return fmt.Errorf("%s: %w", found.name, err)
			}
			for i := range tasks.Results {
				task := &tasks.Results[i]
				moving = fmt.Sprintf(", last moved back: %d of %d, %s", task.ApproximateNumberOfMessagesMoved, aws.ToInt64(task.ApproximateNumberOfMessagesToMove),
					strings.ToLower(aws.ToString(task.Status)))
			}
		}
		if _, err := fmt.Fprintf(c.out, "%-22s %s dead letters%s\n", found.name, found.waiting, moving); err != nil {
			return err
		}
	}
	return nil
}

func (c command) show(ctx context.Context, name string) error {
	found, err := c.named(ctx, name)
	if err != nil {
		return err
	}
	// They are seen and not taken: after a second, the least that there is, they are there for others again.
	seen, err := c.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &found.url, MaxNumberOfMessages: shownAtOnce, VisibilityTimeout: 1,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameSentTimestamp},
	})
	if err != nil {
		return err
	}
	for i := range seen.Messages {
		if _, err := fmt.Fprintln(c.out, aws.ToString(seen.Messages[i].Body)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(c.out, "%d shown of %s\n", len(seen.Messages), found.waiting)
	return err
}

func (c command) redrive(ctx context.Context, name string) error {
	if name == schedules {
		return errors.New("the dead letters of schedules came from no queue; the next firing of their schedules does their work, or invoke the function by hand")
	}
	found, err := c.named(ctx, name)
	if err != nil {
		return err
	}
	if found.waiting == "0" {
		_, err := fmt.Fprintf(c.out, "%s has no dead letters\n", name)
		return err
	}
	if _, err := c.client.StartMessageMoveTask(ctx, &sqs.StartMessageMoveTaskInput{SourceArn: &found.arn}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err = fmt.Fprintf(c.out, "about %s dead letters of %s are being moved back, to be done again; list tells how far it is\n", found.waiting, name)
	return err
}
