package accounting

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The service's role cannot change the figures of closed years, nor what closes have come to. The last closed year can be reopened.
func TestTheServicesRoleCannotChangeClosedYears(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2021)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "acquisition", "2021-01-10", fields{"amount": 500000})
	for year := 2021; year <= 2023; year++ {
		f.post(t, asset, "betterment", fmt.Sprint(year, "-02-01"), fields{"amount": 100000})
		f.close(t, year)
		f.open(t, year+1)
	}
	f.post(t, asset, "betterment", "2024-02-01", fields{"amount": 100000})
	before := f.schedule(t, 2021)
	for _, sql := range []string{
		"UPDATE capital_asset_year SET cost_closing = 1 WHERE fiscal_year = 2021", "DELETE FROM capital_asset_year WHERE fiscal_year = 2022",
		"DELETE FROM capital_asset_year",
		"INSERT INTO capital_asset_year (organization_id, fiscal_year, capital_asset_id, part, class_id, posted, last) SELECT " +
			"organization_id, 2021, capital_asset_id, 2, class_id, true, false FROM capital_asset_year WHERE fiscal_year = 2021",
		"UPDATE layer SET cost = 1 WHERE fiscal_year = 2021", "DELETE FROM layer WHERE fiscal_year < 2024",
		"UPDATE close SET capital_assets = 0", "DELETE FROM close WHERE fiscal_year = 2023",
		"UPDATE transaction_effect SET cost_change = 1 WHERE transaction_id IN (SELECT id FROM transaction WHERE fiscal_year = 2021)",
	} {
		err := f.as(t, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "fixed") && !strings.Contains(err.Error(), "stays as it is") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if err := f.as(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE layer SET cost = cost WHERE fiscal_year = 2024")
		return err
	}); err != nil {
		t.Errorf("an open year: %v", err)
	}
	if after := f.schedule(t, 2021); string(after) != string(before) {
		t.Errorf("2021 was %s and is %s", before, after)
	}
	f.Must(t, http.StatusOK, "POST", fmt.Sprint(yearsPath, "/2023/reopen"), fields{"reason": "Facture oubliée"})
}
