package accounting

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
	"ams.internal/services/accounting/ledger"
)

// JournalQuery asks for the journal of a fiscal year.
type JournalQuery struct {
	FiscalYear int   `query:"fiscal_year" required:"true" minimum:"1900" maximum:"2300" doc:"The fiscal year." example:"2026"`
	After      int64 `query:"after" default:"0" minimum:"0" maximum:"9007199254740991" doc:"The sequence of the last transaction that you have: those after it are shown." example:"0"`
	PerPage    int   `query:"per_page" default:"500" minimum:"1" maximum:"1000" doc:"How many transactions at most." example:"500"`
}

// Journal is a page of the journal.
type Journal struct {
	FiscalYear int           `json:"fiscal_year" doc:"The fiscal year." example:"2026"`
	Currency   string        `json:"currency" doc:"Currency of every amount." example:"CAD"`
	Data       []JournalLine `json:"data" doc:"The lines of transactions, in the order of their sequence. Debits and credits of a transaction are equal."`
	After      int64         `json:"after" doc:"The sequence of the last transaction here: ask for those after it." example:"500"`
	HasMore    bool          `json:"has_more" doc:"Whether there are more." example:"false"`
}

// Pages implements transport.Paged.
func (j Journal) Pages() transport.Pages {
	if !j.HasMore {
		return transport.Pages{}
	}
	return transport.Pages{Cursor: strconv.FormatInt(j.After, 10), By: "after"}
}

