package transport

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"

	"ams.internal/libs/spool"
)

// StreamRecords responds with records one after the other, as CSV with the columns of TableOf or as NDJSON, by what Accept asks for: NDJSON where
// it asks for JSON. each gives them; what it does before the first is under way already, so errors that callers are to be told come before.
func StreamRecords[T any](ctx context.Context, accept []string, name string, each func(ctx context.Context, do func(record *T) error) error) *Response {
	response := recordsAs(ctx, accept, name)
	response.Stream = func(ctx context.Context, w io.Writer) error { return writeRecords(ctx, w, response.ContentType, each) }
	return response
}

// SpoolRecords is StreamRecords for what is to be known whole before the response begins: an error of each is that of the request.
func SpoolRecords[T any](ctx context.Context, accept []string, name string, each func(ctx context.Context, do func(record *T) error) error) (*Response, error) {
	response := recordsAs(ctx, accept, name)
	response.Spooled = spool.New(ctx)
	if err := writeRecords(ctx, response.Spooled, response.ContentType, each); err != nil {
		response.Spooled.Close()
		return nil, err
	}
	response.Spooled.End(nil)
	return response, nil
}

// recordsAs begins the response with records by what Accept asks for.
func recordsAs(ctx context.Context, accept []string, name string) *Response {
	response, extension := &Response{ContentType: NDJSON}, "ndjson"
	if Negotiate(accept, CSV, NDJSON) == CSV {
		response.ContentType, extension = CSV, "csv"
	}
	response.Attach(ctx, name, extension)
	return response
}

func writeRecords[T any](ctx context.Context, w io.Writer, kind string, each func(ctx context.Context, do func(record *T) error) error) error {
	first := true
	err := each(ctx, func(record *T) error {
		text, err := encodeRecord(kind, record, first)
		first = false
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err == nil && first && kind == CSV { // a table without rows has its names
		err = csv.NewWriter(w).WriteAll(TableOf([]T{}))
	}
	return err
}

// encodeRecord is a record of a stream; the first of a table has the names above it.
func encodeRecord[T any](kind string, record *T, first bool) ([]byte, error) {
	if kind != CSV {
		text, err := json.Marshal(record)
		return append(text, '\n'), err
	}
	table := TableOf([]T{*record})
	if !first {
		table = table[1:]
	}
	var text bytes.Buffer
	err := csv.NewWriter(&text).WriteAll(table)
	return text.Bytes(), err
}
