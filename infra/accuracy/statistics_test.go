package accuracy

import (
	"strings"
	"testing"
)

func TestStatisticsReproduceOurGoldenNumbers(t *testing.T) {
	rows, err := StatisticsGolden("")
	if err != nil {
		t.Fatal(err)
	}
	requirePass(t, rows)
}

// The full simulation belongs to the accuracy report. With an eighth of its trials the noise is 0.01, three times the standard
// deviation a coverage of 0.95 has then being 0.03.
func TestIntervalsCover(t *testing.T) { requirePass(t, intervalCoverage(coverageTrials/8, 0.03)) }

func requirePass(t *testing.T, rows []Row) {
	t.Helper()
	for _, row := range rows {
		t.Log(row.Name, "|", row.Goal, "|", row.Measured)
		if !row.Pass {
			t.Errorf("%s: %s, must be %s", row.Name, row.Measured, row.Goal)
		}
	}
}

func TestGoldenFilesMustBeThere(t *testing.T) {
	if _, err := StatisticsGolden(t.TempDir()); err == nil || !strings.Contains(err.Error(), "golden.json") {
		t.Errorf("error %v does not name the missing file", err)
	}
}
