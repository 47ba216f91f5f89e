package workorders

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Amounts of money are computed exactly. Numbers are float64 in bodies only, where the shortest text of each is what was written.

// exact is a number as it was written.
func exact(number float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(number, 'f', -1, 64))
	return r
}

// cents rounds an amount to the cent, halves away from zero, as round does in SQL.
func cents(amount *big.Rat) *big.Rat {
	r, _ := new(big.Rat).SetString(amount.FloatString(2))
	return r
}

// product is hours or quantity by unit_cost; nil without unit_cost.
func (c *Cost) product() *big.Rat {
	if c.UnitCost == nil {
		return nil
	}
	counted, number := exact(1), c.Quantity
	if c.Kind == "labour" {
		number = c.Hours
	}
	if number != nil {
		counted = exact(*number)
	}
	return counted.Mul(counted, exact(*c.UnitCost))
}

// spent is an amount of money and of hours.
type spent struct{ money, hours *big.Rat }

func nothing() spent { return spent{new(big.Rat), new(big.Rat)} }

// add adds what a cost amounts to, by a sign of 1 or -1.
func (s spent) add(c *Cost, sign int64) {
	if c.IsCredit {
		sign = -sign
	}
	by := new(big.Rat).SetInt64(sign)
	if product := c.product(); product != nil {
		s.money.Add(s.money, new(big.Rat).Mul(by, cents(product)))
	}
	if c.Hours != nil {
		s.hours.Add(s.hours, new(big.Rat).Mul(by, exact(*c.Hours)))
	}
}

func (s spent) negative() bool { return s.money.Sign() < 0 || s.hours.Sign() < 0 }

// ofKind is the costs of one kind of a work order.
type ofKind struct{ order, kind string }

// rejectCredits rejects credits, and changes of what they are given back of, by which the costs of a kind would come to less than nothing.
// Credits and costs of one call count together.
func rejectCredits(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Cost]) error {
	by, lowering, ids := map[ofKind]spent{}, map[ofKind][]*resource.Change[Cost]{}, []string{}
	for _, c := range changes {
		own := map[ofKind]spent{}
		note := func(cost *Cost, sign int64) {
			if cost == nil {
				return
			}
			of := ofKind{cost.WorkOrderID, cost.Kind}
			for _, sums := range []map[ofKind]spent{by, own} {
				if sums[of] == (spent{}) {
					sums[of] = nothing()
				}
				sums[of].add(cost, sign)
			}
		}
		note(c.Before, -1)
		note(c.After, 1)
		for of, sum := range own {
			if sum.negative() {
				lowering[of] = append(lowering[of], c)
				ids = append(ids, of.order)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT work_order_id::text, kind, coalesce(sum(amount), 0)::text,
			coalesce(sum(CASE WHEN is_credit THEN -hours ELSE hours END), 0)::text
		FROM work_order_cost WHERE organization_id = current_organization() AND work_order_id = ANY($1::uuid[]) GROUP BY 1, 2`, ids)
	if err != nil {
		return err
	}
	var of ofKind
	var money, hours string
	if _, err := pgx.ForEachRow(rows, []any{&of.order, &of.kind, &money, &hours}, func() error {
		if sum, changed := by[of]; changed {
			return sum.addText(money, hours)
		}
		return nil
	}); err != nil {
		return err
	}
	for of, changes := range lowering {
		if by[of].negative() {
			for _, c := range changes {
				c.Reject(creditError(of.kind, by[of]))
			}
		}
	}
	return nil
}

// addText adds sums that the database gave.
func (s spent) addText(money, hours string) error {
	if err := addTo(s.money, money); err != nil {
		return err
	}
	return addTo(s.hours, hours)
}

func addTo(sum *big.Rat, text string) error {
	number, ok := new(big.Rat).SetString(text)
	if !ok {
		return fmt.Errorf("the database gave the sum %q", text)
	}
	sum.Add(sum, number)
	return nil
}

// creditError is the 409 of a kind of costs that would come to less than nothing.
func creditError(kind string, left spent) *fault.Error {
	come, unit := left.money.FloatString(2), "money"
	if left.money.Sign() >= 0 {
		come, unit = left.hours.FloatString(4), "hours"
	}
	return fault.Conflict("credit_exceeds_cost", "kind", kind,
		"The %s costs of the work order would come to %s in %s. No more can be given back than was spent; correct the credit, or add the cost "+
			"that it belongs to first.", kind, come, unit)
}
