package upstream

import (
	"context"
	"net/http"
)

// Weight is how much of the rate a question takes, for providers that count some questions as more than one.
type Weight struct {
	// Asking is taken before each attempt, one where it is zero.
	Asking int
	// Answer, when set, tells what an answer takes besides. As that is known only afterwards, it can make the rate's balance negative,
	// for which the next questions wait.
	Answer func(*Response) int
}

// PostWeighted is Post for a question with a weight. Callers who share one flight share its weight; whoever is given an answer that is
// remembered pays nothing.
func PostWeighted[T any](ctx context.Context, c *Client, path string, body []byte, weight Weight, decode func(*Response) (T, error)) (T, error) {
	return ask(ctx, c, question{method: http.MethodPost, path: path, body: body, weight: weight}, decode)
}

func (w Weight) of(response *Response) int {
	if w.Answer == nil {
		return 0
	}
	return w.Answer(response)
}
