package assets

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// announcer announces what has come, as the service does in the background.
type announcer struct {
	*resourcetest.Client
	database *postgrestest.Database
	family   family
	owner    *pgx.Conn
}

func newAnnouncer(t testing.TB) announcer {
	t.Helper()
	client, database, _ := serveAlone(t)
	return announcerOn(t, database, client)
}

// announcerOn announces in a database that is there.
func announcerOn(t testing.TB, database *postgrestest.Database, client *resourcetest.Client) announcer {
	t.Helper()
	db, signer := database.Open(t), resourcetest.NewSigner(t)
	f := family{resource.NewRegistry(transport.New(signer, db, resourcetest.Log(t)), db, resourcetest.NewPeers(t, signer).References)}
	f.mount()
	return announcer{client, database, f, owner(t, database)}
}

func (a announcer) must(t testing.TB, zone string, want int) {
	t.Helper()
	sent, err := a.family.watch(func(context.Context) ([]principal.Principal, error) {
		return []principal.Principal{{OrganizationID: a.Principal.OrganizationID, Currency: "CAD", TimeZone: zone,
			Actor: principal.Actor{Type: "service", ID: "assets"}}}, nil
	}).Announce(t.Context())
	if err != nil || sent != want {
		t.Errorf("%d events were sent, want %d: %v", sent, want, err)
	}
}

func (a announcer) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := a.owner.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// sent are the events of an asset that time has brought.
func (a announcer) sent(t testing.TB, asset fields) (types []string) {
	t.Helper()
	for _, e := range resourcetest.Events(t, a.database) {
		if e.RecordID == asset["id"] && (e.Type == "asset.warranty_ending" || e.Type == "asset.renewal_due") {
			types = append(types, e.Type)
			if e.Object["name"] != asset["name"] || len(e.Changed) > 0 || e.Payload["origin"] != nil {
				t.Errorf("%+v", e)
			}
		}
	}
	return types
}

func inDays(t testing.TB, zone string, days int) string {
	t.Helper()
	at, err := time.Parse(time.DateOnly, calendar.Calendar{TimeZone: zone}.Today())
	if err != nil {
		t.Fatal(err)
	}
	return at.AddDate(0, 0, days).Format(time.DateOnly)
}

func TestAWarrantyThatEndsIsAnnouncedOnceNinetyDaysBefore(t *testing.T) {
	a := newAnnouncer(t)
	const zone = calendar.DefaultTimeZone
	make := func(days int, status string) fields {
		return a.Create(t, "/v1/assets", fields{"name": fmt.Sprint(days, status), "warranty_expires_on": inDays(t, zone, days), "status": status})
	}
	on, soon, last := make(90, "in_service"), make(30, "out_of_service"), make(0, "in_service")
	later, ended, old := make(91, "in_service"), make(-1, "in_service"), make(-4000, "in_service")
	planned, gone := make(30, "planned"), make(30, "decommissioned")
	a.must(t, zone, 0) // all of them were entered too late, or are not there yet
	a.exec(t, "UPDATE asset SET created_at = created_at - interval '2 years'")
	a.must(t, zone, 3)
	a.must(t, zone, 0)
	for _, each := range []fields{on, soon, last} {
		if got := a.sent(t, each); len(got) != 1 || got[0] != "asset.warranty_ending" {
			t.Errorf("%v has %v", each["name"], got)
		}
	}
	for _, each := range []fields{later, ended, old, planned, gone} {
		if got := a.sent(t, each); len(got) > 0 {
			t.Errorf("%v has %v", each["name"], got)
		}
	}
	path := fmt.Sprint("/v1/assets/", soon["id"])
	resourcetest.Expect(t, a.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"version": 1})
	a.Must(t, http.StatusOK, "PATCH", path, fields{"warranty_expires_on": inDays(t, zone, 400)}) // it was extended
	a.must(t, zone, 0)
	a.Must(t, http.StatusOK, "PATCH", path, fields{"warranty_expires_on": inDays(t, zone, 60)})
	a.must(t, zone, 1)
	if got := a.sent(t, soon); len(got) != 2 {
		t.Errorf("a warranty that ends on another day has %v", got)
	}
}

