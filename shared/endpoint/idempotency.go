package endpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// LongestIdempotencyKey bounds the header Idempotency-Key, in bytes.
	LongestIdempotencyKey = 255
	// leaseMargin is how much longer than its work a request holds its key, so that nobody goes on with what is under way.
	leaseMargin = 5 * time.Second
	// keepTimeout bounds the keeping of an answer, which goes on when the caller has hung up.
	keepTimeout = 2 * time.Second
)

// idempotencyKey reads the header of that name: empty when there is none. It is taken bare, or as a quoted string.
func idempotencyKey(header http.Header) (string, *Problem) {
	values := header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if unquoted, found := strings.CutPrefix(key, `"`); found {
		key = strings.TrimSuffix(unquoted, `"`)
	}
	valid := len(values) == 1 && key != "" && len(values[0]) <= LongestIdempotencyKey
	for i := range len(key) {
		valid = valid && key[i] > ' ' && key[i] <= '~' && key[i] != '"' && key[i] != '\\'
	}
	if !valid {
		return "", Invalid("Idempotency-Key", fmt.Sprintf("Send one Idempotency-Key of 1 to %d printable ASCII characters without spaces or quotes, like a UUID.", LongestIdempotencyKey))
	}
	return key, nil
}

// fingerprint tells a request from every other that could come under the same key.
func fingerprint(e *Endpoint, r *Request, path string) []byte {
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(e.Name), []byte(path), r.Wallet[:], bytes.TrimSpace(r.Body)} {
		_, _ = hash.Write([]byte(strconv.Itoa(len(part)) + ":"))
		_, _ = hash.Write(part)
	}
	return hash.Sum(nil)
}

// once does the work of a request that has a key, unless it was done before, and keeps the answer. What was refused changed nothing and
// is not kept: repeated, it is looked at again. What was cut short stays with its key, and whoever repeats it goes on with the same
// Operation.
func (h *handler) once(ctx context.Context, c *call, request *Request, path, key string) reply {
	e := c.endpoint
	sum := sha256.Sum256([]byte(key))
	begun := store.KeyedRequest{
		Partner: request.Partner, Key: hex.EncodeToString(sum[:]), Fingerprint: fingerprint(e, request, path), Token: request.Operation,
		BegunAt: c.receivedAt, LeaseUntil: c.receivedAt.Add(h.SingleTimeout + leaseMargin),
	}
	kept, mine, err := h.Idempotency.Begin(ctx, begun)
	switch {
	case err != nil:
		return refusal(&Problem{
			Status: http.StatusServiceUnavailable, Code: "provider_unavailable", RetryAfter: keyStoreRetry, cause: err,
			Message: "The idempotency key cannot be kept at the moment, and nothing was done. Try again shortly with the same key.",
		})
	case !bytes.Equal(kept.Fingerprint, begun.Fingerprint):
		return refusal(refuse(http.StatusConflict, "idempotency_conflict", "This idempotency key was used for another request. Use a new key for each operation."))
	case !mine && kept.Status == 0:
		return refusal(&Problem{
			Status: http.StatusConflict, Code: "idempotency_conflict", RetryAfter: time.Second,
			Message: "The first request with this idempotency key is still being worked on. Ask again with the same key in a moment.",
		})
	case !mine:
		return reply{status: kept.Status, body: kept.Answer, replayed: true}
	}
	request.Operation = kept.Token
	body, err := h.run(ctx, e, request)
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	if err != nil {
		problem := problemOf(err)
		if problem.Status < http.StatusInternalServerError {
			// It changed nothing, so the key is free for another try; where forgetting fails, its lease ends by itself.
			if err := h.Idempotency.Release(keep, kept.Partner, kept.Key, kept.Token); err != nil {
				h.Log.WarnContext(ctx, "idempotency key not released", "request", c.id, "error", err)
			}
		}
		return refusal(problem)
	}
	// The work is done whether its answer can be kept or not. Where it cannot, a repeated request finds by its Operation that it was.
	if err := h.Idempotency.Answer(keep, kept.Partner, kept.Key, kept.Token, e.Status, body); err != nil {
		h.Log.WarnContext(ctx, "answer not kept under its idempotency key", "request", c.id, "error", err)
	}
	return reply{status: e.Status, body: body}
}
