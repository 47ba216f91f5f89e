package rows

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// The API writes CSV in two ways: exact, in UTF-8 with commas and line feeds, and for Excel (csv=excel), with a byte order mark and CRLF,
// an apostrophe before what Excel would run as a formula and, for who reads French, semicolons and decimal commas. Spreadsheet programs
// write in the second way what they were given in it. Both are read as the values that were written.

// byteOrderMark is what Excel puts before UTF-8, and needs to know it.
const byteOrderMark = "\ufeff"

// dialect is how the values of a CSV file are written.
type dialect struct {
	sheet        bool // made of a workbook, where the type of each cell is known
	excel        bool // from a spreadsheet program: an apostrophe may stand before a text
	mark         bool // with a byte order mark
	decimalComma bool // numbers have a comma before their decimals
	delimiter    byte
}

// chosen takes over how a CSV file is written; start is its beginning.
func (d *dialect) chosen(r *Reader, start []byte) {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	d.mark, d.delimiter = r.mark, r.delimiter
	d.excel = !d.sheet && (r.mark || r.encoding != nil || bytes.HasSuffix(line, []byte("\r")))
	d.decimalComma = d.excel && r.delimiter == ';'
}

// DecimalComma says whether numbers of the row's file have a comma before their decimals.
func (row Row) DecimalComma() bool { return row.dialect.decimalComma }

// FromSheet says whether the row is of a workbook, whose days are written 2026-01-31 whatever its cells show.
func (row Row) FromSheet() bool { return row.dialect.sheet }

// foreign is a file from another program than ours and Excel: a line end within quotes is written as those of its rows are, and means a
// line feed.
func (d dialect) foreign() bool { return d.excel && !d.mark }

// value takes away the apostrophe before what would be a formula.
func (d dialect) value(text string) string {
	if d.excel && len(text) > 1 && text[0] == '\'' && formula(strings.TrimLeft(text, "'")) {
		return text[1:]
	}
	return text
}

// formula says whether a spreadsheet program would run a text.
func formula(text string) bool { return text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0 }

// openSheet makes CSV of a workbook.
func (r *Reader) openSheet(path string, options *Options) error {
	start := make([]byte, 8)
	n, err := r.file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", path, err)
	}
	extension := strings.ToLower(filepath.Ext(path))
	named := options.Format == "xlsx" || options.Format == "" && (extension == ".xlsx" || extension == ".xlsm")
	switch zipped := bytes.HasPrefix(start[:n], []byte("PK\x03\x04")); {
	case bytes.HasPrefix(start[:n], []byte("\xd0\xcf\x11\xe0")):
		return fmt.Errorf("%s is a workbook of an old Excel, or has a password: save it as .xlsx without one, and import that", path)
	case !named && !(zipped && options.Format == ""):
		if options.Sheet != "" {
			return fmt.Errorf("--sheet is for workbooks, and %s is none", path)
		}
		return nil
	case options.Encoding != "" || options.Delimiter != "":
		return fmt.Errorf("%s is a workbook: leave out --encoding and --delimiter", path)
	}
	made, err := convert(path, options.Sheet)
	if err != nil {
		return err
	}
	if err := r.file.Close(); err != nil {
		return err
	}
	r.file, r.made, r.dialect.sheet = made, made.Name(), true
	options.Format, options.Delimiter, options.Encoding = "csv", ",", "utf-8"
	return nil
}

// Writer writes rows that were read as they were written, so that the same program opens them.
type Writer struct{ dialect dialect }

// Writer is the one for the rows of this file. Those of a workbook become a CSV for Excel.
func (r *Reader) Writer() Writer {
	w := Writer{r.dialect}
	if w.dialect.sheet {
		w.dialect = dialect{sheet: true, excel: true, mark: true, delimiter: ','}
	}
	w.dialect.mark = w.dialect.excel // the rows are written in UTF-8, whatever they were read in
	return w
}

// Header writes the first line.
func (w Writer) Header(dst []byte, names []string) []byte {
	if w.dialect.mark {
		dst = append(dst, byteOrderMark...)
	}
	return w.line(dst, names)
}

// Row writes words of our own, and the values of a row behind them.
func (w Writer) Row(dst []byte, own, values []string) []byte {
	line := make([]string, 0, len(own)+len(values))
	for _, text := range own {
		line = append(line, w.guarded(text))
	}
	for _, text := range values {
		if w.dialect.sheet {
			text = w.guarded(text)
		}
		line = append(line, text)
	}
	return w.line(dst, line)
}

// guarded puts an apostrophe before what would be a formula, as the API does.
func (w Writer) guarded(text string) string {
	if w.dialect.excel && formula(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

func (w Writer) line(dst []byte, values []string) []byte {
	var line bytes.Buffer
	writer := csv.NewWriter(&line)
	if w.dialect.delimiter != 0 {
		writer.Comma = rune(w.dialect.delimiter)
	}
	_ = writer.Write(values) // into memory: cannot fail
	writer.Flush()
	dst = append(dst, bytes.TrimSuffix(line.Bytes(), []byte("\n"))...)
	if w.dialect.excel { // not UseCRLF, which would change the line ends within values too
		dst = append(dst, '\r')
	}
	return append(dst, '\n')
}
