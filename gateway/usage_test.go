package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// TestUseIsWrittenByOneStatementPerInterval counts what the database is asked, however many keys there are.
func TestUseIsWrittenByOneStatementPerInterval(t *testing.T) {
	if usageInterval < 10*time.Second {
		t.Errorf("use is written every %s", usageInterval)
	}
	w := newWorld(t)
	address, run := postgrestest.CountStatements(t, w.database.URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	organization := newID()
	var keys []*key
	for range 40 {
		_, id := w.key(newKey{organization: organization})
		keys = append(keys, &key{id: id, organization: organization})
	}
	u := newUsage(db.Pool(), slog.New(slog.DiscardHandler))
	u.interval = 300 * time.Millisecond
	client := netip.MustParseAddr("203.0.113.7")
	noted := 0
	note := func() {
		for i, status := range []int{200, 201, 304, 400, 403, 404, 429, 500, 503} {
			u.note(keys[(noted+i)%len(keys)], client, status, time.Now())
		}
		noted++
	}
	if err := db.Ping(t.Context()); err != nil { // the first connection sets itself up
		t.Fatal(err)
	}
	before := run.Load()
	for range 200 {
		note()
	}
	if asked := run.Load() - before; asked != 0 {
		t.Errorf("noting asked the database %d times", asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	began := time.Now()
	go func() { defer close(done); u.follow(ctx) }()
	for time.Since(began) < 1500*time.Millisecond {
		note()
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	intervals := int64(time.Since(began)/u.interval) + 1 // and one at the end
	if asked := run.Load() - before; asked < 2 || asked > intervals {
		t.Errorf("the database was asked %d times in %d intervals", asked, intervals)
	}
	var requests, errors, limited int
	if err := w.owner.QueryRow(t.Context(), "SELECT sum(requests), sum(errors), sum(limited) FROM key_day").Scan(&requests, &errors, &limited); err != nil {
		t.Fatal(err)
	}
	if requests != 9*noted || errors != 5*noted || limited != noted {
		t.Errorf("%d requests, %d errors, %d limited were written; %d times 9, 5 and 1 were noted", requests, errors, limited, noted)
	}
}

func TestUseOfTheLast90DaysIsShown(t *testing.T) {
	o := newOperators(t)
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
