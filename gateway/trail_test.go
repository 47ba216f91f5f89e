package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/edge"
	"ams.internal/gateway/keys"
	"ams.internal/libs/calendar"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

const auditPath = "/internal/organizations/01990000-0000-7000-8000-00000000000a/audit"

// trailOf reads a trail.
func (o *peopleFixture) trailOf(t *testing.T, query string) (entries []map[string]any, next string, missing []any) {
	t.Helper()
	a := send(t, "GET", o.internal+auditPath+"?"+query, o.eva, "")
	if a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", query, a.StatusCode, a.body)
	}
	page := a.json(t)
	for _, e := range page["data"].([]any) {
		entries = append(entries, e.(map[string]any))
	}
	next, _ = page["next"].(string)
	return entries, next, page["missing"].([]any)
}

func actions(entries []map[string]any) string {
	var all []string
	for _, e := range entries {
		all = append(all, e["action"].(string))
	}
	return strings.Join(all, " ")
}

// history stands for a service that keeps one: it responds with entries older than the cursor it is given.
func history(t *testing.T, singular string, times []time.Time) (http.HandlerFunc, *atomic.Pointer[map[string]any]) {
	var received atomic.Pointer[map[string]any]
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // its part of the documentation
			w.WriteHeader(http.StatusNotFound)
			return
		}
		var in map[string]any
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &in); err != nil || r.URL.Path != "/internal/changes" || r.Header.Get(principal.Header) == "" {
			t.Errorf("queried %s %s", r.URL.Path, body)
		}
		received.Store(&in)
		entries := []any{}
		for i, at := range slices.Backward(times) {
			e := map[string]any{"id": fmt.Sprintf("01990000-0000-7000-8000-%012d", i), "at": keys.Timestamp(at), "action": singular + ".updated",
				"address": "198.51.100.9", "request_id": "r", "actor": map[string]string{"type": "api_key", "id": people.max, "name": "BI"},
				"subject": map[string]string{"type": singular, "id": people.max, "name": "One"},
				"changes": map[string]any{"name": map[string]any{"old": "a", "new": "b"}}}
			before, _ := in["before"].(string)
			if (before == "" || e["at"].(string)+"_"+e["id"].(string) < before) && len(entries) < int(in["limit"].(float64)) {
				entries = append(entries, e)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"data": entries})
	}, &received
}

