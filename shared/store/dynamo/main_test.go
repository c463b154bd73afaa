package dynamo_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// modelChecks is how many runs each model has here unless told otherwise: every step of one is several requests in HTTP. The embedded
// engine, whose steps cost little, goes through the same models at full length.
const modelChecks = "40"

func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(modelChecks); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
