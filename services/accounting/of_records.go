package accounting

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/transport"
)

// ofRecordsSQL gives the capital assets of records: $1 is the records' ids, $2 how many are shown of each. Each record's links are looked
// up by themselves: what a page costs follows from its records, and not from the size of the ledger.
var ofRecordsSQL = `SELECT r.id::text, t.id::text, t.number, ` + latest("y.cost_closing", "0") + `::float8, ` +
	latest("y.cost_closing - y.accumulated_closing", "0") + `::float8, ` + balancesAsOf + `::text
	FROM unnest($1::uuid[]) WITH ORDINALITY r(id, nth) CROSS JOIN LATERAL (SELECT c.organization_id, c.id, c.number
		FROM link l JOIN capital_asset c ON c.organization_id = current_organization() AND c.id = l.capital_asset_id
		WHERE l.organization_id = current_organization() AND l.target_id = r.id ORDER BY c.number COLLATE "natural", c.id LIMIT $2) t
	ORDER BY r.nth, t.number COLLATE "natural", t.id`

// mountOfRecords answers which capital assets stand for records, to the services that own those.
func (a *accounting) mountOfRecords() {
	transport.Internal(a.registry.API, bookvalue.OfRecords, func(ctx context.Context, in bookvalue.Query) (out bookvalue.Response, err error) {
		err = a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			out.Data = []bookvalue.OfRecord{}
			rows, err := tx.Query(ctx, ofRecordsSQL, in.IDs, bookvalue.MaxShown)
			if err != nil {
				return err
			}
			var id string
			var c bookvalue.LinkedCapitalAsset
			_, err = pgx.ForEachRow(rows, []any{&id, &c.ID, &c.Number, &c.Cost, &c.NetBookValue, &c.BalancesAsOf}, func() error {
				if last := len(out.Data) - 1; last < 0 || out.Data[last].ID != id {
					out.Data = append(out.Data, bookvalue.OfRecord{ID: id})
				}
				of := &out.Data[len(out.Data)-1]
				of.CapitalAssets = append(of.CapitalAssets, c)
				return nil
			})
			return err
		})
		return out, err
	})
}
