package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

var address = regexp.MustCompile(`[\p{L}0-9._%+-]+(@|%40)[\p{L}0-9-]+(\.[\p{L}0-9-]+)+`)

// A key without users:read and requests:read, which nobody confirms, sees no e-mail address of a member or resident: in no record, list,
// file, history, report or event, and in no set or group of OData.
func TestNoAddressIsShownWithoutTheScopesForIt(t *testing.T) {
	full := fresh(t, city)
	requester := map[string]any{"requester_name": "Rosalie Demers", "requester_email": "rosalie.demers@example.ca"}
	with := func(body map[string]any) map[string]any {
		for name, value := range requester {
			body[name] = value
		}
		return body
	}
	request := full.create(t, "/v1/requests", with(map[string]any{"title": "Broken swing"}))
	order := full.create(t, "/v1/work-orders", with(map[string]any{"title": "Mend the swing"}))
	full.must(t, 200, "PATCH", "/v1/work-orders/"+order, map[string]any{"requester_email": "r.demers@example.ca"})
	full.must(t, 200, "POST", "/v1/requests/"+request+"/accept", map[string]any{"work_order_id": order})
	if shown := full.must(t, 200, "GET", "/v1/work-orders?requester_email=r.demers@example.ca", nil); !address.Match(shown.body) {
		t.Fatalf("who may read requests sees no address: %s", shown.body)
	}
	var scopes []string
	for row := range catalogue.Product().Collections() {
		if scope := row.Scope + ":read"; scope != "users:read" && scope != "requests:read" && !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	c := freshFor(t, city, scopes...)
	looked := 0
	look := func(path string, header ...string) response {
		t.Helper()
		answer := c.do(t, "GET", path, nil, header...)
		if answer.status == 200 {
			looked++
		}
		for _, found := range address.FindAllString(string(answer.body), 3) {
			t.Errorf("%s %v shows %s", path, header, found)
		}
		return answer
	}
	for row := range catalogue.Product().Collections() {
		if row.Scope == "users" || row.Scope == "requests" {
			continue
		}
		path := parameter.ReplaceAllString(row.Path, "-")
		list := look(path + "?per_page=1000&sort=-updated_at")
		look(path, "Accept", "text/csv")
		look("/odata/v4/" + row.Name + "?$top=500")
		if rows, _ := list.object["data"].([]any); len(rows) > 0 && path == row.Path {
			one := path + "/" + rows[0].(map[string]any)["id"].(string)
			look(one)
			look(one + "/history")
		}
	}
	look("/v1/work-orders/" + order + "/history")
	for _, o := range operations(t) {
		if o.method != "GET" || !strings.HasPrefix(o.path, "/v1/") || strings.Contains(o.path, "{") || o.scope == "users:read" ||
			o.scope == "requests:read" {
			continue
		}
		look(o.path + period[o.path])
	}
	for _, query := range []string{"$apply=groupby((requester_email))", "$filter=startswith(requester_email,'r')", "$orderby=requester_name"} {
		if answer := look("/odata/v4/work_orders?" + query); answer.status != 403 {
			t.Errorf("%s: %d %s", query, answer.status, answer.body)
		}
	}
	if looked < 200 {
		t.Errorf("it looked at %d responses only", looked)
	}
}
