package job

import (
	"encoding/json"
	"errors"
	"fmt"
)

// messageSource is what Amazon SQS calls itself in the records that Lambda's poller hands over.
const messageSource = "aws:sqs"

// wireMessages is a batch of messages as a function gets them.
type wireMessages struct {
	Records []wireMessage `json:"Records"`
}

type wireMessage struct {
	ID         string `json:"messageId"`
	Source     string `json:"eventSource"`
	Body       string `json:"body"`
	Attributes struct {
		Received string `json:"ApproximateReceiveCount"`
	} `json:"attributes"`
}

// wireFailures names the messages that are to be delivered again; all others of the batch count as done.
type wireFailures struct {
	Failures []wireFailure `json:"batchItemFailures"`
}

type wireFailure struct {
	ID string `json:"itemIdentifier"`
}

// readMessages reads a batch of messages. It gives none and no error when the payload is something else.
func readMessages(payload []byte) ([]wireMessage, error) {
	var wire wireMessages
	if err := json.Unmarshal(payload, &wire); err != nil {
		return nil, fmt.Errorf("neither messages nor an event: %w", err)
	}
	for _, message := range wire.Records {
		if message.Source != messageSource || message.ID == "" {
			return nil, fmt.Errorf("not a message of a queue: source %q, id %q; want %q and an id", message.Source, message.ID, messageSource)
		}
	}
	return wire.Records, nil
}

// wirePart is the body of a message that says: do this part of that pass.
type wirePart struct {
	Pass string `json:"pass"`
	Part *int   `json:"part"`
}

// partMessage asks for a part of a pass.
func partMessage(pass string, part int) (Message, error) {
	body, err := json.Marshal(wirePart{Pass: pass, Part: &part})
	return Message{Body: body}, err
}

// task is what a message asks for: a part of a pass, or what a schedule asks for when wake is set.
type task struct {
	pass string
	part int
	wake *Event
}

// readTask reads the body of a message.
func readTask(body []byte) (task, error) {
	var wire wirePart
	if err := json.Unmarshal(body, &wire); err != nil {
		return task{}, fmt.Errorf("neither a part of a pass nor an event: %w", err)
	}
	if wire.Pass == "" && wire.Part == nil {
		event, err := ReadEvent(body)
		if err != nil {
			return task{}, fmt.Errorf("not a part of a pass, and %w", err)
		}
		return task{wake: &event}, nil
	}
	if wire.Pass == "" || wire.Part == nil || *wire.Part < 0 {
		return task{}, errors.New("not a part of a pass: want the pass and the part's number from 0")
	}
	return task{pass: wire.Pass, part: *wire.Part}, nil
}
