package accounting

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
	"ams.internal/services/accounting/ledger"
)

// RetirementRevisionRequest changes what is expected of an obligation. What is left out stays.
type RetirementRevisionRequest struct {
	ID              string   `path:"id" format:"uuid" doc:"The obligation."`
	EffectiveOn     string   `json:"effective_on" required:"true" format:"date" doc:"The day from which that is expected: in an open fiscal year, not after today, and not before the obligation's last transaction." example:"2027-06-30"`
	EstimatedCost   *float64 `json:"estimated_cost" minimum:"0.01" maximum:"9999999999999.99" decimals:"2" doc:"What is to be paid at the settlement." example:"1200000.00"`
	SettlementOn    *string  `json:"settlement_on" format:"date" doc:"When it is expected to be settled: after effective_on." example:"2050-01-01"`
	DiscountRatePct *float64 `json:"discount_rate_pct" minimum:"0" maximum:"20" decimals:"4" unit:"percent" doc:"By how much a year the estimated cost is discounted." example:"3.5"`
	Memo            *string  `json:"memo" maxLength:"1000" doc:"Why." example:"Évaluation de 2027"`
}

// RetirementSettlementRequest settles an obligation.
type RetirementSettlementRequest struct {
	ID          string  `path:"id" format:"uuid" doc:"The obligation."`
	EffectiveOn string  `json:"effective_on" required:"true" format:"date" doc:"When it was settled: in an open fiscal year, not after today, and not before the obligation's last transaction." example:"2027-06-30"`
	Paid        float64 `json:"paid" required:"true" money:"true" doc:"What that has cost." example:"980000.00"`
	Settles     string  `json:"settles" default:"all" enum:"all,amount,share_pct" doc:"How much of the obligation is settled. all: the whole of it. amount: so much of the liability. share_pct: a share of it. Of a part, the rest stays and goes on growing." example:"all"`

	Amount   *float64 `json:"amount" money:"true" doc:"With settles amount: how much of the liability is settled, as it stands on that day with the accretion up to it; what was paid when left out. Above 0." example:"50000.00"`
	SharePct *float64 `json:"share_pct" minimum:"0" maximum:"100" decimals:"4" unit:"percent" doc:"With settles share_pct: the share of the liability that is settled, above 0; required." example:"25"`
	Memo     *string  `json:"memo" maxLength:"1000" doc:"Why, and how." example:"Désamiantage terminé"`
}

// ObligationChange is what a revision or a settlement has posted.
type ObligationChange struct {
	ObligationID  string   `json:"obligation_id" format:"uuid" doc:"The obligation." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	TransactionID string   `json:"transaction_id" format:"uuid" doc:"The transaction of the type retirement_cost or settlement." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Number        string   `json:"number" doc:"Its number." example:"T-0000002"`
	Accretion     float64  `json:"accretion" decimals:"2" doc:"By how much the liability had grown in that fiscal year up to that day; a transaction of its own." example:"9038.24"`
	Change        float64  `json:"change" decimals:"2" doc:"By how much the liability changes besides." example:"100000.00"`
	Liability     float64  `json:"liability" decimals:"2" doc:"What is owed now; of a fiscal year before that is still open, its close has yet to post the accretion." example:"565425.19"`
	CostChange    *float64 `json:"cost_change" decimals:"2" doc:"By how much the cost of the capital asset changes, provisional while the year is open; the rest is an expense, or income. Null of a settlement." example:"100000.00"`
	GainLoss      *float64 `json:"gain_loss" decimals:"2" doc:"Of a settlement: the liability that is settled less what was paid. Else null." example:"20000.00"`
}

func (a *accounting) mountObligations() {
	const path = "/v1/accounting/retirement-obligations/{id}"
	transport.Post(a.registry.API, transport.Operation{Path: path + "/revise",
		ID: "revise_retirement_obligation", Scope: "accounting:write", Feature: "accounting", Status: 201,
		Summary: "Revise a retirement obligation", Description: "What is expected of it from a day on. Its liability becomes the present " +
			"value of that, and the cost of the capital asset changes by the difference, forward only: never below what is amortized of it. " +
			"The accretion up to that day is posted first. 409 once it is settled, and where the obligation has a later transaction."}, a.revise)
	transport.Post(a.registry.API, transport.Operation{Path: path + "/settle", ID: "settle_retirement_obligation", Scope: "accounting:write",
		Feature: "accounting", Status: 201, Summary: "Settle a retirement obligation",
		Description: "All of it, or a part: its liability goes, or that part of it; what that was more than was paid is a gain, else a loss. " +
			"Of a part, the rest stays active: it costs its share of the estimated cost, and grows as before. The accretion up to that day is " +
			"posted first. 409 once it is settled, and where the obligation has a later transaction."}, a.settle)
}

