package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/store/conformance"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// open opens the store of a file and closes it when the test ends.
func open(t testing.TB, path string) *embedded.Store {
	t.Helper()
	opened, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return opened
}

func TestConformance(t *testing.T) {
	conformance.Run(t, func(t *testing.T) conformance.Stores {
		opened := open(t, filepath.Join(t.TempDir(), "store.db"))
		return conformance.Stores{Keys: opened.Keys(), Meter: opened.Meter()}
	})
}
