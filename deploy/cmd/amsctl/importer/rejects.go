package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"ams.internal/deploy/cmd/amsctl/mapping"
	"ams.internal/deploy/cmd/amsctl/rows"
)

// Reject is one row, or one record of a row, that did not go in.
type Reject struct {
	Line    int
	Record  string
	Field   string
	Message string
	Row     rows.Row
}

// rejects writes the rejects file: for CSV and workbooks the rows as they were, with what is wrong in four columns before them,
// so that it can be put right in a spreadsheet and imported again with the same mapping.
type rejects struct {
	path   string
	format string
	header []string
	writer rows.Writer // of a CSV
	file   *os.File
	size   int64
}

// openRejects goes on after the given number of bytes; what an interrupted import wrote after its last
// acknowledged call is cut off, because those rows are read again.
func openRejects(path string, of *rows.Reader, keep int64) (*rejects, error) {
	r := &rejects{path: path, format: of.Format(), header: of.Header(), writer: of.Writer(), size: keep}
	if keep == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("replace the rejects of an earlier import: %w", err)
		}
		return r, nil
	}
	var err error
	if r.file, err = os.OpenFile(path, os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("go on with the rejects: %w", err)
	}
	if err := r.file.Truncate(keep); err != nil {
		return nil, err
	}
	_, err = r.file.Seek(keep, 0)
	return r, err
}

func (r *rejects) write(found []Reject) error {
	if len(found) == 0 {
		return nil
	}
	var text []byte
	if r.file == nil {
		var err error
		if r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
			return fmt.Errorf("write the rejects (choose another place with --rejects): %w", err)
		}
		if r.format == "csv" {
			text = r.writer.Header(text, append(slices.Clone(mapping.RejectColumns), r.header...))
		}
	}
	for _, reject := range found {
		if r.format == "csv" {
			values := reject.Row.Values()
			if values == nil {
				values = []string{string(reject.Row.Raw)}
			}
			text = r.writer.Row(text, []string{strconv.Itoa(reject.Line), reject.Record, reject.Field, reject.Message}, values)
			continue
		}
		line, err := ndjson(reject)
		if err != nil {
			return err
		}
		text = append(text, line...)
	}
	n, err := r.file.Write(text)
	r.size += int64(n)
	return errors.Join(err, r.file.Sync())
}

func ndjson(reject Reject) ([]byte, error) {
	line := struct {
		Line    int    `json:"rejected_line"`
		Record  string `json:"rejected_record,omitempty"`
		Field   string `json:"rejected_field,omitempty"`
		Message string `json:"rejected_because"`
		Row     any    `json:"row"`
	}{reject.Line, reject.Record, reject.Field, reject.Message, json.RawMessage(reject.Row.Raw)}
	if reject.Row.Object() == nil {
		line.Row = string(reject.Row.Raw)
	}
	encoded, err := json.Marshal(line)
	return append(encoded, '\n'), err
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