// newTrail is a gateway with two services that keep a history, and one that is unavailable.
func newTrail(t *testing.T) (*peopleFixture, *atomic.Pointer[map[string]any]) {
	w := newFixture(t)
	start := time.Now().Add(-time.Hour)
	var odd, even []time.Time
	for i := range 10 {
		odd, even = append(odd, start.Add(time.Duration(2*i)*time.Minute)), append(even, start.Add(time.Duration(2*i+1)*time.Minute))
	}
	serve, received := history(t, "asset", odd)
	w.serve("assets", serve)
	serve, _ = history(t, "work_order", even)
	w.serve("workorders", serve)
	w.serve("projects", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	o := &peopleFixture{fixture: w, people: w.people()}
	o.running = w.start()
	o.keys = o.internal + "/internal/organizations/" + people.organization + "/keys"
	o.ada, o.eva, o.max = w.signIn(o.running, "ada@example.ca"), w.signIn(o.running, "eva@example.ca"), w.signIn(o.running, "max@example.ca")
	return o, received
}

func TestOneTrailOfEverything(t *testing.T) {
	o, received := newTrail(t)
	made := o.created(t, `{"name":"BI","scopes":["assets:read"]}`)
	entries, next, missing := o.trailOf(t, "limit=1000")
	if fmt.Sprint(missing) != "[accounting documents forms infrastructure los mcp meters planning projects requests webhooks]" || next != "" {
		t.Errorf("missing %v, next %q", missing, next)
	}
	want := "key.created user.signed_in user.signed_in user.signed_in" + strings.Repeat(" work_order.updated asset.updated", 10)
	if actions(entries) != want {
		t.Errorf("the trail is %s", actions(entries))
	}
	if key := entries[0]; key["origin"] != "gateway" || key["address"] != "127.0.0.1" || key["actor"].(map[string]any)["name"] != "Ada" ||
		key["request_id"] == "" ||
		key["subject"].(map[string]any)["id"] != made["id"] || key["subject"].(map[string]any)["type"] != "key" {
		t.Errorf("%v", key)
	}
	if write := entries[4]; write["origin"] != "workorders" || write["address"] != "198.51.100.9" ||
		write["actor"].(map[string]any)["type"] != "api_key" || write["subject"].(map[string]any)["name"] != "One" ||
		fmt.Sprint(write["changes"]) != "map[name:map[new:b old:a]]" {
		t.Errorf("%v", write)
	}

	// Page by page it is the same, whatever the size of a page.
	for _, limit := range []int{1, 3, 7, 12, 24} {
		var paged []string
		for after, pages := "", 0; ; pages++ {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			if after != "" {
				query.Set("after", after)
			}
			page, next, _ := o.trailOf(t, query.Encode())
			for _, e := range page {
				paged = append(paged, e["id"].(string))
			}
			if after = next; next == "" || pages > 30 {
				break
			}
		}
		var whole []string
		for _, e := range entries {
			whole = append(whole, e["id"].(string))
		}
		if !slices.Equal(paged, whole) {
			t.Errorf("in pages of %d: %d entries, %d in one", limit, len(paged), len(whole))
		}
	}

	o.trailOf(t, "key="+made["id"].(string)+"&record="+people.max+"&from=2026-01-31&to=2026-02-01&limit=5")
	if got := *received.Load(); got["actor_id"] != made["id"] || got["record_id"] != people.max ||
		got["from"] != "2026-01-31T05:00:00.000000Z" || got["to"] != "2026-02-02T05:00:00.000000Z" || got["limit"] != 6.0 {
		t.Errorf("the services are queried for %v", got)
	}
}

func TestTheTrailIsFiltered(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":"BI","scopes":["assets:read"]}`)
	id := made["id"].(string)
	if a := send(t, "POST", o.keys+"/"+id+"/suspend", o.eva, "{}"); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	day := func(days int) string { return (calendar.Calendar{}).Day(time.Now().AddDate(0, 0, days)) } // where the organization is
	entries, _, _ := o.trailOf(t, "limit=2")
	at := url.QueryEscape(entries[0]["at"].(string))
	for query, want := range map[string]string{
		"key=" + id:                           "key.suspended key.created",
		"record=" + id:                        "key.suspended key.created",
		"person=" + people.eva:                "key.suspended user.signed_in",
		"person=" + people.ada:                "key.created user.signed_in",
		"person=" + people.ada + "&key=" + id: "key.created",
		"record=" + people.max:                "user.signed_in",
		"from=" + day(1):                      "",
		"to=" + day(-1):                       "",
		"from=" + at:                          "key.suspended",
		"from=" + day(0) + "&to=" + day(0) + "&key=" + id: "key.suspended key.created",
		"record=" + newID(): "",
	} {
		if got, _, _ := o.trailOf(t, query); actions(got) != want {
			t.Errorf("%s: %s, want %s", query, actions(got), want)
		}
	}
	for _, wrong := range []string{"key=x", "person=1", "record=*", "from=yesterday", "to=2026-13-01", "after=x",
		"after=2026-01-01T00:00:00.000000Z_x", "limit=0", "limit=1001", "page=1"} {
		if a := send(t, "GET", o.internal+auditPath+"?"+wrong, o.eva, ""); a.StatusCode != 400 || a.json(t)["fields"] == nil {
			t.Errorf("%s: %d %s", wrong, a.StatusCode, a.body)
		}
	}
}

func TestWhoReadsAndWritesTheTrail(t *testing.T) {
	o := newPeopleFixture(t)
	const entry = `{"action":"user.signed_out","subject":{"type":"user","id":"u","name":"Max"},"changes":{"everywhere":true},
		"address":"203.0.113.99"}`
	service := principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "service", ID: "console",
		Name: "console"}}
	key := principal.Principal{OrganizationID: people.organization, Actor: principal.Actor{Type: "api_key", ID: people.max, Name: "BI"},
		Scopes: []string{"*:*"}}
	other := console(people.ada, "Ada", "administrator")
	other.OrganizationID = newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency)
		VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other.OrganizationID)
	nowhere := console(people.ada, "Ada", "administrator")
	nowhere.OrganizationID = ""
	elsewhere := console(people.ada, "Ada", "administrator")
	elsewhere.Origin = "api"
	for name, test := range map[string]struct {
		by          principal.Principal
		read, write int
	}{
		"an Administrator":                    {console(people.ada, "Ada", "administrator"), 200, 201},
		"a manager":                           {console(people.max, "Max", "manager"), 403, 201},
		"a person whose role nobody vouches":  {elsewhere, 403, 201},
		"a service":                           {service, 200, 201},
		"a key":                               {key, 403, 403},
		"an Administrator of another":         {other, 404, 404},
		"an Administrator of no organization": {nowhere, 403, 403},
	} {
		if a := o.as(t, test.by, "GET", auditPath, ""); a.StatusCode != test.read {
			t.Errorf("%s reads: %d %s", name, a.StatusCode, a.body)
		}
		if a := o.as(t, test.by, "POST", auditPath, entry); a.StatusCode != test.write {
			t.Errorf("%s writes: %d %s", name, a.StatusCode, a.body)
		}
	}
	for name, bearer := range map[string]string{"a session": o.ada, "a member's session": o.max, "the operator": testToken} {
		if a := send(t, "POST", o.internal+auditPath, bearer, entry); a.StatusCode != 403 {
			t.Errorf("%s writes: %d %s", name, a.StatusCode, a.body)
		}
	}
	if a := send(t, "POST", o.internal+auditPath, "", entry); a.StatusCode != 401 {
		t.Errorf("nobody writes: %d", a.StatusCode)
	}
	if a := o.as(t, console(people.ada, "Ada", "administrator"), "POST", strings.Replace(auditPath, people.organization,
		other.OrganizationID, 1), entry); a.StatusCode != 404 {
		t.Errorf("into another organization: %d %s", a.StatusCode, a.body)
	}
	for _, wrong := range []string{`{}`, `{"action":"signed out"}`, `{"action":"User.Out"}`, `{"action":"user.x","subject":{"id":1}}`,
		`{"action":"user.x","subject":[]}`, `{"action":"user.x","changes":"x"}`,
		`{"action":"user.x","subject":{"name":"` + strings.Repeat("é", 256) + `"}}`, `{"action":"user.x","at":"2020-01-01T00:00:00Z"}`} {
		if a := o.as(t, service, "POST", auditPath, wrong); a.StatusCode != 400 {
			t.Errorf("%s: %d %s", wrong, a.StatusCode, a.body)
		}
	}
	entries, _, _ := o.trailOf(t, "limit=1000&person="+people.max)
	if e := entries[0]; e["action"] != "user.signed_out" || e["address"] != "203.0.113.99" || e["request_id"] != "request-of-the-console" ||
		fmt.Sprint(e["changes"]) != "map[everywhere:true]" ||
		e["actor"].(map[string]any)["name"] != "Max" {
		t.Errorf("%v", e)
	}
}

