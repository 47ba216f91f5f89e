package mapping_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ams.internal/deploy/cmd/amsctl/mapping"
	"ams.internal/deploy/cmd/amsctl/rows"
)

var schema = mapping.Schema{
	"name": {Type: "text", Required: true}, "external_id": {Type: "text"}, "year_built": {Type: "integer"}, "latitude": {Type: "number"},
	"heritage_designated": {Type: "boolean"}, "replacement_cost": {Type: "number"}, "install_date": {Type: "text"},
	"ownership": {Type: "text"},
	"tags":      {Type: "list"}, "custom_fields": {Type: "object"}, "site_id": {Type: "text"}, "condition_rating": {Type: "integer"},
	"id": {Type: "text", ReadOnly: true},
}

// apply gives the records and problems of every row of a small file, as lines of JSON and of text.
func apply(t testing.TB, text, file string) string {
	t.Helper()
	var m *mapping.Mapping
	var err error
	if text != "" {
		if m, err = mapping.Parse(strings.NewReader(text)); err != nil {
			return "error: " + err.Error()
		}
	}
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := rows.Open(path, rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	plan, err := mapping.Compile(m, r.Header(), "buildings", schema)
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	for {
		row, err := r.Next()
		if err != nil {
			return strings.Join(out, "\n")
		}
		outcome := plan.Apply(row)
		for _, record := range outcome.Records {
			line, err := json.Marshal(record.Fields)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(line))
		}
		for _, problem := range outcome.Problems {
			out = append(out, strings.TrimSpace(problem.Record+" "+problem.Field)+": "+problem.Message)
		}
		if outcome.Skipped {
			out = append(out, "skipped")
		}
	}
}

