package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestADryRunSaysWhatAnImportWouldDoAndWritesNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /openapi.json":
			fmt.Fprint(w, `{"openapi":"3.1.0","paths":{"/v1/things/bulk":{"post":{}},
				"/v1/things":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ThingWrite"}}}}}}},
				"components":{"schemas":{"ThingWrite":{"type":"object","additionalProperties":false,"required":["name"],"properties":{
					"external_id":{"type":["string","null"]},"name":{"type":"string","maxLength":10},"size":{"type":["integer","null"],"maximum":9,"examples":[3]},
					"kind":{"type":"string","enum":["a","b"]},"site_id":{"type":["string","null"],"format":"uuid"},"day":{"type":"string","format":"date"}}}}}}`)
		case "GET /v1/me":
			fmt.Fprint(w, `{"organization":{"id":"org-1"}}`)
		case "GET /v1/things":
			var found []string
			for id := range strings.SplitSeq(r.URL.Query().Get("external_id"), ",") {
				if strings.HasPrefix(id, "there") {
					found = append(found,
						fmt.Sprintf(`{"id":"1","external_id":%q,"name":"One","size":1,"kind":"a"}`, strings.ReplaceAll(id, "there-2", "THERE-2")))
				}
			}
			fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(found, ","))
		default:
			text, _ := io.ReadAll(r.Body)
			t.Errorf("it calls %s %s %s", r.Method, r.URL, text)
		}
	}))
	defer server.Close()
	t.Setenv("AMS_BASE_URL", server.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	const rows = "external_id,name,size,kind,site_external_id,day\n" +
		"new-1,New,3,a,S-1,2026-01-31\n" +
		"new-1,Again,3,a,,\n" +
		"there-1,One,1,a,,\n" +
		"there-2,Other,1,a,,\n" +
		"there-3,,2,,,\n" + // a name is required of new records only
		"new-2,,1,a,,\n" +
		"new-3,A name that is too long,10,c,,2026-02-30\n" +
		"new-4,New,three,a,,\n" +
		",Nameless,1,a,,\n"
	for conflict, c := range map[string]struct {
		out string
		err string
	}{
		"update": {"9 rows read; 2 records would be created, 3 updated, 1 unchanged, 3 rejected;", ""},
		"skip":   {"9 rows read; 2 records would be created, 0 updated, 4 unchanged, 3 rejected;", ""},
		"error": {"9 rows read; 2 records would be created, 0 updated, 0 unchanged, 7 rejected;",
			`line 4: there-1 external_id: there is a record with the external_id "there-1" already`},
	} {
		t.Run(conflict, func(t *testing.T) {
			path := file(t, "things.csv", rows)
			code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--on-conflict", conflict, "--dry-run")
			if code != 3 || !strings.Contains(out, c.out) {
				t.Errorf("exit %d: %s\n%s", code, out, errOut)
			}
			for _, want := range []string{c.err, "line 7: new-2 name: is required", "line 8: new-3 name: ", "line 8: new-3 size: ",
				"line 8: new-3 kind: ", "line 8: new-3 day: ", `line 9:`, "Nothing was written.", "1 records have no external_id"} {
				if !strings.Contains(errOut, want) {
					t.Errorf("it does not say %q:\n%s", want, errOut)
				}
			}
			if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
				t.Errorf("it leaves %v", left)
			}
		})
	}
	sound := file(t, "sound.csv", "external_id,name\nnew-9,Nine\n")
	if code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", sound, "--dry-run", "-o", "json"); code != 0 ||
		!strings.Contains(out, `"created": 1`) {
		t.Errorf("exit %d: %s\n%s", code, out, errOut)
	}
}
