package infrastructure

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
	"ams.internal/libs/work"
)

// asOwner runs a statement as the owner of the database, whom no organization limits.
func (f *fixture) asOwner(t testing.TB, statement string, args ...any) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.Exec(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// texts gives the first column of a query of the owner.
func (f *fixture) texts(t testing.TB, query string, args ...any) []string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	rows, err := db.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}

// asBefore makes the computed lengths of all organizations what a program of the last release would have written.
func (f *fixture) asBefore(t testing.TB) {
	t.Helper()
	f.asOwner(t, `UPDATE segment SET measured_length_m = NULL, length_m = 1111.95,
		replacement_cost = CASE WHEN replacement_cost_computed THEN 1111950 ELSE replacement_cost END WHERE length_computed`)
}

// again is the service in another process.
func (f *fixture) again(t testing.TB) family {
	t.Helper()
	db := f.database.Open(t)
	api := transport.New(f.Signer, db, resourcetest.Log(t))
	made := family{resource.NewRegistry(api, db, f.peers.References)}
	made.mount()
	return made
}

func (f *fixture) context(t testing.TB) context.Context {
	return principal.Into(t.Context(), principal.Principal{OrganizationID: f.Principal.OrganizationID,
		Actor: principal.Actor{Type: "service", ID: "infrastructure", Name: "infrastructure"}})
}

// north is 0.01° of latitude: 1,111.06 m, which were 1,111.95 on the sphere.
var north = fields{"type": "LineString", "coordinates": []any{[]any{-79.3832, 43.6532}, []any{-79.3832, 43.6632}}}

// fill makes segments with the line north and a cost per metre.
func fill(t testing.TB, client *resourcetest.Client, count int) {
	t.Helper()
	network := newNetwork(t, client, "road")
	for begin := 0; begin < count; begin += 1000 {
		var rows []fields
		for i := begin; i < min(begin+1000, count); i++ {
			rows = append(rows, fields{"network_id": network, "name": fmt.Sprint("Rue ", i), "geometry": north, "replacement_unit_cost_per_m": 1000})
		}
		client.Must(t, http.StatusOK, "POST", "/v1/infrastructure/segments/bulk", fields{"data": rows})
	}
}

func TestLengthsOfTheLastReleaseAreMeasuredAnew(t *testing.T) {
	f := newFixtureAlone(t)
	network := newNetwork(t, f.Client, "road")
	create := func(body fields) fields {
		body["network_id"], body["name"] = network, "Rue"
		return f.Create(t, "/v1/infrastructure/segments", body)
	}
	computed := create(fields{"geometry": north, "replacement_unit_cost_per_m": 1000, "lanes": 2})
	given := create(fields{"geometry": north, "length_m": 1111.95, "replacement_unit_cost_per_m": 1000})
	costed := create(fields{"geometry": north, "replacement_cost": 9000})
	point := create(fields{"geometry": fields{"type": "Point", "coordinates": []any{-79.38, 43.65}}})
	other := f.Other()
	fill(t, other, 1)
	f.asBefore(t)
	read := func(segment fields) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "GET", pathOf(segment), nil).JSON
	}
	resourcetest.Expect(t, read(computed), fields{"length_m": 1111.95, "replacement_cost": 1111950, "measured_length_m": nil})

	service := f.again(t)
	if err := service.remeasureAll(ofClients(f.Client)).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	resourcetest.Expect(t, read(computed), fields{"measured_length_m": 1111.06, "replacement_cost": 1111060, "lane_km": 2.222, "version": 2,
		"updated_by.type": "service", "updated_by.id": "infrastructure", "replacement_cost_as_of": nil})
	resourcetest.Expect(t, read(given), fields{"length_m": 1111.95, "measured_length_m": nil, "replacement_cost": 1111950, "version": 1})
	resourcetest.Expect(t, read(costed), fields{"length_m": 1111.06, "replacement_cost": 9000, "replacement_cost_computed": false,
		"version": 2})
	resourcetest.Expect(t, read(point), fields{"length_m": nil, "version": 1})
	history, _ := f.List(t, pathOf(computed)+"/history")
	resourcetest.Expect(t, history[len(history)-1]["changes"].(fields), fields{"length_m.old": 1111.95, "length_m.new": 1111.06,
		"replacement_cost.old": 1111950, "replacement_cost.new": 1111060})
	if events := f.texts(t, "SELECT type FROM outbox WHERE record_id = $1 AND version = 2", computed["id"]); len(events) != 1 {
		t.Errorf("events are %v", events)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/networks/", network), nil).JSON,
		fields{"length_km": 3.334, "replacement_cost": 1111060 + 1111950 + 9000})
	// It is not the other organization's turn yet.
	if lengths := f.texts(t, "SELECT length_m::text FROM segment WHERE organization_id = $1",
		other.Principal.OrganizationID); lengths[0] != "1111.95" {
		t.Errorf("the other organization has %v", lengths)
	}
	if err := service.remeasureAll(ofClients(f.Client, other)).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, _ := other.List(t, "/v1/infrastructure/segments?length_m=1111.06"); len(found) != 1 {
		t.Errorf("the other organization has %v", found)
	}
}

