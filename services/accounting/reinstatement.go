package accounting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/services/accounting/ledger"
)

// layerBack is what a reinstatement brings back of a layer.
type layerBack struct {
	TransactionID string  `json:"transaction_id"`
	Number        int     `json:"number"`
	Cost          float64 `json:"cost"`
	Accumulated   float64 `json:"accumulated"`
	Residual      float64 `json:"residual"`
	UnitsLeft     int     `json:"units_left"`
	ObligationID  *string `json:"obligation_id"`
}

// restore reads the layers of a reinstatement.
func (e *entry) restore(text []byte) error {
	var rows []layerBack
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return fmt.Errorf("read what a reinstatement brings back: %w", err)
	}
	for _, row := range rows {
		l := ledger.Layer{Number: row.Number, Cost: cents(row.Cost), Accumulated: cents(row.Accumulated), Residual: cents(row.Residual),
			Left: row.UnitsLeft}
		if row.ObligationID != nil {
			l.Obligation = *row.ObligationID
		}
		e.layers = append(e.layers, l)
	}
	slices.SortFunc(e.layers, func(x, y ledger.Layer) int { return x.Number - y.Number })
	return nil
}

// writeLayersBack writes what reinstatements bring back. It is a part of them.
func writeLayersBack(ctx context.Context, tx pgx.Tx, back map[string][]ledger.Layer, written []string) error {
	var rows []layerBack
	for _, id := range written {
		for _, l := range back[id] {
			row := layerBack{id, l.Number, money(l.Cost), money(l.Accumulated), money(l.Residual), l.Left, nil}
			if l.Obligation != "" {
				row.ObligationID = &l.Obligation
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx,
		`INSERT INTO reinstated_layer (organization_id, transaction_id, number, cost, accumulated, residual, units_left, obligation_id)
		SELECT current_organization(), r.transaction_id, r.number, r.cost, r.accumulated, r.residual, r.units_left, r.obligation_id
		FROM json_populate_recordset(NULL::reinstated_layer, $1) r`, asJSON(rows))
	return err
}

// reinstate completes the reinstatements of a call: what the capital asset would have on the first day of the open year if the disposal
// had never been posted, less what it has. It gives the layers of those that may be posted, by id.
func reinstate(ctx context.Context, tx pgx.Tx, all years,
	changes []*resource.Change[CapitalAssetTransaction]) (map[string][]ledger.Layer, error) {
	back, taken := map[string][]ledger.Layer{}, map[string]bool{}
	for _, c := range changes {
		t := c.After
		if t.Type != "reinstatement" {
			continue
		}
		refuse := func(code, format string, args ...any) {
			c.Reject(fault.Conflict(code, "reinstates", *t.Reinstates, format, args...))
		}
		d, err := readToReverse(ctx, tx, *t.Reinstates)
		if notFound := new(fault.Error); errors.As(err, &notFound) && notFound.Kind == fault.KindNotFound {
			c.MissingError("reinstates", "%s", catalogue.Product().Must("capital_asset_transactions").Missing(*t.Reinstates))
			continue
		}
		if err != nil {
			return nil, err
		}
		reinstatement, err := reinstatementOf(ctx, tx, d.ID)
		if err != nil {
			return nil, err
		}
		first := all.notClosed()[0]
		switch y := all.of(d.FiscalYear); {
		case d.Type != "disposal" || d.CapitalAssetID != t.CapitalAssetID || d.Reverses != nil:
			c.FieldError("reinstates", "must be a disposal of the capital asset")
		case d.closed:
			refuse("not_postable", "The transaction %s has taken out a pool that is amortized, as its class says; there is nothing to reinstate.",
				*d.Number)
		case d.reversed != nil:
			refuse("already_reversed", "The transaction %s is reversed, by %s.", *d.Number, *d.reversed)
		case reinstatement != "" || taken[d.ID]:
			refuse("already_reinstated", "The transaction %s is reinstated already.", *d.Number)
		case y.state != "closed":
			refuse("year_open", "The fiscal year %s of the transaction %s is not closed: reverse the transaction, "+
				"with POST …/transactions/{id}/reverse.",
				y.label, *d.Number)
		case t.FiscalYear != first.number:
			c.Reject(fault.Conflict("earlier_year_open", "effective_on", t.EffectiveOn,
				"The fiscal year %s is %s: post the reinstatement to that one, or close it first.", first.label, first.state))
		default:
			layers, quantity, why, err := broughtBack(ctx, tx, all, d)
			if err != nil {
				return nil, err
			}
			if why != "" {
				refuse("later_transaction", "%s", why)
				continue
			}
			taken[d.ID], back[c.ID()] = true, layers
			t.Proceeds, t.GainLoss = d.Proceeds, minus(d.GainLoss)
			if quantity != 0 {
				t.Quantity = &quantity
			}
		}
	}
	return back, nil
}

// reinstatementOf is the number of what reinstates a disposal, or "".
func reinstatementOf(ctx context.Context, tx pgx.Tx, disposal string) (number string, err error) {
	err = tx.QueryRow(ctx, `SELECT x.number FROM transaction x
		WHERE x.organization_id = current_organization() AND x.reinstates = $1 AND `+isLive, disposal).Scan(&number)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return number, err
}

// broughtBack replays the closed years since a disposal with it and without it, and gives the difference that the capital asset has on
// the first day of the open year, or why there is no saying: something that was posted later follows from it.
func broughtBack(ctx context.Context, tx pgx.Tx, all years, d *toReverse) (layers []ledger.Layer, quantity int, why string, err error) {
	var past years
	for _, y := range all {
		if y.state != "closed" {
			break
		}
		if y.number >= d.FiscalYear {
			y.state = "open"
		}
		past = append(past, y)
	}
	b, err := lookUpBook(ctx, tx, past, []string{d.CapitalAssetID})
	if err != nil {
		return nil, 0, "", err
	}
	with, err := b.close()
	if err != nil {
		return nil, 0, "", err
	}
	effects := map[string]ledger.Effect{}
	for _, e := range b.entries {
		effects[e.id] = e.effect
	}
	b.entries = slices.DeleteFunc(b.entries, func(e *entry) bool { return e.id == d.ID })
	without, err := b.close()
	if impossible := new(impossibleEntry); errors.As(err, &impossible) {
		return nil, 0, fmt.Sprintf("Without the disposal %s, %s would not be possible: post adjustments.", *d.Number, *impossible.Number), nil
	}
	if err != nil {
		return nil, 0, "", err
	}
	for _, e := range b.entries {
		if was := effects[e.id]; was.Cost != e.effect.Cost || was.Accumulated != e.effect.Accumulated || was.Gain != e.effect.Gain {
			return nil, 0, fmt.Sprintf("%s of %s follows from the disposal %s: post adjustments.", *e.Number, e.EffectiveOn, *d.Number), nil
		}
	}
	was, is := with[d.CapitalAssetID], without[d.CapitalAssetID]
	if is.asset.Disposed {
		return nil, 0, fmt.Sprintf("Without the disposal %s too, the capital asset would have left the ledger since: "+
			"there is nothing to reinstate.", *d.Number), nil
	}
	if is.quantity != nil && was.quantity != nil {
		quantity = *is.quantity - *was.quantity
	}
	return difference(is.asset.Layers, was.asset.Layers), quantity, "", nil
}

// close replays the years of a book to the end of the last.
func (b *book) close() (map[string]*balance, error) {
	now := b.begin()
	for _, y := range b.years.notClosed() {
		if err := b.enter(y, now); err != nil {
			return nil, err
		}
		for _, s := range now {
			s.end()
		}
	}
	return now, nil
}

// difference is what layers have more than those of the same number that are left, and all others, also of what is written down to nothing.
func difference(layers, left []ledger.Layer) (more []ledger.Layer) {
	for _, l := range layers {
		isLeft := false
		for _, other := range left {
			if other.Number == l.Number {
				isLeft = true
				l.Cost, l.Accumulated, l.Residual = l.Cost-other.Cost, l.Accumulated-other.Accumulated, l.Residual-other.Residual
			}
		}
		if !isLeft || l.Cost != 0 || l.Accumulated != 0 || l.Residual != 0 {
			more = append(more, l)
		}
	}
	return more
}
