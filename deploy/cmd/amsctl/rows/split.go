package rows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// take finds the next row, with its line end, in the buffer without moving on. encoding/csv is not used for
// this: it reads a quote that is never closed to the end of the file, in memory.
func (r *Reader) take() (raw []byte, problem string, err error) {
	scan := scanner{quotes: r.format == "csv", delimiter: r.delimiter}
	data, _ := r.buffer.Peek(r.buffer.Buffered())
	for {
		if end, found := scan.find(data); found {
			return data[:end], "", nil
		}
		searched := len(data)
		data, err = r.buffer.Peek(searched + 1)
		if err == nil {
			data, err = r.buffer.Peek(r.buffer.Buffered())
		}
		switch {
		case err == nil && searched < MaxRowBytes:
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
			return firstLine(data), "is longer than 1 MiB, or opens a quote that is never closed", nil
		case errors.Is(err, io.EOF) && len(data) == 0:
			return nil, "", io.EOF
		case errors.Is(err, io.EOF):
			if scan.inside == quoted {
				return firstLine(data), "opens a quote that is never closed", nil
			}
			return data, "", nil
		default:
			return nil, "", err
		}
	}
}

// firstLine gives the first line of a row that has no end, so that reading goes on with the line after it.
func firstLine(data []byte) []byte {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return data[:end+1]
	}
	return data
}

// scanner finds the end of a row; it remembers where it was when more data comes.
type scanner struct {
	quotes    bool
	delimiter byte
	at        int
	inside    place
}

// place is where in a CSV row the scanner is.
type place int

const (
	fieldStart place = iota
	plain            // in a value without quotes around it, where a quote is a character like others: 5" pipe
	quoted
	afterQuote // a quote in a quoted value: its end, or the first half of a doubled quote
)

func (s *scanner) find(data []byte) (end int, found bool) {
	if !s.quotes {
		if i := bytes.IndexByte(data[s.at:], '\n'); i >= 0 {
			return s.at + i + 1, true
		}
		s.at = len(data)
		return 0, false
	}
	for ; s.at < len(data); s.at++ {
		switch c := data[s.at]; {
		case s.inside == quoted && c != '"':
		case s.inside == quoted:
			s.inside = afterQuote
		case c == '\n':
			return s.at + 1, true
		case c == '"' && s.inside != plain:
			s.inside = quoted
		case c == s.delimiter:
			s.inside = fieldStart
		default:
			s.inside = plain
		}
	}
	return 0, false
}

func (r *Reader) split(text []byte) ([]string, error) {
	if !r.dialect.foreign() { // the package takes the first half of a line end away within quotes too, and one is part of the value
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\r\r\n"))
	}
	if r.parser == nil {
		r.parser = csv.NewReader(r.record)
		r.parser.Comma, r.parser.FieldsPerRecord = rune(r.delimiter), -1
	}
	r.record.Reset(text)
	r.parser.LazyQuotes = false
	values, err := r.parser.Read()
	if errors.Is(err, csv.ErrBareQuote) { // 5" pipe: a quote inside a value without quotes around it
		values, err = r.parseAgain(text)
	}
	if err == nil && r.record.Len() == 0 {
		if _, more := r.parser.Read(); errors.Is(more, io.EOF) {
			return values, nil
		}
		err = errors.New("the row does not end where it should")
	}
	r.parser = nil // what is left of the bad row must not become the start of the next
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		err = syntax.Err
	}
	return nil, err
}

func (r *Reader) parseAgain(text []byte) ([]string, error) {
	r.record.Reset(text)
	r.parser = csv.NewReader(r.record)
	r.parser.Comma, r.parser.FieldsPerRecord, r.parser.LazyQuotes = rune(r.delimiter), -1, true
	return r.parser.Read()
}

// Text gives a column's value with the spaces around it taken away, and whether the row has such a column.
// In NDJSON and GeoJSON a null is the empty text, and a list or an object is its JSON.
func (row Row) Text(column string) (string, bool) {
	if row.object != nil {
		raw, ok := row.object[column]
		if !ok || string(raw) == "null" {
			return "", ok
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return strings.TrimSpace(text), true
		}
		return string(raw), true
	}
	i, ok := row.index[column]
	if !ok || i >= len(row.values) {
		return "", false
	}
	return strings.TrimSpace(row.dialect.value(row.values[i])), true
}

// Values are the values of a CSV row in the order of the header, as they stand there; nil for the others and for rows that could not be
// read.
func (row Row) Values() []string { return row.values }

// Object is the row of an NDJSON or GeoJSON file; nil for CSV.
func (row Row) Object() map[string]json.RawMessage { return row.object }