// obligationBalance is the balance of an obligation on a day, with the terms it has then.
type obligationBalance struct {
	obligationTerms // as they are before
	name, state     string
	year            *year
	liability, due  float64 // due: the accretion up to that day that no entry has posted, which the liability has
}

// obligationOn reads the balance of an obligation on a day on which something is to be posted, locks it, and says why nothing can be.
func obligationOn(ctx context.Context, tx pgx.Tx, id, on string) (*obligationBalance, years, error) {
	o := &obligationBalance{obligationTerms: obligationTerms{ObligationID: id, On: on}}
	err := tx.QueryRow(ctx, `SELECT name, state, capital_asset_id::text, estimated_cost::float8, settlement_on::text, discount_rate_pct::float8
		FROM retirement_obligation WHERE organization_id = current_organization() AND id = $1 FOR NO KEY UPDATE`, id).
		Scan(&o.name, &o.state, &o.CapitalAssetID, &o.EstimatedCost, &o.SettlementOn, &o.DiscountRatePct)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, fault.NotFound("retirement obligation", id)
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := holdYears(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	y, wrong, refused := all.openOn(ctx, "effective_on", on)
	switch {
	case o.state == "settled":
		return nil, nil, fault.Conflict("settled", "state", o.state, "The obligation %s is settled; reverse its settlement first.", o.name)
	case refused != nil:
		return nil, nil, refused
	case wrong != "":
		return nil, nil, fault.InvalidFields(fault.Field{Field: "effective_on", Message: wrong})
	}
	var last liveEntry
	if err := eachLiveEntry(ctx, tx, []string{id}, func(e *liveEntry) {
		if e.on >= last.on {
			last = *e
		}
	}); err != nil {
		return nil, nil, err
	}
	if on < last.on {
		e := fault.Conflict("later_transaction", "effective_on", on,
			"The obligation %s has %s of %s; what comes after it is not before that day.", o.name, last.number, last.on)
		e.ExistingID = last.id
		return nil, nil, e
	}
	o.year = y
	return o, all, tx.QueryRow(ctx, all.obligationsIn(y, dayOf(on), " AND x.obligation_id = $1")+
		fmt.Sprintf(" SELECT closing::float8, due::float8 FROM obligations_%d", y.number), id).
		Scan(&o.liability, &o.due)
}

func (a *accounting) revise(ctx context.Context, in RetirementRevisionRequest) (out ObligationChange, err error) {
	if in.EstimatedCost == nil && in.SettlementOn == nil && in.DiscountRatePct == nil {
		return out, fault.InvalidFields(fault.Field{Field: "estimated_cost",
			Message: "or settlement_on or discount_rate_pct is required: what is expected from now on"})
	}
	err = a.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		o, all, err := obligationOn(ctx, tx, in.ID, in.EffectiveOn)
		if err != nil {
			return err
		}
		terms := o.obligationTerms
		if in.EstimatedCost != nil {
			terms.EstimatedCost = *in.EstimatedCost
		}
		if in.SettlementOn != nil {
			terms.SettlementOn = *in.SettlementOn
		}
		if in.DiscountRatePct != nil {
			terms.DiscountRatePct = *in.DiscountRatePct
		}
		var wrong []fault.Field
		checkTerms(terms.EstimatedCost, terms.SettlementOn, in.EffectiveOn, func(field, format string, args ...any) {
			wrong = append(wrong, fault.Field{Field: field, Message: fmt.Sprintf(format, args...)})
		})
		if len(wrong) > 0 {
			return fault.InvalidFields(wrong...)
		}
		values, err := presentValues(ctx, tx, []obligationTerms{terms})
		if err != nil {
			return err
		}
		t := a.entryOf(terms, "retirement_cost", o.year.number, money(cents(values[0])-cents(o.liability)))
		t.Memo = in.Memo
		b, balances, err := replayRevision(ctx, tx, all, t)
		if err != nil {
			return err
		}
		if out, err = a.postChange(ctx, tx, o, t); err != nil {
			return err
		}
		out.CostChange = t.CostChange
		if err := a.write(ctx, tx, b, balances); err != nil {
			return err
		}
		return a.registry.UpdateWhere(ctx, tx, "retirement_obligations", []string{"estimated_cost", "settlement_on", "discount_rate_pct"},
			"SELECT $2::uuid AS id, $3::numeric AS estimated_cost, $4::date AS settlement_on, $5::numeric AS discount_rate_pct", in.ID,
			terms.EstimatedCost, terms.SettlementOn, terms.DiscountRatePct)
	})
	return out, err
}

