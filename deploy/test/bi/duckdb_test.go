package bi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

const parquet = "application/vnd.apache.parquet"

// lake is a folder of files that DuckDB is asked about.
type lake struct {
	source
	folder  string
	queries map[string]string
}

func newLake(t *testing.T) *lake {
	return &lake{ofCity(t), t.TempDir(), map[string]string{}}
}

// save keeps a list or report as a file of this name, and gives what SQL calls the file.
func (l *lake) save(t *testing.T, name, path string) string {
	t.Helper()
	answer := l.get(t, path, "Accept", parquet)
	if got := answer.Header.Get("Content-Type"); got != parquet {
		t.Fatalf("%s is %s", path, got)
	}
	file := filepath.Join(l.folder, strings.ReplaceAll(name, "/", "-")+".parquet")
	if err := os.WriteFile(file, answer.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	return "'" + file + "'"
}

type row = map[string]any

// ask gives the rows that answer each query.
func (l *lake) ask(t *testing.T) (answers map[string][]row) {
	t.Helper()
	text, err := json.Marshal(l.queries)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(l.folder, "queries.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	runNode(t, "duckdb.mjs", &answers, file)
	return answers
}

// total is what the API says the list has.
func (s source) total(t *testing.T, path string) string {
	t.Helper()
	first := path + "?per_page=1"
	if strings.Contains(path, "?") {
		first = path + "&per_page=1"
	}
	pagination := s.get(t, first).Object["pagination"].(row)
	return fmt.Sprintf("%.0f", pagination["total"])
}

// fullest gives the path of a list: of parts, that of a parent which has some, if one of the first has.
func (s source) fullest(t *testing.T, path string) (string, bool) {
	t.Helper()
	above, rest, parts := strings.Cut(path, "/{")
	if !parts {
		return path, true
	}
	_, below, _ := strings.Cut(rest, "}")
	chosen := ""
	for _, parent := range s.get(t, above+"?per_page=20&fields=id").Object["data"].([]any) {
		chosen = above + "/" + parent.(row)["id"].(string) + below
		if s.total(t, chosen) != "0" {
			break
		}
	}
	return chosen, chosen != ""
}

func TestDuckDBReadsEveryCollection(t *testing.T) {
	l := newLake(t)
	document := l.get(t, "/openapi.json?view=full").Object
	paths, read := map[string]string{}, map[string]string{}
	for collection := range catalogue.Product().Collections() {
		path, some := l.fullest(t, collection.Path)
		if !some {
			t.Errorf("%s: the city has nothing that these are parts of", collection.Name)
			continue
		}
		file := l.save(t, collection.Name, path)
		l.queries[collection.Name] = "SELECT count(*)::varchar AS records FROM " + file
		l.queries[collection.Name+" types"] = "DESCRIBE SELECT * FROM " + file
		paths[collection.Name], read[collection.Name] = path, collection.Path
	}
	answers, filled := l.ask(t), 0
	for name, path := range paths {
		got := answers[name][0]["records"]
		if want := l.total(t, path); got != want {
			t.Errorf("%s: DuckDB counts %v records, the API %s", path, got, want)
		}
		if got != "0" {
			filled++
		}
		record := shownRecord(t, document, read[name])
		if always := record["required"].([]any); len(always) != len(answers[name+" types"]) { // all but what expand= shows
			t.Errorf("%s: %d columns of %d fields", path, len(answers[name+" types"]), len(always))
		}
		for _, column := range answers[name+" types"] {
			field, known := record["properties"].(row)[column["column_name"].(string)].(row)
			if want := typeOf(document, field); !known || column["column_type"] != want {
				t.Errorf("%s: column %s is %s, want %s", path, column["column_name"], column["column_type"], want)
			}
		}
	}
	if filled < 20 {
		t.Errorf("only %d collections have records", filled)
	}
}

// shownRecord describes a record of a list as the document does.
func shownRecord(t *testing.T, document row, path string) row {
	t.Helper()
	in := func(object row, names ...string) row {
		for _, name := range names {
			below, is := object[name].(row)
			if !is {
				t.Fatalf("%s: the document has no %s of %v", path, name, names)
			}
			if reference, is := below["$ref"].(string); is {
				below = document["components"].(row)["schemas"].(row)[reference[strings.LastIndexByte(reference, '/')+1:]].(row)
			}
			object = below
		}
		return object
	}
	content := in(document, "paths", path, "get", "responses", "200", "content")
	if content[parquet] == nil {
		t.Errorf("%s: the document does not say that there is Parquet", path)
	}
	return in(content, "application/json", "schema", "properties", "data", "items")
}

// typeOf is the type that is promised of a field.
func typeOf(document, field row) string {
	kind := fmt.Sprint(field["type"])
	if several, is := field["type"].([]any); is {
		kind = fmt.Sprint(several[0])
	}
	decimals, exact := field["x-decimals"]
	switch {
	case field["format"] == "date":
		return "DATE"
	case field["format"] == "date-time":
		return "TIMESTAMP WITH TIME ZONE"
	case exact:
		return fmt.Sprintf("DECIMAL(18,%v)", decimals)
	case kind == "number":
		return "DOUBLE"
	case kind == "integer":
		return "BIGINT"
	case kind == "boolean":
		return "BOOLEAN"
	case kind == "array":
		items := field["items"].(row)
		if reference, is := items["$ref"].(string); is {
			items = document["components"].(row)["schemas"].(row)[reference[strings.LastIndexByte(reference, '/')+1:]].(row)
		}
		if items["type"] == "string" {
			return "VARCHAR[]"
		}
	}
	return "VARCHAR"
}

func TestDuckDBAddsUpWhatTheReportSays(t *testing.T) {
	l := newLake(t)
	sum := func(file string) string {
		return "SELECT coalesce(sum(replacement_cost), 0)::varchar AS cost FROM " + file +
			" WHERE status NOT IN ('planned', 'decommissioned', 'disposed')"
	}
	assets := l.save(t, "assets", "/v1/assets?fields=replacement_cost,status,name,tags,custom_fields,install_date,created_at")
	l.queries["assets"] = sum(assets)
	l.queries["columns"] = "DESCRIBE SELECT * FROM " + assets
	l.queries["report"] = "SELECT * FROM " + l.save(t, "report", "/v1/reports/state-of-assets") + " WHERE row = 'total'"
	l.queries["guide"] = strings.ReplaceAll(sampleOf(t), "'assets.parquet'", l.save(t, "all assets", "/v1/assets"))
	answers := l.ask(t)
	if len(answers["guide"]) == 0 {
		t.Error("the query of docs/bi.md finds nothing")
	}
	report := l.get(t, "/v1/reports/state-of-assets").Object["total"].(row)
	graded := 0.0
	for _, grade := range report["condition_distribution"].(row) {
		graded += grade.(row)["replacement_cost"].(float64)
	}
	if got, want := answers["assets"][0]["cost"], fmt.Sprintf("%.2f", graded); got != want || got == "0.00" {
		t.Errorf("DuckDB adds up %v of assets that are in use, the report says %s", got, want)
	}
	if got, want := answers["report"][0]["replacement_cost"], fmt.Sprintf("%.2f", report["replacement_cost"]); got != want {
		t.Errorf("the report as Parquet says %v, as JSON %s", got, want)
	}
	var columns []string
	for _, column := range answers["columns"] {
		columns = append(columns, column["column_name"].(string)+" "+column["column_type"].(string))
	}
	if want := []string{"replacement_cost DECIMAL(18,2)", "status VARCHAR", "name VARCHAR", "tags VARCHAR[]", "custom_fields VARCHAR",
		"install_date DATE", "created_at TIMESTAMP WITH TIME ZONE"}; !slices.Equal(columns, want) {
		t.Errorf("the columns are %v, want %v, in the order of fields", columns, want)
	}
}

// sampleOf gives the query of docs/bi.md.
func sampleOf(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/bi.md")
	if err != nil {
		t.Fatal(err)
	}
	_, sample, found := strings.Cut(string(text), "```sql\n")
	sample, _, ended := strings.Cut(sample, "```")
	if !found || !ended {
		t.Fatal("docs/bi.md has no query")
	}
	return sample
}

func TestWhatIsNotThereIsRefused(t *testing.T) {
	s := ofCity(t)
	send(t, http.StatusBadRequest, s.key, "GET", s.base+"/v1/assets?per_page=1", nil, "Accept", "application/vnd.apache.arrow.stream")
	send(t, http.StatusBadRequest, s.key, "GET", s.base+"/v1/assets?csv=excel", nil, "Accept", parquet)
}
