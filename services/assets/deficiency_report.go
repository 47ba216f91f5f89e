package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/transport"
)

// DeficiencyReportRequest asks for the deficiencies that are live.
type DeficiencyReportRequest struct {
	Year    *int   `query:"year" minimum:"1900" maximum:"2300" doc:"Only those whose action_year is none or at most this year. Left out: all."`
	GroupBy string `query:"group_by" default:"category" enum:"category,priority,action_year,site,building,uniformat_group,status" doc:"What the groups are. Site and building are those of the record that the deficiency is of; the UNIFORMAT II group is the deficiency's, else that of its asset or system."`
	Page    int    `query:"page" default:"1" minimum:"1" doc:"Page of groups, from 1."`
	PerPage int    `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Groups on a page."`
}

// DeficiencyReport is what is live of deficiencies: open, planned or in work.
type DeficiencyReport struct {
	Year       *int                 `json:"year" unit:"year" doc:"The year that was asked for; null for all."`
	GroupBy    string               `json:"group_by"`
	Currency   string               `json:"currency" doc:"Currency of every amount of money."`
	Total      DeficiencySums       `json:"total" doc:"All of them."`
	Data       []DeficiencyGroup    `json:"data" doc:"The groups, by name or key; what has none comes last. They add up to the total."`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (r DeficiencyReport) Pages() transport.Pages {
	return r.Pagination.Pages()
}

// DeficiencySums are deficiencies and what correcting them costs, as estimated.
type DeficiencySums struct {
	Count        int     `json:"count" doc:"Live deficiencies: open, planned, in work."`
	Cost         float64 `json:"cost" decimals:"2" doc:"Their estimated costs, each as recorded."`
	CountingCost float64 `json:"counting_cost" decimals:"2" doc:"What of it counts as deferred maintenance: by category, of what is in use."`
	WithoutCost  int     `json:"without_cost" doc:"Those of which nobody knows the cost."`
}

// DeficiencyGroup is one group of the report.
type DeficiencyGroup struct {
	ID   *string `json:"id" format:"uuid" doc:"The site or building, where the groups are such."`
	Key  *string `json:"key" doc:"What the group has in common, where it is no record; null for what has none."`
	Name *string `json:"name" doc:"Name of the site or building; of the group that has none, what it lacks."`
	InSite
	DeficiencySums
}

// deficiencyGroupings are the ways to group deficiencies d, of an asset a, a system s, a building b or a site p.
var deficiencyGroupings = map[string]struct{ id, key, name string }{
	"category":    {"NULL::text", "d.category", "NULL::text"},
	"priority":    {"NULL::text", "d.priority", "NULL::text"},
	"status":      {"NULL::text", "d.status", "NULL::text"},
	"action_year": {"NULL::text", "d.action_year::text", "NULL::text"},
	"uniformat_group": {"NULL::text",
		"substr(coalesce(d.uniformat_code, a.uniformat_code, CASE WHEN a.id IS NULL THEN s.uniformat_code END), 1, 3)", "NULL::text"},
	"site":     {"p.id::text", "NULL::text", "p.name"},
	"building": {"b.id::text", "NULL::text", "b.name"},
}

// deficiencyReportSQL gives a row of the total, and the groups of a page. It takes $1 the year or NULL, $2 the size of a page, $3 how many
// groups to skip.
func deficiencyReportSQL(groupBy string) string {
	g := deficiencyGroupings[groupBy]
	counting := "d.counts_as_deferred AND " + indicators.Counts("a") + " AND " + indicators.Counts("s") + " AND " + indicators.Counts("b") +
		" AND " + indicators.Counts("p")
	return `WITH grouped AS (
	SELECT grouping(k.id) = 1 AS overall, k.id, k.key, k.name, k.site_id, k.site_name,
		count(d.id) AS count, coalesce(sum(d.estimated_cost), 0) AS cost,
		coalesce(sum(d.estimated_cost) FILTER (WHERE ` + counting + `), 0) AS counting_cost,
		count(d.id) FILTER (WHERE d.estimated_cost IS NULL) AS without_cost
	FROM deficiency d
	LEFT JOIN asset a ON a.organization_id = current_organization() AND a.id = d.asset_id
	LEFT JOIN system s ON s.organization_id = current_organization() AND s.id = coalesce(d.system_id, a.system_id)
	LEFT JOIN building b ON b.organization_id = current_organization()
		AND b.id = coalesce(d.building_id, a.building_id, CASE WHEN a.id IS NULL THEN s.building_id END)
	LEFT JOIN site p ON p.organization_id = current_organization()
		AND p.id = coalesce(d.site_id, a.site_id, b.site_id, CASE WHEN a.id IS NULL THEN s.site_id END)
	CROSS JOIN LATERAL (SELECT ` + g.id + " AS id, " + g.key + ` COLLATE "C" AS key, ` + g.name + " AS name, " +
		inSite(g.id, g.name, "p.id::text", "p.name") + `) k
	WHERE d.organization_id = current_organization() AND d.status IN ('open', 'planned', 'in_work')
		AND ($1::int IS NULL OR ` + deficiencies.Due("d", "$1::int") + `)
	GROUP BY GROUPING SETS ((), (k.id, k.key, k.name, k.site_id, k.site_name))
)
SELECT overall, (SELECT count(*) FROM grouped WHERE NOT overall), id, key, name, site_id, site_name, count, cost,
	counting_cost, without_cost
FROM grouped WHERE overall
UNION ALL
(SELECT overall, (SELECT count(*) FROM grouped WHERE NOT overall), id, key, name, site_id, site_name, count, cost,
	counting_cost, without_cost
FROM grouped WHERE NOT overall ORDER BY name COLLATE "natural", key COLLATE "natural", id LIMIT $2::int OFFSET $3::bigint)`
}

func (f family) mountDeficiencyReport() {
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/reports/deficiencies", FromReplica: true, ID: "get_deficiency_report", Scope: "deficiencies:read",
		RowName: "DeficiencyReportGroup", Summary: "Report the live deficiencies of sites, buildings, systems and assets: " +
			"how many there are and what correcting them costs, in groups",
		Description: "Deficiencies that are open, planned or in work. Amounts are as recorded; summaries bring what counts as deferred " +
			"maintenance to the prices of one year.",
	}, f.deficiencyReport)
}

