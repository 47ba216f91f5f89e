package workorders

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/odata"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

var requester = fields{"requester_name": "Anne Roy", "requester_email": "anne@example.ca"}

// Who asked for work is shown to those who may read requests. For others there is nothing: in no response, of reading or writing, in no
// format, by no filter, order or group; and in no event and no history for anybody.
func TestWhoAskedForWorkIsPrivate(t *testing.T) {
	f := newFixture(t)
	path, record := f.create(t, requester)
	resourcetest.Expect(t, record, requester)
	narrow := *f.Client
	narrow.Principal.Scopes = []string{"work_orders:read", "work_orders:write"}
	none := fields{"requester_name": nil, "requester_email": nil}
	secret := func(what string, answer resourcetest.Response) resourcetest.Response {
		t.Helper()
		if text := string(answer.Body); strings.Contains(text, "anne@") || strings.Contains(text, "Anne") {
			t.Errorf("%s: %.600s", what, text)
		}
		return answer
	}
	resourcetest.Expect(t, secret("GET", narrow.Must(t, http.StatusOK, "GET", path, nil)).JSON, none)
	secret("list", narrow.Must(t, http.StatusOK, "GET", "/v1/work-orders?fields=id,requester_email", nil))
	for _, format := range []string{"text/csv", "application/x-ndjson", "application/vnd.apache.parquet"} {
		secret(format, narrow.Must(t, http.StatusOK, "GET", "/v1/work-orders", nil, "Accept", format))
	}
	resourcetest.Expect(t, secret("PATCH", narrow.Must(t, http.StatusOK, "PATCH", path, fields{"priority": "low"})).JSON, none)
	secret("transition", narrow.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "in_progress"}))
	secret("bulk", narrow.Must(t, http.StatusOK, "PATCH", "/v1/work-orders/bulk", fields{"data": []fields{{"id": record["id"],
		"priority": "high"}}}))
	secret("POST", narrow.Must(t, http.StatusCreated, "POST", "/v1/work-orders", merged(fields{"title": "Pompe"}, requester)))
	inOData := func(of *resourcetest.Client, status int, options ...string) resourcetest.Response {
		query := url.Values{}
		for i := 0; i < len(options); i += 2 {
			query.Set(options[i], options[i+1])
		}
		answer := of.Do(t, "GET", "/v1/work-orders?"+query.Encode(), nil, odata.Header, "https://api.example.com/odata/v4/work_orders")
		if answer.Status != status {
			t.Fatalf("%v: %d, want %d: %s", options, answer.Status, status, answer.Body)
		}
		return answer
	}
	secret("OData", inOData(&narrow, http.StatusOK))
	for _, asked := range [][]string{{"$filter", "requester_email eq 'anne@example.ca'"}, {"$filter", "startswith(requester_name, 'A')"},
		{"$orderby", "requester_name"}, {"$apply", "groupby((requester_email),aggregate($count as n))"},
		{"$apply", "aggregate(requester_email with countdistinct as n)"}} {
		resourcetest.Expect(t, inOData(&narrow, http.StatusForbidden, asked...).JSON["error"].(fields), fields{"code": "scope_missing"})
		inOData(f.Client, http.StatusOK, asked...)
	}
	for _, query := range []string{"requester_email=anne@example.ca", "requester_name=null", "sort=requester_name",
		"sort=-priority,requester_name"} {
		resourcetest.Expect(t, narrow.Must(t, http.StatusForbidden, "GET", "/v1/work-orders?"+query, nil).JSON,
			fields{"required_scope": "requests:read"})
		f.Must(t, http.StatusOK, "GET", "/v1/work-orders?"+query, nil)
	}
	if list, _ := f.List(t, "/v1/work-orders?requester_email=anne@example.ca"); len(list) != 2 || list[0]["requester_name"] != "Anne Roy" {
		t.Errorf("who may read requests finds %v", list)
	}
	history := secret("history", f.Must(t, http.StatusOK, "GET", path+"/history", nil))
	if !strings.Contains(string(history.Body), "requester_email") {
		t.Errorf("the history does not say what was given: %s", history.Body)
	}
	for _, e := range f.Events(t, f.database) {
		if text := fmt.Sprint(e); strings.Contains(text, "anne@") {
			t.Errorf("%s", text)
		}
	}
}

