package accounting

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// BenchmarkALargeLedger closes a year of 200,000 capital assets and shows it:
//
//	go test -run '^$' -bench ALargeLedger -benchtime 1x ./services/accounting
//
// It reports seconds, and ratios to what the database needs at least, taken in the same run: the insert of as many layers and rows
// of the schedule (a close writes an entry of each besides), and the sums over them.
func BenchmarkALargeLedger(b *testing.B) {
	const count = 200_000
	f := newFixtureAlone(b)
	f.largeLedger(b, count)
	f.work(b)
	for b.Loop() {
		last := time.Now()
		lap := func() float64 {
			defer func() { last = time.Now() }()
			return time.Since(last).Seconds()
		}
		f.Must(b, http.StatusOK, "GET", "/v1/accounting/schedule?fiscal_year=2024", nil)
		open := lap()
		f.close(b, 2024)
		closed := lap()
		f.Must(b, http.StatusOK, "GET", "/v1/accounting/schedule?fiscal_year=2024", nil)
		shown := lap()
		f.execute(b,
			"SELECT class_id, sum("+strings.Join(scheduleColumns, "), sum(")+") FROM capital_asset_year WHERE fiscal_year = 2024 GROUP BY 1")
		sum := lap()
		f.Must(b, http.StatusOK, "POST", yearsPath+"/2024/reopen", fields{"reason": "Mesure"})
		reopened := lap()
		f.execute(b, "INSERT INTO layer SELECT organization_id, 2099, capital_asset_id, number, posted, cost, "+
			"accumulated, residual, units_left, units_due, charged, charge FROM layer WHERE fiscal_year = 2023",
			`INSERT INTO capital_asset_year (organization_id, fiscal_year, capital_asset_id, part, class_id, posted, cost_opening, cost_closing,
			accumulated_opening, accumulated_closing, charge, last, units_left, life_years, in_service_on)
				SELECT organization_id, 2099, capital_asset_id, part, class_id, posted, cost_opening, cost_closing, accumulated_opening,
					accumulated_closing, charge, last, units_left, life_years, in_service_on
				FROM capital_asset_year WHERE fiscal_year = 2023`)
		insert := lap()
		f.execute(b, "DELETE FROM layer WHERE fiscal_year = 2099", "DELETE FROM capital_asset_year WHERE fiscal_year = 2099")
		for unit, value := range map[string]float64{"s/close": closed, "s/reopening": reopened, "s/schedule-closed": shown,
			"s/schedule-open": open, "close/insert": closed / insert, "schedule-closed/sum": shown / sum, "schedule-open/sum": open / sum} {
			b.ReportMetric(value, unit)
		}
	}
}

// largeLedger makes as many capital assets, with a closed year, 2023, and an open one.
func (f *fixture) largeLedger(b testing.TB, count int) {
	b.Helper()
	f.open(b, 2023, 2024)
	class := f.class(b, "half_year", 40, nil)
	f.execute(b,
		`INSERT INTO capital_asset (organization_id, id, position, created_at, updated_at, created_by, updated_by, name, number, class_id,
			acquisition, useful_life_years, residual_value, state, in_service_on)
			SELECT organization_id, new_id(), n, now(), now(), created_by, updated_by, 'Conduite ' || n, 'TCA-' || n, id, 'purchased', 40, 0,
				'in_service', '2015-04-01'
			FROM class, generate_series(1, `+fmt.Sprint(count)+`) n WHERE id = '`+class+`'`,
		`INSERT INTO capital_asset_year (organization_id, fiscal_year, capital_asset_id, part, class_id, posted, cost_opening, cost_closing,
			accumulated_closing, last, units_left, life_years, in_service_on)
			SELECT organization_id, 2023, id, 1, class_id, false, 1000.01 * (1 + position % 97), 1000.01 * (1 + position % 97), 100.55, true, 60, 40,
				in_service_on FROM capital_asset`, `INSERT INTO layer SELECT organization_id, 2023, id, 1, false, 1000.01 * (1 + position % 97), 100.55,
				0, 60, 0, 0, 0 FROM capital_asset`, `UPDATE fiscal_year SET state = 'closed' WHERE fiscal_year = 2023`)
	f.analyze(b)
}

// analyze has the database look at its tables, as it does by itself some time after an import.
func (f *fixture) analyze(t testing.TB) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

// execute executes statements with the service's own role.
func (f *fixture) execute(t testing.TB, statements ...string) {
	t.Helper()
	if err := f.as(t, func(tx pgx.Tx) error {
		if err := overAll(t.Context(), tx); err != nil {
			return err
		}
		for _, sql := range statements {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				return fmt.Errorf("%s: %w", sql[:40], err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
