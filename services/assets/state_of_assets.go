package assets

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// conditionKeys are the keys of a condition distribution, in the order of the tallies.
var conditionKeys = append(slices.Clone(indicators.Grades), "unknown")

// grouping is one way to group the state of the assets. Groups of places come from units, with their buildings'
// appraisals. Groups of kinds come from parts: from the values of assets and systems alone.
type grouping struct {
	id, key, name     string // over u (unit), b (building) and p (site)
	ofAsset, ofSystem string // key of an asset a and of a system s; empty for groups of places
}

var groupings = map[string]grouping{
	"site":          {id: "u.site_id::text", key: "NULL::text", name: "p.name"},
	"site_type":     {id: "NULL::text", key: "p.site_type", name: "NULL::text"},
	"ward":          {id: "NULL::text", key: "p.ward", name: "NULL::text"},
	"building":      {id: "u.building_id::text", key: "NULL::text", name: "b.name"},
	"building_type": {id: "NULL::text", key: "b.building_type", name: "NULL::text"},
	"year_built":    {id: "NULL::text", key: builtSQL, name: "NULL::text"},

	"category":        {ofAsset: "a.category", ofSystem: "s.category"},
	"uniformat_group": {ofAsset: "substr(a.uniformat_code, 1, 3)", ofSystem: "substr(s.uniformat_code, 1, 3)"},
	"condition_grade": {ofAsset: indicators.ConditionGrade("a"), ofSystem: indicators.ConditionGrade("s")},
}

// builtSQL is the years between two bounds, $6, in which a building was built.
const builtSQL = `CASE width_bucket(b.year_built, $6::int[]) WHEN 0 THEN '-' || ($6::int[])[1] - 1
	WHEN cardinality($6::int[]) THEN ($6::int[])[cardinality($6::int[])] || '-'
	ELSE ($6::int[])[width_bucket(b.year_built, $6::int[])] || '-' || ($6::int[])[width_bucket(b.year_built, $6::int[]) + 1] - 1 END`

// bounds are the years in which groups by year_built begin.
func (in StateRequest) bounds() []int {
	if in.BuiltSince != nil {
		return []int{*in.BuiltSince}
	}
	var decades []int
	for year := 1000; year <= 2210; year += 10 {
		decades = append(decades, year)
	}
	return decades
}

// StateRequest is a request for the indicators of the whole organization.
type StateRequest struct {
	GroupBy      string  `query:"group_by" default:"site" enum:"site,site_type,ward,building,building_type,year_built,category,uniformat_group,condition_grade" doc:"Places (site, site_type, ward, building, building_type, year_built) count buildings by their appraisals; kinds (category, uniformat_group, condition_grade) are made from systems and assets alone."`
	AsOf         *string `query:"as_of" format:"date" doc:"Day of the figures, today when left out. On a day that is over: what stood there, with what had been said of it by then."`
	BuiltSince   *int    `query:"built_since" minimum:"1000" maximum:"2200" doc:"Of group_by=year_built: two groups, of buildings built before this year (key -1969, for 1970) and since (1970-). Left out, the groups are decades (1960-1969)." example:"1970"`
	HorizonYears int     `query:"horizon_years" default:"0" minimum:"0" maximum:"50" doc:"Renewals planned up to so many years after the year of as_of count as needs."`
	PricesOf     *int    `query:"prices_of" minimum:"1900" maximum:"2200" doc:"The year whose prices costs are brought to by the organization's price indexes; the year of as_of when left out."`
	Page         int     `query:"page" default:"1" minimum:"1" doc:"Page of groups, from 1."`
	PerPage      int     `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Groups on a page."`
}

