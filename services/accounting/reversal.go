package accounting

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// ReversalRequest undoes an entry.
type ReversalRequest struct {
	ID          string  `path:"id" format:"uuid" doc:"The transaction."`
	EffectiveOn string  `json:"effective_on" required:"true" format:"date" doc:"A day of the transaction's own fiscal year, not before it." example:"2027-06-30"`
	Memo        *string `json:"memo" maxLength:"1000" doc:"Why." example:"Mauvaise catégorie"`
}

// TransactionReversal is the entry that undoes another.
type TransactionReversal struct {
	ID       string `json:"id" format:"uuid" doc:"The new transaction." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Number   string `json:"number" doc:"Its number." example:"T-0000002"`
	Reverses string `json:"reverses" format:"uuid" doc:"The transaction that it undoes." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
}

func (a *accounting) mountReversal() {
	transport.Post(a.registry.API, transport.Operation{Path: "/v1/accounting/transactions/{id}/reverse",
		ID: "reverse_capital_asset_transaction", Scope: "accounting:write", Feature: "accounting", Status: 201, Summary: "Reverse a transaction",
		Description: "Posts its exact negative, once, while its fiscal year is open: afterwards everything is as if it had never been posted. " +
			"409 where a later transaction would not be possible without it, which is named."}, a.reverse)
}

func (a *accounting) reverse(ctx context.Context, in ReversalRequest) (out TransactionReversal, err error) {
	err = a.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockReversal(ctx, tx, in.ID); err != nil {
			return err
		}
		all, err := holdYears(ctx, tx)
		if err != nil {
			return err
		}
		t, err := readToReverse(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		number := *t.Number
		y := all.of(t.FiscalYear)
		day := dayOf(in.EffectiveOn)
		switch {
		case t.Reverses != nil:
			return fault.Conflict("is_a_reversal", "id", in.ID, "The transaction %s is a reversal itself; post what it has undone again.", number)
		case t.reversed != nil:
			return fault.Conflict("already_reversed", "id", in.ID, "The transaction %s is reversed already, by %s.", number, *t.reversed)
		case t.closed || t.Type == "amortization":
			return fault.Conflict("not_postable", "id", in.ID,
				"The transaction %s was made by the service; reopening its fiscal year reverses it.", number)
		case t.Type == "accretion":
			return fault.Conflict("not_postable", "id", in.ID, "The transaction %s goes with the one after it: reverse that.", number)
		case y.state != "open":
			return fault.Conflict("year_not_open", "id", in.ID,
				"The fiscal year %s of the transaction %s is %s: correct it by an adjustment in an open one.", y.label, number, y.state)
		case in.EffectiveOn > resource.Today(ctx):
			return fault.InvalidFields(fault.Field{Field: "effective_on", Message: "must not be after today, " + resource.Today(ctx)})
		case day.Before(dayOf(t.EffectiveOn)) || day.After(y.last):
			return fault.InvalidFields(fault.Field{Field: "effective_on", Message: "must be from " + t.EffectiveOn +
				", the day of the transaction, to the last of its fiscal year, " + y.last.Format("2006-01-02")})
		}
		if by, err := reinstatementOf(ctx, tx, in.ID); err != nil {
			return err
		} else if by != "" {
			return fault.Conflict("already_reinstated", "id", in.ID, "The transaction %s is reinstated by %s; reverse that first.", number, by)
		}
		negatives := []*CapitalAssetTransaction{a.negativeOf(t, in.EffectiveOn, in.Memo)}
		if t.ObligationID != nil {
			more, err := a.undo(ctx, tx, t, in)
			if err != nil {
				return err
			}
			negatives = append(negatives, more...)
		}
		if err := resource.Insert(ctx, tx, a.registry, "capital_asset_transactions", negatives); err != nil {
			return err
		}
		out = TransactionReversal{negatives[0].ID, *negatives[0].Number, in.ID}
		if err := a.restate(ctx, tx, t.touches()); err != nil {
			return err
		}
		return checkNotTransferred(ctx, tx, t) // nobody transfers it now: it is locked
	})
	return out, err
}

