package hyperliquid

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Reason is why the venue refused something.
type Reason string

// The reasons.
const (
	// ReasonNoMatch: nobody trades at the limit or better. ReasonNoLiquidity: nobody trades at all.
	ReasonNoMatch     Reason = "no_match"
	ReasonNoLiquidity Reason = "no_liquidity"
	// ReasonMargin: the account's free margin is too small. ReasonLeverage: such a leverage is not allowed, or not for such a position.
	ReasonMargin   Reason = "margin"
	ReasonLeverage Reason = "leverage"
	// ReasonMinimum: the order is worth less than the venue's least.
	ReasonMinimum Reason = "minimum"
	// ReasonReduceOnly: there is no position that the order would reduce, or a smaller one.
	ReasonReduceOnly Reason = "reduce_only"
	// ReasonPrice and ReasonSize: not a multiple of the least step, or too far from the market.
	ReasonPrice Reason = "price"
	ReasonSize  Reason = "size"
	// ReasonDuplicate: the client id was used before.
	ReasonDuplicate Reason = "duplicate"
	// ReasonOpenInterest: the venue limits how much may be open.
	ReasonOpenInterest Reason = "open_interest"
	// ReasonHalted: the contract is not traded.
	ReasonHalted Reason = "halted"
	// ReasonAgent: the signer is no agent of any account, or not any more. ReasonAccount: the account never paid in.
	ReasonAgent   Reason = "agent"
	ReasonAccount Reason = "account"
	// ReasonNonce: the nonce was used or is out of time. ReasonExpired: the request arrived too late.
	ReasonNonce   Reason = "nonce"
	ReasonExpired Reason = "expired"
	// ReasonRate: too many requests.
	ReasonRate Reason = "rate"
	// ReasonMissing: there is no such order any more.
	ReasonMissing Reason = "missing"
	// ReasonOther is whatever else; the venue's text says what.
	ReasonOther Reason = "other"
)

// reasons are parts of the venue's texts and of its names of orders' states, in lower case, with what they mean
// (https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/error-responses). The first that fits counts.
var reasons = []struct {
	part   string
	reason Reason
}{
	{"could not immediately match", ReasonNoMatch}, {"ioccancel", ReasonNoMatch},
	{"no liquidity", ReasonNoLiquidity}, {"marketordernoliquidity", ReasonNoLiquidity},
	{"insufficient margin", ReasonMargin}, {"perpmargin", ReasonMargin}, {"margincancel", ReasonMargin}, {"insufficient", ReasonMargin},
	{"margin tier limit", ReasonLeverage}, {"perpmaxposition", ReasonLeverage}, {"leverage", ReasonLeverage},
	{"minimum value", ReasonMinimum}, {"mintrade", ReasonMinimum},
	{"reduce only", ReasonReduceOnly}, {"reduceonly", ReasonReduceOnly},
	{"tick size", ReasonPrice}, {"tickrejected", ReasonPrice}, {"too far from", ReasonPrice}, {"away from the reference", ReasonPrice},
	{"oraclerejected", ReasonPrice}, {"invalid price", ReasonPrice},
	{"invalid size", ReasonSize},
	{"open interest", ReasonOpenInterest}, {"openinterest", ReasonOpenInterest},
	{"invalid nonce", ReasonNonce}, {"duplicate nonce", ReasonNonce},
	{"cloid", ReasonDuplicate}, {"duplicate", ReasonDuplicate},
	{"halted", ReasonHalted}, {"delisted", ReasonHalted},
	{"api wallet", ReasonAgent}, {"agent", ReasonAgent},
	{"must deposit", ReasonAccount},
	{"expire", ReasonExpired},
	{"too many", ReasonRate}, {"rate limit", ReasonRate},
	{"never placed", ReasonMissing},
}

// reasonOf tells what a text of the venue means.
func reasonOf(text string) Reason {
	text = strings.ToLower(text)
	for _, known := range reasons {
		if strings.Contains(text, known.part) {
			return known.reason
		}
	}
	return ReasonOther
}

// Refusal is the error for what the venue did not do. Orders have a result for that instead.
type Refusal struct {
	Reason Reason
	// Text is what the venue said, at most 200 bytes of it; it is for logs alone.
	Text string
}

func (e *Refusal) Error() string { return fmt.Sprintf("the venue refused (%s): %q", e.Reason, e.Text) }

// longestText is how much is kept of what the venue says.
const longestText = 200

func refusal(text string) *Refusal {
	return &Refusal{Reason: reasonOf(text), Text: strings.ToValidUTF8(text[:min(len(text), longestText)], "")}
}

// answer is what the venue made of a request: it refused all of it, or says what became of each part of it.
type answer struct {
	refused *Refusal
	parts   []part
	// expires is until when the request could be carried out.
	expires time.Time
}

// part is one order's or cancellation's outcome. An error alone says that it was not carried out.
type part struct {
	Filled *struct {
		Size  upstream.Number `json:"totalSz"`
		Price upstream.Number `json:"avgPx"`
		Order upstream.Number `json:"oid"`
	} `json:"filled"`
	Resting *struct {
		Order upstream.Number `json:"oid"`
	} `json:"resting"`
	Error *upstream.Text `json:"error"`
	// word is there where the venue says one word instead.
	word string
}

// readAnswer reads an answer. An error says that it cannot be understood, which leaves open what the venue did.
func readAnswer(status int, body []byte) (answer, error) {
	switch status {
	case http.StatusOK:
	case http.StatusTooManyRequests:
		return answer{refused: &Refusal{ReasonRate, "status 429"}}, nil
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity:
		return answer{refused: &Refusal{ReasonOther, fmt.Sprintf("status %d", status)}}, nil
	default:
		return answer{}, fmt.Errorf("status %d", status)
	}
	var said struct {
		Status   upstream.Text  `json:"status"`
		Response jsontext.Value `json:"response"`
	}
	if err := upstream.Unmarshal(body, &said); err != nil {
		return answer{}, fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)
	}
	switch said.Status {
	case "err":
		var text upstream.Text
		if err := upstream.Unmarshal(said.Response, &text); err != nil || text == "" {
			return answer{}, fmt.Errorf("%w: a refusal without words", upstream.ErrUnreadable)
		}
		return answer{refused: refusal(string(text))}, nil
	case "ok":
		var response struct {
			Data struct {
				Statuses []jsontext.Value `json:"statuses"`
			} `json:"data"`
		}
		if err := upstream.Unmarshal(said.Response, &response); err != nil {
			return answer{}, fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)
		}
		read := answer{parts: make([]part, len(response.Data.Statuses))}
		for i, value := range response.Data.Statuses {
			if value.Kind() == '"' {
				var word upstream.Text
				if err := upstream.Unmarshal(value, &word); err != nil {
					return answer{}, fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)
				}
				read.parts[i].word = string(word)
			} else if err := upstream.Unmarshal(value, &read.parts[i]); err != nil {
				return answer{}, fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)
			}
		}
		return read, nil
	}
	return answer{}, fmt.Errorf("%w: neither done nor refused", upstream.ErrUnreadable)
}

// one is the outcome of the only part of a request.
func (a answer) one() (part, error) {
	if len(a.parts) != 1 {
		return part{}, fmt.Errorf("%w: %d outcomes of one request", upstream.ErrUnreadable, len(a.parts))
	}
	return a.parts[0], nil
}

// withoutURL takes the address out of an error of package http.
func withoutURL(err error) error {
	var withURL *url.Error
	if errors.As(err, &withURL) {
		return withURL.Err
	}
	return err
}