// StateOfAssets is the indicators of the organization and of each of its groups.
type StateOfAssets struct {
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears int    `json:"horizon_years" unit:"year"`
	GroupBy      string `json:"group_by"`
	Prices
	RenewalBasis string               `json:"renewal_basis" enum:"typed,typed_or_life" doc:"What renewals are due by, by the organization's setting of the day. typed: planned_renewal_year alone. typed_or_life: else the end of the expected useful life."`
	Basis        *Basis               `json:"basis" doc:"How much of the figures of a day that is over is hindsight; null of today and days to come."`
	Total        Indicators           `json:"total" doc:"The whole organization, buildings by their appraisals."`
	Data         []Group              `json:"data" doc:"The groups, by name or key; what has none comes last."`
	Pagination   transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (s StateOfAssets) Pages() transport.Pages {
	return s.Pagination.Pages()
}

// Group is one group of the report.
type Group struct {
	ID   *string `json:"id" format:"uuid" doc:"The site or building, where the groups are such."`
	Key  *string `json:"key" doc:"What the group has in common, where it is no record; null for what has none."`
	Name *string `json:"name" doc:"Name of the site or building; of the group that has none, what it lacks."` // see nameless
	InSite
	Indicators
}

// InSite is where a group by place is.
type InSite struct {
	SiteID   *string `json:"site_id" format:"uuid" doc:"The site that a group by building or site is of; null of other groups, and of what is in no building."`
	SiteName *string `json:"site_name" doc:"Its name."`
}

// nameless is what the group is called that lacks what the report is grouped by.
var nameless = map[string]string{
	"site": "No site", "site_type": "No site type", "ward": "No ward", "building": "No building", "building_type": "No building type",
	"year_built": "No year of construction", "category": "No category", "uniformat_group": "No UNIFORMAT group",
	"condition_grade": "No condition grade", "action_year": "No action year", "priority": "No priority", "status": "No status",
}

// nameOf is the name of a group, or what it lacks.
func nameOf(groupBy string, id, key, name *string) *string {
	if id == nil && key == nil {
		lacks := nameless[groupBy]
		return &lacks
	}
	return name
}

func (f family) mountStateOfAssets() {
	statements := map[string]prices.Statement{}
	for name, g := range groupings {
		statements[name] = g.sql()
	}
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/reports/state-of-assets", FromReplica: true, ID: "get_state_of_assets", Scope: "assets:read", RowName: "StateOfAssetsGroup",
		Summary: "Report the state of all assets: counts, replacement cost, needs, FCI, age and condition, in groups",
		Description: "Figures of the assets that are not retired, per group and in total, as of a day. With a horizon, renewals that fall " +
			"due within it count as needs.",
	}, func(ctx context.Context, in StateRequest) (StateOfAssets, error) {
		asOf, err := day(ctx, in.AsOf)
		if err != nil {
			return StateOfAssets{}, err
		}
		if in.BuiltSince != nil && in.GroupBy != "year_built" {
			return StateOfAssets{},
				fault.InvalidFields(fault.Field{Field: "built_since", Message: "is of group_by=year_built; leave it out, or group by that"})
		}
		state := StateOfAssets{AsOf: asOf, HorizonYears: in.HorizonYears, GroupBy: in.GroupBy,
			RenewalBasis: renewalBasis(ctx, asOf), Data: []Group{}}
		table, err := f.pricesOf(ctx, yearOf(state.AsOf, in.PricesOf))
		if err != nil {
			return state, err
		}
		state.Prices = Prices{table.PricesOf, table.IndexedThrough}
		groups := 0
		err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
			// There are far fewer groups than Postgres expects: hashing them takes half of what sorting all assets does.
			batch.Queue("SET LOCAL enable_sort = off")
			batch.Queue("SET LOCAL work_mem = '32MB'")
			resource.PlanPast(ctx, batch, state.AsOf)
			skip := int64(in.Page-1) * int64(in.PerPage)
			sql := statements[in.GroupBy].For(state.AsOf, resource.Today(ctx), table, byLife(ctx, state.AsOf))
			arguments := []any{state.AsOf, in.HorizonYears, table.JSON(), in.PerPage, skip}
			if in.GroupBy == "year_built" {
				arguments = append(arguments, in.bounds())
			}
			batch.Queue(sql, arguments...).Query(func(rows pgx.Rows) error {
				for rows.Next() {
					var group Group
					var total bool
					if err := group.scan(ctx, state.AsOf, rows, &total, &groups, &group.ID, &group.Key, &group.Name,
						&group.SiteID, &group.SiteName); err != nil {
						return err
					}
					if total {
						state.Total = group.Indicators
					} else {
						group.Name = nameOf(in.GroupBy, group.ID, group.Key, group.Name)
						state.Data = append(state.Data, group)
					}
				}
				return rows.Err()
			})
		})
		state.Basis = state.Total.basis(ctx, asOf)
		state.Pagination = transport.PaginationOf(in.Page, in.PerPage, int64(groups))
		return state, err
	})
}

