package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// printable makes a text of another machine safe to show. It writes control characters and characters that change the
// direction of text as their code points. The template escapes HTML, and the style sheet wraps long lines.
func printable(text string) string {
	var shown strings.Builder
	for _, r := range strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n") {
		switch {
		case r == '\n' || r == '\t':
			shown.WriteRune(r)
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&shown, "‹U+%04X›", r)
		default:
			shown.WriteRune(r)
		}
	}
	return shown.String()
}

// wireHeaders are the headers of a call or of its response.
type wireHeaders map[string]string

// Text has one header a line.
func (h wireHeaders) Text() string {
	var lines []string
	for name, value := range h {
		lines = append(lines, name+": "+value)
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return strings.Join(lines, "\n")
}

// wireBody is the body that we sent.
type wireBody string

// Text is the body with line breaks. The signature covers the body without them.
func (b wireBody) Text() string {
	var lines bytes.Buffer
	if json.Indent(&lines, []byte(b), "", "  ") != nil {
		return string(b)
	}
	return lines.String()
}
