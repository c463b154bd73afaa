package token

// Change is one thing that is different from the last scan.
type Change struct {
	Metric    string `json:"metric"`
	Direction string `json:"direction"`
	Severity  string `json:"severity"`
	Detail    string `json:"detail"`
}

// TokenChangesAnswer is what changed since the partner's last scan of the token.
type TokenChangesAnswer struct {
	// Baseline is true for the first scan, which has nothing to compare with.
	Baseline bool     `json:"baseline"`
	Changes  []Change `json:"changes"`
	// PreviousAt is the time of the scan that this one is compared with; null for a baseline.
	PreviousAt *string `json:"previousAt"`
}
