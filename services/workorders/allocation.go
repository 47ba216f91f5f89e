package workorders

import (
	"context"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/transport"
)

// AllocationRequest names a work order.
type AllocationRequest struct {
	ID string `path:"id" format:"uuid" doc:"The work order."`
}

// Allocation is the cost of a work order by target.
type Allocation struct {
	WorkOrderID string             `json:"work_order_id" format:"uuid" doc:"The work order."`
	ActualCost  float64            `json:"actual_cost" decimals:"2" doc:"Its cost, which the amounts add up to."`
	Currency    string             `json:"currency" doc:"Currency of every amount."`
	Data        []AllocationTarget `json:"data" doc:"The targets, in their order. Of a work order without targets it is the one thing that it names; none where it names nothing."`
}

// AllocationTarget is one target's part of the cost.
type AllocationTarget struct {
	TargetType string  `json:"target_type" enum:"asset,system,building,site,segment" doc:"What target_id is of."`
	TargetID   string  `json:"target_id" format:"uuid" doc:"The target."`
	Share      float64 `json:"share" doc:"Its share."`
	Amount     float64 `json:"amount" decimals:"2" doc:"Its part of the cost: actual_cost × share ÷ the sum of all shares."`
}

// allocationSQL gives the targets of work order $1, or the one thing that it names, with its cost: a row without a target where there is
// neither.
const allocationSQL = `WITH named AS (
		SELECT target_type, target_id::text, share::text, target_position, position FROM work_order_target
		WHERE organization_id = current_organization() AND work_order_id = $1::uuid
	)
	SELECT w.actual_cost::text, current_setting('ams.currency'), n.target_type, n.target_id, n.share
	FROM work_order w LEFT JOIN (
		SELECT * FROM named
		UNION ALL
		SELECT p.target_type, p.target_id::text, '1', 1, 1 FROM work_order w, LATERAL (
			SELECT * FROM (VALUES (1, 'asset', w.asset_id), (2, 'segment', w.segment_id), (3, 'system', w.system_id), (4, 'building', w.building_id),
				(5, 'site', w.site_id)) v (rank, target_type, target_id) WHERE v.target_id IS NOT NULL ORDER BY v.rank LIMIT 1) p
		WHERE w.organization_id = current_organization() AND w.id = $1::uuid AND NOT EXISTS (SELECT FROM named)
	) n ON true
	WHERE w.organization_id = current_organization() AND w.id = $1::uuid ORDER BY n.target_position, n.position`

func (o orders) mountAllocation() {
	transport.Get(o.registry.API, transport.Operation{
		Path: "/v1/work-orders/{id}/allocation", ID: "get_work_order_allocation", Scope: "work_orders:read", RowName: "AllocationTarget",
		Summary: "Divide the cost of a work order among its targets",
		Description: "Each target gets its share of the cost in whole cents. The cents that are left over go to the targets that lost " +
			"the largest fraction of one, the first of them where several lost the same, so that the amounts add up to the cost.",
	}, func(ctx context.Context, in AllocationRequest) (Allocation, error) {
		allocation := Allocation{WorkOrderID: in.ID, Data: []AllocationTarget{}}
		found := false
		var shares []*big.Rat
		cost := new(big.Rat)
		err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue(allocationSQL, in.ID).Query(func(rows pgx.Rows) error {
				var money string
				var kind, id, share *string
				_, err := pgx.ForEachRow(rows, []any{&money, &allocation.Currency, &kind, &id, &share}, func() error {
					if !found {
						found = true
						if err := addTo(cost, money); err != nil {
							return err
						}
					}
					if kind == nil {
						return nil
					}
					part := new(big.Rat)
					shares = append(shares, part)
					allocation.Data = append(allocation.Data, AllocationTarget{TargetType: *kind, TargetID: *id})
					return addTo(part, *share)
				})
				return err
			})
		})
		if err != nil {
			return allocation, err
		}
		if !found {
			return allocation, fault.NotFound("work order", in.ID)
		}
		allocation.ActualCost, _ = cost.Float64()
		for i, amount := range allocate(cost, shares) {
			allocation.Data[i].Share, _ = shares[i].Float64()
			allocation.Data[i].Amount, _ = amount.Float64()
		}
		return allocation, nil
	})
}

// allocate divides an amount of whole cents by shares: each gets the whole cents of its part, and the cents that are left go to the
// largest fractions, the first of those that are equal.
func allocate(amount *big.Rat, shares []*big.Rat) []*big.Rat {
	hundred, sum, one := big.NewRat(100, 1), new(big.Rat), big.NewInt(1)
	for _, share := range shares {
		sum.Add(sum, share)
	}
	all := new(big.Rat).Mul(amount, hundred)
	left := new(big.Int).Set(all.Num()) // whole cents
	whole, lost, order := make([]*big.Int, len(shares)), make([]*big.Rat, len(shares)), make([]int, len(shares))
	for i, share := range shares {
		part := new(big.Rat).Mul(all, share)
		part.Quo(part, sum)
		whole[i] = new(big.Int).Quo(part.Num(), part.Denom())
		lost[i], order[i] = part.Sub(part, new(big.Rat).SetInt(whole[i])), i
		left.Sub(left, whole[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return lost[b].Cmp(lost[a]) })
	for _, i := range order {
		if left.Sign() <= 0 {
			break
		}
		whole[i].Add(whole[i], one)
		left.Sub(left, one)
	}
	amounts := make([]*big.Rat, len(shares))
	for i := range shares {
		amounts[i] = new(big.Rat).Quo(new(big.Rat).SetInt(whole[i]), hundred)
	}
	return amounts
}