func (a *accounting) settle(ctx context.Context, in RetirementSettlementRequest) (out ObligationChange, err error) {
	if wrong := in.check(); wrong != nil {
		return out, fault.InvalidFields(*wrong)
	}
	err = a.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		o, _, err := obligationOn(ctx, tx, in.ID, in.EffectiveOn)
		if err != nil {
			return err
		}
		liability, settled := cents(o.liability), in.of(cents(o.liability))
		if settled > liability {
			return fault.Conflict("amount", "amount", money(settled), "The liability of the obligation %s is %s on %s, less than %s; "+
				"settle all of it with settles all: what was paid beyond it is a loss.", o.name, liability, in.EffectiveOn, settled)
		}
		gain := money(settled - cents(in.Paid))
		t := a.entryOf(o.obligationTerms, "settlement", o.year.number, money(-settled))
		t.Memo, t.GainLoss, t.SharePct = in.Memo, &gain, in.SharePct
		if rest := liability - settled; rest > 0 {
			cost := money(max(1, cents(o.EstimatedCost).Share(int64(rest), int64(liability))))
			t.EstimatedCost, t.SettlementOn, t.DiscountRatePct = &cost, &o.SettlementOn, &o.DiscountRatePct
		}
		if out, err = a.postChange(ctx, tx, o, t); err != nil {
			return err
		}
		out.GainLoss = &gain
		return a.registry.UpdateWhere(ctx, tx, "retirement_obligations", []string{"estimated_cost", "state", "settled_on", "paid"},
			`SELECT o.id, coalesce($3::numeric, o.estimated_cost) AS estimated_cost, CASE WHEN $3 IS NULL THEN 'settled' ELSE o.state END AS state,
				CASE WHEN $3 IS NULL THEN $4::date END AS settled_on, coalesce(o.paid, 0) + $5::numeric AS paid
			FROM retirement_obligation o WHERE o.organization_id = $1 AND o.id = $2`, in.ID, t.EstimatedCost, in.EffectiveOn, in.Paid)
	})
	return out, err
}

// check objects to what does not go with what the settlement settles; nil: nothing.
func (in *RetirementSettlementRequest) check() *fault.Field {
	switch {
	case in.Amount != nil && in.Settles != "amount":
		return &fault.Field{Field: "amount", Message: "goes with settles amount"}
	case in.SharePct != nil && in.Settles != "share_pct":
		return &fault.Field{Field: "share_pct", Message: "goes with settles share_pct"}
	case in.SharePct == nil && in.Settles == "share_pct":
		return &fault.Field{Field: "share_pct", Message: "is required with settles share_pct"}
	case in.SharePct != nil && *in.SharePct == 0:
		return &fault.Field{Field: "share_pct", Message: "must be above 0, and at most 100"}
	case in.Amount != nil && *in.Amount == 0:
		return &fault.Field{Field: "amount", Message: "must be above 0"}
	case in.Settles == "amount" && in.Amount == nil && in.Paid == 0:
		return &fault.Field{Field: "amount", Message: "is required where nothing was paid: how much of the liability is settled"}
	}
	return nil
}

// of is how much of a liability is settled.
func (in *RetirementSettlementRequest) of(liability ledger.Cents) ledger.Cents {
	switch {
	case in.Amount != nil:
		return cents(*in.Amount)
	case in.Settles == "amount":
		return cents(in.Paid)
	case in.SharePct != nil:
		return liability.Share(int64(*in.SharePct*10_000+0.5), 1_000_000)
	}
	return liability
}

// postChange posts an entry of an obligation, and before it the accretion that no entry has posted.
func (a *accounting) postChange(ctx context.Context, tx pgx.Tx, o *obligationBalance,
	t *CapitalAssetTransaction) (out ObligationChange, err error) {
	var records []*CapitalAssetTransaction
	if o.due != 0 {
		records = append(records, a.entryOf(o.obligationTerms, "accretion", o.year.number, o.due))
	}
	if err := resource.Insert(ctx, tx, a.registry, "capital_asset_transactions", append(records, t)); err != nil {
		return out, err
	}
	return ObligationChange{ObligationID: o.ObligationID, TransactionID: t.ID, Number: *t.Number, Accretion: o.due, Change: *t.Amount,
		Liability: money(cents(o.liability) + cents(*t.Amount))}, nil
}

