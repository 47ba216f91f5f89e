package assets

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/prices"
	"ams.internal/libs/months"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// keep writes a month of the client's organization, as the service does in the background, and says how many statements it took.
func keep(t *testing.T, client *resourcetest.Client, database *postgrestest.Database, peers *resourcetest.Peers, month months.Month) {
	t.Helper()
	db := database.Open(t)
	service := family{resource.NewRegistry(transport.New(client.Signer, db, resourcetest.Log(t)), db, peers.References)}
	ctx := principal.Into(t.Context(), client.Principal)
	material, err := service.prepareMonth(ctx, month)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return service.writeMonth(ctx, tx, month, material) }); err != nil {
		t.Fatal(err)
	}
}

func TestMonthsAreKeptAsTheyWere(t *testing.T) {
	client, database, peers := serveAmong(t)
	peers.Respond("/internal/networks/state", fields{"networks": roadsState, "methods": "[]"})
	site := client.Create(t, "/v1/sites", fields{"name": "Centre"})["id"]
	school := client.Create(t, "/v1/buildings", fields{"name": "École", "site_id": site, "building_type": "school"})["id"]
	var first string
	for i, asset := range []fields{ // the worked case
		{"replacement_cost": 400000, "deferred_maintenance_cost": 20000, "planned_renewal_year": 2031, "category": "hvac"},
		{"replacement_cost": 150000, "planned_renewal_year": 2024, "condition_rating": 4, "condition_assessed_on": "2020-05-01",
			"category": "shell", "consequence_of_failure": 5},
		{"replacement_cost": 50000, "deferred_maintenance_cost": 5000},
		{"replacement_cost": 400000, "planned_renewal_year": 2028, "install_year": 2001, "expected_useful_life_years": 20},
		{"replacement_cost": 7, "install_date": "2026-06-15"}, // not there in May
	} {
		asset["name"], asset["building_id"] = fmt.Sprint("Partie ", i), school
		id := client.Create(t, "/v1/assets", asset)["id"].(string)
		if i == 0 {
			first = id
		}
	}
	keep(t, client, database, peers, months.Month{End: "2026-05-31"})
	client.Must(t, http.StatusOK, "PATCH", "/v1/assets/"+first, fields{"replacement_cost": 1, "deferred_maintenance_cost": 999999})
	keep(t, client, database, peers, months.Month{End: "2026-05-31", Frozen: true}) // it is there already
	keep(t, client, database, peers, months.Month{End: "2026-06-30", Frozen: true})

	trend := func(query string) []any {
		t.Helper()
		return client.Must(t, http.StatusOK, "GET", "/v1/reports/trend?"+query, nil).JSON["data"].([]any)
	}
	building := fmt.Sprint("&subject=building&id=", school)
	for query, want := range map[string][]any{
		"metric=need":                            {175000.0, 175000.0},
		"metric=need" + building:                 {175000.0, 175000.0},
		"metric=need&horizon_years=2" + building: {575000.0, 575000.0},
		"metric=need&horizon_years=5&subject=site&id=" + fmt.Sprint(site):     {955000.0, 955000.0},
		"metric=fci_pct&horizon_years=5":                                      {95.5, 95.5},
		"metric=fci_pct&horizon_years=2":                                      {57.5, 57.5},
		"metric=fci_pct":                                                      {17.5, 17.5},
		"metric=replacement_cost":                                             {1000000.0, 1000007.0},
		"metric=deferred_maintenance_cost" + building:                         {25000.0, 25000.0},
		"metric=average_condition_rating":                                     {4.0, 4.0},
		"metric=pct_past_useful_life":                                         {100.0, 100.0},
		"metric=pct_high_risk":                                                {15.0, 15.0},
		"metric=replacement_cost&subject=category&id=hvac":                    {400000.0, 400000.0},
		"metric=fci_pct&subject=category&id=shell":                            {100.0, 100.0},
		"metric=replacement_cost&subject=service_category&id=education":       {1000000.0, 1000007.0},
		"metric=replacement_cost&subject=service_category&id=roads":           {300000.1, 300000.1},
		"metric=fci_pct&subject=service_category&id=roads&horizon_years=10":   {0.33, 0.33},
		"metric=replacement_cost&from=2026-06-01":                             {1000007.0},
		"metric=replacement_cost&to=2026-06-01":                               {1000000.0},
		"metric=replacement_cost&subject=building&id=" + user:                 {},
		"metric=weighted_condition_rating&subject=service_category&id=roads":  {2.33, 2.33},
		"metric=weighted_condition_rating&subject=category&id=special_things": {},
	} {
		got := trend(query)
		if len(got) != len(want) {
			t.Errorf("%s: %v", query, got)
			continue
		}
		for i, point := range got {
			if p := point.(fields); p["value"] != want[i] || p["frozen"] != (p["month_end"] == "2026-06-30") {
				t.Errorf("%s: %v, want %v", query, p, want[i])
			}
		}
	}
	// Each month is by the setting of its end.
	client.Principal.RenewalBasis, client.Principal.RenewalBasisChangedOn = principal.RenewalTypedOrLife, []string{"2026-06-15"}
	for i, point := range trend("metric=need") {
		resourcetest.Expect(t, point.(fields), fields{"renewal_basis": []string{"typed", "typed_or_life"}[i]})
	}
	client.Principal.RenewalBasis, client.Principal.RenewalBasisChangedOn = "", nil
	// The months stay when their subject is gone.
	client.Must(t, http.StatusOK, "PATCH", "/v1/assets/"+first, fields{"building_id": nil})
	if got := trend("metric=need" + building); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if _, rows := client.Table(t, "/v1/reports/trend?metric=need"+building); len(rows) != 2 || rows[0]["metric"] != "need" ||
		rows[0]["id"] != school || rows[0]["month_end"] == "" || rows[0]["frozen"] == "" {
		t.Errorf("as CSV %v", rows)
	}
	other := client.Other()
	if got := other.Must(t, http.StatusOK, "GET", "/v1/reports/trend?metric=need", nil).JSON["data"].([]any); len(got) != 0 {
		t.Errorf("another organization has %v", got)
	}
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", "/v1/reports/trend?metric=need&horizon_years=5"+building, nil).JSON,
		fields{"metric": "need", "subject": "building", "id": school, "horizon_years": 5, "currency": "CAD"})
}

