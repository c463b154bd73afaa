package job

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Spread is a job whose work is spread over messages of a queue, one for each part of a pass.
//
// A pass begins by the job's schedule. Its parts are done apart and in any order, each at least once and possibly several at a
// time; whoever completes the last one concludes the pass. A part that is done again must find that nothing is left to do, or do
// the same once more.
type Spread struct {
	// Name is the name of the Lambda function, of its folder and of its queue, like "grade-leaders".
	Name string
	// Counts says what became of the items that its reports count, in one word for the log, like "graded"; empty for "items".
	Counts string
	// Gap is how long ago the latest pass must have begun for a schedule to begin another.
	Gap time.Duration
	// Plan says into how many parts a pass of this instant is spread. With no parts no pass begins.
	Plan func(ctx context.Context, at time.Time) (Plan, error)
	// Part does a part of a pass as of an instant. An error, or a panic, leaves the part to be done again. What failed inside a
	// part that is as good as it gets is a Part of its report with an Err: it is counted, and not tried again in this pass.
	Part func(ctx context.Context, at time.Time, pass store.Pass, part int) (Report, error)
	// Conclude follows when all parts are done, or when the next pass begins although some are missing. It may come twice, and
	// comes again when it failed: by an error, or by a Part of its report with an Err.
	Conclude func(ctx context.Context, at time.Time, pass store.Pass) (Report, error)
	// Then names the spread jobs that are due once a pass is concluded, as if their schedules had fired.
	Then []string
	// Finished is told of a pass that was concluded, with what of it is done, and when. Of a pass that is concluded by several at once
	// it is told by each. Nil tells nobody.
	Finished func(pass store.Pass, at time.Time)
}

// Plan is what a pass is going to do.
type Plan struct {
	Parts int
	// Data is kept with the pass, for its parts to read.
	Data []byte
}

// Message is a piece of work in a queue.
type Message struct{ Body []byte }

// Queue takes messages for the consumer of that name. What was accepted is delivered at least once, in any order; what keeps failing
// ends in the queue's dead-letter queue.
type Queue interface {
	// Send puts any number of messages into a queue. After an error some of them may be there.
	Send(ctx context.Context, name string, messages ...Message) error
}
