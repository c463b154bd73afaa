package embedded

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// leaderRow is a leader. Its findings are ordered by source. In the file it is the length of its JSON in headerSize bytes, the JSON,
// and then the data of its findings and of its grading as they are: thousands of leaders are read at once, and data inside of JSON
// takes ten times as long.
type leaderRow struct {
	FoundAt  time.Time    `json:"foundAt"`
	Findings []findingRow `json:"findings"`
	Grading  gradingRow   `json:"grading,omitzero"`
}

type findingRow struct {
	Source string    `json:"source"`
	At     time.Time `json:"at"`
	Size   int       `json:"size"`
	data   []byte
}

type gradingRow struct {
	At      time.Time `json:"at"`
	Pass    string    `json:"pass"`
	Grade   string    `json:"grade"`
	Verdict string    `json:"verdict"`
	Size    int       `json:"size"`
	data    []byte
}

// headerSize is the size of a big-endian length, in bytes.
const headerSize = 4

func (r leaderRow) encode() ([]byte, error) {
	header, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	size := headerSize + len(header) + len(r.Grading.data)
	for _, finding := range r.Findings {
		size += len(finding.data)
	}
	row := make([]byte, 0, size)
	row = binary.BigEndian.AppendUint32(row, uint32(len(header)))
	row = append(row, header...)
	for _, finding := range r.Findings {
		row = append(row, finding.data...)
	}
	return append(row, r.Grading.data...), nil
}

// decodeLeader reads a row, of which it keeps the bytes.
func decodeLeader(address string, data []byte) (leaderRow, error) {
	whole := true
	cut := func(size int) []byte {
		if size < 0 || size > len(data) {
			whole = false
			return nil
		}
		part := data[:size:size]
		data = data[size:]
		return part
	}
	var row leaderRow
	var header []byte
	if length := cut(headerSize); whole {
		header = cut(int(binary.BigEndian.Uint32(length)))
	}
	if err := json.Unmarshal(header, &row); err != nil {
		return leaderRow{}, fmt.Errorf("read leader %s: %w", address, err)
	}
	for i := range row.Findings {
		row.Findings[i].data = cut(row.Findings[i].Size)
	}
	row.Grading.data = cut(row.Grading.Size)
	if !whole || len(data) > 0 {
		return leaderRow{}, fmt.Errorf("read leader %s: its data are not as long as the row says", address)
	}
	return row, nil
}

func (r leaderRow) leader(group store.Group, address string) store.Leader {
	leader := store.Leader{
		Group: group, Address: address, FoundAt: r.FoundAt, Findings: make([]store.Finding, 0, len(r.Findings)),
		Grading: store.Grading{
			At: r.Grading.At, Pass: r.Grading.Pass, Grade: r.Grading.Grade, Verdict: r.Grading.Verdict, Data: r.Grading.data,
		},
	}
	for _, finding := range r.Findings {
		leader.Findings = append(leader.Findings, store.Finding{Source: finding.Source, At: finding.At, Data: finding.data})
	}
	return leader
}
