package mapping

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ams.internal/deploy/cmd/amsctl/rows"
	"ams.internal/libs/search"
)

// Suggestion is a mapping that is proposed for a file: a beginning for a person, who reads it before it is used.
type Suggestion struct {
	YAML    string
	Unknown []string // columns of which no field was recognized
	Missing []string // fields without which there is no record, and for which no column was recognized
}

// sampled is how many values of a column are looked at.
const sampled = 12

// sample is what a column has.
type sample struct {
	values []string // different ones, the first of them
	more   bool     // there are others
}

// Suggest proposes a mapping by the names of the columns, in French or English, and by the values of the first rows.
func Suggest(collection string, found Collection, header []string, first []rows.Row) Suggestion {
	s := suggesting{schema: found.Fields, taken: map[string]bool{}, first: first}
	var columns []string
	for _, column := range header {
		if column != "" && !found.Fields[column].ReadOnly && !slices.Contains(RejectColumns, column) {
			columns = append(columns, column)
		}
	}
	fields := map[string]string{} // by column
	for _, match := range []func(string) string{s.byName, s.byWords, s.byMisspelling} {
		for _, column := range columns {
			if fields[column] == "" {
				if name := match(column); name != "" {
					fields[column], s.taken[name] = name, true
				}
			}
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "collection: %s\nfields:\n", collection)
	var result Suggestion
	for _, column := range columns {
		if fields[column] == "" {
			result.Unknown = append(result.Unknown, column)
			continue
		}
		s.write(&out, fields[column], column, valuesOf(first, column))
	}
	for _, name := range s.schema.Names() {
		if s.schema[name].Required && !s.taken[name] && !s.taken[strings.TrimSuffix(name, "_id")+"_external_id"] {
			result.Missing = append(result.Missing, name)
		}
	}
	if len(s.taken) == 0 {
		out.WriteString("  # no column was recognized\n")
	}
	for _, name := range result.Missing {
		fmt.Fprintf(&out, "  # required, and no column was recognized for it:\n  # %s: …\n", name)
	}
	if _, has := s.schema["external_id"]; has && !s.taken["external_id"] {
		out.WriteString("  # without it, a second import cannot find these records: a text that is different in each row\n  # " +
			"external_id: \"…-{COLUMN}\"\n")
	}
	if len(result.Unknown) > 0 {
		out.WriteString("  # not recognized; take away the sign before those that are to be custom fields:\n")
		for _, column := range result.Unknown {
			fmt.Fprintf(&out, "  # custom_fields.%s: {column: %s}\n", keyOf(column), quoted(column))
		}
	}
	result.YAML = out.String()
	return result
}

type suggesting struct {
	schema Schema
	taken  map[string]bool
	first  []rows.Row
}

// free says whether a field can still be given a column.
func (s suggesting) free(name string) bool {
	field, known := s.schema[name]
	if reference, is := strings.CutSuffix(name, "_external_id"); is && !known {
		field, known = s.schema[reference+"_id"]
	}
	return known && !field.ReadOnly && !s.taken[name] && name != "organization_id"
}

// byName takes the name of a field as it is.
func (s suggesting) byName(column string) string {
	folded := words(column)
	for _, name := range s.schema.Names() {
		reference, isReference := strings.CutSuffix(name, "_id")
		switch {
		case words(name) == folded && s.free(name):
			return name
		case isReference && words(reference+"_external_id") == folded && s.free(reference+"_external_id"):
			return reference + "_external_id"
		}
	}
	return ""
}

// byWords takes what people call a field; of several of that name, the one that knows most of the values: État is a status or a condition.
func (s suggesting) byWords(column string) (best string) {
	folded, highest := words(column), -1
	for _, text := range []string{folded, words(inBrackets.ReplaceAllString(column, " "))} {
		for _, name := range calledSo[text] {
			if !s.free(name) {
				continue
			}
			if known := s.known(name, valuesOf(s.first, column).values); known > highest {
				best, highest = name, known
			}
		}
	}
	return best
}

// known counts the values that are words of a field's list.
func (s suggesting) known(name string, values []string) (count int) {
	for _, text := range values {
		if name == "condition_rating" && (isNumber(text) || conditions[words(text)] != "") || choice(text, s.schema[name].Choices) != "" {
			count++
		}
	}
	return count
}

// byMisspelling takes a name that is meant.
func (s suggesting) byMisspelling(column string) string {
	name := strings.ReplaceAll(words(column), " ", "_")
	for _, known := range s.schema.Names() {
		if s.free(known) && len(name) >= 6 && search.Distance(name, known) == 1 {
			return known
		}
	}
	return ""
}

var (
	inBrackets = regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]`)
	lowerUpper = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
)

// words are those of a column's name, without accents, capitals and small words: "Année de construction" is "annee construction".
func words(text string) string {
	text = lowerUpper.ReplaceAllString(text, "$1 $2")
	text = strings.NewReplacer("N°", "no", "n°", "no", "Nº", "no", "nº", "no", "№", "no", "#", " no ").Replace(text)
	return strings.Join(search.Fold(text), " ")
}

// keyOf is a column's name as that of a custom field.
func keyOf(column string) string {
	if key := strings.ReplaceAll(words(column), " ", "_"); key != "" {
		return key
	}
	return "column"
}

// valuesOf collects the values of a column.
func valuesOf(first []rows.Row, column string) (s sample) {
	for _, row := range first {
		text, _ := row.Text(column)
		switch {
		case text == "" || slices.Contains(s.values, text):
		case len(s.values) == sampled:
			s.more = true
			return s
		default:
			s.values = append(s.values, text)
		}
	}
	return s
}

// write writes the line of a field.
func (s suggesting) write(out *strings.Builder, name, column string, found sample) {
	field := s.schema[name]
	source := "column: " + quoted(column)
	if field.Required {
		source += ", required: true"
	}
	switch {
	case name == "condition_rating" && !all(found.values, isNumber):
		translate(out, name, source, found, func(text string) string { return conditions[words(text)] })
		return
	case len(field.Choices) > 0:
		if all(found.values, func(text string) bool { return slices.Contains(field.Choices, text) }) {
			break
		}
		translate(out, name, source, found, func(text string) string { return choice(text, field.Choices) })
		return
	case field.Format == "date":
		if format, note := dateFormat(found.values); format != "" {
			fmt.Fprintf(out, "  %s: {%s, type: date, format: %s}%s\n", name, source, format, note)
			return
		}
	case field.Type == "number" || field.Type == "integer":
		source += numberWords(found.values)
	}
	fmt.Fprintf(out, "  %s: {%s}\n", name, source)
}

// translate writes a field whose values are words of a list.
func translate(out *strings.Builder, name, source string, found sample, meaning func(string) string) {
	var pairs, open []string
	for _, text := range found.values {
		if word := meaning(text); word != "" {
			pairs = append(pairs, quoted(text)+": "+word)
		} else {
			open = append(open, quoted(text))
		}
	}
	fmt.Fprintf(out, "  %s: {%s, values: {%s}}", name, source, strings.Join(pairs, ", "))
	switch {
	case len(open) > 0:
		fmt.Fprintf(out, " # add what these mean: %s", strings.Join(open, ", "))
	case found.more:
		out.WriteString(" # there may be more values")
	}
	out.WriteString("\n")
}

// choice is the word of a list that a value means.
func choice(text string, choices []string) string {
	folded := words(text)
	for _, word := range choices {
		if words(word) == folded || slices.Contains(meansSo[folded], word) {
			return word
		}
	}
	return ""
}

func all(values []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(values, func(text string) bool { return !holds(text) })
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// dateFormat finds how days are written; nothing where they are written 2026-01-31, or in no way that is known.
func dateFormat(values []string) (format, note string) {
	highest := len(values) / 2 // what more than half of them are: a day that does not exist is among them
	var fit []string
	for _, format := range []string{"YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY", "YYYY/MM/DD", "DD-MM-YYYY", "MM-DD-YYYY", "DD.MM.YYYY",
		"YYYYMMDD", "D/M/YYYY", "M/D/YYYY",
		"D MMM YYYY"} {
		layout := layouts.Replace(format)
		count := 0
		for _, text := range values {
			if _, err := time.Parse(layout, text); err == nil {
				count++
			}
		}
		switch {
		case count > highest:
			fit, highest = []string{format}, count
		case count == highest && len(fit) > 0:
			fit = append(fit, format)
		}
	}
	switch {
	case len(fit) == 0 || fit[0] == "YYYY-MM-DD":
		return "", ""
	case len(fit) > 1 && strings.HasPrefix(fit[0], "DD") && strings.HasPrefix(fit[1], "MM"):
		return fit[0], " # or " + fit[1] + ": these days can be read both ways"
	}
	return fit[0], ""
}

// numberWords are what must be said of numbers that are not written with digits and a point alone.
func numberWords(values []string) (options string) {
	text := strings.Join(values, "\n")
	var remove []string
	for _, sign := range []string{"CAD", "$", "%", "m²", "m2", "mm", "km"} {
		if strings.Contains(text, sign) {
			remove = append(remove, strconv.Quote(sign))
			text = strings.ReplaceAll(text, sign, "")
		}
	}
	commas := all(strings.Split(text, "\n"), func(number string) bool {
		return !strings.Contains(number, ",") || thousands.MatchString(strings.TrimSpace(number))
	})
	switch {
	case strings.Contains(text, ",") && commas:
		remove = append(remove, `","`)
	case strings.Contains(text, ","):
		options = `, decimal: ","`
	}
	if len(remove) > 0 {
		options += ", remove: [" + strings.Join(remove, ", ") + "]"
	}
	return options
}

// thousands matches numbers such as 1,234,567.89.
var thousands = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)

var plainName = regexp.MustCompile(`^[\pL_][\pL\pN_. -]*$`)

// quoted writes a text of YAML.
func quoted(text string) string {
	word := strings.ToLower(text)
	if plainName.MatchString(text) && !slices.Contains([]string{"yes", "no", "true", "false", "on", "off", "y", "n", "null"}, word) &&
		text == strings.TrimSpace(text) {
		return text
	}
	return strconv.Quote(text)
}