func TestRowsBecomeTheRecordsTheMappingSays(t *testing.T) {
	for name, c := range map[string]struct{ mapping, file, want string }{
		"columns, texts and constants": {
			"fields:\n  name: '{STREET} {NO}'\n  external_id: {column: RSN}\n  ownership: owned\n  heritage_designated: false",
			"RSN,STREET,NO\n77, Main ,5\n", `{"external_id":"77","heritage_designated":false,"name":"Main 5","ownership":"owned"}`,
		},
		"no value leaves a field out": {
			"null_values: [N/A, NA]\nfields: {name: {column: N}, year_built: {column: Y}, latitude: {column: L}, external_id: 'x-{Y}'}",
			"N,Y,L\nA, n/a,\nB,1961,43.7194706389\n", `{"name":"A"}` + "\n" +
				`{"external_id":"x-1961","latitude":43.7194706389,"name":"B","year_built":1961}`,
		},
		"numbers keep their digits": {
			"fields: {replacement_cost: {column: C, remove: ['$', ',']}}", "C\n\"$1,234,567.10\"\n\"1 000\"\n.5\n",
			`{"replacement_cost":1234567.10}` + "\n" + `{"replacement_cost":1000}` + "\n" + `{"replacement_cost":0.5}`,
		},
		"French numbers": {"fields: {replacement_cost: {column: C, decimal: ','}}", "C;D\n\"1 234,50\";\n", `{"replacement_cost":1234.50}`},
		"points between thousands where the decimal mark is a comma": {
			"fields: {replacement_cost: {column: C, decimal: ','}}",
			"C;D\n1.850.000,00;\n12.500;\n-1.234,5;\n0.500;\n12.5;\n1.85.000;\n1,2.3;\n1,2,3;\n",
			`{"replacement_cost":1850000.00}` + "\n" + `{"replacement_cost":12500}` + "\n" + `{"replacement_cost":-1234.5}` + "\n" +
				"replacement_cost: C: \"0.500\" is not a number whose decimal mark is ,\nreplacement_cost: C: \"12.5\" is not a number whose decimal " +
				"mark is ,\nreplacement_cost: C: \"1.85.000\" is not a number whose decimal mark is ,\n" +
				"replacement_cost: C: \"1,2.3\" is not a number whose decimal mark is ,\nreplacement_cost: C: \"1,2,3\" is not a number",
		},
		"what is not a number says so": {
			"fields: {year_built: {column: Y}}", "Y\nunknown\n1961.5\n1e400\nNaN\n1961.0\n",
			"year_built: Y: \"unknown\" is not a number\nyear_built: Y: \"1961.5\" is not a whole number\n" +
				"year_built: Y: \"1e400\" is not a number\nyear_built: Y: \"NaN\" is not a number\n{\"year_built\":1961}",
		},
		"dates": {
			"fields: {install_date: {column: D, type: date, format: DD/MM/YYYY}}", "D\n28/02/2023\n29/02/2023\n",
			`{"install_date":"2023-02-28"}` + "\n" + `install_date: D: "29/02/2023" is not a date written as DD/MM/YYYY`,
		},
		"translated values": {
			"fields: {ownership: {column: P, values: {TCHC: owned, PRIVATE: null}}}", "P,Q\nTCHC,\nPRIVATE,\nOTHER,\n",
			`{"ownership":"owned"}` + "\n{}\n" + `ownership: P: "OTHER" is not among the values that the mapping lists`,
		},
		"translated values with a word for the rest": {
			"fields: {condition_rating: {column: S, values: {3: 1, 0: 5}, otherwise: 3}}", "S,Q\n3,\n0,\n9,\n",
			`{"condition_rating":1}` + "\n" + `{"condition_rating":5}` + "\n" + `{"condition_rating":3}`,
		},
		"lists and custom fields": {
			"fields:\n  tags: ['{A}', 'ward-{B}', fixed]\n  custom_fields.grid: {column: A}\n  custom_fields.units: {column: B, type: integer}",
			"A,B\nx,\n,7\n",
			`{"custom_fields":{"grid":"x"},"tags":["x","fixed"]}` + "\n" + `{"custom_fields":{"units":7},"tags":["ward-7","fixed"]}`,
		},
		"elements of a list that depend on a column": {
			"null_values: [N/A]\nfields:\n  tags: [fixed, 2023, {column: A, values: {}, otherwise: lift}, {column: B, values: {1: one, 2: null}}]",
			"A,B\n3,1\n N/A,2\n,1\n0,7\n",
			`{"tags":["fixed","2023","lift","one"]}` + "\n" + `{"tags":["fixed","2023"]}` + "\n" + `{"tags":["fixed","2023","one"]}` + "\n" +
				`tags: B: "7" is not among the values that the mapping lists`,
		},
		"rows left out": {
			"rows:\n  - {column: A, empty: true, then: reject, reason: has no A}\n  - {column: A, in: [x], then: skip}\nfields: {name: {column: A}}",
			"A,B\n,1\nX,2\ny,3\n",
			": has no A\nskipped\n" + `{"name":"y"}`,
		},
		"the first row of several": {"once_per: W\nfields: {name: 'Ward {W}'}", "W,B\n1,a\n2,b\n1,c\n",
			`{"name":"Ward 1"}` + "\n" + `{"name":"Ward 2"}` + "\nskipped"},
		"one record for each column with a value": {
			"null_values: [N/A]\neach:\n  columns:\n    FENCING: Fencing\n    POOLS: {label: Pool, kind: F}\nfields:\n  name: '{label}'\n" +
				"  external_id: '{RSN}-{column}'\n  condition_rating: {column: value, values: {3: 1, 2: 2}}\n  tags: ['{kind}']",
			"RSN,FENCING,POOLS\n7, 3,N/A\n8,2,9\n9,N/A, N/A\n",
			`{"condition_rating":1,"external_id":"7-FENCING","name":"Fencing"}` + "\n" +
				`{"condition_rating":2,"external_id":"8-FENCING","name":"Fencing"}` + "\n" +
				`8-POOLS condition_rating: value: "9" is not among the values that the mapping lists` + "\nskipped",
		},
		"a reference by external id": {"fields: {site_external_id: 'ward-{W}'}", "W,B\n3,\n", `{"site_external_id":"ward-3"}`},
		"a required field":           {"fields: {name: {column: N, required: true}}", "N,B\n,1\n", "name: has no value in this row"},
		"no mapping": {"", "id,name,year_built,tags,custom_fields\n1,A,1961,a; b,\"{\"\"k\"\":1}\"\n",
			`{"custom_fields":{"k":1},"name":"A","tags":["a","b"],"year_built":1961}`},
		"braces that are meant": {"fields: {name: '{{{N}}}'}", "N,B\nx,\n", `{"name":"{x}"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := apply(t, c.mapping, c.file); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestMistakesInAMappingAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ mapping, want string }{
		"an unknown column, with the near one": {"fields: {name: {column: SITE ADRESS}}",
			`name: the file has no column "SITE ADRESS" (did you mean "SITE.ADDRESS"?)`},
		"a column in a text": {"fields: {name: '{SITE.ADDRES}'}", `(did you mean "SITE.ADDRESS"?)`},
		"an unknown field, with the near one": {"fields: {year_build: {column: RSN}}",
			`the collection has no field "year_build" (did you mean "year_built"?)`},
		"a field that the service fills in": {"fields: {id: {column: RSN}}", "id: is a field that the service fills in"},
		"an unknown part of a field": {"fields: {name: {colum: RSN}}",
			`"colum" is not something a field can have (did you mean "column"?)`},
		"an unknown part of the file": {"field: {name: x}", "field"},
		"two sources":                 {"fields: {name: {column: RSN, constant: 1}}", "one of column, text and constant"},
		"no source":                   {"fields: {name: {values: {a: b}}}", "needs one of column, text and constant"},
		"a rule without a condition": {"rows: [{column: RSN, then: skip}]\nfields: {name: x}",
			"needs exactly one of in, not_in and empty"},
		"a rule that rejects without a reason": {"rows: [{column: RSN, empty: true, then: reject}]\nfields: {name: x}", "needs a reason"},
		"a brace that stays open":              {"fields: {name: 'a {RSN'}", "opens a {"},
		"a date format without a year":         {"fields: {install_date: {column: RSN, type: date, format: DD/MM}}", "YYYY"},
		"no fields":                            {"null_values: [x]", "has no fields"},
		"nothing at all":                       {" ", "empty"},
		"another collection":                   {"collection: assets\nfields: {name: x}", "the mapping is for assets, not for buildings"},
		"two mistakes are said together": {"fields: {name: {column: A}, external_id: {column: B}}",
			"external_id: the file has no column \"B\"\nname: the file has no column \"A\""},
		"a type that does not exist":            {"fields: {name: {column: RSN, type: money}}", `the type "money" is not known`},
		"YAML that is not YAML, with its place": {"fields: [", "[1:"},
	} {
		t.Run(name, func(t *testing.T) {
			got := "no error"
			if c.mapping != "" {
				got = apply(t, c.mapping, "RSN,SITE.ADDRESS\n")
			}
			if !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c.want) {
				t.Errorf("%q does not say %q", got, c.want)
			}
		})
	}
}

func TestTheFieldsOfACollectionComeFromTheAPIDescription(t *testing.T) {
	document := []byte(`{"paths":{
		"/v1/sites":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/SiteWrite"}}}},"responses":{"201":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Site"}}}}}}},
		"/v1/sites/{id}":{"get":{}},"/v1/sites/bulk":{"post":{}},"/v1/sites/{site_id}/visits":{"post":{"requestBody":{"content":{"application/json":{"schema":{"properties":{"note":{"type":"string"}}}}}}}},
		"/v1/sites/{site_id}/visits/bulk":{"post":{}},"/v1/sites/readings/bulk":{"post":{}},"/v1/sites/{site_id}/readings":{"post":{}},
		"/v1/sites/{site_id}/readings/bulk":{"post":{}},"/v1/sites/{id}/summary":{"get":{}},"/v1/sites/{id}/close":{"post":{}}},
		"components":{"schemas":{"SiteWrite":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"latitude":{"type":["number","null"]},
		"tags":{"type":"array"},"open":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}},
		"Site":{"type":"object","properties":{"id":{"type":"string"},"version":{"type":"integer"},"name":{"type":"string"},"latitude":{"type":["number","null"]},"tags":{"type":"array"},"open":{"type":"boolean"}}}}}}`)
	got, err := mapping.FindCollection(document, "sites")
	if err != nil {
		t.Fatal(err)
	}
	wanted := mapping.Schema{"name": {Type: "text", Required: true}, "latitude": {Type: "number"}, "tags": {Type: "list"},
		"open": {Type: "boolean"}, "id": {ReadOnly: true}, "version": {ReadOnly: true}}
	if !reflect.DeepEqual(got, mapping.Collection{Path: "/v1/sites", Fields: wanted}) {
		t.Errorf("sites are %+v", got)
	}
	got, err = mapping.FindCollection(document, "sites/visits")
	if err != nil {
		t.Fatal(err)
	}
	wanted = mapping.Schema{"note": {Type: "text"}, "site_id": {Type: "text"}}
	if !reflect.DeepEqual(got, mapping.Collection{Path: "/v1/sites/{site_id}/visits", Fields: wanted, Parent: "site_id", Parents: "sites"}) {
		t.Errorf("visits are %+v", got)
	}
	if got, err = mapping.FindCollection(document, "sites/readings"); err != nil || got.Path != "/v1/sites/{site_id}/readings" ||
		got.Flat != "/v1/sites/readings" || got.Parent != "site_id" {
		t.Errorf("readings are %+v: %v", got, err)
	}
	if _, err := mapping.FindCollection(document, "site"); err == nil || !strings.Contains(err.Error(), `did you mean "sites"?`) {
		t.Errorf("an unknown collection: %v", err)
	}
	if _, err := mapping.FindCollection(document, "sites/close"); err == nil ||
		!strings.Contains(err.Error(), "there are sites, sites/readings, sites/visits") {
		t.Errorf("a path that is no collection: %v", err)
	}
}

// FuzzMapping: whatever the mapping and the file, nothing panics and every record is JSON.
func FuzzMapping(f *testing.F) {
	f.Add("fields: {name: '{A}-{{}}'}", "A,B\n1,2\n")
	f.Add("once_per: [A]\neach: {columns: {A: x, B: {label: y}}}\nfields: {name: '{label}', latitude: {column: value}}",
		"A,B\n1,2\nNaN,0x1p-2\n")
	f.Add("rows: [{column: A, in: ['1'], then: skip}]\nfields: {install_date: {column: B, type: date}, tags: ['{A}']}", "A;B\n1;2023-02-30\n")
	f.Add("", "name,tags,custom_fields\nx,[1],{}\n")
	f.Fuzz(func(t *testing.T, text, file string) {
		if len(file) == 0 || len(file) > 4096 || len(text) > 4096 {
			return
		}
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := rows.Open(path, rows.Options{})
		if err != nil {
			return
		}
		defer r.Close()
		m, err := mapping.Parse(strings.NewReader(text))
		if err != nil {
			m = nil
		}
		plan, err := mapping.Compile(m, r.Header(), "buildings", schema)
		if err != nil {
			return
		}
		for {
			row, err := r.Next()
			if err != nil {
				return
			}
			for _, record := range plan.Apply(row).Records {
				if _, err := json.Marshal(record.Fields); err != nil {
					t.Fatalf("%v: %v", record.Fields, err)
				}
			}
		}
	})
}
