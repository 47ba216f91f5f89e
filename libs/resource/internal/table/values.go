package table

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/odata"
	"ams.internal/libs/schema"
)

// Values is the text of a record's columns, in the order of Table.Columns; nil is NULL.
type Values [][]byte

// Copy keeps the raw values of a row, whose memory is used again for the next.
func Copy(values Values) Values {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	copied, all := make(Values, len(values)), make([]byte, 0, size)
	for i, v := range values {
		if v != nil {
			start := len(all)
			all = append(all, v...)
			copied[i] = all[start:len(all):len(all)]
		}
	}
	return copied
}

// ReadRows runs a statement and keeps its rows.
func ReadRows(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]Values, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Values
	for rows.Next() {
		all = append(all, Copy(rows.RawValues()))
	}
	return all, rows.Err()
}

// Text gives a row's value as text, "" for NULL.
func (t *Table) Text(values Values, name string) string {
	for i, c := range t.Columns {
		if c.Name == name {
			return string(values[i])
		}
	}
	return ""
}

// AppendRecord appends the JSON object of a row.
func AppendRecord(dst []byte, columns []*Column, values Values) []byte {
	dst = append(dst, '{')
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, c.Name...)
		dst = append(dst, '"', ':')
		dst = c.AppendValue(dst, values[i])
	}
	return append(dst, '}')
}

// WithoutPrivate gives a row as others than those who read the record may see it: private values are NULL.
func (t *Table) WithoutPrivate(values Values) Values {
	copied := false
	for i, c := range t.Columns {
		if !c.Private || values[i] == nil {
			continue
		}
		if !copied {
			values, copied = append(Values(nil), values...), true
		}
		values[i] = nil
	}
	return values
}

// InOData is the column as OData shows it, which has an empty list in the place of null, and texts in the place of numbers that a double
// does not hold exactly where they are wanted.
func (c *Column) InOData(textNumbers bool) *Column {
	if textNumbers = textNumbers && odata.HasTextNumbers(c.JSON); !textNumbers && !odata.LacksLists(c.JSON) {
		return c
	}
	shown := *c
	shown.filled = c.JSON.Type == huma.TypeArray
	shown.append = func(dst, text []byte) []byte { return odata.AppendShown(dst, c.append(nil, text), c.JSON, textNumbers) }
	if textNumbers && (c.Kind == schema.Integer || c.Kind == schema.Number) {
		shown.append = func(dst, text []byte) []byte { return append(append(append(dst, '"'), text...), '"') }
	}
	return &shown
}

// AppendValue appends a value as JSON.
func (c *Column) AppendValue(dst, text []byte) []byte {
	if text == nil && c.filled {
		return append(dst, "[]"...)
	}
	if text == nil {
		return append(dst, "null"...)
	}
	return c.append(dst, text)
}

func appenderOf(kind schema.Kind) func(dst, text []byte) []byte {
	switch kind {
	case schema.Integer, schema.Number, schema.List, schema.Object:
		return func(dst, text []byte) []byte { return append(dst, text...) }
	case schema.Boolean:
		return func(dst, text []byte) []byte {
			if text[0] == 't' {
				return append(dst, "true"...)
			}
			return append(dst, "false"...)
		}
	case schema.UUID, schema.Date:
		return func(dst, text []byte) []byte { return append(append(append(dst, '"'), text...), '"') }
	case schema.Time:
		return func(dst, text []byte) []byte { return append(AppendTime(append(dst, '"'), text), '"') }
	}
	return AppendText
}

// AppendText appends a text as JSON.
func AppendText(dst, text []byte) []byte {
	quoted, err := jsontext.AppendQuote(dst, text)
	if err != nil { // Postgres keeps well-formed UTF-8 only
		return append(dst, `""`...)
	}
	return quoted
}

// AppendTime turns Postgres' "2026-01-31 14:00:00.5+00" into RFC 3339. Sessions run in UTC.
func AppendTime(dst, text []byte) []byte {
	for _, b := range text {
		switch b {
		case ' ':
			dst = append(dst, 'T')
		case '+':
			return append(dst, 'Z')
		default:
			dst = append(dst, b)
		}
	}
	return dst
}
