package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
)

// Stream is Get for an answer that is too long to be held: decode reads it while it arrives, within an attempt and its time, and keeps
// of it what it wants. At most so many bytes are read. An answer that breaks off or is no single JSON value is asked for again, and
// decode begins anew; any other error of decode, and any status but 2xx, is a failure. Nothing is shared with other callers or
// remembered.
func Stream[T any](ctx context.Context, c *Client, path string, query url.Values, most int64, decode func(*jsontext.Decoder) (T, error)) (T, error) {
	var value, zero T
	q := question{method: http.MethodGet, path: path, query: query.Encode(), most: most, read: func(decoder *jsontext.Decoder) (err error) {
		value, err = decode(decoder)
		return err
	}}
	if _, err := c.attempts(ctx, q); err != nil {
		if ctx.Err() != nil {
			return zero, c.gaveUp(ctx, q)
		}
		return zero, err
	}
	return value, nil
}

// stream lets the question's decoder read an answer with a good status.
func stream(q question, answer *http.Response) (*Response, *Error) {
	body := &bounded{from: answer.Body, left: q.most}
	decoder := jsontext.NewDecoder(body, wireSyntax...)
	err := q.read(decoder)
	if err == nil {
		if _, err = decoder.ReadToken(); err == nil {
			err = errMoreFollows
		} else if errors.Is(err, io.EOF) && body.failed == nil {
			return &Response{Status: answer.StatusCode, streamed: int(q.most - body.left)}, nil
		}
	}
	failure := &Error{Status: answer.StatusCode, Err: err}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(body.failed, errTooLong):
		failure.Err, failure.delay = fmt.Errorf("more than %d bytes", q.most), never
	case body.failed != nil:
		failure.Err = fmt.Errorf("reading the answer: %w", withoutAddress(body.failed))
	case errors.As(err, &syntax), errors.Is(err, io.EOF), errors.Is(err, errMoreFollows):
		failure.Err = errors.New("not JSON")
	default:
		failure.delay = never
	}
	return nil, failure
}

var (
	errMoreFollows = errors.New("more than one value")
	errTooLong     = errors.New("too long")
)

// bounded reads so many bytes and fails at the next. It keeps the error by which reading ended, unless that is the end.
type bounded struct {
	from   io.Reader
	left   int64
	failed error
}

func (b *bounded) Read(into []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	if int64(len(into)) > b.left+1 {
		into = into[:b.left+1]
	}
	n, err := b.from.Read(into)
	if b.left -= int64(n); b.left < 0 {
		n, err, b.left = n-1, errTooLong, 0
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	return n, err
}