func TestTheNinetyDaysAreCountedWhereTheOrganizationIs(t *testing.T) {
	a := newAnnouncer(t)
	const ahead, behind = "Pacific/Kiritimati", "Pacific/Pago_Pago" // their days are never the same
	a.Create(t, "/v1/assets", fields{"name": "Pompe", "warranty_expires_on": inDays(t, ahead, 90)})
	a.exec(t, "UPDATE asset SET created_at = created_at - interval '1 year'")
	a.must(t, behind, 0)
	a.must(t, ahead, 1)
}

func TestARenewalIsDueOnceInItsYear(t *testing.T) {
	a := newAnnouncer(t)
	const zone = calendar.DefaultTimeZone
	year := inDays(t, zone, 0)[:4]
	make := func(body fields) fields {
		body["name"] = "Toiture"
		return a.Create(t, "/v1/assets", body)
	}
	var this int
	if _, err := fmt.Sscan(year, &this); err != nil {
		t.Fatal(err)
	}
	due, next, before := make(fields{"planned_renewal_year": this}), make(fields{"planned_renewal_year": this + 1}),
		make(fields{"planned_renewal_year": this - 1})
	gone := make(fields{"planned_renewal_year": this, "status": "decommissioned"})
	a.must(t, zone, 0) // the year had begun when they were entered
	a.exec(t, "UPDATE asset SET created_at = created_at - interval '2 years'")
	a.must(t, zone, 1)
	a.must(t, zone, 0)
	path := fmt.Sprint("/v1/assets/", next["id"])
	a.Must(t, http.StatusOK, "PATCH", path, fields{"planned_renewal_year": this})
	a.must(t, zone, 1)
	for _, each := range []fields{due, next} {
		if got := a.sent(t, each); len(got) != 1 || got[0] != "asset.renewal_due" {
			t.Errorf("%v", got)
		}
	}
	if got := append(a.sent(t, before), a.sent(t, gone)...); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// A look reads what has come or is about to, however many warranties have ended, are far off, or are of others.
func TestALookForWarrantiesReadsOnlyThoseThatEndSoon(t *testing.T) {
	a := newAnnouncer(t)
	const many = 20_000
	a.exec(t, "ALTER TABLE asset DISABLE TRIGGER USER")
	for _, organization := range []string{a.Principal.OrganizationID, a.Other().Principal.OrganizationID} {
		a.exec(t, `INSERT INTO asset (organization_id, id, position, created_at, updated_at, created_by, updated_by, name, status,
			amortization_method, warranty_expires_on, planned_renewal_year)
			SELECT $1::text::uuid, gen_random_uuid(), i, clock_timestamp() - interval '30 years', clock_timestamp(), '{}', '{}', 'Asset ' || i,
				'in_service', 'straight_line', CASE WHEN i % 2 = 0 THEN current_date - 1000 - i ELSE current_date + 1000 + i END, 2100 + i % 100
				FROM generate_series(1, $2::int) i`, organization, many)
	}
	a.exec(t, "ALTER TABLE asset ENABLE TRIGGER USER")
	a.exec(t, "ANALYZE asset")
	for _, o := range a.family.watch(nil).Types {
		tx, err := a.owner.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), `SELECT set_config('ams.organization_id', $1, true), set_config('ams.today', current_date::text, true),
			set_config('ams.time_zone', 'America/Toronto', true)`, a.Principal.OrganizationID); err != nil {
			t.Fatal(err)
		}
		var plan []byte
		if err := tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+o.Mark(), o.Event, 200).Scan(&plan); err != nil {
			t.Fatal(err)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		var explained []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		if err := json.Unmarshal(plan, &explained); err != nil {
			t.Fatal(err)
		}
		if pages := explained[0].Plan.Hit + explained[0].Plan.Read; pages > 20 || strings.Contains(string(plan), `"Seq Scan"`) {
			t.Errorf("%s reads %d pages of %d assets while nothing has come:\n%s", o.Event, pages, many, plan)
		}
	}
}
