package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"ams.internal/libs/parquet"
	"ams.internal/libs/principal"
)

var columns = []parquet.Column{
	{Name: "name"}, {Name: "status", Few: true}, {Name: "count", Type: parquet.Integer}, {Name: "share", Type: parquet.Number},
	{Name: "cost", Type: parquet.Decimal, Decimals: 2}, {Name: "live", Type: parquet.Boolean}, {Name: "built_on", Type: parquet.Date},
	{Name: "at", Type: parquet.Time}, {Name: "labels", Type: parquet.Texts},
}

func cells(texts ...string) [][]byte {
	row := make([][]byte, len(texts))
	for i, text := range texts {
		if text != "NULL" {
			row[i] = []byte(text)
		}
	}
	return row
}

// read gives the rows of a file: of each its values, a column after the other.
func read(t *testing.T, file []byte) (rows [][]string, opened *pq.File) {
	t.Helper()
	opened, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range opened.RowGroups() {
		reader := group.Rows()
		for buffer := make([]pq.Row, 10); ; {
			n, err := reader.ReadRows(buffer)
			for _, row := range buffer[:n] {
				values := make([]string, len(columns))
				for _, value := range row {
					text := value.String()
					if value.IsNull() {
						text = fmt.Sprintf("NULL %d", value.DefinitionLevel())
					}
					values[value.Column()] = strings.TrimPrefix(values[value.Column()]+"|"+text, "|")
				}
				rows = append(rows, values)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_ = reader.Close()
	}
	return rows, opened
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	var file bytes.Buffer
	w := parquet.NewWriter(&file, columns)
	for _, row := range [][][]byte{
		cells("Aréna", "in_service", "-42", "0.1", "9999999999999.99", "t", "2026-01-31", "2026-01-31T14:00:00.5Z", `["a","b"]`),
		cells("", "in_service", "9007199254740991", "1e-9", "-12.5", "false", "1899-12-31", "1960-01-01T00:00:00Z", `[]`),
		cells("NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"),
	} {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, opened := read(t, file.Bytes())
	want := [][]string{
		{"Aréna", "in_service", "-42", "0.1", "999999999999999", "true", "20484", "1769868000500000", "a|b"},
		{"", "in_service", "9007199254740991", "1e-09", "-1250", "false", "-25568", "-315619200000000", "NULL 1"},
		{"NULL 0", "NULL 0", "NULL 0", "NULL 0", "NULL 0", "NULL 0", "NULL 0", "NULL 0", "NULL 0"},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("read\n%q, want\n%q", rows, want)
	}
	var types []string
	for _, c := range opened.Schema().Fields() {
		types = append(types, c.Name()+" "+c.Type().String())
	}
	if got, want := strings.Join(types, "; "), "name STRING; status STRING; count INT(64,true); share DOUBLE; cost DECIMAL(18,2); "+
		"live BOOLEAN; built_on DATE; at TIMESTAMP(isAdjustedToUTC=true,unit=MICROS); labels LIST"; got != want {
		t.Errorf("types %s, want %s", got, want)
	}
}

func TestDecimalsAreExact(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0.00": "0", "12": "1200",
		"12.3": "1230", "12.345": "1235", "-12.345": "-1235", "12.344999": "1234", "0.30000000000000004": "30",
		"1e3": "100000", "1e+15": "100000000000000000", "9999999999999999.99": "999999999999999999", "0000000000000000000001.00": "100",
	} {
		var file bytes.Buffer
		w := parquet.NewWriter(&file, columns[4:5])
		if err := errors.Join(w.Row(cells(text)), w.Close()); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if rows, _ := read(t, file.Bytes()); rows[0][0] != want {
			t.Errorf("%s is %s, want %s", text, rows[0][0], want)
		}
	}
	for _, text := range []string{"10000000000000000.00", "9999999999999999.995", "x", "1.x", "-", "NaN", ".5"} {
		if err := parquet.NewWriter(io.Discard, columns[4:5]).Row(cells(text)); err == nil || !strings.Contains(err.Error(), "column cost") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// manyRows writes rows with texts that differ.
func manyRows(t testing.TB, w *parquet.Writer, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		number := fmt.Sprintf("%09d", n)
		if err := w.Row(cells("Ventilateur "+number, "in_service", number, "0.5", "1234.50", "true", "2026-01-31", "2026-01-31T14:00:00Z",
			`["`+number+`"]`)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMemoryDoesNotGrowWithRows(t *testing.T) {
	w := parquet.NewWriter(io.Discard, columns)
	held := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc) >> 10
	}
	manyRows(t, w, 0, 200_000)
	before := held()
	manyRows(t, w, 200_000, 600_000)
	if grown := held() - before; grown > 16<<10 {
		t.Errorf("400,000 rows more hold %d KB more", grown)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatWasNotEndedIsNotWhole(t *testing.T) {
	var file bytes.Buffer
	w := parquet.NewWriter(&file, columns)
	manyRows(t, w, 0, 300_000)
	if file.Len() < 1<<20 {
		t.Fatalf("%d bytes were written of many rows", file.Len())
	}
	if _, err := pq.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len())); err == nil {
		t.Error("a file without its end can be opened")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if rows, opened := read(t, file.Bytes()); len(rows) != 300_000 || len(opened.RowGroups()) < 3 || rows[299_999][8] != "000299999" {
		t.Errorf("%d rows in %d groups", len(rows), len(opened.RowGroups()))
	}
}

func TestAFileWithoutRowsHasItsColumns(t *testing.T) {
	var file bytes.Buffer
	if err := parquet.NewWriter(&file, columns).Close(); err != nil {
		t.Fatal(err)
	}
	if rows, opened := read(t, file.Bytes()); len(rows) != 0 || len(opened.Schema().Fields()) != len(columns) {
		t.Errorf("%d rows, columns %v", len(rows), opened.Schema())
	}
}

func TestARowHasAValueForEachColumn(t *testing.T) {
	if err := parquet.NewWriter(io.Discard, columns).Row(cells("a")); err == nil {
		t.Error("a row of one value is taken")
	}
}

// A few files are made at once, and no organization has all places: another one's file is made meanwhile.
func TestAFewFilesAreMadeAtOnce(t *testing.T) {
	of := func(organization string) context.Context {
		return principal.Into(t.Context(), principal.Principal{OrganizationID: organization})
	}
	begun, end, ended := make(chan bool, 8), make(chan bool), make(chan error, 8)
	for range 8 {
		go func() {
			ended <- parquet.InTurn(of("many"), func() error {
				begun <- true
				<-end
				return nil
			})
		}()
	}
	for range 7 {
		<-begun
	}
	left, leave := context.WithCancel(of("many"))
	leave()
	if err := parquet.InTurn(left, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("one more is made: %v", err)
	}
	if err := parquet.InTurn(of("another"), func() error { return nil }); err != nil {
		t.Errorf("another organization's: %v", err)
	}
	if len(begun) != 0 {
		t.Error("one organization has all places")
	}
	close(end)
	for range 8 {
		if err := <-ended; err != nil {
			t.Errorf("who waits: %v", err)
		}
	}
}

func BenchmarkRow(b *testing.B) {
	w := parquet.NewWriter(io.Discard, columns)
	row := cells("Ventilateur", "in_service", "42", "0.5", "1234.50", "t", "2026-01-31", "2026-01-31T14:00:00Z", `["a"]`)
	for b.Loop() {
		if err := w.Row(row); err != nil {
			b.Fatal(err)
		}
	}
}
