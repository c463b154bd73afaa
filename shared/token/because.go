package token

import (
	"fmt"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// because makes a reason of a template and its numbers.
func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}
