package los

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

func scorecard(t testing.TB, client *resourcetest.Client, area any, query string) fields {
	t.Helper()
	return client.Must(t, http.StatusOK, "GET", fmt.Sprintf("%s/%v/scorecard?%s", pathOf(serviceAreas.Collection), area, query), nil).JSON
}

func TestScorecard(t *testing.T) {
	client := newFixture(t).Client
	area := newArea(t, client, "Routes", fields{"category": "roads"})
	resourcetest.Expect(t, scorecard(t, client, area, ""),
		fields{"id": area, "name": "Routes", "category": "roads", "met": 0, "no_data": 0, "attainment_pct": nil,
			"as_of": resource.Today(t.Context()), "measures": []any{}})
	for _, c := range []struct {
		name   string
		weight any
		values map[int]any // by year
		target any
	}{
		{"Atteint", 3, map[int]any{2023: 90, 2024: 95}, 90},
		{"Proche", 1, map[int]any{2023: 95, 2024: 87}, 90},
		{"Manqué", 2.5, map[int]any{2023: 95, 2024: 50}, 90},
		{"Sans poids", 0, map[int]any{2024: 10}, 90},
		{"Sans cible", 5, map[int]any{2024: 10}, nil},
		{"Sans donnée", 5, nil, 90},
	} {
		measure := newMeasure(t, client, area, c.name, fields{"weight": c.weight})
		for year, value := range c.values {
			record(t, client, measure, year, value)
		}
		if c.target != nil {
			client.Create(t, pathOf(targets.Collection), fields{"measure_id": measure, "year": 2022, "target_value": c.target})
		}
	}
	client.Create(t, pathOf(measures.Collection),
		fields{"service_area_id": newArea(t, client, "Eau", nil), "name": "Ailleurs", "measure_type": "technical"})

	card := scorecard(t, client, area, "")
	resourcetest.Expect(t, card, fields{"met": 1, "near": 1, "missed": 2, "no_target": 1, "no_data": 1,
		"attainment_pct": 46.15}) // 3 ÷ (3 + 1 + 2.5 + 0)
	var names []any
	for _, entry := range card["measures"].([]any) {
		measure := entry.(fields)
		names = append(names, measure["name"])
		listed := get(t, client, pathOf(measures.Collection), measure["id"])
		for _, field := range []string{"name", "attainment", "trend", "latest", "weight", "is_stale", "direction"} {
			resourcetest.Expect(t, measure, fields{field: listed[field]})
		}
	}
	if fmt.Sprint(names) != "[Atteint Proche Manqué Sans poids Sans cible Sans donnée]" {
		t.Errorf("the measures are %v", names)
	}
	resourcetest.Expect(t, card["measures"].([]any)[2].(fields),
		fields{"target_year": 2022, "target_value": 90, "variance": -40, "trend": "declining", "attainment": "missed"})

	if _, rows := client.Table(t,
		fmt.Sprint("/v1/los/service-areas/", area, "/scorecard")); len(rows) != len(names) || rows[2]["name"] != "Manqué" ||
		rows[2]["attainment"] != "missed" || rows[2]["latest_value"] != "50" || rows[5]["latest_value"] != "" || rows[2]["variance"] != "-40" {
		t.Errorf("as CSV %v", rows)
	}
	before := scorecard(t, client, area, "as_of=2024-06-30")
	resourcetest.Expect(t, before, fields{"as_of": "2024-06-30", "met": 3, "near": 0, "missed": 0, "no_target": 0, "no_data": 3,
		"attainment_pct": 100})
	resourcetest.Expect(t, before["measures"].([]any)[1].(fields), fields{"trend": nil, "is_stale": false})
	resourcetest.Expect(t, scorecard(t, client, area, "as_of=2026-01-01")["measures"].([]any)[0].(fields),
		fields{"is_stale": false, "trend": "improving"})
	resourcetest.Expect(t, scorecard(t, client, area, "as_of=2027-01-01")["measures"].([]any)[0].(fields), fields{"is_stale": true})

	client.Must(t, http.StatusBadRequest, "GET", fmt.Sprintf("%s/%v/scorecard?as_of=2024-02-30", pathOf(serviceAreas.Collection), area), nil)
	client.Must(t, http.StatusBadRequest, "GET", fmt.Sprintf("%s/%v/scorecard?asof=2024-02-28", pathOf(serviceAreas.Collection), area), nil)
	client.Must(t, http.StatusBadRequest, "GET", pathOf(serviceAreas.Collection)+"/x/scorecard", nil)
	client.Must(t, http.StatusNotFound, "GET", fmt.Sprintf("%s/%s/scorecard", pathOf(serviceAreas.Collection), user), nil)
	client.Other().Must(t, http.StatusNotFound, "GET", fmt.Sprintf("%s/%v/scorecard", pathOf(serviceAreas.Collection), area), nil)
}

