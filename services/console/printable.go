package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// printable is a text that somebody else's machine sent us, as it may be shown: every character that would move the cursor,
// ring a bell, colour a terminal or turn the direction of reading around is written out instead of obeyed. The template
// takes care of HTML, the style sheet of lines without end.
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

// wireHeaders are the headers of a call or of its answer.
type wireHeaders map[string]string

// Text is one header a line.
func (h wireHeaders) Text() string {
	var lines []string
	for name, value := range h {
		lines = append(lines, name+": "+value)
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return strings.Join(lines, "\n")
}

// wireBody is a body of ours as it was sent.
type wireBody string

// Text is the body in lines, so that people can read it. What was signed is the same without them.
func (b wireBody) Text() string {
	var lines bytes.Buffer
	if json.Indent(&lines, []byte(b), "", "  ") != nil {
		return string(b)
	}
	return lines.String()
}