// lockReversal waits for who else reverses an entry, or changes the obligation that it is about. It is the first lock of all: those of
// years and capital assets come after it.
func lockReversal(ctx context.Context, tx pgx.Tx, id string) error {
	batch := &pgx.Batch{}
	batch.Queue("SELECT pg_advisory_xact_lock(hashtextextended('reversal of ' || lower($1), 0))", id)
	batch.Queue(`SELECT FROM retirement_obligation WHERE organization_id = current_organization()
		AND id = (SELECT obligation_id FROM transaction WHERE organization_id = current_organization() AND id = $1) FOR NO KEY UPDATE`, id)
	return tx.SendBatch(ctx, batch).Close()
}

// toReverse is an entry with what it changes now.
type toReverse struct {
	CapitalAssetTransaction
	closed   bool    // it was made by a close
	reversed *string // number of what has reversed it
}

func readToReverse(ctx context.Context, tx pgx.Tx, id string) (*toReverse, error) {
	t := &toReverse{}
	err := tx.QueryRow(ctx, `SELECT x.id::text, x.number, x.sequence, x.capital_asset_id::text, x.type, x.effective_on::text, x.fiscal_year,
		x.amount::float8, x.accumulated_amortization::float8, x.in_service_on::text, x.proceeds::float8, x.to_capital_asset_id::text,
		x.to_class_id::text, x.from_class_id::text, x.reverses::text, x.obligation_id::text, coalesce(e.layer, x.layer),
			coalesce(e.cost_change, x.cost_change)::float8, coalesce(e.accumulated_change, x.accumulated_change)::float8, coalesce(e.gain_loss,
				x.gain_loss)::float8, x.of_work_in_progress,
			x.close_id IS NOT NULL, (SELECT r.number FROM transaction r WHERE r.organization_id = x.organization_id AND r.reverses = x.id)
		FROM transaction x LEFT JOIN transaction_effect e ON e.organization_id = x.organization_id AND e.transaction_id = x.id
		WHERE x.organization_id = current_organization() AND x.id = $1`, id).Scan(&t.ID, &t.Number, &t.Sequence,
		&t.CapitalAssetID, &t.Type, &t.EffectiveOn, &t.FiscalYear, &t.Amount, &t.AccumulatedAmortization,
		&t.InServiceOn, &t.Proceeds, &t.ToCapitalAssetID, &t.ToClassID, &t.FromClassID, &t.Reverses, &t.ObligationID, &t.Layer, &t.CostChange,
		&t.AccumulatedChange, &t.GainLoss, &t.OfWorkInProgress, &t.closed, &t.reversed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.NotFound("transaction", id)
	}
	return t, err
}

// negativeOf makes the entry that undoes another.
func (a *accounting) negativeOf(t *toReverse, on string, memo *string) *CapitalAssetTransaction {
	negative := resource.New[CapitalAssetTransaction](a.registry, "capital_asset_transactions")
	negative.CapitalAssetID, negative.Type, negative.EffectiveOn, negative.FiscalYear = t.CapitalAssetID, t.Type, on, t.FiscalYear
	negative.ToCapitalAssetID, negative.ToClassID, negative.FromClassID, negative.InServiceOn, negative.ObligationID = t.ToCapitalAssetID,
		t.ToClassID, t.FromClassID, t.InServiceOn, t.ObligationID
	negative.Amount, negative.AccumulatedAmortization, negative.Proceeds = minus(t.Amount), minus(t.AccumulatedAmortization), minus(t.Proceeds)
	negative.CostChange, negative.AccumulatedChange = minus(t.CostChange), minus(t.AccumulatedChange)
	negative.GainLoss, negative.Layer = minus(t.GainLoss), t.Layer
	negative.OfWorkInProgress = t.OfWorkInProgress
	negative.Memo, negative.Reverses = memo, &t.ID
	return negative
}

func minus(amount *float64) *float64 {
	if amount == nil || *amount == 0 {
		return amount
	}
	negative := -*amount
	return &negative
}
