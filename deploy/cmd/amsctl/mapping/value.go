package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ams.internal/deploy/cmd/amsctl/rows"
)

// template is a text with columns in it.
type template []part

type part struct {
	text   string
	column bool
}

func parseTemplate(text string) (template, error) {
	var parts template
	var literal strings.Builder
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case (c == '{' || c == '}') && at+1 < len(text) && text[at+1] == c:
			literal.WriteByte(c)
			at++
		case c == '{':
			end := strings.IndexByte(text[at:], '}')
			if end < 2 {
				return nil, fmt.Errorf("%q opens a { that no column name and } follow; write {{ for the sign itself", text)
			}
			parts = append(parts, part{text: literal.String()}, part{text: strings.TrimSpace(text[at+1 : at+end]), column: true})
			literal.Reset()
			at += end
		case c == '}':
			return nil, fmt.Errorf("%q closes a } that was not opened; write }} for the sign itself", text)
		default:
			literal.WriteByte(c)
		}
	}
	return append(parts, part{text: literal.String()}), nil
}

// fill gives the text, or nothing when one of its columns has no value.
func (p *Plan) fill(t template, row rows.Row, words map[string]string) string {
	var out strings.Builder
	for _, part := range t {
		if !part.column {
			out.WriteString(part.text)
			continue
		}
		text, given := p.textOf(row, words, part.text)
		if !given {
			return ""
		}
		out.WriteString(text)
	}
	return out.String()
}

func (p *Plan) textOf(row rows.Row, words map[string]string, name string) (string, bool) {
	if word, ok := words[name]; ok {
		return word, word != ""
	}
	return p.value(row, name)
}

// valueOf gives the JSON value of a field, nil when it has none.
func (p *Plan) valueOf(t target, row rows.Row, words map[string]string) (any, error) {
	var text, source string
	switch t.from.form {
	case fromConstant:
		return t.from.Constant, nil
	case fromList:
		var list []any
		for _, element := range t.elements {
			value, err := p.valueOf(element, row, words)
			if err != nil {
				return nil, err
			}
			if value != nil {
				list = append(list, value)
			}
		}
		if list == nil {
			return nil, nil
		}
		return list, nil
	case fromColumn:
		column, given := p.textOf(row, words, t.from.Column)
		if !given {
			return nil, nil
		}
		text, source = column, t.from.Column+": "
	default:
		text = strings.TrimSpace(p.fill(t.text, row, words))
	}
	if text == "" {
		return nil, nil
	}
	if t.from.Values != nil {
		if value, listed := t.from.Values[text]; listed {
			return value, nil
		}
		if t.from.Other != nil {
			return *t.from.Other, nil
		}
		return nil, fmt.Errorf("%s%q is not among the values that the mapping lists", source, text)
	}
	value, err := t.from.convert(text, row)
	if err != nil {
		return nil, fmt.Errorf("%s%w", source, err)
	}
	return value, nil
}

func (f From) convert(text string, row rows.Row) (any, error) {
	switch f.Type {
	case "integer", "number":
		if f.Decimal == "" && row.DecimalComma() && strings.Contains(text, ",") {
			f.Decimal = ","
		}
		return f.number(text)
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "y", "1", "oui", "vrai":
			return true, nil
		case "false", "no", "n", "0", "non", "faux":
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither yes nor no", text)
	case "date":
		day, err := time.Parse(f.Format, text)
		if err != nil && row.FromSheet() {
			day, err = time.Parse(time.DateOnly, text)
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a date written as %s", text, writtenAs.Replace(f.Format))
		}
		return day.Format(time.DateOnly), nil
	case "object":
		if !json.Valid([]byte(text)) || text[0] != '{' {
			return nil, fmt.Errorf("%q is not a JSON object", text)
		}
		return json.RawMessage(text), nil
	case "list":
		if text[0] == '[' && json.Valid([]byte(text)) {
			return json.RawMessage(text), nil
		}
		var list []string
		for element := range strings.SplitSeq(text, ";") {
			if element = strings.TrimSpace(element); element != "" {
				list = append(list, element)
			}
		}
		return list, nil
	}
	return text, nil
}

// pointsBetweenThousands matches whole numbers such as 1.850.000.
var pointsBetweenThousands = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+$`)

// number keeps the digits as they are, so that money loses nothing.
func (f From) number(text string) (any, error) {
	digits := strings.Map(func(c rune) rune {
		if c == ' ' || c == '\u00a0' || c == '\u202f' || c == '\'' { // between thousands
			return -1
		}
		return c
	}, text)
	for _, sign := range f.Remove {
		digits = strings.ReplaceAll(digits, strings.TrimSpace(sign), "")
	}
	if f.Decimal != "" && f.Decimal != "." {
		whole, fraction, has := strings.Cut(digits, f.Decimal)
		if strings.Contains(whole, ".") && !pointsBetweenThousands.MatchString(whole) || strings.Contains(fraction, ".") {
			return nil, fmt.Errorf("%q is not a number whose decimal mark is %s", text, f.Decimal)
		}
		if digits = strings.ReplaceAll(whole, ".", ""); has {
			digits += "." + fraction
		}
	}
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) || strings.ContainsAny(digits, "xXpP_") {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	if f.Type == "integer" {
		if value != math.Trunc(value) || math.Abs(value) > 1<<53 {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		return json.Number(strconv.FormatFloat(value, 'f', 0, 64)), nil
	}
	if json.Valid([]byte(digits)) {
		return json.Number(digits), nil
	}
	return json.Number(strconv.FormatFloat(value, 'f', -1, 64)), nil
}

var (
	layouts   = strings.NewReplacer("YYYY", "2006", "MMM", "Jan", "MM", "01", "DD", "02", "M", "1", "D", "2")
	writtenAs = strings.NewReplacer("2006", "YYYY", "Jan", "MMM", "01", "MM", "02", "DD", "1", "M", "2", "D")
)

// layout turns DD/MM/YYYY into what package time reads.
func layout(format string) (string, error) {
	if format == "" {
		return time.DateOnly, nil
	}
	if !strings.Contains(format, "YYYY") || !strings.Contains(format, "M") || !strings.Contains(format, "D") {
		return "", errors.New("a date's format needs YYYY, MM (or M, MMM) and DD (or D), for example DD/MM/YYYY")
	}
	return layouts.Replace(format), nil
}
