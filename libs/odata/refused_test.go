package odata

import (
	"net/url"
	"strings"
	"testing"
)

// refused are filters of 16 kB, the most that a URL has room for, that are refused.
var refused = map[string]string{
	"too many parts":    strings.TrimSuffix(strings.Repeat("name eq 'a' or ", 1000), " or "),
	"too many words":    strings.Repeat("(", 15_000),
	"too deep":          strings.Repeat("not ", 3_700),
	"no end of a text":  "name eq '" + strings.Repeat("x", 15_000),
	"no word at all":    strings.Repeat("a ", 1_000) + "%",
	"a long name":       strings.Repeat("x", 15_000) + " foo 1",
	"an unknown call":   strings.Repeat("x", 15_000) + "(name)",
	"a long number":     "name eq " + strings.Repeat("1", 15_000) + "e999",
	"many values":       "name in (" + strings.Repeat("1,", 5_000),
	"quotes in a text":  "name eq '" + strings.Repeat("''", 7_000),
	"dates that are no": "name eq " + strings.Repeat("2026-01-", 1_800),
}

// A filter that is refused costs less than a millisecond, whatever it is refused for.
func BenchmarkARefusedFilter(b *testing.B) {
	for name, filter := range refused {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Parse(url.Values{"$filter": {filter}}, nil); err == nil {
					b.Fatal("it is not refused")
				}
			}
		})
	}
}

func TestLongOptionsAreRefused(t *testing.T) {
	for name, filter := range refused {
		if _, _, err := Parse(url.Values{"$filter": {filter}}, nil); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
	for _, option := range []string{"$select", "$orderby"} {
		if _, _, err := Parse(url.Values{option: {strings.Repeat("a,", 5000) + "b"}}, nil); err == nil || !strings.Contains(err.Error(), option) {
			t.Errorf("%s: %v", option, err)
		}
	}
}
