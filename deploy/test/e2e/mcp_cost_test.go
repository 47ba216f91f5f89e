package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/libs/localport"
)

// watched passes requests on to a gateway and remembers them: the requests of an MCP process can be seen nowhere else. Whether the gateway
// lives, which is asked where an answer takes long, is none of them.
type watched struct {
	server *httptest.Server
	mu     sync.Mutex
	seen   []*http.Request
}

func watch(t *testing.T, target string) *watched {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" {
			w.mu.Lock()
			w.seen = append(w.seen, r.Clone(r.Context()))
			w.mu.Unlock()
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	return w
}

func (w *watched) address() string { return strings.TrimPrefix(w.server.URL, "http://") }

func (w *watched) since() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

// startMCP starts one more MCP process, which reaches the gateway through what watches.
func startMCP(t *testing.T, public, internal *watched) (base string, pid int) {
	t.Helper()
	s := devstack.ForTest(t)
	content, err := os.ReadFile(filepath.Join(s.Folder(), "secrets"))
	if err != nil {
		t.Fatal(err)
	}
	var secrets struct {
		Principal string            `json:"principal"`
		Roles     map[string]string `json:"roles"`
	}
	if err := json.Unmarshal(content, &secrets); err != nil {
		t.Fatal(err)
	}
	database, err := url.Parse(s.Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	database.User = url.UserPassword("ams_mcp", secrets.Roles["ams_mcp"])
	address := localport.ForTest(t)
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(filepath.Join(binaries, "ams"), "serve", "mcp")
	command.Env = append(os.Environ(), "AMS_LISTEN="+address, "AMS_BASE_URL=http://"+address, "AMS_DATABASE_URL="+database.String(),
		"AMS_PRINCIPAL_SECRETS="+secrets.Principal,
		"AMS_MCP_SECRETS="+strings.Repeat("m", 32), "AMS_DISCOVERY=static",
		"AMS_STATIC_SERVICES=gateway="+public.address()+";gateway-internal="+internal.address())
	command.Stderr = t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		response, err := http.Get("http://" + address + "/readyz")
		if err == nil && response.Body.Close() == nil && response.StatusCode == 200 {
			return "http://" + address, command.Process.Pid
		}
		if time.Now().After(until) {
			t.Fatalf("the MCP process is not ready: %v", err)
		}
	}
}