// sql gives a row of the total, and the groups of a page, each with the number of groups. $4 is the size of a page
// and $5 how many groups to skip.
func (g grouping) sql() prices.Statement {
	total := ", grouped AS (" + g.groups() + `)
		SELECT true, (SELECT count(*) FROM grouped), NULL, NULL, NULL, NULL, NULL, ` + indicatorsSQL + ` FROM unit u
		UNION ALL
		(SELECT false, (SELECT count(*) FROM grouped), g.* FROM grouped g
			ORDER BY g.name COLLATE "natural", g.key COLLATE "natural", g.id LIMIT $4::int OFFSET $5::bigint)`
	by := noKeys
	if g.ofAsset != "" {
		by.asset, by.system = g.ofAsset, g.ofSystem
	}
	return rollup(partsSQL+unitsSQL+total, everything, by)
}

func (g grouping) groups() string {
	if g.ofAsset != "" {
		return "SELECT NULL::text AS id, u.key, NULL::text AS name, NULL::text AS site_id, NULL::text AS site_name, " + indicatorsSQL +
			" FROM (SELECT part.*, 0::numeric AS of_buildings FROM part) u GROUP BY u.key"
	}
	return "SELECT " + g.id + " AS id, " + g.key + " AS key, " + g.name + " AS name, " +
		inSite(g.id, g.name, "u.site_id::text", "p.name") + ", " + indicatorsSQL + ` FROM unit u
		LEFT JOIN {building} b ON b.organization_id = current_organization() AND b.id = u.building_id
		LEFT JOIN {site} p ON p.organization_id = current_organization() AND p.id = u.site_id
		GROUP BY 1, 2, 3, 4, 5`
}

// inSite is the columns site_id and site_name of groups: of those that have an id and a name, which are places.
func inSite(id, name, siteID, siteName string) string {
	if name == "NULL::text" {
		return "NULL::text AS site_id, NULL::text AS site_name"
	}
	return "CASE WHEN " + id + " IS NOT NULL THEN " + siteID + " END AS site_id, CASE WHEN " +
		id + " IS NOT NULL THEN " + siteName + " END AS site_name"
}

// currency is the organization's.
func currency(ctx context.Context) string { return principal.From(ctx).Currency }

// stateRow is a row of the report as CSV.
type stateRow struct {
	Row          string `json:"row"` // group or total
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears int    `json:"horizon_years"`
	GroupBy      string `json:"group_by"`
	RenewalBasis string `json:"renewal_basis"`
	Prices
	Group
}

// Table is the report as CSV: a row for each group, the total last.
func (s StateOfAssets) Table() transport.Table {
	rows := make([]stateRow, 0, len(s.Data)+1)
	for _, group := range s.Data {
		rows = append(rows, stateRow{"group", s.AsOf, s.HorizonYears, s.GroupBy, s.RenewalBasis, s.Prices, group})
	}
	return transport.TableOf(append(rows, stateRow{"total", s.AsOf, s.HorizonYears, s.GroupBy,
		s.RenewalBasis, s.Prices, Group{Indicators: s.Total}}))
}
