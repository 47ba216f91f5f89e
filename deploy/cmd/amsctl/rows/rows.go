// Package rows reads the rows of a CSV or NDJSON file or of a sheet of a workbook, or the features of a GeoJSON file, one at a time, in
// constant memory.
//
// Every row knows the line it starts on and its place in bytes, so that an import can name it in a
// report and can go on from it after an interruption. A row that cannot be read is handed out like
// any other, with its Problem: one bad row never hides the rows after it.
package rows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// MaxRowBytes is the longest row that is read. A quote that is opened and never closed would
// otherwise swallow the rest of the file.
const MaxRowBytes = 1 << 20

// Position is a place between two rows.
type Position struct {
	Offset int64 `json:"offset"` // bytes before the next row
	Line   int   `json:"line"`   // line number of the next row, from 1
}

// Row is one row of the file.
type Row struct {
	Line    int    // line on which the row starts, from 1
	Raw     []byte // the row as it stands in the file, without its line end; valid until the next row is read
	Problem string // why the row cannot be read; empty when it can

	values  []string // CSV and sheets: one per column
	dialect dialect
	index   map[string]int
	object  map[string]json.RawMessage // NDJSON and GeoJSON
}

// Options say what the file is; the zero value finds out by itself.
type Options struct {
	Format    string // "csv", "xlsx", "ndjson" or "geojson"; empty: by the file's name, else by its first characters
	Sheet     string // of a workbook; empty: the only one with rows
	Delimiter string // one character or "tab"; empty: the most frequent of , ; tab | in the header
	Encoding  string // "utf-8", "windows-1252", "iso-8859-1", "iso-8859-15" or "macintosh"; empty: UTF-8, checked before anything is sent
}

// Reader reads one file.
type Reader struct {
	file      *os.File
	made      string // the path of the CSV that was made of a workbook
	buffer    *bufio.Reader
	next      Position
	format    string
	delimiter byte
	encoding  *charmap.Charmap
	dialect   dialect
	mark      bool // the file begins with a byte order mark
	header    []string
	index     map[string]int
	parser    *csv.Reader
	record    *bytes.Reader
}

var encodings = map[string]*charmap.Charmap{
	"windows-1252": charmap.Windows1252, "iso-8859-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1,
	"iso-8859-15": charmap.ISO8859_15, "macintosh": charmap.Macintosh,
}

// Open opens the file and, for CSV, reads its header.
func Open(path string, options Options) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{file: file, next: Position{Line: 1}, record: bytes.NewReader(nil)}
	if err := r.openSheet(path, &options); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r.buffer = bufio.NewReaderSize(r.file, MaxRowBytes+4096)
	if err := r.begin(path, options); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Reader) begin(path string, options Options) error {
	start, err := r.buffer.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", path, err)
	}
	r.mark = bytes.HasPrefix(start, []byte(byteOrderMark))
	if bytes.HasPrefix(start, []byte{0xff, 0xfe}) || bytes.HasPrefix(start, []byte{0xfe, 0xff}) {
		return fmt.Errorf("%s is UTF-16; save it as \"CSV UTF-8\" and import that", path)
	}
	if err := r.chooseEncoding(path, options.Encoding, start); err != nil {
		return err
	}
	if r.mark {
		r.encoding = nil // it is UTF-8
		if _, err := r.buffer.Discard(3); err != nil {
			return err
		}
		r.next.Offset, start = 3, start[3:]
	}
	if r.format, err = chooseFormat(path, options.Format, start); err != nil || r.format == "ndjson" {
		return err
	}
	if r.format == "geojson" {
		return r.openFeatures(path)
	}
	if r.delimiter, err = chooseDelimiter(path, options.Delimiter, start); err != nil {
		return err
	}
	r.dialect.chosen(r, start)
	header, err := r.Next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty: the first line must name the columns", path)
	}
	if err != nil {
		return err
	}
	if header.Problem != "" {
		return fmt.Errorf("the header of %s: %s", path, header.Problem)
	}
	return r.setHeader(header.values)
}

func (r *Reader) chooseEncoding(path, name string, start []byte) error {
	switch name = strings.ToLower(name); name {
	case "utf-8", "utf8":
		return nil
	case "":
		if end := bytes.LastIndexByte(start, '\n'); end >= 0 {
			start = start[:end] // a character may be cut in two at the end of what was looked at
		}
		if valid := validPrefix(start); valid < len(start) {
			return fmt.Errorf("%s is not UTF-8 (line %d): name its encoding, for example --encoding windows-1252; "+
				"--encoding utf-8 sends such rows to the rejects", path, 1+bytes.Count(start[:valid], []byte("\n")))
		}
		return nil
	}
	if r.encoding = encodings[name]; r.encoding == nil {
		return fmt.Errorf("the encoding %q is not known: use utf-8, windows-1252, iso-8859-1, iso-8859-15 or macintosh", name)
	}
	return nil
}

func validPrefix(text []byte) int {
	for at := 0; at < len(text); {
		character, size := utf8.DecodeRune(text[at:])
		if character == utf8.RuneError && size == 1 {
			if !utf8.FullRune(text[at:]) {
				return len(text)
			}
			return at
		}
		at += size
	}
	return len(text)
}

