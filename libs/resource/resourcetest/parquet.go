package resourcetest

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Parquet gives a list or report as Parquet: the names of its columns, and each row by them, with the values of
// its JSON. Objects are texts.
func (c *Client) Parquet(t testing.TB, path string) (columns []string, rows []map[string]any) {
	t.Helper()
	response := c.Must(t, 200, "GET", path, nil, "Accept", "application/vnd.apache.parquet")
	file, err := pq.OpenFile(bytes.NewReader(response.Body), int64(len(response.Body)))
	if err != nil || response.Header.Get("Content-Type") != "application/vnd.apache.parquet" {
		t.Fatalf("GET %s as Parquet: %v, %s", path, err, response.Header.Get("Content-Type"))
	}
	leaves := file.Root().Columns()
	for _, column := range leaves {
		columns = append(columns, column.Name())
	}
	for _, group := range file.RowGroups() {
		reader := group.Rows()
		for buffer := make([]pq.Row, 100); err == nil; {
			var n int
			n, err = reader.ReadRows(buffer)
			for _, values := range buffer[:n] {
				row := map[string]any{}
				for i, column := range leaves {
					row[column.Name()] = shownOf(column, values, i)
				}
				rows = append(rows, row)
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatalf("GET %s as Parquet: %v", path, err)
		}
		err = reader.Close()
	}
	return columns, rows
}

// shownOf gives the value that a row has in a column. A list has its values one level further down.
func shownOf(column *pq.Column, values pq.Row, number int) any {
	index := 0
	for _, name := range values {
		if name.Column() == number {
			break
		}
		index++
	}
	first := values[index]
	if column.Leaf() {
		return shownValue(column.Type(), first)
	}
	if first.IsNull() && first.DefinitionLevel() == 0 {
		return nil
	}
	list := []any{}
	for _, value := range values[index:] {
		if value.Column() == number && !value.IsNull() {
			list = append(list, value.String())
		}
	}
	return list
}

func shownValue(of pq.Type, value pq.Value) any {
	if value.IsNull() {
		return nil
	}
	if logical := of.LogicalType(); logical != nil {
		switch kind := logical.Value.(type) {
		case *format.DecimalType:
			return float64(value.Int64()) / math.Pow10(int(kind.Scale))
		case *format.DateType:
			return time.Unix(int64(value.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
		case *format.TimestampType:
			return time.UnixMicro(value.Int64()).UTC().Format(time.RFC3339Nano)
		}
	}
	switch of.Kind() {
	case pq.Boolean:
		return value.Boolean()
	case pq.Int64:
		return float64(value.Int64())
	case pq.Double:
		return value.Double()
	}
	return value.String()
}