// manyMeasures puts measures with three measurements and two targets each into an area, as the owner: the API is not
// what this is about.
func manyMeasures(t testing.TB, database *postgrestest.Database, organization string, area any, n, after int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	stamp, now := `organization_id, id, position, created_at, updated_at, created_by, updated_by`,
		`now(), now(), '{"type":"user","id":"u","name":"Hélène Côté"}', '{"type":"user","id":"u","name":"Hélène Côté"}'`
	for _, statement := range []string{
		`INSERT INTO measure (` + stamp + `, service_area_id, name, measure_type, value_kind, direction, frequency, data_source,
			tolerance_pct, weight)
			SELECT $1::uuid, md5('m' || i || $2)::uuid, $4::int + i, ` + now + `, $2::uuid, 'Mesure ' || i, 'technical', 'number',
				(ARRAY['higher_is_better', 'lower_is_better', 'target_is_best'])[1 + i % 3], 'annual', 'manual', 5, 1 FROM generate_series(1,
					$3::int) i`,
		`INSERT INTO measurement (` + stamp + `, measure_id, period_start, period_end, value)
			SELECT $1::uuid, md5('v' || i || '-' || y || $2)::uuid, $4::int + i * 10 + y - 2020, ` + now +
			`, md5('m' || i || $2)::uuid, make_date(y, 1, 1), make_date(y, 12, 31), (i * y) % 101
			FROM generate_series(1, $3::int) i, generate_series(2023, 2025) y`,
		`INSERT INTO target (` + stamp + `, measure_id, year, kind, target_value)
			SELECT $1::uuid, md5('t' || i || '-' || y || $2)::uuid, $4::int + i * 10 + y - 2020, ` + now +
			`, md5('m' || i || $2)::uuid, y, 'current', 50
			FROM generate_series(1, $3::int) i, generate_series(2024, 2025) y`,
	} {
		if _, err := db.Exec(t.Context(), statement, organization, area, n, after); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever the number of measures, a scorecard and a page of measures cost the same few statements.
func TestFiguresCostNoStatementPerMeasure(t *testing.T) {
	database := postgrestest.New(t, "los", migrations)
	address, run := postgrestest.CountStatements(t, database.URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	client := newFixtureFrom(t, database, db).Client
	small, large := newArea(t, client, "Petit", nil), newArea(t, client, "Grand", nil)
	manyMeasures(t, database, client.Principal.OrganizationID, small, 1, 1_000_000)
	manyMeasures(t, database, client.Principal.OrganizationID, large, 5000, 2_000_000)
	cost := func(path string) int64 {
		client.Must(t, http.StatusOK, "GET", path, nil) // the first time, statements are prepared
		run.Store(0)
		client.Must(t, http.StatusOK, "GET", path, nil)
		return run.Load()
	}
	for _, path := range []string{pathOf(serviceAreas.Collection) + "/%v/scorecard",
		pathOf(measures.Collection) + "?per_page=1000&service_area_id=%v", pathOf(measurements.Collection) + "?per_page=1000"} {
		few, many := path, path
		if path != pathOf(measurements.Collection)+"?per_page=1000" {
			few, many = fmt.Sprintf(path, small), fmt.Sprintf(path, large)
		}
		if one, all := cost(few), cost(many); one != all || all >= 10 || all == 0 {
			t.Errorf("%s runs %d statements for one measure and %d for 5,000, want the same, fewer than 10", path, one, all)
		}
	}
	write := func(year, n int) int64 {
		var rows []fields
		measure := newMeasure(t, client, small, fmt.Sprint("Annuelle ", year), nil)
		for i := range n {
			day := time.Date(year, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			rows = append(rows, fields{"measure_id": measure, "period_start": day, "period_end": day, "value": i})
		}
		run.Store(0)
		client.Must(t, http.StatusOK, "POST", pathOf(measurements.Collection)+"/bulk", fields{"data": rows})
		return run.Load()
	}
	write(2010, 1)
	if one, all := write(2011, 1), write(2012, 300); one != all {
		t.Errorf("a bulk call of one row runs %d statements and one of 300 rows %d", one, all)
	}
	card := scorecard(t, client, large, "")
	if measures := card["measures"].([]any); len(measures) != 5000 ||
		card["met"].(float64)+card["near"].(float64)+card["missed"].(float64) != 5000 {
		t.Errorf("the scorecard has %d measures: %v met, %v near, %v missed", len(measures), card["met"], card["near"], card["missed"])
	}
}
