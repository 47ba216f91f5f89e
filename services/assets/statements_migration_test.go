package assets

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

// migrationsOfTheLastRelease are those before this of statements.
func migrationsOfTheLastRelease(t *testing.T) fstest.MapFS {
	t.Helper()
	last := fstest.MapFS{}
	for _, name := range []string{"0001_sites_and_buildings.sql", "0002_systems.sql", "0003_assets.sql", "0004_facets.sql",
		"0005_sorted_lists.sql", "0006_terms.sql", "0007_custom_fields.sql"} {
		content, err := migrations.ReadFile("migrations/" + name)
		if err != nil {
			t.Fatal(err)
		}
		last["migrations/"+name] = &fstest.MapFile{Data: content}
	}
	return last
}

func owner(t testing.TB, database *postgrestest.Database) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	return db
}

// made are assets, and assessments theirs, as the last release has left them.
const made = `
INSERT INTO asset (organization_id, id, position, version, created_at, updated_at, created_by, updated_by, name, status,
	amortization_method, replacement_cost, replacement_cost_year, deferred_maintenance_cost, condition_rating, condition_assessed_on)
SELECT $1, ('019a3c5e-7d1b-7c3a-9f59-00000000000' || n)::uuid, n, 1,
	'2026-03-01T04:30Z', '2026-03-01T04:30Z', $2::jsonb, $2::jsonb, 'A', 'in_service',
	'none', cost, year, deferred, rating, rated_on::date
FROM (VALUES
	(1, 100000, 2024, 7000, 3, '2024-05-01'),     -- all of its assessment
	(2, 130000, 2026, 0, 3, '2024-05-01'),        -- of its own, said after the assessment
	(3, 50000, NULL, NULL, NULL, NULL),           -- of its own, without any assessment
	(4, NULL, NULL, NULL, 2, '2025-05-01'),       -- reported after an assessment
	(5, NULL, NULL, NULL, NULL, NULL),            -- the cost was taken away
	(6, NULL, NULL, NULL, NULL, NULL)             -- nothing at all
) v (n, cost, year, deferred, rating, rated_on)`

const assessments = `
INSERT INTO condition_assessment (organization_id, id, position, version, created_at, updated_at, created_by, updated_by,
	asset_id, assessed_on, condition_rating, method, replacement_cost, deferred_maintenance_cost)
SELECT $1, ('019a3c5e-7d1b-7c3a-9f59-0000000001' || lpad(n::text, 2, '0'))::uuid, n, 1, now(), now(), $2::jsonb, $2::jsonb,
	('019a3c5e-7d1b-7c3a-9f59-00000000000' || asset)::uuid, assessed_on::date, rating, method, cost, deferred
FROM (VALUES
	(1, 1, '2024-05-01', 3, 'visual', 100000, 7000), (2, 1, '2020-05-01', 2, 'reported', NULL, NULL),
	(3, 2, '2024-05-01', 3, NULL, 100000, 7000),
	(4, 4, '2024-05-01', 5, 'detailed', NULL, NULL), (5, 4, '2025-05-01', 2, 'reported', NULL, NULL),
	(6, 5, '2024-05-01', 1, NULL, 90000, NULL)
) v (n, asset, assessed_on, rating, method, cost, deferred)`

