package read

import (
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// dialect writes lists as CSV.
type dialect struct{ transport.Dialect }

var exactCSV = dialect{transport.ExactCSV}

// chosenCSV is the format that csv=excel asks for in place of f.
func (q *query) chosenCSV(f *format, acceptLanguage string) (*format, error) {
	switch {
	case !q.excel:
		return f, nil
	case f == nil || f != formats[transport.CSV]:
		return nil, transport.ExcelWithoutCSV
	}
	return dialect{transport.ExcelCSV(acceptLanguage)}.format(), nil
}

func (d dialect) format() *format {
	return &format{contentType: transport.CSV + "; charset=utf-8", extension: "csv", open: text{header: d.header, row: d.row}.open}
}

func (d dialect) header(dst []byte, q *query) []byte {
	var names []string
	for _, c := range q.columns {
		names = append(names, c.Name)
	}
	for _, e := range q.expand {
		names = append(names, e.name)
	}
	return d.Names(dst, names)
}

// row writes values as JSON would show them, without quotation marks; lists and objects stay JSON; null is empty.
func (d dialect) row(dst []byte, q *query, values table.Values, names []map[string]string) []byte {
	cells := make([]string, 0, len(q.columns)+len(q.expand))
	for i, c := range q.columns {
		cell := ""
		if values[i] != nil {
			switch c.Kind {
			case schema.Time:
				cell = string(table.AppendTime(nil, values[i]))
			case schema.Boolean:
				cell = string(c.AppendValue(nil, values[i]))
			case schema.Number:
				cell = d.Number(string(values[i]))
			case schema.Integer:
				cell = string(values[i])
			default:
				cell = d.Text(string(values[i]))
			}
		}
		cells = append(cells, cell)
	}
	for i := range q.expand {
		cells = append(cells, d.Text(names[i][string(values[len(q.columns)+i])]))
	}
	return d.Line(dst, cells)
}