// The plans of these statements have megabytes, and there are as many connections as instances times eight.
func TestAConnectionKeepsNothingOfTheStatementsOfAMonth(t *testing.T) {
	client, database, peers := serveAmong(t)
	peers.Respond("/internal/networks/state", fields{"networks": roadsState, "methods": "[]"})
	client.Create(t, "/v1/assets", fields{"name": "Pompe", "replacement_cost": 400000, "category": "hvac"})
	db := database.OpenSingle(t)
	service := family{resource.NewRegistry(transport.New(client.Signer, db, resourcetest.Log(t)), db, peers.References)}
	ctx := principal.Into(t.Context(), client.Principal)
	for _, end := range []string{"2026-03-31", "2026-04-30", "2026-05-31"} {
		month := months.Month{End: end}
		material, err := service.prepareMonth(ctx, month)
		if err != nil {
			t.Fatal(err)
		}
		var written, kept int
		if err := db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if err := service.writeMonth(ctx, tx, month, material); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, "SELECT count(*) FROM figures_month WHERE month_end = $1::date", end).Scan(&written); err != nil {
				return err
			}
			return tx.QueryRow(ctx,
				"SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%INSERT INTO figures' || '_month%'").Scan(&kept)
		}); err != nil {
			t.Fatal(err)
		}
		if written == 0 || kept != 0 {
			t.Errorf("%d rows were written, and the connection keeps %d of the statements", written, kept)
		}
	}
}

func TestTrendsOfNetworksAreAskedOfTheirOwner(t *testing.T) {
	t.Parallel()
	client, _, peers := serveAmong(t)
	peers.Respond("/internal/networks/trend", fields{"data": []fields{{"month_end": "2026-05-31", "value": 71.5, "frozen": true}}})
	got := client.Must(t, http.StatusOK, "GET", "/v1/reports/trend?metric=avg_pci&from=2026-01-01", nil).JSON
	resourcetest.Expect(t, got, fields{"subject": "organization", "data": []any{fields{"month_end": "2026-05-31",
		"value": 71.5, "frozen": true, "renewal_basis": "typed"}}})
	resourcetest.Expect(t, peers.LastRequest("/internal/networks/trend"), fields{"metric": "avg_pci", "network_id": nil, "from": "2026-01-01"})
	client.Must(t, http.StatusOK, "GET", "/v1/reports/trend?metric=need&horizon_years=5&subject=network&id="+user, nil)
	resourcetest.Expect(t, peers.LastRequest("/internal/networks/trend"), fields{"metric": "need", "network_id": user, "horizon_years": 5})

	limited := *client
	limited.Principal.Scopes = []string{"assets:read"}
	resourcetest.Expect(t, limited.Must(t, http.StatusForbidden, "GET", "/v1/reports/trend?metric=need&subject=network&id="+user, nil).JSON,
		fields{"code": "scope_missing", "required_scope": "infrastructure:read"})
	limited.Principal.Features, limited.Principal.Scopes = []string{"api_access"}, []string{"*:*"}
	limited.Must(t, http.StatusForbidden, "GET", "/v1/reports/trend?metric=avg_bci", nil)
	peers.Refuse("/internal/networks/trend")
	client.Must(t, http.StatusServiceUnavailable, "GET", "/v1/reports/trend?metric=avg_pci", nil)
}

func TestTrendsThatAreRefused(t *testing.T) {
	t.Parallel()
	client := serve(t)
	for query, field := range map[string]string{
		"metric=age":                                "metric",
		"metric=need&horizon_years=3":               "horizon_years",
		"metric=need&horizon_years=51":              "horizon_years",
		"metric=need&subject=street":                "subject",
		"metric=need&subject=site":                  "id",
		"metric=need&subject=site&id=hvac":          "id",
		"metric=need&id=" + user:                    "id",
		"metric=avg_pci&subject=site&id=" + user:    "metric",
		"metric=need&from=2026-02-01&to=2026-01-01": "to",
		"metric=need&from=yesterday":                "from",
	} {
		answer := client.Must(t, http.StatusBadRequest, "GET", "/v1/reports/trend?"+query, nil).JSON
		if fields, _ := answer["fields"].([]any); len(fields) == 0 || fields[0].(map[string]any)["field"] != field {
			t.Errorf("%s: %v", query, answer)
		}
	}
}

// The figures of five horizons are made of one reading of the past, which is most of the work of a month.
func TestAMonthReadsHowThingsStoodOnce(t *testing.T) {
	t.Parallel()
	for name, month := range map[string]prices.Statement{
		"places": monthOfPlaces, "categories": monthOfCategories, "services": monthOfServices,
	} {
		sql := month.For("2026-04-30", "2026-05-12", prices.Table{}, false)
		if n := strings.Count(sql, "asset_row AS MATERIALIZED"); n != 1 || strings.Count(sql, ", place AS (") < 5 {
			t.Errorf("the statement of %s reads the assets of the past %d times", name, n)
		}
	}
}
