package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// What a report may still show stays, of every organization; the rest is removed, also behind a sweep that was killed.
func TestUseThatNoReportShowsIsRemoved(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":"BI","scopes":["assets:read"]}`)["id"].(string)
	elsewhere, key := newID(), newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, elsewhere)
	o.exec(`INSERT INTO api_key SELECT (jsonb_populate_record(k, jsonb_build_object(
			'organization_id', $1::text, 'id', $2::text, 'hash', '\x' || repeat('01', 32)))).* FROM api_key k WHERE id = $3`, elsewhere, key, made)
	o.exec(`INSERT INTO key_day (organization_id, key_id, day, requests, errors, limited)
		SELECT k.organization_id, k.id, (now() AT TIME ZONE 'UTC')::date - days, 1, 2, 1
		FROM api_key k, unnest(ARRAY[0, 1, 88, 91, 92] || ARRAY(SELECT generate_series(100, 700))) days WHERE k.id IN ($1, $2)`, made, key)
	path := o.internal + organizationPath + "/usage"
	before := send(t, "GET", path, o.ada, "")
	connection, err := pgx.Connect(t.Context(), o.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }()
	for _, end := range []string{"ROLLBACK", "COMMIT", "COMMIT", "COMMIT"} {
		for _, statement := range []string{"BEGIN", "SELECT sweep_key_day(500)", end} {
			if _, err := connection.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	var left int
	var oldest string
	if err := o.owner.QueryRow(t.Context(), `SELECT count(*), max((now() AT TIME ZONE 'UTC')::date - day)::text FROM key_day
		WHERE key_id IN ($1, $2)`, made, key).Scan(&left, &oldest); err != nil || left != 6 || oldest != "88" {
		t.Errorf("left are %d days, the oldest of them %s days ago, %v", left, oldest, err)
	}
	if after := send(t, "GET", path, o.ada, ""); string(after.body) != string(before.body) || !strings.Contains(string(after.body), made) {
		t.Errorf("the report was %s, and is %s", before.body, after.body)
	}
}

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
