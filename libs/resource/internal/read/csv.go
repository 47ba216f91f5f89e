package read

import (
	"bytes"
	"encoding/csv"
	"strings"

	"golang.org/x/text/language"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// dialect is a kind of CSV.
type dialect struct {
	excel     bool // for people who open the file in a spreadsheet program, which must not run what it says
	separator rune
	decimal   string
}

// exactCSV is RFC 4180 with line feeds: what a program reads is what the records say.
var exactCSV = dialect{separator: ',', decimal: "."}

// excelCSV is what Excel opens by a double click where people speak the caller's language.
func excelCSV(acceptLanguage string) dialect {
	spoken, _ := language.MatchStrings(spreadsheetLanguages, acceptLanguage)
	if base, _ := spoken.Base(); base.String() == "fr" {
		return dialect{excel: true, separator: ';', decimal: ","}
	}
	return dialect{excel: true, separator: ',', decimal: "."}
}

var spreadsheetLanguages = language.NewMatcher([]language.Tag{language.English, language.French})

// chosenCSV is the format that csv=excel asks for in place of f.
func (q *query) chosenCSV(f *format, acceptLanguage string) (*format, error) {
	switch {
	case !q.excel:
		return f, nil
	case f == nil || f != formats[transport.CSV]:
		return nil, fault.InvalidFields(fault.Field{Field: "csv", Message: "csv=excel needs Accept: text/csv"})
	}
	return excelCSV(acceptLanguage).format(), nil
}

func (d dialect) format() *format {
	return &format{contentType: transport.CSV + "; charset=utf-8", extension: "csv", open: text{header: d.header, row: d.row}.open}
}

func (d dialect) header(dst []byte, q *query) []byte {
	var names []string
	for _, c := range q.columns {
		names = append(names, c.Name)
	}
	for _, e := range q.expand {
		names = append(names, e.name)
	}
	if d.excel {
		dst = append(dst, "\ufeff"...) // without it Excel takes the file for Latin-1
	}
	return d.line(dst, names)
}

// row writes values as JSON would show them, without quotation marks; lists and objects stay JSON; null is empty.
func (d dialect) row(dst []byte, q *query, values table.Values, names []map[string]string) []byte {
	cells := make([]string, 0, len(q.columns)+len(q.expand))
	for i, c := range q.columns {
		cell := ""
		if values[i] != nil {
			switch c.Kind {
			case schema.Time:
				cell = string(table.AppendTime(nil, values[i]))
			case schema.Boolean:
				cell = string(c.AppendValue(nil, values[i]))
			case schema.Number:
				cell = strings.Replace(string(values[i]), ".", d.decimal, 1)
			case schema.Integer:
				cell = string(values[i])
			default:
				cell = d.text(string(values[i]))
			}
		}
		cells = append(cells, cell)
	}
	for i := range q.expand {
		cells = append(cells, d.text(names[i][string(values[len(q.columns)+i])]))
	}
	return d.line(dst, cells)
}

// text puts an apostrophe before what a spreadsheet program would run as a formula, and before apostrophes in front of that, so that who
// reads the file (amsctl import) takes one away and has the value.
func (d dialect) text(value string) string {
	if bare := strings.TrimLeft(value, "'"); d.excel && bare != "" && strings.IndexByte("=+-@\t\r", bare[0]) >= 0 {
		return "'" + value
	}
	return value
}

func (d dialect) line(dst []byte, cells []string) []byte {
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
