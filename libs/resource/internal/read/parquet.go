package read

import (
	"io"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/parquet"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
)

// parquetFile is a file with the columns of the CSV.
type parquetFile struct {
	q     *query
	to    *parquet.Writer
	cells [][]byte
	times []byte // the text of times of a row
}

func openParquet(w io.Writer, q *query) file {
	var columns []parquet.Column
	for _, c := range q.columns {
		columns = append(columns, parquetColumn(c.Field))
	}
	for _, e := range q.expand {
		columns = append(columns, parquet.Column{Name: e.name})
	}
	return &parquetFile{q: q, to: parquet.NewWriter(w, columns), cells: make([][]byte, len(columns))}
}

// parquetColumn is the column of a field. Objects, and lists of anything but texts, are JSON.
func parquetColumn(f *schema.Field) parquet.Column {
	column := parquet.Column{Name: f.Name, Few: f.Enum != nil || f.Facet || f.References != ""}
	switch f.Kind {
	case schema.Integer:
		column.Type = parquet.Integer
	case schema.Number:
		if column.Type = parquet.Number; f.Decimals > 0 {
			column.Type, column.Decimals = parquet.Decimal, f.Decimals
		}
	case schema.Boolean:
		column.Type = parquet.Boolean
	case schema.Date:
		column.Type = parquet.Date
	case schema.Time:
		column.Type = parquet.Time
	case schema.List:
		if f.JSON.Items != nil && f.JSON.Items.Type == huma.TypeString {
			column.Type = parquet.Texts
		}
	}
	return column
}

func (f *parquetFile) row(values table.Values, names []map[string]string) error {
	f.times = f.times[:0]
	for i, c := range f.q.columns {
		if f.cells[i] = values[i]; c.Kind == schema.Time && values[i] != nil {
			start := len(f.times)
			f.times = table.AppendTime(f.times, values[i])
			f.cells[i] = f.times[start:]
		}
	}
	for i := range f.q.expand {
		at := len(f.q.columns) + i
		if name, known := names[i][string(values[at])]; known {
			f.cells[at] = []byte(name)
		} else {
			f.cells[at] = nil
		}
	}
	return f.to.Row(f.cells)
}

func (f *parquetFile) end() error { return f.to.Close() }