func TestTheMigrationChangesNothingThatIsShown(t *testing.T) {
	database := postgrestest.New(t, "assets", migrationsOfTheLastRelease(t))
	db := owner(t, database)
	signer := resourcetest.NewSigner(t)
	organization := resourcetest.NewClient(nil, signer).Principal.OrganizationID
	for _, sql := range []string{made, assessments} {
		if _, err := db.Exec(t.Context(), sql, organization, `{"type": "user", "id": "`+user+`", "name": "Geneviève Côté"}`); err != nil {
			t.Fatal(err)
		}
	}
	if err := postgres.Migrate(t.Context(), database.OwnerURL, "assets", migrations, io.Discard); err != nil {
		t.Fatal(err)
	}
	client, _ := serveFrom(t, database)
	client.Principal.OrganizationID = organization
	want := map[string]fields{
		"1": {"replacement_cost": 100000, "replacement_cost_year": 2024, "replacement_cost_as_of": "2024-05-01",
			"deferred_maintenance_cost": 7000, "deferred_maintenance_as_of": "2024-05-01", "condition_rating": 3,
			"condition_method": "visual", "reported_condition_rating": 2, "condition_source_id": "019a3c5e-7d1b-7c3a-9f59-000000000101"},
		// The last update was in the evening of 28 February in Toronto.
		"2": {"replacement_cost": 130000, "replacement_cost_year": 2026, "replacement_cost_as_of": "2026-02-28", "deferred_maintenance_cost": 0,
			"deferred_maintenance_as_of": "2026-02-28", "condition_rating": 3},
		"3": {"replacement_cost": 50000, "replacement_cost_as_of": "2026-02-28", "deferred_maintenance_as_of": nil},
		"4": {"condition_rating": 2, "condition_assessed_on": "2025-05-01", "condition_method": "reported", "reported_condition_rating": 2},
		"5": {"replacement_cost": nil, "condition_rating": nil, "condition_source_id": nil},
		"6": {"replacement_cost": nil, "replacement_cost_as_of": nil, "deferred_maintenance_as_of": nil},
	}
	path := func(n string) string { return "/v1/assets/019a3c5e-7d1b-7c3a-9f59-00000000000" + n }
	for n, shown := range want {
		shown["version"], shown["out_of_use_on"] = 1, nil
		resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", path(n), nil).JSON, shown)
	}
	// An old note does not change costs either. The rating follows the rule from here on: the assessment outweighs what was reported.
	for n, assessment := range map[string]string{"1": "01", "2": "03", "4": "04", "5": "06"} {
		client.Must(t, http.StatusOK, "PATCH", path(n)+"/condition-assessments/019a3c5e-7d1b-7c3a-9f59-0000000001"+assessment,
			fields{"notes": "À revoir"})
	}
	want["4"]["condition_rating"], want["4"]["condition_assessed_on"], want["4"]["condition_method"] = 5, "2024-05-01", "detailed"
	for n, shown := range want {
		delete(shown, "version")
		if n == "5" { // its rating was null; the assessment says one
			delete(shown, "condition_rating")
			delete(shown, "condition_source_id")
		}
		resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", path(n), nil).JSON, shown)
	}
}

// Programs of the last release write assets without the columns that are new.
func TestCostsThatTheLastReleaseWritesAreTheAssetsOwn(t *testing.T) {
	client, database, _ := serveAlone(t)
	b := newBook(t, client, fields{"replacement_cost": 1})
	first := b.assess(t, fields{"assessed_on": "2024-05-01", "condition_rating": 3, "replacement_cost": 100, "deferred_maintenance_cost": 7})
	db := owner(t, database)
	if _, err := db.Exec(t.Context(), "UPDATE asset SET replacement_cost = 130, deferred_maintenance_cost = 0"); err != nil {
		t.Fatal(err)
	}
	client.Must(t, http.StatusOK, "PATCH", first, fields{"notes": "À revoir"})
	b.shows(t, fields{"replacement_cost": 130, "deferred_maintenance_cost": 0})
	// What an assessment says stays the assessment's, and goes with it.
	second := b.assess(t, fields{"assessed_on": daysAgo(0), "condition_rating": 3, "deferred_maintenance_cost": 9})
	if _, err := db.Exec(t.Context(), "UPDATE asset SET deferred_maintenance_cost = 9"); err != nil {
		t.Fatal(err)
	}
	client.Must(t, http.StatusNoContent, "DELETE", second, nil)
	b.shows(t, fields{"deferred_maintenance_cost": 0})
}
