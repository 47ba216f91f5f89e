package read

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"mime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// chunk is how many rows of a stream are looked up and written together.
const chunk = 500

// format writes the rows of a stream.
type format struct {
	contentType string
	header      func(dst []byte, q *query) []byte
	row         func(dst []byte, q *query, values table.Values, names []map[string]string) []byte
	between     string // rows
	footer      string
}

var formats = map[string]*format{
	"application/x-ndjson": {
		contentType: "application/x-ndjson",
		header:      func(dst []byte, _ *query) []byte { return dst },
		row: func(dst []byte, q *query, values table.Values, names []map[string]string) []byte {
			return append(q.appendOne(dst, values, names), '\n')
		},
	},
	"text/csv": {contentType: "text/csv; charset=utf-8", header: csvHeader, row: csvRow},
}

// formatOf gives the stream format that an Accept header asks for, or nil for pages of JSON.
func (t list) formatOf(accept string) *format {
	for part := range strings.SplitSeq(accept, ",") {
		mediaType, _, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if f := formats[mediaType]; f != nil {
			return f
		}
		if mediaType == GeoJSON && t.Geometry != "" {
			return features
		}
		if mediaType == "application/json" || mediaType == "*/*" {
			return nil
		}
	}
	return nil
}

// stream answers the whole filtered collection, with constant memory and in one snapshot. page and per_page do not
// apply.
func (t list) stream(q *query, f *format) *transport.Response {
	if f == features {
		q.showFeatures(t)
	}
	response := &transport.Response{ContentType: f.contentType}
	response.SetHeader("Content-Disposition", `attachment; filename="`+t.Row.Name+`"`)
	response.Stream = func(ctx context.Context, w io.Writer) error {
		return t.DB.Read(ctx, func(reading context.Context, tx pgx.Tx) error {
			// The stream takes as long as the reader does.
			if _, err := tx.Exec(reading, "SET LOCAL statement_timeout = 0"); err != nil {
				return err
			}
			sql := "SELECT " + table.Selection(q.selected()) + " FROM " + t.Name + " t WHERE " + q.SQL() + q.order()
			buffer := f.header(make([]byte, 0, 64<<10), q)
			if len(q.expand) > 0 {
				return t.streamExpanded(reading, tx, w, q, f, buffer, sql)
			}
			rows, err := tx.Query(reading, sql, q.Arguments(ctx)...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for n := 0; rows.Next(); n++ {
				if n > 0 {
					buffer = append(buffer, f.between...)
				}
				buffer = f.row(buffer, q, rows.RawValues(), nil)
				if len(buffer) > 48<<10 {
					if _, err := w.Write(buffer); err != nil {
						return err
					}
					buffer = buffer[:0]
				}
			}
			if err := rows.Err(); err != nil {
				return err
			}
			_, err = w.Write(append(buffer, f.footer...))
			return err
		})
	}
	return response
}

// streamExpanded fetches rows a chunk at a time through a cursor, so that the one connection of the stream is free for
// the names of what they refer to. (A second connection for the names would let exports wait for each other for ever.)
func (t list) streamExpanded(ctx context.Context, tx pgx.Tx, w io.Writer, q *query, f *format, buffer []byte, sql string) error {
	if _, err := tx.Exec(ctx, "DECLARE stream NO SCROLL CURSOR FOR "+sql, q.Arguments(ctx)...); err != nil {
		return err
	}
	for n := 0; ; {
		// Never a kept statement: the text is the same for every cursor, the columns are not.
		rows, err := table.ReadRows(ctx, tx, "FETCH "+strconv.Itoa(chunk)+" FROM stream", pgx.QueryExecModeExec)
		if err != nil {
			return err
		}
		names, err := t.names(ctx, q, rows)
		if err != nil {
			return err
		}
		for _, values := range rows {
			if n++; n > 1 {
				buffer = append(buffer, f.between...)
			}
			buffer = f.row(buffer, q, values, names)
		}
		if len(rows) < chunk {
			buffer = append(buffer, f.footer...)
		}
		if _, err := w.Write(buffer); err != nil || len(rows) < chunk {
			return err
		}
		buffer = buffer[:0]
	}
}

func csvHeader(dst []byte, q *query) []byte {
	var names []string
	for _, c := range q.columns {
		names = append(names, c.Name)
	}
	for _, e := range q.expand {
		names = append(names, e.name)
	}
	return csvLine(dst, names)
}

// csvRow writes values as JSON would show them, without quotation marks; lists and objects stay JSON; null is empty.
func csvRow(dst []byte, q *query, values table.Values, names []map[string]string) []byte {
	cells := make([]string, 0, len(q.columns)+len(q.expand))
	for i, c := range q.columns {
		cell := ""
		if values[i] != nil {
			switch c.Kind {
			case "time":
				cell = string(table.AppendTime(nil, values[i]))
			case "boolean":
				cell = string(c.AppendValue(nil, values[i]))
			default:
				cell = string(values[i])
			}
		}
		cells = append(cells, cell)
	}
	for i := range q.expand {
		cells = append(cells, names[i][string(values[len(q.columns)+i])])
	}
	return csvLine(dst, cells)
}

func csvLine(dst []byte, cells []string) []byte {
	var line bytes.Buffer
	writer := csv.NewWriter(&line)
	if err := writer.Write(cells); err != nil {
		return dst // a bytes.Buffer takes everything
	}
	writer.Flush()
	return append(dst, line.Bytes()...)
}
