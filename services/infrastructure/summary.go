package infrastructure

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// SummaryRequest is a request for the indicators of a network.
type SummaryRequest struct {
	ID           string  `path:"id" format:"uuid"`
	AsOf         *string `query:"as_of" format:"date" doc:"Day of the figures, today when left out. On a day that is over: what stood there, with what had been said of it by then."`
	HorizonYears int     `query:"horizon_years" default:"0" minimum:"0" maximum:"50" doc:"Renewals planned up to so many years after the year of as_of count as needs."`
	PricesOf     *int    `query:"prices_of" minimum:"1900" maximum:"2200" doc:"The year whose prices costs are brought to by the organization's price indexes; the year of as_of when left out."`
}

// Summary is the state of a network, computed from the segments in use: neither planned nor abandoned nor removed.
type Summary struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	AssetClass     string `json:"asset_class"`
	AsOf           string `json:"as_of" format:"date"`
	HorizonYears   int    `json:"horizon_years" unit:"year"`
	PricesOf       int    `json:"prices_of" unit:"year" doc:"The year whose prices amounts are in, as far as price indexes reach; as_recorded says what they do not reach."`
	IndexedThrough *int   `json:"indexed_through" unit:"year" doc:"The last year of which every price index in use has a value; afterwards that value counts. Null without an index."`
	RenewalBasis   string `json:"renewal_basis" enum:"typed,typed_or_life" doc:"What renewals are due by, by the organization's setting of the day. typed: planned_renewal_year alone. typed_or_life: else the end of the expected useful life."`
	Basis          *Past  `json:"basis" doc:"How much of the figures of a day that is over is hindsight; null of today and days to come."`

	Counts                  Counts           `json:"counts" doc:"How many there are."`
	LengthKm                float64          `json:"length_km" unit:"km" doc:"Length of the segments."`
	LaneKm                  *float64         `json:"lane_km" unit:"km" doc:"Length times lanes; null where no lanes are known."`
	ReplacementCost         float64          `json:"replacement_cost" decimals:"2" doc:"What replacing everything would cost, in prices of prices_of."`
	ReplacementCostBasis    CostBasis        `json:"replacement_cost_basis" doc:"Where replacement_cost comes from; the two add up to it."`
	AsRecorded              AsRecorded       `json:"as_recorded" doc:"What of replacement_cost stays in prices as recorded: no price index applies, or the year of its prices is not known or before the index."`
	DeferredMaintenanceCost float64          `json:"deferred_maintenance_cost" decimals:"2" doc:"Maintenance that is due and was put off: what deficiencies come to that count in the year, and what was typed on segments without any."`
	DeficienciesWithoutCost int              `json:"deficiencies_without_cost" doc:"Deficiencies that count in the year and whose cost is not known: deferred_maintenance_cost lacks them."`
	Need                    float64          `json:"need" decimals:"2" doc:"Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of everything else, with the deficiencies whose action_year is within the horizon."`
	NeedBasis               NeedBasis        `json:"need_basis" doc:"Where need comes from; the three add up to it."`
	NeedWithoutValue        float64          `json:"need_without_value" decimals:"2" doc:"The part of need of segments without a replacement cost. It is left out of the FCI."`
	FCIPct                  *float64         `json:"fci_pct" unit:"percent" doc:"Facility Condition Index: need less need_without_value, over replacement cost. May exceed 100; null where nothing has a cost."`
	FCIGrade                *string          `json:"fci_grade" enum:"good,fair,poor,critical" doc:"good to 5 %, fair to 10 %, poor to 30 %, critical above, each end included, or by the organization's fci_bands."`
	FCIGradeReason          *string          `json:"fci_grade_reason" enum:"lives_unknown" doc:"Why there is no grade though there is an FCI. lives_unknown: renewals are due by lives, and of less than half of the replacement cost the year of renewal is known; enter installations and expected lives, or planned renewal years."`
	LifeKnownPct            *float64         `json:"life_known_pct" unit:"percent" doc:"The share of replacement_cost whose year of renewal is known: planned, or installation and expected useful life. Null where nothing has a cost."`
	AverageAgeYears         *float64         `json:"average_age_years" unit:"year" doc:"Mean age of the segments whose construction is known."`
	WeightedAgeYears        *float64         `json:"weighted_age_years" unit:"year" doc:"Their mean age by length."`
	AverageConditionRating  *float64         `json:"average_condition_rating" doc:"Mean condition rating of the rated segments, 1 (very good) to 5 (very poor)."`
	WeightedConditionRating *float64         `json:"weighted_condition_rating" doc:"Their mean condition rating by length."`
	Condition               map[string]Share `json:"condition_distribution" doc:"Segments by condition grade: very_good, good, fair, poor, very_poor, unknown."`
	PastUsefulLife          Share            `json:"past_useful_life" doc:"Segments whose expected useful life, and a liner's, is over."`
	OpenWorkOrders          *int             `json:"open_work_orders" doc:"Work orders on its segments that are open, in progress or on hold; null while work orders cannot be asked."`
	OverdueWorkOrders       *int             `json:"overdue_work_orders" doc:"Those of them that are past their due date."`
	DataQuality             DataQuality      `json:"data_quality" doc:"Segments that lack what the figures are made from."`
	Currency                string           `json:"currency" doc:"Currency of every amount of money."`
}

