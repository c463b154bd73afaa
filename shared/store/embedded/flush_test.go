package embedded

import (
	"path/filepath"
	"testing"
)

// TestWritesAreFlushed: a killed process does not show what a power cut would, because the operating system keeps what was not
// flushed. So it is checked that bbolt flushes each transaction.
func TestWritesAreFlushed(t *testing.T) {
	opened, err := Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	if opened.db.NoSync || opened.db.NoGrowSync {
		t.Error("writes are acknowledged before they are on the disk")
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}