// TestTheTrailIsAppendOnly tries as the gateway's own role, past all of its code.
func TestTheTrailIsAppendOnly(t *testing.T) {
	o := newPeopleFixture(t)
	connection, err := pgx.Connect(t.Context(), o.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }()
	if _, err := connection.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", people.organization); err != nil {
		t.Fatal(err)
	}
	count := func() (rows int) {
		t.Helper()
		if err := connection.QueryRow(t.Context(), "SELECT count(*) FROM audit").Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	held := count()
	if held != 3 {
		t.Fatalf("%d entries, want the sign-ins of three people", held)
	}
	for _, statement := range []string{
		"UPDATE audit SET actor = '{}'", "UPDATE audit SET at = now() - interval '500 days'", "DELETE FROM audit", "TRUNCATE audit",
		"INSERT INTO audit SELECT * FROM audit ON CONFLICT (organization_id, id, at) DO UPDATE SET action = 'x'",
		"ALTER TABLE audit DISABLE ROW LEVEL SECURITY", "DROP TABLE audit", "GRANT ALL ON audit TO ams_gateway", "SET ROLE ams_owner",
		"CREATE OR REPLACE FUNCTION keep_partitions() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'", "SELECT FROM audit_rest",
		"UPDATE partitioned_table SET retained = '0'", "DROP TABLE audit_rest",
	} {
		if tag, err := connection.Exec(t.Context(), statement); err == nil && tag.String() != "GRANT" || err != nil &&
			!strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v %v", statement, tag, err)
		}
	}
	if _, err := connection.Exec(t.Context(), "DELETE FROM audit"); err == nil {
		t.Error("after all that, the entries can be deleted")
	}
	if left := count(); left != held {
		t.Errorf("%d of %d entries are left", left, held)
	}
}

