package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"ams.internal/libs/parquet"
	"ams.internal/libs/spool"
)

// RecordTypes are what a stream of records can be had as.
var RecordTypes = []string{CSV, NDJSON, Parquet}

// StreamRecords responds with records one after the other, as CSV or Parquet with the columns of TableOf or as NDJSON, by what Accept
// asks for: NDJSON where it asks for JSON. each gives them; what it does before the first is under way already, so errors that callers
// are to be told come before.
func StreamRecords[T any](ctx context.Context, accept []string, name string,
	each func(ctx context.Context, do func(record *T) error) error) *Response {
	response, mediaType := recordsAs(ctx, accept, name)
	response.Stream = func(ctx context.Context, w io.Writer) error { return writeRecords(ctx, w, mediaType, each) }
	return response
}

// SpoolRecords is StreamRecords for what is to be known whole before the response begins: an error of each is that of the request.
func SpoolRecords[T any](ctx context.Context, accept []string, name string,
	each func(ctx context.Context, do func(record *T) error) error) (*Response, error) {
	response, mediaType := recordsAs(ctx, accept, name)
	return response.spool(ctx, func(w io.Writer) error { return writeRecords(ctx, w, mediaType, each) })
}

// spool gives the response with the body that write writes, once it is whole.
func (r *Response) spool(ctx context.Context, write func(w io.Writer) error) (*Response, error) {
	r.Spooled = spool.New(ctx)
	if err := write(r.Spooled); err != nil {
		r.Spooled.Close()
		return nil, err
	}
	r.Spooled.End(nil)
	return r, nil
}

// recordsAs begins the response with records by what Accept asks for.
func recordsAs(ctx context.Context, accept []string, name string) (response *Response, mediaType string) {
	response, mediaType = &Response{}, Negotiate(accept, RecordTypes...)
	if mediaType == ApplicationJSON {
		mediaType = NDJSON
	}
	response.attachRecords(ctx, mediaType, name)
	return response, mediaType
}

// extensions are those of files of records.
var extensions = map[string]string{CSV: "csv", NDJSON: "ndjson", Parquet: "parquet"}

// attachRecords makes the response a file of records.
func (r *Response) attachRecords(ctx context.Context, mediaType, name string) {
	if r.ContentType = mediaType; mediaType == CSV {
		r.ContentType += "; charset=utf-8"
	}
	r.Attach(ctx, name, extensions[mediaType])
}

func writeRecords[T any](ctx context.Context, w io.Writer, mediaType string,
	each func(ctx context.Context, do func(record *T) error) error) error {
	if mediaType == NDJSON {
		return each(ctx, func(record *T) error {
			text, err := json.Marshal(record)
			if err == nil {
				_, err = w.Write(append(text, '\n'))
			}
			return err
		})
	}
	table := func() error {
		out := newRecordWriter(ctx, mediaType, w, TableOf([]T{}).Columns)
		err := each(ctx, func(record *T) error { return out.Row(TableOf([]T{*record}).Rows[0]) })
		if err != nil {
			return err
		}
		return out.Close()
	}
	if mediaType == Parquet {
		return parquet.InTurn(ctx, table)
	}
	return table()
}

// recordWriter writes the rows of a table; one that was not closed has no whole file.
type recordWriter interface {
	Row(cells [][]byte) error
	Close() error
}

// newRecordWriter begins a table of columns in a media type of tableTypes; CSV in the dialect of the context.
func newRecordWriter(ctx context.Context, mediaType string, w io.Writer, columns []parquet.Column) recordWriter {
	if mediaType == Parquet {
		return parquet.NewWriter(w, columns)
	}
	out := &csvWriter{w, dialectOf(ctx), columns, make([]string, len(columns)), nil, nil}
	for i, c := range columns {
		out.cells[i] = c.Name
	}
	out.buffer = out.dialect.Names(nil, out.cells)
	_, out.err = w.Write(out.buffer) // a table without rows has its names
	return out
}

// csvWriter writes CSV in UTF-8; null is empty.
type csvWriter struct {
	to      io.Writer
	dialect Dialect
	columns []parquet.Column
	cells   []string
	buffer  []byte
	err     error // of the names
}

func (c *csvWriter) Row(cells [][]byte) error {
	if len(cells) != len(c.cells) {
		return fmt.Errorf("a row of %d cells in a table of %d columns", len(cells), len(c.cells))
	}
	if c.err != nil {
		return c.err
	}
	for i, cell := range cells {
		switch c.columns[i].Type {
		case parquet.Number, parquet.Decimal:
			c.cells[i] = c.dialect.Number(string(cell))
		case parquet.Integer, parquet.Boolean, parquet.Date, parquet.Time:
			c.cells[i] = string(cell)
		default:
			c.cells[i] = c.dialect.Text(string(cell))
		}
	}
	c.buffer = c.dialect.Line(c.buffer[:0], c.cells)
	_, err := c.to.Write(c.buffer)
	return err
}

func (c *csvWriter) Close() error { return c.err }
