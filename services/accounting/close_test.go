package accounting

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
	"ams.internal/libs/testwait"
	"ams.internal/services/accounting/ledger"
)

// manyAssets makes so many capital assets that were in service before the year, by statements: the API takes 1000 at a time.
func (f *fixture) manyAssets(t testing.TB, class string, year, count int) {
	t.Helper()
	for from := 0; from < count; from += 1000 {
		var assets, entries []any
		for i := from; i < min(from+1000, count); i++ {
			assets = append(assets, fields{"name": fmt.Sprintf("Conduite %d", i), "class_id": class, "external_id": fmt.Sprintf("pipe-%d", i)})
			entries = append(entries, fields{"capital_asset_external_id": fmt.Sprintf("pipe-%d", i), "type": "opening",
				"effective_on": fmt.Sprintf("%d-01-01", year), "amount": money(100_001 * ledger.Cents(1+i%97)), "accumulated_amortization": 100.55,
				"in_service_on": fmt.Sprintf("%d-06-15", year-1-i%9)})
		}
		f.Must(t, http.StatusOK, "POST", pathOf("capital_assets")+"/bulk", fields{"data": assets})
		f.Must(t, http.StatusOK, "POST", transactionsPath+"/bulk", fields{"data": entries})
	}
}

// written counts what a close has written of a year.
func (f *fixture) written(t testing.TB, year int) (state string, rows, entries int) {
	t.Helper()
	if err := f.as(t, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT state, (SELECT count(*) FROM layer l WHERE l.fiscal_year = f.fiscal_year AND l.charge <> 0),
			(SELECT count(*) FROM transaction x WHERE x.fiscal_year = f.fiscal_year AND x.close_id IS NOT NULL AND x.reverses IS NULL
				AND NOT EXISTS (SELECT FROM transaction r WHERE r.reverses = x.id))
					FROM fiscal_year f WHERE f.fiscal_year = $1`, year).Scan(&state, &rows, &entries)
	}); err != nil {
		t.Fatal(err)
	}
	return state, rows, entries
}

// atRest waits until nothing is under way in the database: a commit may arrive there after its sender was ended.
func (f *fixture) atRest(t testing.TB) {
	t.Helper()
	testwait.For(t, 10*time.Second, "nothing is under way", func() bool {
		busy := 0
		if err := f.as(t, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid() AND state <> 'idle'`).Scan(&busy)
		}); err != nil {
			t.Fatal(err)
		}
		return busy == 0
	})
}

// Whoever closes may end at any moment: the close is there whole, or not at all, and another one carries it out.
func TestACloseThatIsInterruptedIsWholeOrAbsent(t *testing.T) {
	const count = 300
	f := newFixtureAlone(t)
	f.open(t, 2024)
	f.manyAssets(t, f.class(t, "half_year", 40, nil), 2024, count)
	stop := f.work(t)
	f.close(t, 2024)
	stop()
	f.open(t, 2025)
	interrupted := 0
	for round := range testnight.Rounds(8, 20) {
		f.Must(t, http.StatusCreated, "POST", yearsPath+"/2025/close", fields{})
		stop := f.work(t)
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
		stop()
		f.atRest(t)
		switch state, rows, entries := f.written(t, 2025); {
		case state == "closing" && rows == 0 && entries == 0:
			interrupted++
			f.conflicts(t, "already_closing", "job", yearsPath+"/2025/close", fields{})
			f.conflicts(t, "year_not_open", "2025 is closing", transactionsPath,
				entryOf(f.first(t), "estimate", "2025-06-01", fields{"useful_life_years": 35}))
			stop := f.work(t)
			f.awaitClose(t, 2025)
			stop()
		case state == "closed" && rows == count && entries == count:
		default:
			t.Fatalf("round %d: the year is %s, with %d layers charged and %d entries", round, state, rows, entries)
		}
		if state, rows, entries := f.written(t, 2025); state != "closed" || rows != count || entries != count {
			t.Fatalf("round %d: afterwards the year is %s, with %d layers charged and %d entries", round, state, rows, entries)
		}
		f.Must(t, http.StatusOK, "POST", yearsPath+"/2025/reopen", fields{"reason": "encore"})
		if state, rows, entries := f.written(t, 2025); state != "open" || rows != 0 || entries != 0 {
			t.Fatalf("round %d: reopened, the year is %s, with %d layers charged and %d entries", round, state, rows, entries)
		}
	}
	if interrupted == 0 {
		t.Error("no close was interrupted")
	}
	t.Logf("%d of 20 closes were interrupted", interrupted)
}

