package schema

import (
	"errors"
	"strings"
)

// Value is one value of a list that a query has. Null says that it is the word null, which stands for no value where there may be none.
type Value struct {
	Text string
	Null bool
}

// Word is the text of the value, where null is a word like others.
func (v Value) Word() string {
	if v.Null {
		return "null"
	}
	return v.Text
}

var errQuotes = errors.New(`has a value that begins with a quotation mark and does not end with one; ` +
	`write \" for a quotation mark that belongs to the value, encoded as %5C%22`)

// Values reads a list as queries have it: values with commas between them, white space around each left out. A value may stand in
// quotation marks as in CSV (RFC 4180), one within it doubled, and a backslash makes a comma, a quotation mark or a backslash part of the
// value, and the word null a text.
func Values(text string) ([]Value, error) {
	var values []Value
	for {
		value, rest, more, err := nextValue(text)
		if err != nil {
			return nil, err
		}
		if values = append(values, value); !more {
			return values, nil
		}
		text = rest
	}
}

// nextValue reads the first value of a list. more says that a comma is behind it, and then rest.
func nextValue(text string) (value Value, rest string, more bool, err error) {
	if text = strings.TrimSpace(text); strings.HasPrefix(text, `"`) {
		return quotedValue(text[1:])
	}
	var read strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == ',':
			value, rest, more = unquoted(read.String(), text[:i]), text[i+1:], true
			return value, rest, more, nil
		case text[i] == '\\' && i+1 < len(text) && strings.IndexByte(`,"\`, text[i+1]) >= 0:
			i++
		}
		read.WriteByte(text[i])
	}
	return unquoted(read.String(), text), "", false, nil
}

// unquoted gives the value that was written without quotation marks.
func unquoted(read, written string) Value {
	switch strings.TrimSpace(written) {
	case "null":
		return Value{Null: true}
	case `\null`:
		return Value{Text: "null"}
	}
	return Value{Text: strings.TrimSpace(read)}
}

// quotedValue reads the first value of a list behind the quotation mark that it begins with.
func quotedValue(text string) (value Value, rest string, more bool, err error) {
	var read strings.Builder
	for {
		before, after, closed := strings.Cut(text, `"`)
		if read.WriteString(before); !closed {
			return value, "", false, errQuotes
		}
		if !strings.HasPrefix(after, `"`) {
			text = strings.TrimSpace(after)
			break
		}
		read.WriteByte('"')
		text = after[1:]
	}
	rest, more = strings.CutPrefix(text, ",")
	if !more && text != "" {
		return value, "", false, errQuotes
	}
	return Value{Text: read.String()}, rest, more, nil
}

var listEscapes = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `"`, `\"`)

// ListOf writes texts as the list from which Values reads them.
func ListOf(texts ...string) string {
	written := make([]string, len(texts))
	for i, text := range texts {
		if written[i] = listEscapes.Replace(text); text == "null" {
			written[i] = `\null`
		}
	}
	return strings.Join(written, ",")
}
