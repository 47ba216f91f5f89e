package schema_test

import (
	"testing"

	"golang.org/x/text/unicode/norm"

	"ams.internal/libs/schema"
)

func TestALineIsStoredAsItLooks(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"Quai 7":                           "Quai 7",
		"  Quai  7\t":                      "Quai 7",
		"Quai\u00a07":                      "Quai 7",
		"Quai\u2009\u202f7":                "Quai 7",
		"\ufeffQuai 7":                     "Quai 7",
		"Qu\u00adai\u200b 7\u200d":         "Quai 7",
		"\u202eQuai 7\u202c\u2066\u2069":   "Quai 7",
		"\u3000Quai\u20057\u0085":          "Quai 7",
		"Chaufferie de l\u2019E\u0301cole": "Chaufferie de l\u2019\u00c9cole",
		"12\u00bd po":                      "12\u00bd po", // NFC, not NFKC: what looks different is different
		"😀":                                "😀",
	} {
		if got := schema.Line(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestALineHasNoControlCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"Quai 7":      "",
		"Quai\t7\n":   "",
		"Quai\n7":     "must be one line; character 5 is a line break, U+000A",
		" é\u20287":   "must be one line; character 2 is a line break, U+2028",
		"Quai\u00077": "cannot have control characters; character 5 is U+0007",
		"Quai\x7f":    "cannot have control characters; character 5 is U+007F",
	} {
		if got := schema.LineProblem(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("Quai\u00a0 7")
	f.Add("e\u200b\u0301 ")
	f.Fuzz(func(t *testing.T, text string) {
		once := schema.Line(text)
		if twice := schema.Line(once); twice != once {
			t.Errorf("%q is %q, and that %q", text, once, twice)
		}
		if !norm.NFC.IsNormalString(once) {
			t.Errorf("%q is not in NFC", once)
		}
	})
}

func TestTextsAreNormalisedInAllFields(t *testing.T) {
	type part struct {
		Label string `json:"label" maxLength:"40"`
		Note  string `json:"note" maxLength:"900"`
	}
	type thing struct {
		Name  string   `json:"name" required:"true"`
		Notes *string  `json:"notes" maxLength:"900"`
		Tags  []string `json:"tags"`
		Parts []part   `json:"parts"`
		One   *part    `json:"one"`
	}
	declared := schema.Of[thing]()
	var problems schema.Problems
	check := func(field string, value any) any {
		problems = nil
		return declared.Field(field).Check(field, value, &problems)
	}
	label := func(of any) any { return of.(map[string]any)["label"] }
	if got := check("name", "A\u00a0 B"); got != "A B" {
		t.Errorf("name: %q", got)
	}
	if got := check("notes", " A\u00a0 B\r\nC "); got != "A\u00a0 B\r\nC" {
		t.Errorf("notes: %q", got)
	}
	if got := check("tags", []any{"A\u200b", " B  C"}).([]any); got[0] != "A" || got[1] != "B C" {
		t.Errorf("tags: %q", got)
	}
	if got := check("parts", []any{map[string]any{"label": "A\u200b", "note": "x\ny"}}).([]any)[0]; label(got) != "A" || len(problems) > 0 {
		t.Errorf("parts: %q %v", got, problems)
	}
	if got := check("one", map[string]any{"label": " A\tB ", "note": ""}); label(got) != "A B" {
		t.Errorf("one: %q", got)
	}
	for field, value := range map[string]any{"name": "A\nB", "tags[1]": []any{"A", "A\nB"},
		"parts[0].label": []any{map[string]any{"label": "A\x01", "note": ""}},
		"one.label":      map[string]any{"label": "A\nB", "note": ""}} {
		for name := range map[string]bool{"name": true, "tags": true, "parts": true, "one": true} {
			if len(field) >= len(name) && field[:len(name)] == name {
				if check(name, value); len(problems) != 1 || problems[0].Field != field {
					t.Errorf("%s: %v", field, problems)
				}
			}
		}
	}
	if got := schema.LineOrLines("A\u00a0 B"); got != "A B" || schema.LineOrLines("A\u00a0\nB ") != "A\u00a0\nB" {
		t.Errorf("a text of either kind: %q", got)
	}
}