func (f family) deficiencyReport(ctx context.Context, in DeficiencyReportRequest) (DeficiencyReport, error) {
	report := DeficiencyReport{Year: in.Year, GroupBy: in.GroupBy, Currency: currency(ctx), Data: []DeficiencyGroup{}}
	groups := 0
	err := f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		skip := int64(in.Page-1) * int64(in.PerPage)
		batch.Queue(deficiencyReportSQL(in.GroupBy), in.Year, in.PerPage, skip).Query(func(rows pgx.Rows) error {
			var overall bool
			var g DeficiencyGroup
			_, err := pgx.ForEachRow(rows, []any{&overall, &groups, &g.ID, &g.Key, &g.Name, &g.SiteID, &g.SiteName,
				&g.Count, &g.Cost, &g.CountingCost, &g.WithoutCost},
				func() error {
					if overall {
						report.Total = g.DeficiencySums
					} else {
						g.Name = nameOf(in.GroupBy, g.ID, g.Key, g.Name)
						report.Data = append(report.Data, g)
					}
					return nil
				})
			return err
		})
	})
	report.Pagination = transport.PaginationOf(in.Page, in.PerPage, int64(groups))
	return report, err
}

// deficiencyRow is a row of the report as CSV.
type deficiencyRow struct {
	Row      string `json:"row"` // group or total
	Year     *int   `json:"year"`
	GroupBy  string `json:"group_by"`
	Currency string `json:"currency"`
	DeficiencyGroup
}

// Table is the report as CSV: a row for each group, the total last.
func (r DeficiencyReport) Table() transport.Table {
	rows := make([]deficiencyRow, 0, len(r.Data)+1)
	for _, group := range r.Data {
		rows = append(rows, deficiencyRow{"group", r.Year, r.GroupBy, r.Currency, group})
	}
	return transport.TableOf(append(rows, deficiencyRow{"total", r.Year, r.GroupBy, r.Currency, DeficiencyGroup{DeficiencySums: r.Total}}))
}