// JournalLine is a line of the journal.
type JournalLine struct {
	Sequence      int64   `json:"sequence" doc:"Of its transaction; numbers of all fiscal years have no gap." example:"1"`
	Number        string  `json:"number" doc:"Of its transaction." example:"T-0000001"`
	EffectiveOn   string  `json:"effective_on" format:"date" doc:"The day it counts from." example:"2026-04-03"`
	Type          string  `json:"type" doc:"Of its transaction." example:"acquisition"`
	Account       string  `json:"account" doc:"The account as the class calls it, else what it is, such as accumulated_amortization." example:"1-1500"`
	Debit         float64 `json:"debit" decimals:"2" doc:"Amount, or 0." example:"120000.00"`
	Credit        float64 `json:"credit" decimals:"2" doc:"Amount, or 0." example:"0"`
	Memo          *string `json:"memo" doc:"Of its transaction." example:"Facture 4711"`
	TransactionID string  `json:"transaction_id" format:"uuid" doc:"Its transaction." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	CapitalAsset  string  `json:"capital_asset_number" doc:"Number of the capital asset." example:"TCA-000001"`
}

// Table implements transport.Tabular.
func (j Journal) Table() transport.Table { return transport.TableOf(j.Data) }

func (a *accounting) mountJournal() {
	transport.Get(a.registry.API, transport.Operation{Path: "/v1/accounting/journal", ID: "list_capital_asset_journal",
		Scope: "accounting:read", Feature: "accounting", Summary: "List the journal of a fiscal year", Description: "What the general ledger " +
			"is to post: of entries that were made, and of what closes charge. Ask with after for what is new. What entries of an open year " +
			"change of the accumulated amortization is provisional; take them once it is closed. As CSV and Parquet too (Accept)."}, a.journal)
}

// accountNames are what accounts are called in the journal where a class does not say.
var accountNames = map[ledger.Account]string{
	ledger.AssetAccount: "asset", ledger.AccumulatedAccount: "accumulated_amortization", ledger.AmortizationAccount: "amortization_expense",
	ledger.WorkAccount: "work_in_progress", ledger.GainLossAccount: "gain_loss", ledger.WriteDownAccount: "write_down",
	ledger.ContributedAccount: "contributed_revenue", ledger.ClearingAccount: "clearing", ledger.ObligationAccount: "obligation",
	ledger.AccretionAccount: "accretion", ledger.RetirementExpenseAccount: "retirement_expense", ledger.PriorPeriodAccount: "prior_period",
}

// journalSQL selects entries with the accounts of the classes that their capital assets were in: of the one that it is about, and
// of the one that it goes to.
const journalSQL = `SELECT x.sequence, x.number, x.effective_on::text, x.type, x.memo, x.id::text, coalesce(a.number, a.name, f.label),
	coalesce(x.amount, 0)::float8, coalesce(x.proceeds, 0)::float8, coalesce(e.cost_change, x.cost_change, 0)::float8,
	coalesce(e.accumulated_change, x.accumulated_change, 0)::float8, coalesce(e.gain_loss, x.gain_loss, 0)::float8,
		x.to_capital_asset_id IS NOT NULL, x.to_class_id IS NOT NULL, x.obligation_id IS NOT NULL, x.type = 'acquisition'
	AND x.in_service_on IS NOT NULL,
		(SELECT k.accounts FROM class k WHERE k.organization_id = x.organization_id AND k.id = coalesce(x.from_class_id, f.class_id, c.class_id,
			a.class_id))::text,
		coalesce((SELECT k.accounts FROM class k WHERE k.organization_id = x.organization_id AND k.id = coalesce(x.to_class_id, g.class_id,
			d.class_id, b.class_id))::text, '{}')
	FROM transaction x
	LEFT JOIN capital_asset a ON a.organization_id = x.organization_id AND a.id = x.capital_asset_id
	LEFT JOIN capital_asset b ON b.organization_id = x.organization_id AND b.id = x.to_capital_asset_id
	LEFT JOIN transaction_effect e ON e.organization_id = x.organization_id AND e.transaction_id = x.id
	LEFT JOIN transaction o ON o.organization_id = x.organization_id AND o.id = x.reverses
	LEFT JOIN LATERAL (` + formerClass + ` AND m.capital_asset_id = x.capital_asset_id ` + firstAfter + `) c ON true
	LEFT JOIN LATERAL (` + formerClass + ` AND m.capital_asset_id = x.to_capital_asset_id ` + firstAfter + `) d ON true
	LEFT JOIN LATERAL (` + formerDraft + ` = x.capital_asset_id ` + firstUpTo + `) f ON true
	LEFT JOIN LATERAL (` + formerDraft + ` = x.to_capital_asset_id ` + firstUpTo + `) g ON true
	WHERE x.organization_id = current_organization() AND x.fiscal_year = $1 AND x.sequence > $2
	ORDER BY x.sequence LIMIT $3`

// formerClass is the class of a capital asset before the next transfer to another. What is reversed is so where it was posted.
const (
	formerClass = `SELECT m.from_class_id AS class_id FROM transaction m WHERE m.organization_id = x.organization_id
		AND m.from_class_id IS NOT NULL AND m.reverses IS NULL
		AND NOT EXISTS (SELECT FROM transaction r WHERE r.organization_id = m.organization_id AND r.reverses = m.id)
			AND (m.effective_on, m.sequence) > (coalesce(o.effective_on, x.effective_on), coalesce(o.sequence, x.sequence))`
	firstAfter = `ORDER BY m.effective_on, m.sequence LIMIT 1`
)

// formerDraft is what a capital asset was that has become a draft again since.
const (
	formerDraft = `SELECT r.class_id, coalesce(r.number, r.name COLLATE "C") AS label FROM former_draft r
		WHERE r.organization_id = x.organization_id AND r.sequence >= x.sequence AND r.capital_asset_id`
	firstUpTo = `ORDER BY r.sequence LIMIT 1`
)

func (a *accounting) journal(ctx context.Context, in JournalQuery) (out Journal, err error) {
	out = Journal{FiscalYear: in.FiscalYear, Currency: currencyOf(ctx), Data: []JournalLine{}, After: in.After}
	err = a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, _, err := findYear(ctx, tx, strconv.Itoa(in.FiscalYear)); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, journalSQL, in.FiscalYear, in.After, in.PerPage+1)
		if err != nil {
			return err
		}
		var l JournalLine
		var amount, proceeds, cost, accumulated, gain float64
		var toAsset, toClass, obligation, found bool
		var accounts, accountsOfOther []byte
		seen := 0
		_, err = pgx.ForEachRow(rows, []any{&l.Sequence, &l.Number, &l.EffectiveOn, &l.Type, &l.Memo, &l.TransactionID, &l.CapitalAsset, &amount,
			&proceeds, &cost, &accumulated, &gain, &toAsset, &toClass, &obligation, &found, &accounts, &accountsOfOther}, func() error {
			if seen++; seen > in.PerPage {
				out.HasMore = true
				return nil
			}
			out.After = l.Sequence
			e := &ledger.Entry{Type: types[l.Type], Amount: cents(amount), Proceeds: cents(proceeds)}
			if found {
				e.Service = time.Unix(0, 0)
			}
			effect := ledger.Effect{Cost: cents(cost), Accumulated: cents(accumulated), Gain: cents(gain)}
			own, other := linesOf(l.Type, e, effect, toAsset, toClass, obligation)
			if err := out.add(l, own, accounts); err != nil {
				return err
			}
			return out.add(l, other, accountsOfOther)
		})
		return err
	})
	return out, err
}

// linesOf are the lines of an entry: by the accounts of its capital asset, and by those of what it goes to.
func linesOf(kind string, e *ledger.Entry, effect ledger.Effect, toAsset, toClass, obligation bool) (own, other []ledger.Line) {
	switch {
	case kind == "amortization":
		return ledger.CloseJournal(effect.Accumulated, 0), nil
	case kind == "accretion":
		return ledger.CloseJournal(0, e.Amount), nil
	case kind == "settlement":
		return ledger.SettlementJournal(-e.Amount, effect.Gain), nil
	case kind == "opening" && obligation:
		return ledger.OpeningJournal(e.Amount), nil
	case kind == "in_service" && toAsset:
		e.Type = ledger.WorkOut
		return ledger.Journal(e, effect), []ledger.Line{{Account: ledger.AssetAccount, Amount: effect.Cost}}
	case toAsset || toClass:
		e.Type = ledger.Reclassification
		for _, line := range ledger.Journal(e, effect) {
			other = append(other, ledger.Line{Account: line.Account, Amount: -line.Amount})
		}
		return ledger.Journal(e, effect), other
	}
	return ledger.Journal(e, effect), nil
}

// add adds lines with the names that a class has for its accounts.
func (j *Journal) add(l JournalLine, lines []ledger.Line, accounts []byte) error {
	names := map[string]*string{}
	if err := json.Unmarshal(accounts, &names); err != nil {
		return fmt.Errorf("read the accounts of a class: %w", err)
	}
	for _, line := range lines {
		added := l
		added.Account = accountNames[line.Account]
		if name := names[added.Account]; name != nil && *name != "" {
			added.Account = *name
		}
		if line.Amount > 0 {
			added.Debit = money(line.Amount)
		} else {
			added.Credit = money(-line.Amount)
		}
		j.Data = append(j.Data, added)
	}
	return nil
}
