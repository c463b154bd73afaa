package chain_test

import "testing"
import "github.com/mirrorworthy/mirrorworthy/shared/chain"

func TestTableParses(t *testing.T) {
	if len(chain.All()) != 6 {
		t.Fatal(len(chain.All()))
	}
}