func chooseFormat(path, name string, start []byte) (string, error) {
	switch name {
	case "csv", "ndjson", "geojson":
		return name, nil
	case "":
	default:
		return "", fmt.Errorf("the format %q is not known: use csv, xlsx, ndjson or geojson", name)
	}
	lower := strings.ToLower(path)
	if strings.HasSuffix(lower, ".geojson") || !strings.HasSuffix(lower, ".csv") &&
		bytes.Contains(start[:min(len(start), 200)], []byte(`"FeatureCollection"`)) {
		return "geojson", nil
	}
	if strings.HasSuffix(lower, ".ndjson") || strings.HasSuffix(lower, ".jsonl") {
		return "ndjson", nil
	}
	if trimmed := bytes.TrimSpace(start); !strings.HasSuffix(lower, ".csv") && len(trimmed) > 0 && trimmed[0] == '{' {
		return "ndjson", nil
	}
	return "csv", nil
}

func chooseDelimiter(path, name string, start []byte) (byte, error) {
	if name == "tab" || name == `\t` {
		return '\t', nil
	}
	if len(name) == 1 && name[0] < utf8.RuneSelf && !strings.ContainsAny(name, "\"\r\n") {
		return name[0], nil
	}
	if name != "" {
		return 0, fmt.Errorf("the delimiter %q will not do: give one character, or tab", name)
	}
	best, maxCount, quoted := byte(','), 0, false
	counts := map[byte]int{}
	for _, c := range start {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
		}
		if !quoted {
			counts[c]++
		}
	}
	for _, c := range []byte(",;\t|") {
		if counts[c] > maxCount {
			best, maxCount = c, counts[c]
		}
	}
	return best, nil
}

func (r *Reader) setHeader(names []string) error {
	r.header, r.index = make([]string, len(names)), make(map[string]int, len(names))
	for i, name := range names {
		name = strings.TrimSpace(name)
		r.header[i] = name
		if name == "" {
			continue
		}
		if first, taken := r.index[name]; taken {
			return fmt.Errorf("the header names %q twice (columns %d and %d): give each column a name of its own", name, first+1, i+1)
		}
		r.index[name] = i
	}
	return nil
}

// Close closes the file.
func (r *Reader) Close() error {
	err := r.file.Close()
	if r.made != "" {
		err = errors.Join(err, os.Remove(r.made))
	}
	return err
}

// Format is "csv", also of a sheet, "ndjson" or "geojson".
func (r *Reader) Format() string { return r.format }

// Size is what Position comes to at the end.
func (r *Reader) Size() (int64, error) {
	info, err := r.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Header is the names of the columns of a CSV file or of a sheet, nil for the others.
func (r *Reader) Header() []string { return r.header }

// Position is where the next row starts.
func (r *Reader) Position() Position { return r.next }

// Seek goes to a place that Position gave for the same file.
func (r *Reader) Seek(to Position) error {
	if _, err := r.file.Seek(to.Offset, io.SeekStart); err != nil {
		return err
	}
	r.buffer.Reset(r.file)
	r.next = to
	return nil
}

// Next gives the next row that is not blank, or io.EOF.
func (r *Reader) Next() (Row, error) {
	if r.format == "geojson" {
		return r.nextFeature()
	}
	for {
		raw, problem, err := r.take()
		if err != nil {
			return Row{}, err
		}
		row := Row{Line: r.next.Line, Raw: bytes.TrimRight(raw, "\r\n"), Problem: problem}
		if r.next.Line++; !r.dialect.sheet {
			r.next.Line += max(0, bytes.Count(raw, []byte("\n"))-1)
		}
		r.next.Offset += int64(len(raw))
		blank := len(bytes.TrimSpace(row.Raw)) == 0
		if !blank && row.Problem == "" {
			row.Raw = bytes.Clone(row.Raw) // the buffer moves on below
			r.parse(&row)
		}
		if _, err := r.buffer.Discard(len(raw)); err != nil {
			return Row{}, err
		}
		if !blank {
			return row, nil
		}
	}
}

func (r *Reader) parse(row *Row) {
	text := row.Raw
	if r.encoding != nil {
		decoded, err := r.encoding.NewDecoder().Bytes(text)
		if err != nil {
			row.Problem = "cannot be read in the given encoding"
			return
		}
		text = decoded
	} else if !utf8.Valid(text) {
		row.Problem = "is not UTF-8; name the file's encoding, for example --encoding windows-1252"
		return
	}
	if r.format == "ndjson" {
		if err := json.Unmarshal(text, &row.object); err != nil || row.object == nil {
			row.object, row.Problem = nil, "is not a JSON object"
		}
		return
	}
	values, err := r.split(text)
	if err != nil {
		row.Problem = "is not valid CSV: " + err.Error()
		return
	}
	row.values, row.index, row.dialect = values, r.index, r.dialect
	if r.header != nil && len(values) != len(r.header) {
		row.Problem = fmt.Sprintf("has %d values where the header has %d columns", len(values), len(r.header))
	}
}
