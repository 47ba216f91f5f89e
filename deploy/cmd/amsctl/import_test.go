package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// bulkService is what the tests need of the service: one collection in memory, behind the bulk endpoint's rules.
type bulkService struct {
	*httptest.Server
	mu        sync.Mutex
	records   map[string]json.RawMessage // by external_id
	responses map[string][]byte          // by Idempotency-Key
	calls     []int                      // records of each call that was carried out
	paths     []string                   // of the things whose parts were written
	replays   int
	imports   []string         // the Import-Id of each call
	ended     []map[string]any // what was said of each import that is complete
	// before, when set, may respond to a call itself; after, when set, runs once a call was carried out and has no response yet.
	before func(w http.ResponseWriter, call int) bool
	after  func(call int)
	seen   int
}

// thingIDs are the ids of the things that have parts, by external id.
var thingIDs = map[string]string{"t-1": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e01", "t-2": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e02"}

func newBulkService(t *testing.T) *bulkService {
	s := &bulkService{records: map[string]json.RawMessage{}, responses: map[string][]byte{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"paths":{"/v1/things":{"post":{"requestBody":{"content":{"application/json":{"schema":{"properties":{
			"external_id":{"type":"string"},"name":{"type":"string"},"size":{"type":"integer"}}}}}},
			"responses":{"201":{"content":{"application/json":{"schema":{"properties":{"id":{"type":"string"},"name":{"type":"string"}}}}}}}}},"/v1/things/bulk":{"post":{}},
			"/v1/things/{thing_id}/parts":{"post":{"requestBody":{"content":{"application/json":{"schema":{"properties":{"external_id":{"type":"string"},"name":{"type":"string"}}}}}}}},"/v1/things/{thing_id}/parts/bulk":{"post":{}}}}`)
	})
	mux.HandleFunc("GET /v1/me", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"organization":{"id":"org-1"}}`) })
	mux.HandleFunc("POST /v1/things/bulk", s.bulk)
	mux.HandleFunc("POST /v1/things/imports", s.complete)
	mux.HandleFunc("GET /v1/things", func(w http.ResponseWriter, r *http.Request) {
		var found []string
		for name := range strings.SplitSeq(r.URL.Query().Get("external_id"), ",") {
			if id, known := thingIDs[strings.ToLower(name)]; known {
				found = append(found, fmt.Sprintf(`{"id":%q,"external_id":%q}`, id, strings.ToUpper(name)))
			}
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(found, ","))
	})
	mux.HandleFunc("POST /v1/things/{thing}/parts/bulk", func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(slices.Collect(maps.Values(thingIDs)), r.PathValue("thing")) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"There is no such thing.","request_id":"r-1"}`)
			return
		}
		s.paths = append(s.paths, r.PathValue("thing"))
		s.bulk(w, r)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("AMS_BASE_URL", s.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	return s
}

func (s *bulkService) complete(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var output map[string]any
	if err := json.NewDecoder(r.Body).Decode(&output); err != nil || r.Header.Get("Idempotency-Key") == "" {
		http.Error(w, `{"error":"the call is not as the tests expect"}`, http.StatusBadRequest)
		return
	}
	s.imports, s.ended = append(s.imports, r.Header.Get("Import-Id")), append(s.ended, output)
	fmt.Fprint(w, "{}")
}

func (s *bulkService) bulk(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	s.imports = append(s.imports, r.Header.Get("Import-Id"))
	if s.before != nil && s.before(w, s.seen) {
		return
	}
	once := r.Header.Get("Idempotency-Key")
	if kept, ok := s.responses[once]; ok {
		s.replays++
		_, _ = w.Write(kept)
		return
	}
	var body struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || once == "" || r.URL.Query().Get("atomic") != "false" {
		http.Error(w, `{"error":"the call is not as the tests expect"}`, http.StatusBadRequest)
		return
	}
	var results []map[string]any
	for i, raw := range body.Data {
		results = append(results, s.store(i, raw, r.URL.Query().Get("on_conflict")))
	}
	s.calls = append(s.calls, len(body.Data))
	response, _ := json.Marshal(map[string]any{"results": results})
	s.responses[once] = response
	if s.after != nil {
		s.after(s.seen)
	}
	_, _ = w.Write(response)
}

func (s *bulkService) store(index int, raw json.RawMessage, onConflict string) map[string]any {
	var record struct {
		ExternalID string `json:"external_id"`
		Name       string `json:"name"`
	}
	_ = json.Unmarshal(raw, &record)
	_, exists := s.records[record.ExternalID]
	switch {
	case record.Name == "":
		return map[string]any{"index": index, "status": "failed", "field": "name", "error": "is required"}
	case exists && onConflict == "error":
		return map[string]any{"index": index, "status": "failed", "field": "external_id", "error": "is taken"}
	case exists && onConflict == "skip":
		return map[string]any{"index": index, "status": "skipped"}
	}
	s.records[record.ExternalID] = raw
	if exists {
		return map[string]any{"index": index, "status": "updated"}
	}
	return map[string]any{"index": index, "status": "created"}
}

// amsctl runs the program.
func amsctl(ctx context.Context, args ...string) (exitCode int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	exitCode = run(ctx, args, strings.NewReader(""), &stdout, &stderr)
	return exitCode, stdout.String(), stderr.String()
}

func things(t *testing.T, n int) string {
	var text strings.Builder
	text.WriteString("external_id,name,size\n")
	for i := range n {
		fmt.Fprintf(&text, "t-%d,Thing %d,%d\n", i, i, i)
	}
	return file(t, "things.csv", text.String())
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileGoesInInBatchesAndASecondTimeChangesNothing(t *testing.T) {
	s := newBulkService(t)
	path := things(t, 2500)
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--output", "json")
	if code != 0 || errOut != "" {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	var result map[string]any
	if err := json.Unmarshal([]byte(out), &result); err != nil || result["created"] != 2500.0 {
		t.Errorf("result %s, %v", out, err)
	}
	if !slices.Equal(s.calls, []int{1000, 1000, 500}) {
		t.Errorf("calls of %v records", s.calls)
	}
	if string(s.records["t-7"]) != `{"external_id":"t-7","name":"Thing 7","size":7}` {
		t.Errorf("record %s", s.records["t-7"])
	}
	code, out, _ = amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--on-conflict", "skip")
	if code != 0 || !strings.Contains(out, "0 records created, 0 updated, 2500 unchanged, 0 rejected") || len(s.records) != 2500 {
		t.Errorf("second time: exit %d, %s, %d records", code, out, len(s.records))
	}
	left, _ := filepath.Glob(path + ".*")
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBadRowsAreRejectedWithTheirLineAndReasonAndGoodRowsGoIn(t *testing.T) {
	s := newBulkService(t)
	path := file(t, "things.csv", "external_id,name,size\na,First,1\nb,,2\nc,Third,much\nd,Fourth\ne,\"Fi\nfth\",5\na,Again,6\n\"f,Sixth,7\n")
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path)
	if code != 3 || !strings.Contains(out, "2 records created, 0 updated, 0 unchanged, 5 rejected") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	in, err := os.Open(path + ".things.rejects.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	reader := csv.NewReader(in)
	reader.FieldsPerRecord = -1
	got, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"rejected_line", "rejected_record", "rejected_field", "rejected_because", "external_id", "name", "size"},
		{"4", "c", "size", `size: "much" is not a number`, "c", "Third", "much"},
		{"5", "", "", "the row has 2 values where the header has 3 columns", "d", "Fourth"},
		{"9", "", "", "the row opens a quote that is never closed", "\"f,Sixth,7"},
		{"3", "b", "name", "is required", "b", "", "2"},
		{"8", "a", "external_id", "is taken", "a", "Again", "6"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rejects\n%v\nwant\n%v", got, want)
	}
	if len(s.records) != 2 {
		t.Errorf("%d records", len(s.records))
	}
}

func TestAnImportThatWasKilledGoesOnWhereItStoppedAndWritesNothingTwice(t *testing.T) {
	s := newBulkService(t)
	path := things(t, 5000)
	ctx, kill := context.WithCancel(t.Context())
	s.after = func(call int) {
		if call == 3 { // carried out, but the response never arrives
			kill()
			time.Sleep(50 * time.Millisecond)
		}
	}
	code, _, errOut := amsctl(ctx, "import", "--collection", "things", "--file", path)
	if code != 1 || !strings.Contains(errOut, "stopped before line 2002") || !strings.Contains(errOut, "--resume") {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	s.after = nil
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--resume")
	if code != 0 || !strings.Contains(errOut, "going on at line 2002") || !strings.Contains(out, "5000 rows read; 5000 records created") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if s.replays != 1 || len(s.records) != 5000 || !slices.Equal(s.calls, []int{1000, 1000, 1000, 1000, 1000}) {
		t.Errorf("%d replays, %d records, calls %v", s.replays, len(s.records), s.calls)
	}
	// It is one import, before the kill and after, and said to be complete once.
	s.oneImport(t, map[string]any{"file_name": "things.csv", "created": 5000.0, "updated": 0.0, "unchanged": 0.0, "rejected": 0.0})
}

// oneImport checks that all calls were of one import, and what was said of it at its end.
func (s *bulkService) oneImport(t *testing.T, want map[string]any) {
	t.Helper()
	if len(slices.Compact(slices.Clone(s.imports))) != 1 || len(s.imports[0]) != 36 || len(s.ended) != 1 {
		t.Fatalf("calls of the imports %v, of which ended %v", s.imports, s.ended)
	}
	want["import_id"] = s.imports[0]
	if !maps.Equal(s.ended[0], want) {
		t.Errorf("of the import was said %v, want %v", s.ended[0], want)
	}
}

func TestAnImportWithRejectsCountsThemAtItsEnd(t *testing.T) {
	s := newBulkService(t)
	path := file(t, "things.csv", "external_id,name,size\na,First,1\nb,,2\nc,Third,3\n")
	if code, _, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path); code != 3 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	s.oneImport(t, map[string]any{"file_name": "things.csv", "created": 2.0, "updated": 0.0, "unchanged": 0.0, "rejected": 1.0})
}

// An import that was stopped by an earlier version of the program has no id yet; it gets one, and keeps it.
func TestAnImportThatHadNoIDGetsOne(t *testing.T) {
	s := newBulkService(t)
	path := things(t, 1500)
	ctx, kill := context.WithCancel(t.Context())
	s.after = func(int) { kill(); time.Sleep(50 * time.Millisecond) }
	amsctl(ctx, "import", "--collection", "things", "--file", path)
	s.after = nil
	state := path + ".things.import.json"
	text, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, regexp.MustCompile(`"import_id".*`).ReplaceAll(text, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	s.imports = nil
	if code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--resume"); code != 0 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	s.oneImport(t, map[string]any{"file_name": "things.csv", "created": 1500.0, "updated": 0.0, "unchanged": 0.0, "rejected": 0.0})
}

func TestResumingRefusesAFileThatHasChanged(t *testing.T) {
	s := newBulkService(t)
	path := things(t, 1500)
	ctx, kill := context.WithCancel(t.Context())
	s.after = func(call int) {
		if call == 2 {
			kill()
			time.Sleep(50 * time.Millisecond)
		}
	}
	amsctl(ctx, "import", "--collection", "things", "--file", path)
	if err := os.WriteFile(path, []byte("external_id,name,size\nx,y,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--resume")
	if code != 1 || !strings.Contains(errOut, "have changed since line 1002") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

func TestRejectsOfAnInterruptedImportAreNotWrittenTwice(t *testing.T) {
	s := newBulkService(t)
	var text strings.Builder
	text.WriteString("external_id,name,size\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "t-%d,Thing,%s\n", i, map[bool]string{true: "bad", false: "1"}[i%100 == 0])
	}
	path := file(t, "things.csv", text.String())
	ctx, kill := context.WithCancel(t.Context())
	s.after = func(call int) {
		if call == 2 {
			kill()
			time.Sleep(50 * time.Millisecond)
		}
	}
	amsctl(ctx, "import", "--collection", "things", "--file", path, "--resume")
	rejects, err := os.OpenFile(path+".things.rejects.csv", os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(rejects, "half a li") // what a crash may leave after the last acknowledged call
	_ = rejects.Close()
	s.after = nil
	if code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--resume"); code != 3 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	got, _ := os.ReadFile(path + ".things.rejects.csv")
	if lines := strings.Count(string(got), "\n"); lines != 31 || strings.Contains(string(got), "half") {
		t.Errorf("%d lines of rejects:\n%s", lines, got)
	}
}

func TestTheRateLimitIsWaitedForAndFailuresAreTriedAgain(t *testing.T) {
	s := newBulkService(t)
	var moments []time.Time
	s.before = func(w http.ResponseWriter, call int) bool {
		moments = append(moments, time.Now())
		switch call {
		case 1:
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(2*time.Second).Unix(), 10))
			http.Error(w, `{"error":"Too many requests."}`, http.StatusTooManyRequests)
		case 2:
			http.Error(w, `{"error":"The database is away."}`, http.StatusServiceUnavailable)
		case 3:
			panic(http.ErrAbortHandler) // the connection breaks
		default:
			return false
		}
		return true
	}
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", things(t, 10))
	if code != 0 || len(s.records) != 10 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if waited := moments[1].Sub(moments[0]); waited < time.Second {
		t.Errorf("after a 429 it waited %s", waited)
	}
	for _, want := range []string{"rate limit is used up", "The database is away.; trying again"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("%q does not say %q", errOut, want)
		}
	}
	if strings.Contains(out+errOut, "ams_live_secret") {
		t.Error("the key was shown")
	}
}

func TestARefusalThatNamesRecordsRejectsThoseAndSendsTheRest(t *testing.T) {
	s := newBulkService(t)
	s.before = func(w http.ResponseWriter, call int) bool {
		if call == 1 {
			http.Error(w, `{"error":"data[3].name: has a NUL","fields":[{"field":"data[3].name","message":"has a NUL"}]}`, http.StatusBadRequest)
		}
		return call == 1
	}
	code, out, _ := amsctl(t.Context(), "import", "--collection", "things", "--file", things(t, 10))
	if code != 3 || len(s.records) != 9 || !strings.Contains(out, "1 rejected") {
		t.Errorf("exit %d, %d records: %s", code, len(s.records), out)
	}
}

func TestWhatCannotBeRightStopsBeforeAnythingIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		args []string
		want string
	}{
		"an unknown field":        {"external_id,nam\n", nil, `the collection has no field "nam" (did you mean "name"?)`},
		"an unknown conflict":     {"name\n", []string{"--on-conflict", "merge"}, "error, skip or update"},
		"a collection":            {"name\n", []string{"--collection", "thing"}, `did you mean "things"?`},
		"a mapping that is away":  {"name\n", []string{"--mapping", "nowhere.yaml"}, "nowhere.yaml"},
		"too large a batch":       {"name\n", []string{"--batch-size", "5000"}, "1 to 1000"},
		"Latin-1 without a word":  {"name\n\xc9cole\n", nil, "--encoding windows-1252"},
		"an address that is none": {"name\n", []string{"--base-url", "ams.example.ca"}, "not an address"},
		"an output that is none":  {"name\n", []string{"--output", "xml"}, "table or json"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newBulkService(t)
			args := append([]string{"import", "--collection", "things", "--file", file(t, "in.csv", c.text)}, c.args...)
			code, out, errOut := amsctl(t.Context(), args...)
			if code != 1 || out != "" || !strings.Contains(errOut, c.want) {
				t.Errorf("exit %d, %q, %q does not say %q", code, out, errOut, c.want)
			}
			if s.seen != 0 {
				t.Errorf("%d calls were made", s.seen)
			}
		})
	}
}

func TestPartsGoToTheThingsThatTheirRowsName(t *testing.T) {
	s := newBulkService(t)
	path := file(t, "parts.csv", "thing_external_id,thing_id,external_id,name\n"+
		"T-1,,p-1,First\nt-2,,p-2,Second\n,"+thingIDs["t-1"]+",p-3,Third\nt-9,,p-4,Nobody's\n,,p-5,Nowhere\n,7,p-6,Not an id\n"+
		",019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99,p-7,Unknown\nt-2,,p-8,\n")
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "things/parts", "--file", path)
	if code != 3 || !strings.Contains(out, "3 records created, 0 updated, 0 unchanged, 5 rejected") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if !slices.Equal(s.paths, []string{thingIDs["t-1"], thingIDs["t-2"]}) || !slices.Equal(s.calls, []int{2, 2}) {
		t.Errorf("calls to %v with %v records", s.paths, s.calls)
	}
	if len(s.ended) != 0 {
		t.Errorf("parts have no imports of their own, and were said to be complete: %v", s.ended)
	}
	if string(s.records["p-1"]) != `{"external_id":"p-1","name":"First"}` {
		t.Errorf("the parent is still in the record: %s", s.records["p-1"])
	}
	rejects, err := os.ReadFile(path + ".things-parts.rejects.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []string{`p-4,thing_external_id,"nothing in things has the external_id ""t-9"""`,
		`p-5,thing_id,"is required, or thing_external_id"`, `"""7"" is not an id`, `p-7,thing_id,There is no such thing.`,
		"p-8,name,is required"} {
		if !strings.Contains(string(rejects), reason) {
			t.Errorf("the rejects do not say %s:\n%s", reason, rejects)
		}
	}
}

func TestWhatTheServiceFillsInIsLeftOutOfWhatWasExported(t *testing.T) {
	s := newBulkService(t)
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file",
		file(t, "things.csv", "id,external_id,name\n019a,t-1,First\n"))
	if code != 0 || string(s.records["t-1"]) != `{"external_id":"t-1","name":"First"}` {
		t.Errorf("exit %d: %s%s, record %s", code, out, errOut, s.records["t-1"])
	}
}

func TestFeaturesOfAGeoJSONFileAreRecords(t *testing.T) {
	s := newBulkService(t)
	path := file(t, "things.geojson",
		`{"type":"FeatureCollection","features":[{"type":"Feature","id":"x","geometry":{"type":"Point","coordinates":[-79,43]},"properties":{"NAME":"Hydrant","NR":7}},
		{"type":"Feature","geometry":null,"properties":{"NR":8}}]}`)
	rules := file(t, "things.yaml", "fields: {external_id: 'H-{NR}', name: '{NAME}', size: {column: NR}}")
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "things", "--file", path, "--mapping", rules)
	if code != 3 || string(s.records["H-7"]) != `{"external_id":"H-7","name":"Hydrant","size":7}` {
		t.Errorf("exit %d: %s%s, records %s", code, out, errOut, s.records["H-7"])
	}
	if rejects, err := os.ReadFile(path + ".things.rejects.ndjson"); err != nil ||
		!strings.Contains(string(rejects), `"rejected_line":2,"rejected_record":"H-8","rejected_field":"name"`) {
		t.Errorf("rejects %s, %v", rejects, err)
	}
}
