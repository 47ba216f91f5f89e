// Package parquet writes rows as an Apache Parquet file while they come: in groups of bounded size, with the column types that programs for
// analysis read as they are. What a file is encoded with (plain and dictionary pages of version 1, Snappy) every reader has.
package parquet

import (
	"fmt"
	"io"
	"slices"

	pq "github.com/parquet-go/parquet-go"
)

// MediaType is that of a file (IANA).
const MediaType = "application/vnd.apache.parquet"

// Type is the type of a column. Every column may have nulls.
type Type int

// The types of columns. Ids are texts: the UUID of Parquet is 16 bytes to Spark and Fabric, and joins with nothing there.
const (
	Text    Type = iota // STRING; also what is JSON, which every reader takes for a text
	Integer             // INT64
	Number              // DOUBLE
	Decimal             // DECIMAL(18, Column.Decimals)
	Boolean             // BOOLEAN
	Date                // DATE
	Time                // TIMESTAMP in microseconds of UTC
	Texts               // LIST of STRING
)

// precision is how many digits a decimal has: as many as 64 bits hold. Of money that is 10¹⁶, a thousand times the largest amount.
const precision = 18

// Column is a column of a file.
type Column struct {
	Name     string
	Type     Type
	Decimals int  // of a decimal: behind the point
	Few      bool // a text of few values, each of which a group has once
}

// node is the column in the library's schema.
func (c Column) node() pq.Node {
	plain := func(node pq.Node) pq.Node { return pq.Encoded(node, &pq.Plain) }
	switch c.Type {
	case Integer:
		return pq.Optional(plain(pq.Int(64)))
	case Number:
		return pq.Optional(plain(pq.Leaf(pq.DoubleType)))
	case Decimal:
		return pq.Optional(plain(pq.Decimal(c.Decimals, precision, pq.Int64Type)))
	case Boolean:
		return pq.Optional(plain(pq.Leaf(pq.BooleanType)))
	case Date:
		return pq.Optional(plain(pq.Date()))
	case Time:
		return pq.Optional(plain(pq.Timestamp(pq.Microsecond)))
	case Texts:
		return pq.Optional(pq.List(pq.Encoded(pq.String(), &pq.RLEDictionary)))
	}
	if c.Few {
		return pq.Optional(pq.Encoded(pq.String(), &pq.RLEDictionary))
	}
	return pq.Optional(plain(pq.String()))
}

// ordered is a group with its columns in their order; the library's own has them in that of the alphabet.
type ordered struct {
	pq.Group
	names []string
}

func (o ordered) Fields() []pq.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b pq.Field) int { return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name()) })
	return fields
}

// What is held in memory at once: a batch is sorted by column, and a group is encoded by column before it is written. Bytes are those of
// the values as texts, and a few for each.
const (
	batchRows  = 256
	batchBytes = 256 << 10
	groupBytes = 4 << 20
	valueBytes = 8
)

// Writer writes a file. What was not ended with Close has no footer, so nobody takes it for a whole one.
type Writer struct {
	file    *pq.Writer //nolint:staticcheck // its generic successor wants a Go type, and columns are known when they are asked for
	columns []*column
	rows    int    // of the batch
	texts   []byte // of the batch
	size    int    // of the group, without the batch
}

// column is the part of a batch that is in a column.
type column struct {
	Column
	index  int
	to     *pq.ColumnWriter
	values []pq.Value
}

// NewWriter begins a file of columns, whose names differ. Nothing is written before the first group is full, or Close.
func NewWriter(w io.Writer, columns []Column) *Writer {
	root := ordered{Group: pq.Group{}}
	for _, c := range columns {
		root.names = append(root.names, c.Name)
		root.Group[c.Name] = c.node()
	}
	out := &Writer{file: pq.NewWriter(w, pq.NewSchema("row", root), pq.Compression(&pq.Snappy), pq.DataPageVersion(1))}
	for i, to := range out.file.ColumnWriters() {
		out.columns = append(out.columns, &column{Column: columns[i], index: i, to: to})
	}
	return out
}

// Row adds a row: of each column the value as a text, or nil for null. Texts are copied. The text of a list is JSON, a date is
// 2026-01-31, a time is RFC 3339.
func (w *Writer) Row(values [][]byte) error {
	if len(values) != len(w.columns) {
		return fmt.Errorf("parquet: a row of %d values in a table of %d columns", len(values), len(w.columns))
	}
	for i, c := range w.columns {
		if err := w.add(c, values[i]); err != nil {
			return fmt.Errorf("parquet: column %s: %w", c.Name, err)
		}
	}
	if w.rows++; w.rows < batchRows && len(w.texts) < batchBytes {
		return nil
	}
	return w.sort()
}

// sort ends the batch, and the group where it is full.
func (w *Writer) sort() error {
	w.size += len(w.texts)
	for _, c := range w.columns {
		if len(c.values) == 0 {
			continue
		}
		w.size += valueBytes * len(c.values)
		if _, err := c.to.WriteRowValues(c.values); err != nil {
			return err
		}
		c.values = c.values[:0]
	}
	w.rows, w.texts = 0, w.texts[:0]
	if w.size < groupBytes {
		return nil
	}
	w.size = 0
	return w.file.Flush()
}

// Close writes what is left, and the footer with which the file is whole.
func (w *Writer) Close() error {
	if err := w.sort(); err != nil {
		return err
	}
	return w.file.Close()
}
