package embedded

import (
	"bytes"
	"testing"
	"time"
)

// FuzzDecodeLeader: no row makes decoding fail other than with an error, and what is decoded is encoded to a row of the same leader.
func FuzzDecodeLeader(f *testing.F) {
	at := time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)
	for _, row := range []leaderRow{
		{FoundAt: at},
		{
			FoundAt: at, Findings: []findingRow{{Source: "a", At: at, Size: 2, data: []byte("\x00\xff")}, {Source: "b", At: at}},
			Grading: gradingRow{At: at, Pass: "pass", Verdict: "graded", Size: 1, data: []byte("x")},
		},
	} {
		seed, err := row.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
		f.Add(seed[:len(seed)-1])
	}
	f.Add([]byte("\x00\x00\x00\x25{\"findings\":[{\"size\":2},{\"size\":-1}]}x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		row, err := decodeLeader("0x1", data)
		if err != nil {
			return
		}
		again, err := row.encode()
		if err != nil {
			return // a time that JSON cannot write
		}
		same, err := decodeLeader("0x1", again)
		if err != nil || len(same.Findings) != len(row.Findings) || !bytes.Equal(same.Grading.data, row.Grading.data) {
			t.Fatalf("%q became %q: %+v, %v", data, again, same, err)
		}
		for i := range row.Findings {
			if !bytes.Equal(same.Findings[i].data, row.Findings[i].data) {
				t.Errorf("finding %d of %q became %q", i, row.Findings[i].data, same.Findings[i].data)
			}
		}
	})
}
