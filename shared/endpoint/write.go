package endpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// errorBody is the body of every refusal.
type errorBody struct {
	Error             string   `json:"error"`
	Message           string   `json:"message"`
	RequestID         string   `json:"requestId"`
	Parameter         string   `json:"param,omitzero"`
	Accepted          []string `json:"accepted,omitzero"`
	Supported         []string `json:"supported,omitzero"`
	RetryAfterSeconds int      `json:"retryAfterSeconds,omitzero"`
}

// write sends an answer with the headers that every response carries.
func write(w http.ResponseWriter, r *http.Request, c *call, answer reply) {
	header := w.Header()
	header.Set("X-Request-Id", c.id)
	header.Set("X-Usage-Units", strconv.Itoa(answer.units))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if c.quota != nil {
		header.Set("RateLimit-Policy", fmt.Sprintf(`"fair-use";q=%d;w=60`, c.quota.limit.PerMinute))
		header.Set("RateLimit", fmt.Sprintf(`"fair-use";r=%d;t=%d`, c.quota.left, wholeSeconds(c.quota.reset)))
	}
	if answer.replayed {
		header.Set("Idempotent-Replayed", "true")
	}
	if len(answer.allow) > 0 {
		header.Set("Allow", strings.Join(answer.allow, ", "))
	}
	body := answer.body
	if problem := answer.problem; problem != nil {
		body = problem.Body(c.id)
		if problem.RetryAfter > 0 {
			header.Set("Retry-After", strconv.Itoa(wholeSeconds(problem.RetryAfter)))
		}
		if problem.Status == http.StatusUnauthorized {
			header.Set("WWW-Authenticate", "Bearer")
		}
	} else if c.endpoint != nil && c.endpoint.Graded {
		header.Set("X-Method-Version", MethodVersion)
	}
	if answer.problem == nil && c.endpoint != nil && c.endpoint.KeptFor > 0 {
		answer.status = keep(header, r, c.endpoint.KeptFor, body)
	}
	for name, values := range answer.header {
		header[name] = values
	}
	if len(body) == 0 || answer.status == http.StatusNotModified {
		w.WriteHeader(answer.status)
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.status)
	if r.Method != http.MethodHead {
		// An error here means that nobody listens anymore.
		_, _ = w.Write(body)
	}
}

// keep lets an answer be kept for so long, under a tag of its bytes, and gives the status: 304 for somebody who has these bytes already.
func keep(header http.Header, r *http.Request, duration time.Duration, body []byte) int {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", wholeSeconds(duration)))
	header.Set("ETag", tag)
	for _, known := range r.Header.Values("If-None-Match") {
		for one := range strings.SplitSeq(known, ",") {
			// The comparison is the weak one (RFC 9110, section 13.1.2).
			if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
				return http.StatusNotModified
			}
		}
	}
	return http.StatusOK
}

// Body is the body of the refusal of a request of that id. Names that are not valid UTF-8 never get here: the decoders refuse them.
func (p *Problem) Body(id string) []byte {
	body, err := encode(errorBody{
		Error: p.Code, Message: p.Message, RequestID: id, Parameter: p.Parameter,
		Accepted: p.Accepted, Supported: p.Supported, RetryAfterSeconds: wholeSeconds(p.RetryAfter),
	})
	if err != nil {
		return []byte(`{"error":"internal","message":"Something went wrong on our side. Report the request id if it happens again.","requestId":` + strconv.Quote(id) + `}`)
	}
	return body
}

// wholeSeconds rounds up: a partner that waits so long has waited long enough.
func wholeSeconds(d time.Duration) int {
	if d <= 0 {
		return 0
	}
	return int((d + time.Second - 1) / time.Second)
}