// Of one month there is a partition, which is dropped; entries of the others lie in the rest, and are deleted.
func TestEntriesAreKeptFor400Days(t *testing.T) {
	o := newPeopleFixture(t)
	o.exec("SELECT make_partition('audit', now(), -17)")
	month := time.Now().UTC().AddDate(0, 0, 1-time.Now().UTC().Day()).AddDate(0, -17, 0).Format("audit_2006_01")
	other := newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency)
		VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other)
	for _, organization := range []string{people.organization, other} {
		o.exec(`INSERT INTO audit (organization_id, id, at, actor, action, subject, address, request_id)
			SELECT $1, gen_random_uuid(), now() - days * interval '1 day', '{"type":"user","id":"u","name":"Ada"}',
				'day.' || days, '{"type":"user","id":"u","name":"Ada"}', '', ''
			FROM unnest(ARRAY[399, 401, 500]) days`, organization)
	}
	o.exec(`INSERT INTO audit (organization_id, id, at, actor, action, subject, address, request_id)
		SELECT $1, gen_random_uuid(), now() - interval '2 years', '{}', 'very.old', '{}', '', '' FROM generate_series(1, 6000)`, other)
	testwait.For(t, time.Minute, "old entries are removed", func() bool {
		_, _ = o.owner.Exec(t.Context(), "SELECT keep_partitions()") // a lock that others hold is waited for the next time
		var left string
		err := o.owner.QueryRow(t.Context(), `SELECT string_agg(action, ' ' ORDER BY action)
			FROM audit WHERE at < now() - interval '1 day'`).Scan(&left)
		return err == nil && left == "day.399 day.399"
	})
	var dropped bool
	if err := o.owner.QueryRow(t.Context(), "SELECT to_regclass($1) IS NULL", month).Scan(&dropped); err != nil || !dropped {
		t.Errorf("the partition %s is still there (%v)", month, err)
	}
	if entries, _, _ := o.trailOf(t, "limit=100"); actions(entries) != "user.signed_in user.signed_in user.signed_in day.399" {
		t.Errorf("the trail is %s", actions(entries))
	}
}

// TestEveryServiceThatIsWrittenToIsAsked keeps a new service from being left out of the trail. Where no service is there, the
// trail says that the entries of each of them are missing.
func TestEveryServiceThatIsWrittenToIsAsked(t *testing.T) {
	w := newFixture(t)
	g := w.start()
	w.exec(`INSERT INTO organization (organization_id, name, plan, currency)
		VALUES ($1, 'Ville de Bellerive', 'enterprise', 'CAD')`, people.organization)
	missing := send(t, "GET", g.internal+auditPath, testToken, "").json(t)["missing"].([]any)
	for _, service := range edge.Documented() {
		if service != "search" && !slices.Contains(missing, any(service)) { // nothing is written to a search
			t.Errorf("%s is written to, and its history is in no trail", service)
		}
	}
}