// replayRevision replays the open years of the capital asset with a revision, which then says what it adds to the cost.
func replayRevision(ctx context.Context, tx pgx.Tx, all years, t *CapitalAssetTransaction) (*book, []*balance, error) {
	b, err := readBook(ctx, tx, all, []string{t.CapitalAssetID})
	if err != nil {
		return nil, nil, err
	}
	var refused error
	balances, err := b.add([]*candidate{{record: t, refuse: func(why *impossibleEntry) {
		if refused = why.because("The revision would make %s of %s impossible: %s", t.EffectiveOn); why.id != "" {
			return
		}
		message := why.reason.Message
		if why.reason.Code == "not_amortized" {
			message = "The capital asset is not amortized: more cost would never become an expense. Revise estimated_cost to 0.01, " +
				"settle the obligation, and recognize it on a capital asset of a class that is amortized, such as landfill cells or land improvements."
		}
		refused = fault.Conflict(why.reason.Code, "estimated_cost", *t.EstimatedCost, "%s", message)
	}}})
	if err == nil {
		err = refused
	}
	return b, balances, err
}

// undo gives what is reversed with the last entry of an obligation: the accretion that was posted with it. The obligation is as before.
func (a *accounting) undo(ctx context.Context, tx pgx.Tx, t *toReverse,
	in ReversalRequest) (negatives []*CapitalAssetTransaction, err error) {
	var last, before liveEntry // of those that are posted for it; what closes post is not among them
	if err := eachLiveEntry(ctx, tx, []string{*t.ObligationID}, func(e *liveEntry) {
		if e.kind != "accretion" {
			last = *e
		} else if !e.closed {
			before = *e
		}
	}); err != nil {
		return nil, err
	}
	switch {
	case last.id != t.ID:
		e := fault.Conflict("later_transaction", "id", t.ID, "The obligation of the transaction %s has %s after it; reverse that first.",
			*t.Number, last.number)
		e.ExistingID = last.id
		return nil, e
	case last.first:
		return nil, fault.Conflict("not_postable", "id", t.ID, "The transaction %s recognizes an obligation; delete the obligation.", *t.Number)
	}
	if before.sequence == last.sequence-1 {
		accretion, err := readToReverse(ctx, tx, before.id)
		if err != nil {
			return nil, err
		}
		negatives = append(negatives, a.negativeOf(accretion, in.EffectiveOn, in.Memo))
	}
	return negatives, a.registry.UpdateWhere(ctx, tx, "retirement_obligations",
		[]string{"estimated_cost", "settlement_on", "discount_rate_pct", "state", "settled_on", "paid"},
		`SELECT $2::uuid AS id, x.estimated_cost, x.settlement_on, x.discount_rate_pct, 'active' AS state, NULL::date AS settled_on,
			(SELECT sum(-s.amount - s.gain_loss) FROM transaction s WHERE s.organization_id = x.organization_id AND s.obligation_id = x.obligation_id
				AND s.id <> $3 AND s.type = 'settlement' AND `+strings.ReplaceAll(isLive, "x.", "s.")+`) AS paid
		FROM transaction x WHERE x.organization_id = $1 AND x.obligation_id = $2 AND x.id <> $3 AND x.estimated_cost IS NOT NULL AND `+isLive+`
		ORDER BY x.effective_on DESC, x.sequence DESC LIMIT 1`, *t.ObligationID, t.ID)
}

// checkNotTransferred objects to an obligation that would be active again although its capital asset has transferred cost to another one
// since it was settled.
func checkNotTransferred(ctx context.Context, tx pgx.Tx, t *toReverse) error {
	if t.Type != "settlement" {
		return nil
	}
	given := toReverse{}
	err := tx.QueryRow(ctx, `SELECT x.id::text, x.number, x.effective_on::text FROM transaction x
		WHERE x.organization_id = current_organization() AND x.capital_asset_id = $1 AND x.type = 'transfer'
			AND x.to_capital_asset_id IS NOT NULL AND x.sequence > $2 AND `+isLive+`
		ORDER BY x.sequence DESC LIMIT 1`, t.CapitalAssetID, t.Sequence).Scan(&given.ID, &given.Number, &given.EffectiveOn)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	e := fault.Conflict("makes_impossible", "id", t.ID, "%s of %s has given cost of the capital asset to another one since: "+
		"reverse that first, or recognize the obligation anew.", *given.Number, given.EffectiveOn)
	e.ExistingID = given.ID
	return e
}
