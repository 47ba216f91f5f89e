package rows_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ams.internal/deploy/cmd/amsctl/rows"
)

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll gives, for each row, its line and its values joined by "|", or "!" and its problem.
func readAll(t testing.TB, r *rows.Reader) (lines []int, texts []string, places []rows.Position) {
	t.Helper()
	for {
		places = append(places, r.Position())
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines, texts, places
		}
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(row.Values(), "|")
		if row.Problem != "" {
			text = "!" + row.Problem
		}
		lines, texts = append(lines, row.Line), append(texts, text)
	}
}

func TestRowsAreReadAsTheyAreMeant(t *testing.T) {
	for _, c := range []struct {
		name, text string
		options    rows.Options
		lines      []int
		rows       []string
	}{
		{"a plain file", "a,b\n1,2\n3,4\n", rows.Options{}, []int{2, 3}, []string{"1|2", "3|4"}},
		{"the last line has no end", "a,b\n1,2", rows.Options{}, []int{2}, []string{"1|2"}},
		{"Excel's mark and Windows line ends", "\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4\r\n", rows.Options{}, []int{2, 4}, []string{"1|2", "3|4"}},
		{"line ends inside quotes", "a,b\n\"5 GREENBROOK DR\n\n\",2\n3,4\n", rows.Options{}, []int{2, 5},
			[]string{"5 GREENBROOK DR\n\n|2", "3|4"}},
		{"doubled quotes", "a,b\n\"say \"\"yes\"\"\n\",2\n3,\"\"\n", rows.Options{}, []int{2, 4}, []string{"say \"yes\"\n|2", "3|"}},
		{"a quote inside a plain value", "a,b\n5\" pipe,2\n3,4\n", rows.Options{}, []int{2, 3}, []string{"5\" pipe|2", "3|4"}},
		{"too many and too few values", "a,b\n1,2,3\n4\n5,6\n", rows.Options{}, []int{2, 3, 4},
			[]string{"!has 3 values where the header has 2 columns", "!has 1 values where the header has 2 columns", "5|6"}},
		{"text after a closing quote", "a,b\n\"x\"y,2\n3,4\n", rows.Options{}, []int{2, 3},
			[]string{"!is not valid CSV: extraneous or missing \" in quoted-field", "3|4"}},
		{"a quote that is never closed spoils its line only", "a,b\n\"x,2\n3,4\n", rows.Options{}, []int{2, 3},
			[]string{"!opens a quote that is never closed", "3|4"}},
		{"semicolons, as in French Excel", "a;b\n1,5;2\n", rows.Options{}, []int{2}, []string{"1,5|2"}},
		{"tabs by name", "a\tb\n1\t2\n", rows.Options{Delimiter: "tab"}, []int{2}, []string{"1|2"}},
		{"an encoding by name", "nom\n\xc9cole\n", rows.Options{Encoding: "windows-1252"}, []int{2}, []string{"École"}},
		{"one row in another encoding", "nom\n\xc9cole\nb\n", rows.Options{Encoding: "utf-8"}, []int{2, 3},
			[]string{"!is not UTF-8; name the file's encoding, for example --encoding windows-1252", "b"}},
		{"a header alone", "a,b\n", rows.Options{}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := rows.Open(write(t, "in.csv", c.text), c.options)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			lines, texts, _ := readAll(t, r)
			if strings.Join(texts, "\x00") != strings.Join(c.rows, "\x00") {
				t.Errorf("rows %q, want %q", texts, c.rows)
			}
			for i := range c.lines {
				if i >= len(lines) || lines[i] != c.lines[i] {
					t.Fatalf("lines %v, want %v", lines, c.lines)
				}
			}
		})
	}
}

func TestFilesThatCannotBeReadSayWhy(t *testing.T) {
	for name, c := range map[string]struct{ text, encoding, want string }{
		"Latin-1 without saying so": {"nom,b\n1,2\n\xc9cole,3\n", "", "not UTF-8 (line 3)"},
		"UTF-16":                    {"\xff\xfea\x00", "", "UTF-16"},
		"a column twice":            {"a,b, a\n", "", `names "a" twice (columns 1 and 3)`},
		"nothing":                   {"", "", "is empty"},
		"an unknown encoding":       {"a\n", "ebcdic", "ebcdic"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := rows.Open(write(t, "in.csv", c.text), rows.Options{Encoding: c.encoding})
			if err == nil {
				_ = r.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q does not say %q", err, c.want)
			}
		})
	}
}

