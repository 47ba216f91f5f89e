package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestUseOfTheLast90DaysIsShown(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":"BI","scopes":["assets:read"]}`)
	other := o.created(t, `{"name":"Another","scopes":["assets:read"]}`)
	for id, days := range map[string]string{made["id"].(string): "0, 1, 89, 90, 200", other["id"].(string): "1"} {
		o.exec(`INSERT INTO key_day (organization_id, key_id, day, requests, errors, limited)
			SELECT $1, $2, (now() AT TIME ZONE 'UTC')::date - days, 10 + days, 2, 1 FROM unnest(ARRAY[`+days+`]) days`, people.organization, id)
	}
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	path := o.internal + organizationPath + "/usage"
	for query, want := range map[string]string{
		"":                                   "89:BI:99 1:Another:11 1:BI:11 0:BI:10",
		"?from=" + day(1):                    "1:Another:11 1:BI:11 0:BI:10",
		"?to=" + day(1):                      "89:BI:99 1:Another:11 1:BI:11",
		"?from=" + day(1) + "&to=" + day(1):  "1:Another:11 1:BI:11",
		"?from=2020-01-01&to=" + day(89):     "89:BI:99",
		"?key=" + other["id"].(string):       "1:Another:11",
		"?key=" + newID():                    "",
		"?from=" + day(0) + "&to=2099-01-01": "0:BI:10",
	} {
		a := send(t, "GET", path+query, o.ada, "")
		if a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", query, a.StatusCode, a.body)
		}
		var got []string
		for _, u := range a.json(t)["data"].([]any) {
			u := u.(map[string]any)
			at, _ := time.Parse(time.DateOnly, u["day"].(string))
			got = append(got, fmt.Sprintf("%d:%s:%v", int(time.Since(at).Hours()/24), u["key_name"], u["requests"]))
			if u["errors"] != 2.0 || u["limited"] != 1.0 {
				t.Errorf("%v", u)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	for _, wrong := range []string{"?from=" + day(0) + "&to=" + day(1), "?from=soon", "?to=2026-02-30", "?key=x", "?days=30"} {
		if a := send(t, "GET", path+wrong, o.ada, ""); a.StatusCode != 400 {
			t.Errorf("%s: %d %s", wrong, a.StatusCode, a.body)
		}
	}
}
