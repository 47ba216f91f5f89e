package transport

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"

	"golang.org/x/text/language"

	"ams.internal/libs/fault"
)

// CSVParameter is that of everything that can be had as CSV.
var CSVParameter = Parameter{
	Name: "csv", In: "query", Shared: true, Schema: map[string]any{"type": "string", "enum": []string{"excel"}},
	Description: "With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, " +
		"an apostrophe before texts that would be formulas; with Accept-Language: fr, semicolons and decimal commas.",
}

// Dialect is a kind of CSV.
type Dialect struct {
	excel     bool // for people who open the file in a spreadsheet program, which must not run what it says
	separator rune
	decimal   string
}

// ExactCSV is RFC 4180 with line feeds: what a program reads is what the records say.
var ExactCSV = Dialect{separator: ',', decimal: "."}

// ExcelCSV is what Excel opens by a double click where people speak the caller's language.
func ExcelCSV(acceptLanguage string) Dialect {
	spoken, _ := language.MatchStrings(spreadsheetLanguages, acceptLanguage)
	if base, _ := spoken.Base(); base.String() == "fr" {
		return Dialect{excel: true, separator: ';', decimal: ","}
	}
	return Dialect{excel: true, separator: ',', decimal: "."}
}

var spreadsheetLanguages = language.NewMatcher([]language.Tag{language.English, language.French})

// ExcelWithoutCSV is the 400 of csv=excel where something else than CSV is given for.
var ExcelWithoutCSV = fault.InvalidFields(fault.Field{Field: CSVParameter.Name, Message: "csv=excel needs Accept: text/csv"})

// Names begins a file with the names of its columns.
func (d Dialect) Names(dst []byte, names []string) []byte {
	if d.excel {
		dst = append(dst, "\ufeff"...) // without it Excel takes the file for Latin-1
	}
	return d.Line(dst, names)
}

// Number writes a number as the language of the dialect does.
func (d Dialect) Number(value string) string { return strings.Replace(value, ".", d.decimal, 1) }

// Text puts an apostrophe before what a spreadsheet program would run as a formula, and before apostrophes in front of that, so that who
// reads the file (amsctl import) takes one away and has the value.
func (d Dialect) Text(value string) string {
	if bare := strings.TrimLeft(value, "'"); d.excel && bare != "" && strings.IndexByte("=+-@\t\r", bare[0]) >= 0 {
		return "'" + value
	}
	return value
}

// Line appends a line of cells, which are as Number and Text give them.
func (d Dialect) Line(dst []byte, cells []string) []byte {
	var line bytes.Buffer
	writer := csv.NewWriter(&line)
	writer.Comma = d.separator
	if err := writer.Write(cells); err != nil {
		return dst // a bytes.Buffer takes everything
	}
	writer.Flush()
	dst = append(dst, bytes.TrimSuffix(line.Bytes(), []byte("\n"))...)
	if d.excel { // not UseCRLF of the writer, which changes line ends within values too
		dst = append(dst, '\r')
	}
	return append(dst, '\n')
}

type dialectKey struct{}

// chooseCSV takes the parameter csv of a report out of its request, and gives the context in which its tables are written.
func chooseCSV(ctx context.Context, r *Request, mediaType string) (context.Context, error) {
	text, given := r.Query.Get(CSVParameter.Name), r.Query.Has(CSVParameter.Name)
	delete(r.Query, CSVParameter.Name)
	switch {
	case !given:
		return ctx, nil
	case text != "excel":
		return ctx, fault.InvalidFields(fault.Field{Field: CSVParameter.Name, Message: "must be excel; without it the file is exact"})
	case mediaType != CSV:
		return ctx, ExcelWithoutCSV
	}
	return context.WithValue(ctx, dialectKey{}, ExcelCSV(r.Header.Get("Accept-Language"))), nil
}

// dialectOf is the dialect in which the tables of a context are written.
func dialectOf(ctx context.Context) Dialect {
	if d, chosen := ctx.Value(dialectKey{}).(Dialect); chosen {
		return d
	}
	return ExactCSV
}
