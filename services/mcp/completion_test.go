package mcp

import "testing"

func TestALastLetterIsTheBeginningOfAWord(t *testing.T) {
	for typed, want := range map[string][2]string{
		"hotel v": {"hotel", "v"}, "hotel": {"hotel", ""}, "v": {"v", ""}, "Hôtel de V": {"hotel", "v"}, "pompe 2": {"pompe", "2"},
		"hotel vi": {"hotel vi", ""}, "": {"", ""},
	} {
		if text, letter := lastLetter(typed); text != want[0] || letter != want[1] {
			t.Errorf("%q: %q and %q, want %q", typed, text, letter, want)
		}
	}
	for name, want := range map[string]bool{"Hôtel de Ville": true, "Hôtel Riverdale": false, "": false} {
		if hasWordWith("v", name) != want || !hasWordWith("", name) {
			t.Errorf("%q has a word with v: not %v", name, want)
		}
	}
}