// Counts are numbers of segments.
type Counts struct {
	Segments int `json:"segments"`
	LeftOut  int `json:"segments_left_out" doc:"Segments that are planned, abandoned or removed, or were not there on the day; in no other figure."`
}

// CostBasis splits a replacement cost by where it comes from.
type CostBasis struct {
	Given     float64 `json:"given" decimals:"2" doc:"From segments whose replacement cost was given."`
	UnitCosts float64 `json:"unit_costs" decimals:"2" doc:"From segments whose cost is length times cost per metre."`
}

// NeedBasis splits a need by where it comes from.
type NeedBasis struct {
	PlannedRenewalYears float64 `json:"planned_renewal_years" decimals:"2" doc:"From renewals that are due by a planned_renewal_year."`
	UsefulLives         float64 `json:"useful_lives" decimals:"2" doc:"From renewals that are due because the expected useful life ends; 0 where renewal_basis is typed."`
	DeferredMaintenance float64 `json:"deferred_maintenance" decimals:"2" doc:"From deferred maintenance of what is not due: typed, or of deficiencies."`
}

// byLife says whether renewals are due by lives where no year was typed, on a day.
func byLife(ctx context.Context, day string) bool {
	return principal.From(ctx).RenewalBasisOn(day) == principal.RenewalTypedOrLife
}

// AsRecorded are costs that were not brought to the prices of another year.
type AsRecorded struct {
	Count int     `json:"count" doc:"Segments."`
	Cost  float64 `json:"cost" decimals:"2" doc:"Their replacement cost."`
}

// Past says how much of the figures of a day that is over was not known on that day.
type Past struct {
	EnteredLater int `json:"entered_later" doc:"Segments that were entered after the day; they are as they were first entered."`
	ChangedSince int `json:"changed_since" doc:"Others that were changed since; they are as they were on the day."`
}

// Share is a number of segments, how long they are and what replacing them would cost.
type Share struct {
	Segments        int     `json:"segments"`
	LengthKm        float64 `json:"length_km" unit:"km"`
	ReplacementCost float64 `json:"replacement_cost" decimals:"2"`
}

// DataQuality counts the segments that lack a field.
type DataQuality struct {
	WithoutReplacementCost    int `json:"without_replacement_cost"`
	WithoutInstallation       int `json:"without_installation" doc:"Neither install_date nor install_year."`
	WithoutUsefulLife         int `json:"without_expected_useful_life"`
	WithoutConditionRating    int `json:"without_condition_rating"`
	WithoutPlannedRenewalYear int `json:"without_planned_renewal_year"`
	WithoutGeometry           int `json:"without_geometry"`
	WithoutLength             int `json:"without_length"`
	ZeroReplacementCost       int `json:"zero_replacement_cost" doc:"Segments whose replacement_cost is 0. It counts as none."`
	RetiredWithoutDate        int `json:"gone_without_date" doc:"Segments that are abandoned or removed, nobody knows since when: they count on no day."`
}

var fciSQL = indicators.FCI("u.need - u.bare", "u.value")

// summarySQL gives one row for the network $4, in the order in which scan reads it.
var summarySQL = figures(", u AS (SELECT "+sums()+` FROM row r)
SELECT u.segments, u.left_out, `+indicators.Km("u.length")+", CASE WHEN u.lanes > 0 THEN "+indicators.Km("u.lanes")+` END,
	u.value, u.given, u.value - u.given, u.recorded, u.recorded_value, u.deferred, u.without_cost, u.need, u.bare,
	`+fciSQL+`, u.renewed - u.by_life, u.by_life, u.need - u.renewed, round(100.0 * u.known / nullif(u.value, 0), 2),
	`+indicators.Years("(u.age / nullif(u.aged, 0))")+", "+indicators.Years("(u.length_age / nullif(u.length_aged, 0))")+`,
	round(u.rating / nullif(u.segments - u.rated6, 0)::numeric, 2), round(u.length_rating / nullif(u.length_rated, 0), 2),
	u.segments - u.costed, u.segments - u.dated, u.segments - u.lasting, u.rated6, u.segments - u.planned, u.segments - u.drawn,
	u.segments - u.measured, u.zeros,
	(SELECT count(*) FROM segment g WHERE g.organization_id = current_organization() AND g.network_id = $4::uuid
		AND `+indicators.OutOfUseWithoutDate("g")+`),
	u.entered_later, u.changed_since, u.past, `+indicators.Km("u.past_length")+", u.past_value"+gradesSQL()+" FROM u",
	"t.network_id = $4::uuid")

// gradesSQL is the columns of the condition distribution.
func gradesSQL() string {
	var list strings.Builder
	for rating := 1; rating <= 6; rating++ {
		n := strconv.Itoa(rating)
		list.WriteString(", u.rated" + n + ", " + indicators.Km("u.length"+n) + ", u.value" + n)
	}
	return list.String()
}

