package workorders

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/transport"
)

// mountMaintenanceFigures serves the los service, which computes measures from these.
func (o orders) mountMaintenanceFigures() {
	sql := fmt.Sprintf(`SELECT %s
		FROM pm_occurrence o WHERE o.organization_id = current_organization() AND o.due_on BETWEEN $1::date AND least($2::date, %s)
			AND (cardinality($3::text[]) + cardinality($4::text[]) = 0 OR o.site_id = ANY($3::text[]::uuid[])
				OR o.building_id = ANY($4::text[]::uuid[]))`, termsOf("due_date").compliancePct(), indicators.Today)
	transport.Internal(o.registry.API, contract.Maintenance,
		func(ctx context.Context, in contract.IndicatorsRequest) (found contract.MaintenanceFigures, err error) {
			err = o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				batch.Queue(sql, in.PeriodStart, in.PeriodEnd, in.SiteIDs, in.BuildingIDs).QueryRow(func(row pgx.Row) error {
					return row.Scan(&found.CompliancePct)
				})
			})
			return found, err
		})
}
