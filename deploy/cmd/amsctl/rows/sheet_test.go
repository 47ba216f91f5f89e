package rows_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"ams.internal/deploy/cmd/amsctl/rows"
)

// workbook writes sheets of cells, with formats by the cell, into a file.
func workbook(t testing.TB, sheets map[string]map[string]any, formats map[string]string, change func(*excelize.File)) string {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	for name, cells := range sheets {
		if _, err := book.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for cell, value := range cells {
			if err := book.SetCellValue(name, cell, value); err != nil {
				t.Fatal(err)
			}
			if format, has := formats[cell]; has {
				style, err := book.NewStyle(&excelize.Style{CustomNumFmt: &format})
				if err != nil {
					t.Fatal(err)
				}
				if err := book.SetCellStyle(name, cell, cell, style); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if change != nil {
		change(book)
	}
	path := filepath.Join(t.TempDir(), "in.xlsx")
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASheetIsReadByTheTypesOfItsCells(t *testing.T) {
	path := workbook(t, map[string]map[string]any{"Données": {
		"A1": "Nom", "B1": "Installé le", "C1": "Coût", "D1": "Note",
		"A2": "12E5", "B2": 36925.0, "C2": 1234567.89, "D2": "ligne 1\nligne 2",
		"A3": "007", "B3": "2001-02-03", "C3": 301316.43400000001, "D3": "=1+1",
		"A5": 12345678901234, "B5": 36925.604166666664, "C5": 0.1 + 0.2, "D5": true, "F5": "outside",
		"A6": 0.85, "B6": 0.604166666666, "C6": 1e15, "D6": 26.5,
		"A7": "0.00000012345678901234567", "B7": time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), "C7": -5, "D7": "'x",
	}}, map[string]string{"B2": "dd/mm/yyyy", "B5": `[$-409]d\-mmm\-yy h:mm`, "B6": "h:mm AM/PM", "C2": `"$"#,##0.00`, "A6": "0%",
		"D6": "[h]:mm",
		"B3": "yyyy-mm-dd", "C7": `#,##0.00 "days"`}, nil)
	r, err := rows.Open(path, rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	lines, texts, places := readAll(t, r)
	want := []string{
		"12E5|2001-02-03|1234567.89|ligne 1\nligne 2", "007|2001-02-03|301316.434|=1+1",
		"12345678901234|2001-02-03T14:30:00|0.3|TRUE", "0.85|14:30:00|1000000000000000|26.5",
		"0.00000012345678901234567|2024-02-29|-5|'x",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("rows\n%q, want\n%q", texts, want)
	}
	if !slices.Equal(lines, []int{2, 3, 5, 6, 7}) || !slices.Equal(r.Header(), []string{"Nom", "Installé le", "Coût", "Note"}) ||
		r.Format() != "csv" {
		t.Errorf("lines %v, header %q, format %s", lines, r.Header(), r.Format())
	}
	if err := r.Seek(places[2]); err != nil {
		t.Fatal(err)
	}
	if again, texts, _ := readAll(t, r); !slices.Equal(texts, want[2:]) || again[0] != 5 {
		t.Errorf("from the third row: %v %q", again, texts)
	}
	if size, err := r.Size(); err != nil || size != r.Position().Offset {
		t.Errorf("the size is %d, %v, the end is at %d", size, err, r.Position().Offset)
	}
}

func TestDaysOfAnOldMacAreThoseThatItsCellsShow(t *testing.T) {
	path := workbook(t, map[string]map[string]any{"Sheet1": {"A1": "day", "A2": 0.0 + 35463}}, map[string]string{"A2": "yyyy/mm/dd"},
		func(book *excelize.File) {
			if err := book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: ref(true)}); err != nil {
				t.Fatal(err)
			}
		})
	r, err := rows.Open(path, rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, texts, _ := readAll(t, r); !slices.Equal(texts, []string{"2001-02-03"}) {
		t.Errorf("rows %q", texts)
	}
}

func ref[T any](value T) *T { return &value }

func TestWhichSheetIsReadIsClear(t *testing.T) {
	filled := map[string]any{"A1": "name", "A2": "x"}
	two := map[string]map[string]any{"Sheet1": {}, "Bâtiments": filled, "Sites": filled}
	old := filepath.Join(t.TempDir(), "old.xls")
	broken := filepath.Join(t.TempDir(), "broken.xlsx")
	for path, text := range map[string]string{old: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", broken: "PK\x03\x04 and no more"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, path string
		options    rows.Options
		says       string
	}{
		{"one with rows beside an empty one", workbook(t, map[string]map[string]any{"Sheet1": {}, "Data": filled}, nil, nil), rows.Options{}, ""},
		{"one with rows beside a hidden one", workbook(t, two, nil, func(book *excelize.File) {
			if err := book.SetSheetVisible("Sites", false); err != nil {
				t.Fatal(err)
			}
		}), rows.Options{}, ""},
		{"two with rows", workbook(t, two, nil, nil), rows.Options{}, "say which one with --sheet"},
		{"two with rows, one named", workbook(t, two, nil, nil), rows.Options{Sheet: "Sites"}, ""},
		{"a name that is none", workbook(t, two, nil, nil), rows.Options{Sheet: "Parcs"}, `has no sheet "Parcs"; it has Sheet1, `},
		{"no rows", workbook(t, map[string]map[string]any{"Sheet1": {}}, nil, nil), rows.Options{}, "is empty"},
		{"an encoding", workbook(t, two, nil, nil), rows.Options{Sheet: "Sites", Encoding: "windows-1252"}, "leave out --encoding"},
		{"an old workbook", old, rows.Options{}, "save it as .xlsx"},
		{"half a file", broken, rows.Options{}, "is not a workbook that can be read"},
		{"a sheet of a CSV", write(t, "in.csv", "a\n1\n"), rows.Options{Sheet: "Sites"}, "--sheet is for workbooks"},
	} {
		r, err := rows.Open(c.path, c.options)
		switch {
		case err != nil && (c.says == "" || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v does not say %q", c.name, err, c.says)
		case err == nil && c.says != "":
			t.Errorf("%s is read", c.name)
		case err == nil:
			if _, texts, _ := readAll(t, r); !slices.Equal(texts, []string{"x"}) {
				t.Errorf("%s: %q", c.name, texts)
			}
		}
		if r != nil {
			_ = r.Close()
		}
	}
}

// What is broken within a workbook is an error, and never the end of its rows.
func TestADamagedWorkbookIsNotReadHalf(t *testing.T) {
	path := workbook(t, map[string]map[string]any{"Sheet1": {"A1": "name", "A2": "x", "A3": "y"}}, nil, nil)
	in, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var damaged bytes.Buffer
	out := zip.NewWriter(&damaged)
	for _, file := range in.File {
		from, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file.Name, "sheet1.xml") {
			text = text[:bytes.Index(text, []byte(`r="A3"`))]
		}
		to, err := out.Create(file.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := rows.Open(write(t, "damaged.xlsx", damaged.String()), rows.Options{})
	if err == nil {
		_, texts, _ := readAll(t, r)
		t.Errorf("it is read as %q", texts)
		_ = r.Close()
	}
}

// Spreadsheet programs and csv=excel put apostrophes and line ends that are no part of the values.
func TestCSVOfSpreadsheetProgramsIsReadAsItsValues(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		options          rows.Options
		comma            bool
	}{
		{"for Excel", "\ufeffa,b\r\n'=1,'+2\r\n''@x,'plain'\r\n\"'-l1\nl2\r\nl3\",'\r\n", "=1|+2;'@x|'plain';-l1\nl2\r\nl3|'",
			rows.Options{}, false},
		{"for Excel in French", "\ufeffa;b\r\n'=1;1,5\r\n", "=1|1,5", rows.Options{}, true},
		{"saved by Excel in French", "a;b\r\n'=1;\xe9\r\n", "=1|é", rows.Options{Encoding: "windows-1252"}, true},
		{"exact", "a,b\n'=1,'+2\n\"l1\r\nl2\",x\n", "'=1|'+2;l1\r\nl2|x", rows.Options{}, false},
		{"another program's", "a,b\r\n\"l1\r\nl2\",x\r\n", "l1\nl2|x", rows.Options{}, false},
	} {
		r, err := rows.Open(write(t, "in.csv", c.text), c.options)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for {
			row, err := r.Next()
			if err != nil {
				break
			}
			a, _ := row.Text("a")
			b, _ := row.Text("b")
			texts = append(texts, a+"|"+b)
			if row.DecimalComma() != c.comma {
				t.Errorf("%s: a decimal comma is %v", c.name, row.DecimalComma())
			}
		}
		if got := strings.Join(texts, ";"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		_ = r.Close()
	}
}