// Contact data of work is erased contact_retention_days after its end, as that of requests.
func TestWhoAskedForWorkIsErasedSomeTimeAfterTheEnd(t *testing.T) {
	f := newFixtureAlone(t)
	f.peers.Respond("/internal/organizations/"+f.Principal.OrganizationID, fields{"id": f.Principal.OrganizationID, "name": "Ville",
		"currency":  "CAD",
		"time_zone": "America/Toronto", "fiscal_year_end_month": 12, "features": []string{"api_access"}, "contact_retention_days": 30})
	paths := map[string]string{}
	for _, status := range []string{"open", "completed", "closed", "cancelled"} {
		path, _ := f.create(t, requester)
		paths[status] = path
		for _, to := range map[string][]string{"completed": {"completed"}, "closed": {"completed", "closed"},
			"cancelled": {"cancelled"}}[status] {
			body := fields{"to": to}
			if to == "cancelled" {
				body["cancel_reason"] = "Doublon"
			}
			f.Must(t, http.StatusOK, "POST", path+"/transition", body)
		}
	}
	erase := func(days int, erased ...string) {
		t.Helper()
		data := f.orders().contacts(func() time.Time { return time.Now().AddDate(0, 0, days) })
		for range 2 {
			if err := data.Erase(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for status, path := range paths {
			want := requester
			if slices.Contains(erased, status) {
				want = fields{"requester_name": nil, "requester_email": nil}
			}
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, want)
		}
	}
	erase(29)
	erase(31, "completed", "closed", "cancelled")
	if text := string(f.Must(t, http.StatusOK, "GET", paths["closed"]+"/history", nil).Body); !strings.Contains(text, "Work orders") ||
		strings.Contains(text, "anne@") {
		t.Errorf("%s", text)
	}
}

// Whoever wants to have erased what is stored under an address gets it at once, whether the work has ended or not.
func TestContactDataOfAnAddressIsShownAndErased(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mine, _ := f.create(t, requester)
	other, _ := f.create(t, fields{"requester_name": "Ben", "requester_email": "ben@example.ca"})
	elsewhere := f
	elsewhere.Client = f.Other()
	theirs, _ := elsewhere.create(t, requester)
	gateway := *f.Client
	gateway.Principal.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	query := fields{"email": strings.ToUpper(fmt.Sprint(requester["requester_email"]))}
	f.Must(t, http.StatusForbidden, "POST", "/internal/contacts/export", query)
	f.Must(t, http.StatusForbidden, "POST", "/internal/contacts/erase", query)
	shown := gateway.Must(t, http.StatusOK, "POST", "/internal/contacts/export", query)
	if text := string(shown.Body); !strings.Contains(text, strings.TrimPrefix(mine, "/v1/work-orders/")) || !strings.Contains(text, "anne@") ||
		strings.Contains(text, "ben@") || strings.Count(text, `"requester_email"`) != 1 {
		t.Errorf("%s", shown.Body)
	}
	for _, want := range []string{`"work_order":1`, `"rows":{}`} { // once more, nothing is left
		if done := gateway.Must(t, http.StatusOK, "POST", "/internal/contacts/erase", query); !strings.Contains(string(done.Body), want) {
			t.Errorf("%s, not %s", done.Body, want)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", mine, nil).JSON, fields{"requester_name": nil, "requester_email": nil})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", other, nil).JSON, fields{"requester_email": "ben@example.ca"})
	resourcetest.Expect(t, elsewhere.Must(t, http.StatusOK, "GET", theirs, nil).JSON, requester)
	if list, _ := f.List(t, "/v1/work-orders?q=anne"); len(list) != 0 {
		t.Errorf("a search finds %v", list)
	}
}
