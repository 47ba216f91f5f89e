package schema

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/text/unicode/norm"
)

// longestLine is how many characters a text of one line may have at most: a field that takes more takes several lines.
const longestLine = 500

// unseen are characters that nobody sees: soft hyphens, zero-width characters, marks of direction, and U+FEFF.
var unseen = &unicode.RangeTable{R16: []unicode.Range16{
	{0x00AD, 0x00AD, 1}, {0x034F, 0x034F, 1}, {0x061C, 0x061C, 1}, {0x180E, 0x180E, 1}, {0x200B, 0x200F, 1}, {0x202A, 0x202E, 1},
	{0x2060, 0x2064, 1},
	{0x2066, 0x206F, 1}, {0xFEFF, 0xFEFF, 1},
}, LatinOffset: 1}

// Line is how a text of one line is stored and compared: in Unicode NFC, without characters that nobody sees, each run of white space
// as one blank, and none at the ends.
func Line(text string) string {
	if isPlain(text) {
		return text
	}
	var line strings.Builder
	blank := false
	for _, r := range text {
		switch {
		case unicode.Is(unseen, r):
		case unicode.IsSpace(r):
			blank = line.Len() > 0
		default:
			if blank {
				line.WriteByte(' ')
				blank = false
			}
			line.WriteRune(r)
		}
	}
	return norm.NFC.String(line.String())
}

// isPlain says whether a text is ASCII that Line leaves as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c > '~' || c < ' ' || c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			return false
		}
	}
	return true
}

// Lines is how a text of several lines is stored: in Unicode NFC, without white space at its ends.
func Lines(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// LineOrLines is how a text of the organization's own is stored, which may have several lines: as Line where it has one, else as Lines.
func LineOrLines(text string) string {
	if strings.ContainsAny(text, "\n\r") {
		return Lines(text)
	}
	return Line(text)
}

// LineProblem says which character a text of one line cannot have, or "".
func LineProblem(text string) string {
	if isPlain(text) {
		return ""
	}
	at := 0
	for _, r := range strings.TrimSpace(text) {
		at++
		switch {
		case r == '\t' || !unicode.IsControl(r) && r != '\u2028' && r != '\u2029':
			continue
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return fmt.Sprintf("must be one line; character %d is a line break, %U", at, r)
		}
		return fmt.Sprintf("cannot have control characters; character %d is %U", at, r)
	}
	return ""
}

// TakesLine says whether a text with a format, or "", and at most so many characters is of one line. One with a form of its own, such as a
// date, is left to that.
func TakesLine(format string, maxLength int) bool { return format == "" && maxLength <= longestLine }

// takesLine is TakesLine of a schema; a text that says nothing of its length is short.
func takesLine(s *huma.Schema) bool {
	return s.Type == huma.TypeString && (s.MaxLength == nil && s.Format == "" || s.MaxLength != nil && TakesLine(s.Format, *s.MaxLength))
}

// normaliseTexts makes texts what is stored of them: those of lists, and of the members that an object has declared.
func normaliseTexts(s *huma.Schema, at string, value any, problems *Problems) any {
	switch v := value.(type) {
	case string:
		if !takesLine(s) {
			return Lines(v)
		}
		if problem := LineProblem(v); problem != "" {
			problems.Add(at, "%s", problem)
		}
		return Line(v)
	case []any:
		for i, entry := range v {
			if s.Items != nil {
				v[i] = normaliseTexts(s.Items, fmt.Sprintf("%s[%d]", at, i), entry, problems)
			}
		}
	case map[string]any:
		for name, member := range v {
			if declared := s.Properties[name]; declared != nil {
				v[name] = normaliseTexts(declared, at+"."+name, member, problems)
			}
		}
	}
	return value
}