func TestACallCostsOneKeyCheckAndItsRequestsWhichArePinnedToCanada(t *testing.T) {
	d := devstack.ForTest(t).Description()
	public, internal := watch(t, d.BaseURL), watch(t, d.AdminURL)
	base, pid := startMCP(t, public, internal)
	e := newFixture(t, fresh(t, city), "Counted")
	a := connect(t, caller{base, fresh(t, city).key}, eras[0])
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		requests  int
	}{
		{"get_context", nil, 1},
		{"find", map[string]any{"text": "Counted"}, 1},
		{"search_assets", map[string]any{"q": "Counted"}, 1},
		{"get_asset", map[string]any{"id": e["asset"]}, 2},
		{"get_history", map[string]any{"kind": "asset", "id": e["asset"]}, 1},
		// one is found, and its documents
		{"list_records", map[string]any{"kind": "building", "filters": map[string]any{"site_id": e["site"]}}, 2},
		{"get_summary", map[string]any{"kind": "site", "id": e["site"]}, 1},
		{"get_summary", map[string]any{"kind": "site", "id": e["site"], "trend_months": 12}, 6},
		{"state_of_assets", map[string]any{"everything": true}, 1},
		{"search_work_orders", nil, 1},
		{"get_work_order", map[string]any{"id": e["work_order"], "include": []string{"comments", "tasks", "costs"}}, 5}, // and its documents
		{"los_scorecard", map[string]any{"service_area_id": e["service_area"]}, 1},
		{"search_segments", map[string]any{"network_id": e["network"]}, 2}, // so is one here
		{"search_projects", nil, 1},
		{"get_project", map[string]any{"id": e["project"]}, 2},
		{"capital_plan", nil, 1},
		{"state_of_assets", nil, 1},
		{"list_findings", map[string]any{"kind": "deficiency"}, 1},
		{"list_documents", map[string]any{"record_id": e["asset"]}, 1},
		{"maintenance_outlook", map[string]any{"kind": "forecast", "from": "2027-01-01", "to": "2027-12-31"}, 1},
		{"planning_results", map[string]any{"view": "runs"}, 1},
		{"tca_schedule", map[string]any{"fiscal_year": 2025}, 1},
		{"run_scenarios", map[string]any{"scenario_ids": []string{e["scenario"]}}, 1},
		{"create_asset", map[string]any{"name": "Counted pump"}, 1},
		// What is written refers to others, whose names are one request more.
		{"update_asset", map[string]any{"id": e["asset"], "location": "104"}, 2},
		{"record_condition", map[string]any{"asset_id": e["asset"], "assessed_on": "2026-05-12", "condition_rating": 2}, 2},
		{"create_work_order", map[string]any{"title": "Counted"}, 1},
		{"create_work_order", map[string]any{"title": "Counted", "request_id": e["request"]}, 2},
		{"update_work_order", map[string]any{"id": e["work_order"], "priority": "low"}, 2},
		{"transition_work_order", map[string]any{"id": e["work_order"], "to": "in_progress"}, 2},
		{"add_comment", map[string]any{"work_order_id": e["work_order"], "body": "Vu"}, 2},
		{"record_measurement", map[string]any{"measure_id": e["measure"], "period_start": "2026-01-01", "period_end": "2026-02-01", "value": 1},
			2},
		{"record_inspection", map[string]any{"segment_id": e["segment"], "inspected_on": "2026-05-12", "condition_rating": 2}, 2},
	} {
		public.since()
		internal.since()
		a.must(t, c.tool, c.arguments)
		requested := public.since()
		if len(requested) != c.requests {
			t.Errorf("%s costs %d requests, not %d", c.tool, len(requested), c.requests)
		}
		for _, r := range requested {
			if got := r.Header.Values("X-Region"); len(got) != 1 || got[0] != "ca-central-1" {
				t.Errorf("%s: %s %s goes to the region %v", c.tool, r.Method, r.URL.Path, got)
			}
			if (r.Header.Get("Idempotency-Key") != "") != (r.Method == http.MethodPost) {
				t.Errorf("%s: %s %s has the idempotency key %q", c.tool, r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"))
			}
			if strings.Contains(r.URL.String(), "ams_live_") {
				t.Errorf("%s: the key is in %s", c.tool, r.URL)
			}
		}
		if checks := internal.since(); len(checks) != 1 || checks[0].URL.Path != "/internal/keys/check" {
			t.Errorf("%s costs %d key checks", c.tool, len(checks))
		}
	}
	for _, tool := range a.tools() {
		if !a.called[tool] {
			t.Errorf("%s was not counted", tool)
		}
	}
	work(t, a, e)
	if used := memory(t, pid); used > 40<<20 {
		t.Errorf("the process holds %d MB", used>>20)
	} else {
		t.Logf("the process holds %d MB", used>>20)
	}
}

// work is what a busy hour does: long lists, by several assistants at once.
func work(t *testing.T, a *assistant, e fixture) {
	t.Helper()
	var working sync.WaitGroup
	for range 8 {
		working.Go(func() {
			for range 25 {
				a.try(t, "search_assets", map[string]any{"limit": 100, "fields": []string{"name", "notes", "site", "building", "created_by"}})
				a.try(t, "get_asset", map[string]any{"id": e["asset"]})
			}
		})
	}
	working.Wait()
}

// memory is what a process holds for itself, in bytes: the pages of its program, about 57 MB, are those of every process that runs it.
func memory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "RssAnon:"); found {
			kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	t.Fatal("the kernel does not say how much memory the process holds")
	return 0
}
