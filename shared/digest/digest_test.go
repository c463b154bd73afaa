package digest

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKnownDigests(t *testing.T) {
	// printf '' | sha256sum; printf '1:a2:bc' | sha256sum
	for want, texts := range map[string][]string{
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855": nil,
		"5310a58788781ab25d5ad7c3f85035824b4eb7bdfa394e0ac2186271472b5492": {"a", "bc"},
	} {
		if got := Of(texts...); got != want {
			t.Errorf("%q: %s, want %s", texts, got, want)
		}
	}
}

// However texts are cut into parts, another way to cut them is another word.
func TestPartsAreToldApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9:a]{0,12}`)
		a, b := rapid.SliceOfN(text, 0, 4).Draw(t, "a"), rapid.SliceOfN(text, 0, 4).Draw(t, "b")
		if (Of(a...) == Of(b...)) != slices.Equal(a, b) {
			t.Fatalf("%q and %q", a, b)
		}
		if word := Of(a...); len(word) != 64 || strings.ToLower(word) != word {
			t.Fatal(word)
		}
	})
}