func TestRowsAcrossTheBufferAreWhole(t *testing.T) {
	const count = 100_000
	var text strings.Builder
	text.WriteString("id,note\n")
	for i := range count {
		fmt.Fprintf(&text, "%d,\"une note\nsur deux lignes\"\n", i)
	}
	r, err := rows.Open(write(t, "in.csv", text.String()), rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, texts, _ := readAll(t, r)
	for i, got := range texts {
		if want := fmt.Sprintf("%d|une note\nsur deux lignes", i); got != want {
			t.Fatalf("row %d is %q", i, got)
		}
	}
	if len(texts) != count {
		t.Errorf("%d rows, want %d", len(texts), count)
	}
}

func TestAnEndlessRowIsOneBadRow(t *testing.T) {
	text := "a,b\n\"" + strings.Repeat("x,y\n", rows.MaxRowBytes/2) + "\n"
	r, err := rows.Open(write(t, "in.csv", text), rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first, err := r.Next()
	if err != nil || !strings.Contains(first.Problem, "never closed") {
		t.Fatalf("first row %+v, %v", first.Problem, err)
	}
	second, err := r.Next()
	if err != nil || second.Problem != "" || second.Line != 3 {
		t.Errorf("second row line %d, problem %q, %v", second.Line, second.Problem, err)
	}
}

func TestObjectsAreReadLineByLine(t *testing.T) {
	r, err := rows.Open(write(t, "in.ndjson", `{"a":" x ","n":3,"z":null}`+"\n\n[1]\n"), rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	row, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{"a": "x", "n": "3", "z": ""} {
		if got, ok := row.Text(column); got != want || !ok {
			t.Errorf("%s = %q, %v", column, got, ok)
		}
	}
	if row, err = r.Next(); err != nil || row.Problem != "is not a JSON object" || row.Line != 3 {
		t.Errorf("line %d: %q, %v", row.Line, row.Problem, err)
	}
}

func TestFeaturesAreRowsWithTheirPropertiesAndGeometry(t *testing.T) {
	long := strings.Repeat("[-79.1,43.2],", 20_000) + "[-79.1,43.2]"
	path := write(t,
		"roads.geojson", `{"type":"FeatureCollection","name":"roads","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},
"features":[{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[-79,43]},"properties":{"name":"Rue \"A\" {1}","lanes":2,"note":null}},
{"type":"Feature","geometry":null,"properties":null}  ,{"type":"Point"},
{"type":"Feature","properties":{"name":"B","id":"b"},"geometry":{"type":"LineString","coordinates":[`+long+`]}}
]}`)
	r, err := rows.Open(path, rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	var places []rows.Position
	for {
		places = append(places, r.Position())
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name, _ := row.Text("name")
		id, _ := row.Text("id")
		geometry, _ := row.Text("geometry")
		got = append(got, fmt.Sprintf("%d %s %s %d %s", row.Line, name, id, len(geometry), row.Problem))
	}
	want := []string{`1 Rue "A" {1} 7 39 `, "2   0 ", "3   0 is not a GeoJSON feature", fmt.Sprintf("4 B b %d ", len(long)+38)}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("features\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := r.Seek(places[3]); err != nil {
		t.Fatal(err)
	}
	if row, err := r.Next(); err != nil || row.Line != 4 {
		t.Errorf("from the fourth feature: line %d, %v", row.Line, err)
	}
}

func TestGeoJSONThatCannotBeReadSaysWhy(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"another coordinate system": {`{"type":"FeatureCollection","crs":{"properties":{"name":"urn:ogc:def:crs:EPSG::26917"}},"features":[]}`,
			"EPSG:4326"},
		"a single geometry":     {`{"type":"Point","coordinates":[1,2]}`, "no list of features"},
		"a list":                {`[]`, "not a GeoJSON FeatureCollection"},
		"half a file":           {`{"type":"FeatureCollection","features":[{"type":"Feature","prop`, "ends inside feature 1"},
		"something else inside": {`{"type":"FeatureCollection","features":[1]}`, "is not the beginning of a feature"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := rows.Open(write(t, "in.geojson", c.text), rows.Options{})
			if err == nil {
				_, err = r.Next()
				_ = r.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
		})
	}
}

// FuzzFeatures: whatever the file, reading ends without a panic, and every feature moves on.
func FuzzFeatures(f *testing.F) {
	f.Add(`{"features":[{"type":"Feature","properties":{"a":"}\\\""}},{}]}`)
	f.Add(`{"type":"FeatureCollection","features":[{"type":"Feature","id":"\u0000"},,]`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := rows.Open(write(t, "in.geojson", text), rows.Options{Encoding: "utf-8"})
		if err != nil {
			return
		}
		defer r.Close()
		for place := r.Position(); ; place = r.Position() {
			if _, err := r.Next(); err != nil {
				return
			}
			if r.Position().Offset <= place.Offset {
				t.Fatalf("stays at %d", place.Offset)
			}
		}
	})
}

// FuzzRows: whatever the file, reading ends, covers every byte, and goes on from any place as it went before.
func FuzzRows(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a\n\"x\n\"\"y\"\n3\"\n\"", "a;b\r\n;\r\n\xff", "{\"a\":1}\n{}\n", "\xef\xbb\xbfa\n\n\n1"} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, objects bool) {
		format := "csv"
		if objects {
			format = "ndjson"
		}
		r, err := rows.Open(write(t, "in", text), rows.Options{Format: format, Encoding: "utf-8"})
		if err != nil {
			return
		}
		defer r.Close()
		_, texts, places := readAll(t, r)
		if end := r.Position().Offset; end != int64(len(text)) {
			t.Fatalf("reading ended at %d of %d bytes", end, len(text))
		}
		if len(texts) == 0 {
			return
		}
		middle := len(texts) / 2
		if err := r.Seek(places[middle]); err != nil {
			t.Fatal(err)
		}
		if _, again, _ := readAll(t, r); strings.Join(again, "\n") != strings.Join(texts[middle:], "\n") {
			t.Fatalf("from row %d: %q, before %q", middle, again, texts[middle:])
		}
	})
}
