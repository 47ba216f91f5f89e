package transport

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
)

// StreamRecords responds with records one after the other, as CSV with the columns of TableOf or as NDJSON, by what Accept asks for: NDJSON where
// it asks for JSON. each gives them; what it does before the first is under way already, so errors that callers are to be told come before.
func StreamRecords[T any](ctx context.Context, accept []string, name string, each func(ctx context.Context, do func(record *T) error) error) *Response {
	kind, extension := Negotiate(accept, CSV, NDJSON), "csv"
	if kind != CSV {
		kind, extension = NDJSON, "ndjson"
	}
	response := &Response{ContentType: kind, Stream: func(ctx context.Context, w io.Writer) error {
		first := true
		return each(ctx, func(record *T) error {
			text, err := encodeRecord(kind, record, first)
			first = false
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		})
	}}
	response.Attach(ctx, name, extension)
	return response
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
