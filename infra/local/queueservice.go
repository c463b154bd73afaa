package main

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

// queueService speaks as much of SQS's JSON protocol as the functions do: they send messages, and say when those that failed are to come
// again. Lambda's pollers, which receive and delete, are the queues themselves.
type queueService struct {
	queues *queues
	log    *slog.Logger
}

// The limits of SQS.
const (
	maximumBatch      = 10
	maximumBatchBytes = 1 << 20
	longestHidden     = 12 * time.Hour
)

type queueRequest struct {
	QueueURL string       `json:"QueueUrl"`
	Entries  []queueEntry `json:"Entries"`
}

type queueEntry struct {
	ID                string `json:"Id"`
	MessageBody       string `json:"MessageBody"`
	ReceiptHandle     string `json:"ReceiptHandle"`
	VisibilityTimeout int64  `json:"VisibilityTimeout"`
}

type queueAnswer struct {
	Successful []queueSuccess `json:"Successful"`
	Failed     []queueFailure `json:"Failed"`
}

type queueSuccess struct {
	ID        string `json:"Id"`
	MessageID string `json:"MessageId,omitempty"`
	MD5       string `json:"MD5OfMessageBody,omitempty"`
}

type queueFailure struct {
	ID          string `json:"Id"`
	Code        string `json:"Code"`
	Message     string `json:"Message"`
	SenderFault bool   `json:"SenderFault"`
}

// ServeHTTP implements http.Handler.
func (s *queueService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request queueRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 2*maximumBatchBytes)).Decode(&request); err != nil {
		queueError(w, http.StatusBadRequest, "com.amazonaws.sqs#InvalidMessageContents", err.Error())
		return
	}
	ids := make(map[string]bool)
	for _, entry := range request.Entries {
		ids[entry.ID] = true
	}
	switch {
	case len(request.Entries) == 0:
		queueError(w, http.StatusBadRequest, "com.amazonaws.sqs#EmptyBatchRequest", "There are no entries")
		return
	case len(request.Entries) > maximumBatch:
		queueError(w, http.StatusBadRequest, "com.amazonaws.sqs#TooManyEntriesInBatchRequest", "There are more than 10 entries")
		return
	case len(ids) != len(request.Entries):
		queueError(w, http.StatusBadRequest, "com.amazonaws.sqs#BatchEntryIdsNotDistinct", "Entries have the same Id")
		return
	}
	name := path.Base(request.QueueURL)
	switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
	case "SendMessageBatch":
		s.send(w, name, request.Entries)
	case "ChangeMessageVisibilityBatch":
		s.hide(w, name, request.Entries)
	default:
		queueError(w, http.StatusBadRequest, "com.amazonaws.sqs#UnsupportedOperation", operation+" is not served here")
	}
}

// send puts messages into a queue, all of them or none.
func (s *queueService) send(w http.ResponseWriter, name string, entries []queueEntry) {
	var messages []job.Message
	size := 0
	for _, entry := range entries {
		messages = append(messages, job.Message{Body: []byte(entry.MessageBody)})
		size += len(entry.MessageBody)
	}
	if size > maximumBatchBytes {
		queueError(w, http.StatusBadRequest, "com.amazonaws.sqs#BatchRequestTooLong", "The messages are longer than 1 MB together")
		return
	}
	ids, err := s.queues.send(name, messages...)
	switch {
	case errors.Is(err, errNoQueue):
		queueError(w, http.StatusBadRequest, "com.amazonaws.sqs#QueueDoesNotExist", err.Error())
		return
	case err != nil:
		queueError(w, http.StatusServiceUnavailable, "com.amazonaws.sqs#ServiceUnavailable", err.Error())
		return
	}
	answer := queueAnswer{Successful: []queueSuccess{}, Failed: []queueFailure{}}
	for i, entry := range entries {
		sum := md5.Sum([]byte(entry.MessageBody)) // what SQS proves receipt by
		answer.Successful = append(answer.Successful, queueSuccess{ID: entry.ID, MessageID: ids[i], MD5: hex.EncodeToString(sum[:])})
	}
	s.write(w, answer)
}

// hide sets when messages under way come again if they fail.
func (s *queueService) hide(w http.ResponseWriter, name string, entries []queueEntry) {
	answer := queueAnswer{Successful: []queueSuccess{}, Failed: []queueFailure{}}
	for _, entry := range entries {
		hidden := time.Duration(entry.VisibilityTimeout) * time.Second
		switch {
		case hidden < 0 || hidden > longestHidden:
			answer.Failed = append(answer.Failed, queueFailure{ID: entry.ID, Code: "InvalidParameterValue", Message: "VisibilityTimeout is from 0 to 43200 seconds", SenderFault: true})
		case !s.queues.hide(name, entry.ReceiptHandle, hidden):
			answer.Failed = append(answer.Failed, queueFailure{ID: entry.ID, Code: "ReceiptHandleIsInvalid", Message: "There is no such delivery under way", SenderFault: true})
		default:
			answer.Successful = append(answer.Successful, queueSuccess{ID: entry.ID})
		}
	}
	s.write(w, answer)
}

func (s *queueService) write(w http.ResponseWriter, answer queueAnswer) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.log.Debug("an answer of the queues was not read", "error", err)
	}
}

func queueError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": kind, "message": message}) // who does not read it has gone
}