// An organization that is being moved to another database delays neither the new lengths nor the new year of those behind it.
func TestAnOrganizationThatMovesDelaysNoOther(t *testing.T) {
	f := newFixtureAlone(t)
	away := f.Other()
	segment := f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue", "geometry": north})
	f.find(t, segment["id"], fields{"estimated_cost": 100, "action_year": json.Number(resource.Today(t.Context())[:4])})
	f.asBefore(t)
	f.asOwner(t, "UPDATE segment SET deferred_maintenance_cost = 0") // as it stood last year
	f.asOwner(t, "INSERT INTO organization_move (organization, state) VALUES ($1::text::uuid, 'absent')", away.Principal.OrganizationID)
	service, all := f.again(t), ofClients(away, f.Client)
	for _, sweep := range []work.Sweep{service.remeasureAll(all), service.newYear(all)} {
		if err := sweep.Once(t.Context()); !postgres.IsMoving(err) {
			t.Errorf("%s: %v", sweep.Name, err)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", pathOf(segment), nil).JSON,
		fields{"measured_length_m": 1111.06, "deferred_maintenance_cost": 100})
}

// ofClients gives the organizations of clients.
func ofClients(clients ...*resourcetest.Client) organizations {
	return func(context.Context) (all []principal.Principal, err error) {
		for _, c := range clients {
			all = append(all, reference.Organization{ID: c.Principal.OrganizationID, Currency: "CAD"}.Principal("infrastructure"))
		}
		return all, nil
	}
}

func TestMeasuringGoesOnWhereItWasLeft(t *testing.T) {
	f := newFixtureAlone(t)
	const count = 2100
	fill(t, f.Client, count)
	f.asBefore(t)
	service := f.again(t)
	toGo := func() int {
		return len(f.texts(t, "SELECT t.id::text FROM segment t WHERE "+toMeasure))
	}
	// Killed in the midst of a transaction: nothing is half done.
	ending, end := context.WithCancel(f.context(t))
	err := service.registry.DB.Write(ending, func(ctx context.Context, _ pgx.Tx) error {
		if measured, err := service.remeasure(ctx); err != nil || measured != remeasureBatch {
			t.Errorf("%d measured, %v", measured, err)
		}
		end()
		return ctx.Err()
	})
	if err == nil || toGo() != count {
		t.Errorf("after a rollback (%v) %d are to be measured", err, toGo())
	}
	if measured, err := service.remeasure(f.context(t)); err != nil || measured != remeasureBatch || toGo() != count-remeasureBatch {
		t.Errorf("%d measured, %v, %d left", measured, err, toGo())
	}
	// Several processes share the rest; each segment is written once.
	var group sync.WaitGroup
	for range 3 {
		worker := f.again(t)
		group.Go(func() {
			for {
				if measured, err := worker.remeasure(f.context(t)); err != nil || measured == 0 {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	group.Wait()
	if left := toGo(); left != 0 {
		t.Errorf("%d are left", left)
	}
	if odd := f.texts(t,
		"SELECT id::text FROM segment WHERE version <> 2 OR length_m <> 1111.06 OR replacement_cost <> 1111060"); len(odd) != 0 {
		t.Errorf("%d segments are otherwise than measured once", len(odd))
	}
	if entries := f.texts(t, "SELECT id::text FROM history WHERE collection = 'segments' AND version = 2"); len(entries) != count {
		t.Errorf("%d entries of history", len(entries))
	}
}

// What a program of the last release writes beside this one is found as well, and what is to be measured is found by its index.
func TestWhatIsToBeMeasuredIsFoundByAnIndex(t *testing.T) {
	f := newFixtureAlone(t)
	fill(t, f.Client, 3)
	if measured, err := f.again(t).remeasure(f.context(t)); err != nil || measured != 0 {
		t.Errorf("%d measured, %v", measured, err)
	}
	f.asOwner(t, "UPDATE segment SET length_m = 804.53 WHERE name = 'Rue 1'") // it leaves the column that it does not know
	if measured, err := f.again(t).remeasure(f.context(t)); err != nil || measured != 1 {
		t.Errorf("%d measured, %v", measured, err)
	}
	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var plan string
	for _, statement := range []string{"SET enable_seqscan = off",
		"SELECT set_config('ams.organization_id', '" + f.Principal.OrganizationID + "', false)"} {
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := db.Query(t.Context(),
		"EXPLAIN SELECT t.id FROM segment t WHERE t.organization_id = current_organization() AND "+toMeasure+" ORDER BY t.id LIMIT 1000")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		plan += line + "\n"
	}
	if !strings.Contains(plan, "segment_to_measure") {
		t.Errorf("the plan is\n%s", plan)
	}
}
