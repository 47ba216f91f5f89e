package custom

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// HoldsFor says whether the declaration holds for records of a category; "" is none.
func (f *Field) HoldsFor(category string) bool {
	return f.Declaration.Category == nil || *f.Declaration.Category == category
}

// Objection is the sentence, behind the field's name, that says why a record cannot have a value; nil is none. It is "" for one that it
// can have.
func (f *Field) Objection(t *table.Table, value any) string {
	d, wayOut := f.Declaration, ", or change the declaration: PUT "+t.Row.Path+"/custom-fields?key="+url.QueryEscape(f.Key)
	of := ""
	if d.Category != nil {
		of = fmt.Sprintf(" of %s with the %s %s", t.Many(), t.Category, *d.Category)
	}
	if value == nil {
		if !d.Required {
			return ""
		}
		return fmt.Sprintf("is declared as required%s: %s, which this one lacks; send a value%s", of, catalogue.A(f.inWords()), wayOut)
	}
	if f.takes(value) {
		return ""
	}
	shown, _ := json.Marshal(value) // a text, a number or a boolean
	if text := []rune(string(shown)); len(text) > 60 {
		shown = []byte(string(text[:60]) + "…")
	}
	meant := ""
	if text, is := value.(string); is && d.Type == choice {
		meant = suggest.DidYouMean(text, d.Choices)
	}
	send := "send such a value"
	if !d.Required {
		send += ", or null"
	}
	return fmt.Sprintf("is declared as %s%s, which %s is not; %s%s%s", catalogue.A(f.inWords()), of, shown, send, wayOut, meant)
}

// maxShown is how many choices a sentence lists.
const maxShown = 20

// inWords is what the values of the field are.
func (f *Field) inWords() string {
	d := f.Declaration
	switch d.Type {
	case choice:
		listed, more := d.Choices, ""
		if len(listed) > maxShown {
			listed, more = listed[:maxShown], ", …"
		}
		return "choice of " + strings.Join(listed, ", ") + more
	case string(schema.Number):
		return "number" + between(asText(d.Minimum), asText(d.Maximum))
	case string(schema.Date):
		return "date such as 2026-01-31" + between(d.Earliest, d.Latest)
	case string(schema.Boolean):
		return "boolean, true or false"
	}
	words := fmt.Sprintf("text of at most %d characters", MaxText)
	if d.Pattern != nil {
		words += " that matches the pattern " + *d.Pattern
	}
	return words
}

func asText(number *float64) *string {
	if number == nil {
		return nil
	}
	return new(strconv.FormatFloat(*number, 'g', -1, 64))
}

func between(lowest, highest *string) string {
	switch {
	case lowest != nil && highest != nil:
		return " from " + *lowest + " to " + *highest
	case lowest != nil:
		return " from " + *lowest + " on"
	case highest != nil:
		return " up to " + *highest
	}
	return ""
}

// takes says whether a value is one of the field: what lists can read as its type, and within what is declared besides.
func (f *Field) takes(value any) bool {
	d := f.Declaration
	switch f.Type {
	case schema.Number:
		number, is := numberOf(value)
		return is && (d.Minimum == nil || number >= *d.Minimum) && (d.Maximum == nil || number <= *d.Maximum)
	case schema.Date:
		day, is := value.(string)
		if !is || !isDay(day) {
			return false
		}
		return (d.Earliest == nil || day >= *d.Earliest) && (d.Latest == nil || day <= *d.Latest)
	case schema.Boolean:
		text := textOf(value)
		return text == "true" || text == "false"
	}
	text := textOf(value)
	if len([]rune(text)) > MaxText {
		return false
	}
	return (d.Type != choice || slices.Contains(d.Choices, text)) && (d.Pattern == nil || f.matches(text))
}

// The values are read as custom_number and custom_text read them in the database, so that what a write may be is what lists find.
var (
	numberInText = regexp.MustCompile(`^-?[0-9]{1,15}([.][0-9]{1,15})?$`)
	dayInText    = regexp.MustCompile(`^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$`)
)

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil && dayInText.MatchString(text)
}

func numberOf(value any) (number float64, is bool) {
	switch v := value.(type) {
	case float64:
		number = v
	case json.Number:
		number, _ = v.Float64()
	case string:
		if !numberInText.MatchString(v) {
			return 0, false
		}
		number, _ = strconv.ParseFloat(v, 64)
		return number, true
	default:
		return 0, false
	}
	return number, number > -1e300 && number < 1e300 && (number == 0 || number > 1e-300 || number < -1e-300)
}

// textOf is a value as the database writes it: numbers with all of their digits.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number:
		exact, is := new(big.Rat).SetString(v.String())
		if !is {
			return v.String()
		}
		mantissa, power, _ := strings.Cut(v.String(), "e")
		_, decimals, _ := strings.Cut(mantissa, ".")
		exponent, _ := strconv.Atoi(power)
		return exact.FloatString(max(0, len(decimals)-exponent))
	}
	return fmt.Sprint(value)
}
