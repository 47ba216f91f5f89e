package infrastructure

import (
	"io"
	"io/fs"
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// lastRelease is the migrations up to the number, which begins a file's name.
func lastRelease(t *testing.T, last string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	all, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if name < "migrations/"+last+"~" {
			data, err := fs.ReadFile(migrations, name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = &fstest.MapFile{Data: data}
		}
	}
	return files
}

// TestTheMigrationKeepsWhatWasTyped brings a database of the last release up to date.
func TestTheMigrationKeepsWhatWasTyped(t *testing.T) {
	database := postgrestest.New(t, "infrastructure", lastRelease(t, "0008"))
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	organization, network := uuid.NewString(), uuid.NewString()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := owner.Exec(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	const record = "organization_id, id, position, created_at, updated_at, created_by, updated_by, name"
	const user = `'{"type":"user","id":"u","name":"U"}'`
	const values = "$1, $2, $3, '2025-06-01T03:30:00Z', '2025-06-01T03:30:00Z', " + user + ", " + user + ", 'Pont'"
	exec("INSERT INTO network ("+record+", asset_class) VALUES ("+values+", 'bridge')", organization, network, 1)
	place := 0
	segment := func(columns, given string) string {
		place++
		id := uuid.NewString()
		exec("INSERT INTO segment ("+record+", network_id, status"+columns+") VALUES ("+values+", $4, 'in_service'"+given+")", organization, id,
			place, network)
		return id
	}
	inspect := func(segment, on, at, index string, value any, rating int) string {
		place++
		id := uuid.NewString()
		exec(`INSERT INTO inspection (organization_id, id, position, created_at, updated_at, created_by, updated_by,
			segment_id, inspected_on, method, index_type, index_value, condition_rating)
			VALUES ($1, $2, $3, $4::timestamptz, $4::timestamptz, `+user+`, `+user+`, $5, $6, 'osim', $7, $8, $9)`,
			organization, id, place, at, segment, on, index, value, rating)
		return id
	}
	driven := segment(", condition_rating, condition_assessed_on, consequence_of_failure", ", 3, '2024-05-01', 4")
	bci := inspect(driven, "2024-05-01", "2024-05-02T10:00:00Z", "bci", 58.0, 3)
	pci := segment(", condition_rating, condition_assessed_on", ", 3, '2024-05-01'")
	inspect(pci, "2024-05-01", "2024-05-02T10:00:00Z", "pci", 58.0, 3)
	fair := segment(", condition_rating, condition_assessed_on", ", 3, '2024-05-01'")
	inspect(fair, "2024-05-01", "2024-05-02T10:00:00Z", "bci", 60.0, 3)
	given := segment(", condition_rating, condition_assessed_on", ", 2, '2024-05-01'")
	inspect(given, "2024-05-01", "2024-05-02T10:00:00Z", "bci", 58.0, 2)
	// Set on the segment itself in the evening of 31 May in Toronto; the inspection of before does not drive, its BCI counts all the same.
	reported := segment(", condition_rating, condition_assessed_on, reported_condition_rating, condition_reported_at",
		", 3, '2025-06-01', 3, '2025-06-01T02:00:00Z'")
	inspect(reported, "2019-05-01", "2019-05-02T10:00:00Z", "bci", 55.0, 3)
	costs := segment(`, length_m, replacement_unit_cost_per_m, replacement_cost, replacement_cost_computed,
		deferred_maintenance_cost, surface_type`,
		", 1.005, 1.00, 1.00, true, 12.50, 'Gravel'")
	typed := segment(", length_m, replacement_cost, surface_type", ", 10, 7.77, 'asphalt'")
	if err := postgres.Migrate(t.Context(), database.OwnerURL, "infrastructure", migrations, io.Discard); err != nil {
		t.Fatal(err)
	}

	signer := resourcetest.NewSigner(t)
	db := database.Open(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	family{resource.NewRegistry(api, db, resourcetest.NewPeers(t, signer).References)}.mount()
	client := resourcetest.NewClient(api.Handler(), signer)
	client.Principal.OrganizationID = organization
	read := func(id string) fields {
		t.Helper()
		return client.Must(t, http.StatusOK, "GET", "/v1/infrastructure/segments/"+id, nil).JSON
	}
	resourcetest.Expect(t, read(driven), fields{"condition_rating": 4, "condition_assessed_on": "2024-05-01", "condition_method": "osim",
		"condition_source_id": bci, "risk_score": 16, "version": 2, "updated_by.id": "infrastructure"})
	resourcetest.Expect(t, read(pci), fields{"condition_rating": 3, "condition_method": "osim", "version": 1})
	resourcetest.Expect(t, read(fair), fields{"condition_rating": 3, "version": 1})
	resourcetest.Expect(t, read(given), fields{"condition_rating": 2, "version": 1})
	resourcetest.Expect(t, read(reported), fields{"condition_rating": 3, "condition_assessed_on": "2025-06-01", "condition_method": "reported",
		"condition_source_id": nil, "reported_condition_rating": 3, "version": 1})
	resourcetest.Expect(t, read(costs), fields{"replacement_cost": 1.01, "replacement_cost_as_of": "2025-05-31",
		"deferred_maintenance_as_of": "2025-05-31",
		"deferred_maintenance_cost":  12.5, "paved": false, "paved_computed": true, "version": 2, "replacement_cost_year": nil})
	resourcetest.Expect(t, read(typed), fields{"replacement_cost": 7.77, "paved": true, "version": 1})

	found, _ := client.List(t, "/v1/infrastructure/inspections?condition_rating=4")
	if len(found) != 2 || found[0]["version"] != 2.0 {
		t.Errorf("poor are the inspections %v", found)
	}
	history, _ := client.List(t, "/v1/infrastructure/segments/"+driven+"/history")
	if len(history) != 1 {
		t.Fatalf("the history has %v", history)
	}
	resourcetest.Expect(t, history[0], fields{"version": 2, "action": "updated", "changes.condition_rating.old": 3,
		"changes.condition_rating.new": 4,
		"actor.id":                     "infrastructure"})

	// What was set on the segment counts on, from its day in the default time zone.
	var said []string
	rows, err := owner.Query(t.Context(),
		"SELECT concat_ws(' ', stated_on, condition_rating, method) FROM segment_rating WHERE segment_id = $1", reported)
	if err == nil {
		said, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil || !slices.Equal(said, []string{"2025-05-31 3 reported"}) {
		t.Errorf("statements are %v, %v", said, err)
	}
	client.Create(t, "/v1/infrastructure/inspections", fields{"segment_id": reported, "inspected_on": "2020-06-01", "condition_rating": 5})
	resourcetest.Expect(t, read(reported), fields{"condition_rating": 5, "condition_assessed_on": "2020-06-01",
		"reported_condition_rating": 3})
}
