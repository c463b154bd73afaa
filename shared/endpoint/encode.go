package endpoint

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// encode is the one encoder of answers. The same value always gives the same bytes, and a bundle embeds those bytes as they
// are. NaN and infinities are errors: an unmeasured number is a nil pointer.
func encode(answer any) ([]byte, error) {
	body, err := json.Marshal(answer, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encoding %T: %w", answer, err)
	}
	return body, nil
}