// A year in which the rows are not what the one before closed with is not closed, and is open as before.
func TestAYearThatDoesNotFootIsNotClosed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023)
	f.manyAssets(t, f.class(t, "half_year", 40, nil), 2023, 3)
	f.close(t, 2023)
	f.open(t, 2024)
	listed, _ := f.List(t, pathOf("capital_assets")+"?per_page=2")
	f.post(t, listed[0]["id"].(string), "betterment", "2024-02-01", fields{"amount": 100})
	f.Must(t, http.StatusOK, "PATCH", pathOf("capital_assets")+"/"+listed[0]["id"].(string), fields{"number": nil, "name": "Sans numéro"})
	if lines := f.balancedLines(t, 2024); lines[0]["capital_asset_number"] != "Sans numéro" {
		t.Errorf("the journal calls what has no number %v", lines[0])
	}
	dryRun := func() fields {
		return f.Must(t, http.StatusCreated, "POST", yearsPath+"/2024/close", fields{"dry_run": true}).JSON
	}
	for n, sql := range []string{"accumulated_closing = accumulated_closing + 0.01", "disposed = true"} {
		tampered := fmt.Sprintf("UPDATE capital_asset_year SET %s WHERE fiscal_year = 2023 AND capital_asset_id = '%s'", sql, listed[n]["id"])
		f.execute(t, tampered)
		dry := dryRun()
		f.Must(t, http.StatusCreated, "POST", yearsPath+"/2024/close", fields{})
		var job fields
		testwait.For(t, time.Minute, "the close to be refused", func() bool {
			job = f.Must(t, http.StatusOK, "GET", yearsPath+"/2024/close", nil).JSON
			return job["state"] != "queued" && job["state"] != "running"
		})
		problems, _ := job["problems"].([]any)
		if job["state"] != "failed" || len(problems) != 1 || problems[0].(fields)["code"] != "does_not_foot" {
			t.Errorf("%s: the close is %v", sql, job)
		}
		if dry["state"] != "failed" || fmt.Sprint(dry["problems"]) != fmt.Sprint(problems) {
			t.Errorf("%s: a dry run says %v, the close %v", sql, dry, problems)
		}
		if n == 0 && problems[0].(fields)["number"] != "Sans numéro" {
			t.Errorf("a problem of what has no number is %v", problems[0])
		}
		if state, rows, entries := f.written(t, 2024); state != "open" || rows != 0 || entries != 0 {
			t.Errorf("%s: the year is %s, with %d layers charged and %d entries", sql, state, rows, entries)
		}
		f.execute(t, strings.NewReplacer("+ 0.01", "- 0.01", "true", "false").Replace(tampered))
	}
	dry := dryRun()
	f.close(t, 2024)
	if done := f.Must(t, http.StatusOK, "GET", yearsPath+"/2024/close",
		nil).JSON; fmt.Sprint(dry["figures"], dry["capital_assets"]) != fmt.Sprint(done["figures"], done["capital_assets"]) {
		t.Errorf("a dry run says %v, the close %v", dry, done)
	}
}

// first is a capital asset.
func (f *fixture) first(t testing.TB) string {
	t.Helper()
	listed, _ := f.List(t, pathOf("capital_assets")+"?per_page=1")
	return listed[0]["id"].(string)
}

func TestYearsAreClosedInTheirOrderByOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.Must(t, http.StatusNotFound, "POST", yearsPath+"/2024/close", fields{})
	f.open(t, 2024, 2025)
	f.Must(t, http.StatusNotFound, "GET", yearsPath+"/2024/close", nil)
	f.conflicts(t, "earlier_year_open", "2024 is open", yearsPath+"/2025/close", fields{})
	f.conflicts(t, "not_closed", "2024 is open", yearsPath+"/2024/reopen", fields{"reason": "x"})
	f.close(t, 2024)
	f.conflicts(t, "already_closed", "2024 is closed", yearsPath+"/2024/close", fields{})
	f.close(t, 2025)
	f.conflicts(t, "not_the_last", "which is 2025", yearsPath+"/2024/reopen", fields{"reason": "x"})
	f.open(t, 2026)
	f.Must(t, http.StatusOK, "POST", yearsPath+"/2025/reopen", fields{"reason": "Facture retrouvée"})
	f.conflicts(t, "too_many_open", "2025 and 2026 are open", yearsPath, fields{"fiscal_year": 2027})
	years, _ := f.List(t, yearsPath+"?sort=fiscal_year")
	f.Must(t, http.StatusConflict, "DELETE", yearsPath+"/"+years[0]["id"].(string), nil)
	f.Must(t, http.StatusNoContent, "DELETE", yearsPath+"/"+years[2]["id"].(string), nil)
	other := f.Other()
	other.Must(t, http.StatusNotFound, "GET", yearsPath+"/"+years[0]["id"].(string)+"/close", nil)
	other.Must(t, http.StatusNotFound, "POST", yearsPath+"/"+years[0]["id"].(string)+"/close", fields{})
	other.Must(t, http.StatusNotFound, "POST", yearsPath+"/"+years[0]["id"].(string)+"/reopen", fields{"reason": "x"})
}

