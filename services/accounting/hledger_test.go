package accounting

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// readByHledger has hledger read the journal of some years, find it balanced, and come to what the schedule of each year closes with.
func (b *bookkeeping) readByHledger(t testing.TB, first, last int) {
	t.Helper()
	var journal bytes.Buffer
	for year := first; year <= last; year++ {
		b.writeJournal(t, &journal, year)
	}
	run(t, bytes.NewReader(journal.Bytes()), "hledger", "-f-", "check", "balancednoautoconversion", "parseable")
	for year := first; year <= last; year++ {
		accounts := inAccounts(t, journal.Bytes(), b.year(t, year).last)
		rows := b.Must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/accounting/schedule?fiscal_year=%d", year), nil).JSON["data"].([]any)
		compared := 0
		for _, each := range rows {
			row := each.(fields)
			for account, want := range map[string]float64{
				"asset ":     row["cost"].(fields)["closing"].(float64),
				"amortized ": -row["accumulated_amortization"].(fields)["closing"].(float64),
				"work ":      row["work_in_progress"].(fields)["closing"].(float64),
			} {
				account += row["name"].(string)
				if got := accounts[account]; got != fmt.Sprintf("%.2f", want) && (got != "" && got != "0" || want != 0) {
					t.Errorf("%d: hledger finds %q in the account %q, the schedule closes with %.2f", year, got, account, want)
				}
				compared++
			}
		}
		owed := b.Must(t, http.StatusOK, "GET",
			fmt.Sprintf("/v1/accounting/schedule/retirement-obligations?fiscal_year=%d", year), nil).JSON["total"].(fields)["closing"].(float64)
		if got := accounts["obligation"]; owed == 0 || got != fmt.Sprintf("%.2f", -owed) {
			t.Errorf("%d: hledger finds %q in the account obligation, the schedule owes %.2f", year, got, owed)
		}
		if compared < 3*len(b.groups) {
			t.Errorf("%d: %d accounts were compared", year, compared)
		}
	}
}

// writeJournal writes the journal of a year as a file of hledger's.
func (b *bookkeeping) writeJournal(t testing.TB, to *bytes.Buffer, year int) {
	t.Helper()
	number := ""
	for _, line := range b.journalLines(t, year) {
		if line["number"] != number {
			number = line["number"].(string)
			fmt.Fprintf(to, "\n%s (%s) %s\n", line["effective_on"], number, line["type"])
		}
		fmt.Fprintf(to, "    %s  %.2f\n", line["account"], line["debit"].(float64)-line["credit"].(float64))
	}
}

// inAccounts are the balances that hledger finds in the accounts of a journal at the end of a day.
func inAccounts(t testing.TB, journal []byte, day time.Time) map[string]string {
	t.Helper()
	table := run(t, bytes.NewReader(journal), "hledger", "-f-", "balance", "--flat", "-N", "-O", "csv", "-e",
		day.AddDate(0, 0, 1).Format(time.DateOnly))
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, row := range rows[1:] {
		found[row[0]] = strings.TrimSpace(row[1])
	}
	return found
}
