package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// countElements reads a list and keeps nothing of it.
func countElements(decoder *jsontext.Decoder) (count int, err error) {
	if decoder.PeekKind() != '[' {
		if err := decoder.SkipValue(); err != nil {
			return 0, err
		}
		return 0, fmt.Errorf("%w: no list", upstream.ErrUnreadable)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return 0, err
	}
	for decoder.PeekKind() != ']' {
		if err := decoder.SkipValue(); err != nil {
			return 0, err
		}
		count++
	}
	_, err = decoder.ReadToken()
	return count, err
}

// endless writes a list that never ends, and counts what is taken of it.
type endless struct{ taken int }

func (e *endless) Read(into []byte) (int, error) {
	n := copy(into, strings.Repeat("1,", 2048))
	if e.taken == 0 {
		into[0], into[1] = '[', ' '
	}
	e.taken += n
	return n, nil
}

func (*endless) Close() error { return nil }

// breaks gives what it has and then fails.
type breaks struct{ io.Reader }

func (b breaks) Read(into []byte) (int, error) {
	n, err := b.Reader.Read(into)
	if err == io.EOF {
		err = errors.New("connection reset")
	}
	return n, err
}

func TestAStreamIsDecodedWhileItArrives(t *testing.T) {
	var asked *http.Request
	var observed upstream.Call
	c := newClient(upstream.Shared{
		Transport: transport(func(r *http.Request) (*http.Response, error) {
			asked = r
			return reply(200, `[1,{"a":[2]},"x"] `), nil
		}),
		Observe: func(call upstream.Call) { observed = call },
	}, nil)
	got, err := upstream.Stream(t.Context(), c, "/long", map[string][]string{"a": {"1 2"}}, 18, countElements)
	if err != nil || got != 3 || asked.Method != "GET" || asked.URL.String() != "http://host.invalid/"+secret+"/long?a=1+2" {
		t.Error(got, err, asked.URL)
	}
	if observed.Bytes != 18 || observed.Status != 200 || observed.Attempt != 1 || observed.Err != nil {
		t.Errorf("%+v", observed)
	}
}

// What a stream may hold is bounded, not what it may skip: of a list without an end no more is taken than is allowed, once.
func TestAStreamEndsAtItsBound(t *testing.T) {
	body, calls := &endless{}, 0
	c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
		calls++
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body}, nil
	})}, nil)
	_, err := upstream.Stream(t.Context(), c, "/long", nil, 10<<20, countElements)
	if !errors.Is(err, market.ErrUnavailable) || !strings.Contains(err.Error(), "more than 10485760 bytes") || calls != 1 || body.taken != 10<<20+1 {
		t.Errorf("%v after %d calls and %d bytes", err, calls, body.taken)
	}
	// The bound is what may be read, and one byte more is too much.
	for most, fits := range map[int64]bool{7: true, 6: false} {
		c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) { return reply(200, `[1,2,3]`), nil })}, nil)
		if got, err := upstream.Stream(t.Context(), c, "/x", nil, most, countElements); fits != (err == nil && got == 3) {
			t.Errorf("within %d bytes: %d, %v", most, got, err)
		}
	}
}

func TestAStreamThatFailsIsAskedForAgainWhereThatHelps(t *testing.T) {
	whole := func() *http.Response { return reply(200, `[1,2]`) }
	for name, fault := range map[string]struct {
		again bool
		first func() *http.Response
	}{
		"breaks off": {true, func() *http.Response {
			response := reply(200, "")
			response.Body = io.NopCloser(breaks{strings.NewReader(`[1,`)})
			return response
		}},
		"breaks off behind its end": {true, func() *http.Response {
			response := reply(200, "")
			response.Body = io.NopCloser(breaks{strings.NewReader(`[1]`)})
			return response
		}},
		"cut":           {true, func() *http.Response { return reply(200, `[1,`) }},
		"nothing":       {true, func() *http.Response { return reply(200, ``) }},
		"a page":        {true, func() *http.Response { return reply(200, `<html></html>`) }},
		"two values":    {true, func() *http.Response { return reply(200, `[1][2]`) }},
		"overload":      {true, func() *http.Response { return reply(503, ``) }},
		"too many":      {true, func() *http.Response { return reply(429, ``) }},
		"another shape": {false, func() *http.Response { return reply(200, `{"a":1}`) }},
		"not found":     {false, func() *http.Response { return reply(404, `[1,2]`) }},
		"moved":         {false, func() *http.Response { return reply(301, `[1,2]`) }},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls, decoded := 0, 0
			c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
				if calls++; calls == 1 {
					return fault.first(), nil
				}
				return whole(), nil
			})}, nil)
			got, err := upstream.Stream(t.Context(), c, "/x", nil, 100, func(d *jsontext.Decoder) (int, error) {
				decoded++
				return countElements(d)
			})
			if fault.again && (err != nil || got != 2 || calls != 2) {
				t.Errorf("%s: %d, %v after %d calls", name, got, err, calls)
			}
			if !fault.again && (!errors.Is(err, market.ErrUnavailable) || got != 0 || calls != 1 || strings.Contains(err.Error(), secret)) {
				t.Errorf("%s: %d, %v after %d calls", name, got, err, calls)
			}
		})
	}
}

func TestAStreamEndsWithItsCallerAndOutlivesAPanic(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) {
		cancel()
		return nil, context.Canceled
	})}, nil)
	if _, err := upstream.Stream(ctx, c, "/x", nil, 100, countElements); !errors.Is(err, context.Canceled) || errors.Is(err, market.ErrUnavailable) {
		t.Error(err)
	}
	c = newClient(upstream.Shared{Transport: transport(func(*http.Request) (*http.Response, error) { return reply(200, `[]`), nil })}, nil)
	if _, err := upstream.Stream(t.Context(), c, "/x", nil, 100, func(*jsontext.Decoder) (int, error) { panic("what was sent") }); !errors.Is(err, market.ErrUnavailable) {
		t.Error(err)
	}
}