// A year is not reopened while the next one is closed: that would be closed with an open one before it.
func TestAYearIsNotReopenedWhileTheNextIsClosed(t *testing.T) {
	f := newFixtureAlone(t)
	f.open(t, 2024, 2025)
	stop := f.work(t)
	f.close(t, 2024)
	stop()
	job := f.Must(t, http.StatusCreated, "POST", yearsPath+"/2025/close", fields{}).JSON["id"].(string)
	refused := f.Must(t, http.StatusConflict, "POST", yearsPath+"/2024/reopen", fields{"reason": "x"}).JSON
	says(t, refused, fields{"code": "already_closing", "existing_id": job})
	// Who does not know that has it wait until the year before is closed.
	f.execute(t, "UPDATE fiscal_year SET state = 'open' WHERE fiscal_year = 2024")
	ctx := principal.Into(t.Context(), f.Principal)
	if err := f.accounting.carryOut(ctx, job); err == nil || !strings.Contains(err.Error(), "waits for 2024, which is open") {
		t.Errorf("with an open year before it, the close says: %v", err)
	}
	if state, _, _ := f.written(t, 2025); state != "closing" {
		t.Errorf("the year is %s", state)
	}
	f.work(t)
	f.close(t, 2024)
	f.awaitClose(t, 2025)
}

// Reopening a year waits for who opens another one, so that no three are open.
func TestReopeningBesideOpeningLeavesTwoYearsOpen(t *testing.T) {
	f := newFixtureAlone(t)
	f.work(t)
	f.open(t, 2024, 2025)
	f.close(t, 2024)
	var group sync.WaitGroup
	var reopened resourcetest.Response
	done := make(chan struct{})
	if err := f.as(t, func(tx pgx.Tx) error { // as prepareYears does
		if _, err := yearsInTurn(principal.Into(t.Context(), f.Principal), tx); err != nil {
			return err
		}
		group.Go(func() {
			defer close(done)
			reopened = f.Do(t, "POST", yearsPath+"/2024/reopen", fields{"reason": "x"})
		})
		testwait.For(t, time.Minute, "the reopening to wait, or to be over", func() bool {
			select {
			case <-done:
				return true
			default:
			}
			var waits bool
			if err := tx.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = "+
				"(SELECT oid FROM pg_database WHERE datname = current_database()))").Scan(&waits); err != nil {
				t.Error(err)
			}
			return waits
		})
		_, err := tx.Exec(t.Context(), `INSERT INTO fiscal_year (organization_id, id, position, created_at, updated_at, created_by, updated_by,
			fiscal_year, fiscal_year_label, period_start, period_end, state)
			SELECT organization_id, gen_random_uuid(), position + 1000, created_at, updated_at, created_by, updated_by, 2026, '2026', '2026-01-01',
				'2026-12-31', 'open' FROM fiscal_year WHERE fiscal_year = 2025`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if reopened.JSON["code"] != "too_many_open" {
		t.Errorf("with 2026 open besides, 2024 is reopened: %d %s", reopened.Status, reopened.Body)
	}
}

// A dry run writes nothing and holds nothing: it is done while others hold the years, and what it would write.
func TestADryRunWaitsForNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.work(t)
	f.open(t, 2023, 2024)
	f.manyAssets(t, f.class(t, "half_year", 40, nil), 2023, 3)
	f.close(t, 2023)
	want := f.Must(t, http.StatusCreated, "POST", yearsPath+"/2024/close", fields{"dry_run": true}).JSON
	says(t, want, fields{"state": "done", "capital_assets": 3.0})
	if err := f.as(t, func(tx pgx.Tx) error {
		for _, sql := range []string{
			"SELECT FROM fiscal_year FOR UPDATE",
			`INSERT INTO layer SELECT organization_id, 2024, capital_asset_id, number, true, cost, accumulated + charge, residual,
				units_left - units_due, 2, 0, 0 FROM layer WHERE fiscal_year = 2023`,
			`INSERT INTO capital_asset_year (organization_id, fiscal_year, capital_asset_id, part, class_id, posted, last)
				SELECT organization_id, 2024, capital_asset_id, part, class_id, true, true FROM capital_asset_year WHERE fiscal_year = 2023`,
		} {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
		if dry := f.Do(t, "POST", yearsPath+"/2024/close",
			fields{"dry_run": true}); fmt.Sprint(dry.JSON["figures"]) != fmt.Sprint(want["figures"]) {
			t.Errorf("beside others, a dry run says %d %s, want %v", dry.Status, dry.Body, want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