func (s *Summary) scan(row pgx.Row) error {
	q, basis := &s.DataQuality, &Past{}
	targets := []any{
		&s.Counts.Segments, &s.Counts.LeftOut, &s.LengthKm, &s.LaneKm, &s.ReplacementCost, &s.ReplacementCostBasis.Given,
		&s.ReplacementCostBasis.UnitCosts, &s.AsRecorded.Count, &s.AsRecorded.Cost,
		&s.DeferredMaintenanceCost, &s.DeficienciesWithoutCost, &s.Need, &s.NeedWithoutValue, &s.FCIPct,
		&s.NeedBasis.PlannedRenewalYears, &s.NeedBasis.UsefulLives, &s.NeedBasis.DeferredMaintenance, &s.LifeKnownPct,
		&s.AverageAgeYears, &s.WeightedAgeYears,
		&s.AverageConditionRating, &s.WeightedConditionRating,
		&q.WithoutReplacementCost, &q.WithoutInstallation, &q.WithoutUsefulLife, &q.WithoutConditionRating, &q.WithoutPlannedRenewalYear,
		&q.WithoutGeometry, &q.WithoutLength, &q.ZeroReplacementCost, &q.RetiredWithoutDate, &basis.EnteredLater, &basis.ChangedSince,
		&s.PastUsefulLife.Segments, &s.PastUsefulLife.LengthKm, &s.PastUsefulLife.ReplacementCost,
	}
	var shares [6]Share
	for i := range shares {
		targets = append(targets, &shares[i].Segments, &shares[i].LengthKm, &shares[i].ReplacementCost)
	}
	if err := row.Scan(targets...); err != nil {
		return err
	}
	s.Condition = map[string]Share{"unknown": shares[5]}
	for i, grade := range indicators.Grades {
		s.Condition[grade] = shares[i]
	}
	if s.Basis != nil {
		s.Basis = basis
	}
	return nil
}

func (f family) mountSummary() {
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/infrastructure/networks/{id}/summary", ID: "get_network_summary", ResponseName: "NetworkSummary", Scope: scope + ":read",
		Feature: feature, Summary: "Summarize a network: length, replacement cost, needs, FCI, age and condition",
		Description: "From the segments in use: neither planned nor abandoned nor removed.",
	}, f.summarize)
}

func (f family) summarize(ctx context.Context, in SummaryRequest) (Summary, error) {
	summary := Summary{ID: strings.ToLower(in.ID), AsOf: resource.Today(ctx), HorizonYears: in.HorizonYears,
		Currency: principal.From(ctx).Currency}
	if in.AsOf != nil {
		summary.AsOf = *in.AsOf
	}
	if summary.AsOf < calendar.FirstDay {
		return summary, fault.InvalidFields(fault.Field{Field: "as_of", Message: "must be " + calendar.FirstDay + " or later"})
	}
	if summary.AsOf < resource.Today(ctx) {
		summary.Basis = &Past{}
	}
	orders, err := f.activeWorkOrders(ctx)
	if err != nil {
		return summary, err
	}
	table, err := f.pricesOf(ctx, summary.AsOf, in.PricesOf)
	if err != nil {
		return summary, err
	}
	summary.PricesOf, summary.IndexedThrough = table.PricesOf, table.IndexedThrough
	found := false
	err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT name, asset_class FROM network WHERE organization_id = current_organization() AND id = $1::uuid",
			summary.ID).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				found = true
				if err := rows.Scan(&summary.Name, &summary.AssetClass); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		resource.PlanPast(ctx, batch, summary.AsOf)
		batch.Queue(summarySQL.For(summary.AsOf, resource.Today(ctx), table, byLife(ctx, summary.AsOf)),
			summary.AsOf, in.HorizonYears, table.JSON(), summary.ID).QueryRow(summary.scan)
		if orders != nil {
			batch.Queue(`SELECT coalesce(sum(o.open), 0)::bigint, coalesce(sum(o.overdue), 0)::bigint
				FROM unnest($1::uuid[], $2::int[], $3::int[]) o (id, open, overdue)
				JOIN segment s ON s.organization_id = current_organization() AND s.id = o.id WHERE s.network_id = $4::uuid`,
				orders.ids, orders.open, orders.overdue, summary.ID).QueryRow(func(row pgx.Row) error {
				return row.Scan(&summary.OpenWorkOrders, &summary.OverdueWorkOrders)
			})
		}
	})
	p := principal.From(ctx)
	summary.RenewalBasis = p.RenewalBasisOn(summary.AsOf)
	summary.FCIGrade, summary.FCIGradeReason = indicators.FCIGrade(summary.FCIPct, summary.LifeKnownPct, p.FCIBands, byLife(ctx, summary.AsOf))
	if err == nil && !found {
		err = fault.NotFound("network", summary.ID)
	}
	return summary, err
}

// Table is the summary as CSV: one row.
func (s Summary) Table() transport.Table { return transport.TableOf([]Summary{s}) }
