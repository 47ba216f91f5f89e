package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

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

// rejects writes the rejects file: for CSV the rows as they were, with what is wrong in four columns before them,
// so that it can be put right in a spreadsheet and imported again with the same mapping.
type rejects struct {
	path   string
	format string
	header []string
	file   *os.File
	size   int64
}

// openRejects goes on after the given number of bytes; what an interrupted import wrote after its last
// acknowledged call is cut off, because those rows are read again.
func openRejects(path, format string, header []string, keep int64) (*rejects, error) {
	r := &rejects{path: path, format: format, header: header, size: keep}
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
	var text bytes.Buffer
	if r.file == nil {
		var err error
		if r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
			return fmt.Errorf("write the rejects (choose another place with --rejects): %w", err)
		}
		if r.format == "csv" {
			r.csv(&text, append([]string{"rejected_line", "rejected_record", "rejected_field", "rejected_because"}, r.header...))
		}
	}
	for _, reject := range found {
		if r.format == "csv" {
			values := reject.Row.Values()
			if values == nil {
				values = []string{string(reject.Row.Raw)}
			}
			r.csv(&text, append([]string{strconv.Itoa(reject.Line), reject.Record, reject.Field, reject.Message}, values...))
			continue
		}
		if err := r.ndjson(&text, reject); err != nil {
			return err
		}
	}
	n, err := r.file.Write(text.Bytes())
	r.size += int64(n)
	return errors.Join(err, r.file.Sync())
}

func (r *rejects) csv(out *bytes.Buffer, values []string) {
	w := csv.NewWriter(out)
	_ = w.Write(values) // into memory: cannot fail
	w.Flush()
}

func (r *rejects) ndjson(out *bytes.Buffer, reject Reject) error {
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
	if err != nil {
		return err
	}
	out.Write(append(encoded, '\n'))
	return nil
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
