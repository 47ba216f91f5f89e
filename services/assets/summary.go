package assets

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// Indicators are the state of a part of the portfolio, computed from the assets that are in use: neither planned nor decommissioned
// nor disposed, nor inside of something that is.
type Indicators struct {
	Counts                  Counts           `json:"counts" doc:"How many there are."`
	ReplacementCost         float64          `json:"replacement_cost" decimals:"2" doc:"What replacing everything would cost, in prices of prices_of."`
	ReplacementCostBasis    CostBasis        `json:"replacement_cost_basis" doc:"Where replacement_cost comes from; the three add up to it."`
	AsRecorded              AsRecorded       `json:"as_recorded" doc:"What of replacement_cost stays in prices as recorded: no price index applies, or the year of its prices is not known or before the index."`
	DeferredMaintenanceCost float64          `json:"deferred_maintenance_cost" decimals:"2" doc:"Maintenance that is due in the year of as_of and was put off."`
	DeferredBasis           DeferredBasis    `json:"deferred_maintenance_basis" doc:"Where deferred_maintenance_cost comes from; the two add up to it."`
	Need                    float64          `json:"need" decimals:"2" doc:"Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of everything else."`
	NeedBasis               NeedBasis        `json:"need_basis" doc:"Where need comes from; the three add up to it."`
	NeedWithoutValue        float64          `json:"need_without_value" decimals:"2" doc:"The part of need that no replacement cost stands against: neither of the asset, nor of its system, nor an appraisal of its building. It is left out of the FCI."`
	FCIPct                  *float64         `json:"fci_pct" unit:"percent" doc:"Facility Condition Index: need less need_without_value, over replacement cost. May exceed 100; null where nothing has a cost."`
	FCIGrade                *string          `json:"fci_grade" enum:"good,fair,poor,critical" doc:"good to 5 %, fair to 10 %, poor to 30 %, critical above, each end included, or by the organization's fci_bands."`
	FCIGradeReason          *string          `json:"fci_grade_reason" enum:"lives_unknown" doc:"Why there is no grade though there is an FCI. lives_unknown: renewals are due by lives, and of less than half of the replacement cost the year of renewal is known; enter installations and expected lives, or planned renewal years."`
	LifeKnownPct            *float64         `json:"life_known_pct" unit:"percent" doc:"The share of replacement_cost whose year of renewal is known: planned, or installation and expected useful life. Null where nothing has a cost."`
	AverageAgeYears         *float64         `json:"average_age_years" unit:"year" doc:"Mean age of the assets whose installation is known."`
	WeightedAgeYears        *float64         `json:"weighted_age_years" unit:"year" doc:"Their mean age by replacement cost."`
	AverageConditionRating  *float64         `json:"average_condition_rating" doc:"Mean condition rating of the rated assets, 1 (very good) to 5 (very poor)."`
	WeightedConditionRating *float64         `json:"weighted_condition_rating" doc:"Their mean condition rating by replacement cost."`
	Condition               map[string]Share `json:"condition_distribution" doc:"Assets by condition grade: very_good, good, fair, poor, very_poor, unknown."`
	PastUsefulLife          Share            `json:"past_useful_life" doc:"Assets whose expected useful life is over."`
	DataQuality             DataQuality      `json:"data_quality" doc:"Assets that lack what the figures are made from."`
	Currency                string           `json:"currency" doc:"Currency of every amount of money."`

	past Basis // of a day that is over
}

// Counts are numbers of records that count.
type Counts struct {
	Sites     int `json:"sites"`
	Buildings int `json:"buildings"`
	Systems   int `json:"systems"`
	Assets    int `json:"assets"`
	LeftOut   int `json:"assets_left_out" doc:"Assets that are planned, decommissioned or disposed, or inside of something that is; in no other figure."`
}

// CostBasis splits a replacement cost by where it comes from.
type CostBasis struct {
	Buildings float64 `json:"buildings" decimals:"2" doc:"From appraisals of whole buildings."`
	Systems   float64 `json:"systems" decimals:"2" doc:"From systems that have a cost of their own."`
	Assets    float64 `json:"assets" decimals:"2" doc:"From assets."`
}

// NeedBasis splits a need by where it comes from.
type NeedBasis struct {
	PlannedRenewalYears float64 `json:"planned_renewal_years" decimals:"2" doc:"From renewals that are due by a planned_renewal_year."`
	UsefulLives         float64 `json:"useful_lives" decimals:"2" doc:"From renewals that are due because the expected useful life ends; 0 where renewal_basis is typed."`
	DeferredMaintenance float64 `json:"deferred_maintenance" decimals:"2" doc:"From deferred maintenance of what is not due: typed, said by assessments, or of deficiencies."`
}

// renewalBasis is what the organization's renewals were due by on a day.
func renewalBasis(ctx context.Context, day string) string {
	return principal.From(ctx).RenewalBasisOn(day)
}

// byLife says whether renewals are due by lives where no year was typed, on a day.
func byLife(ctx context.Context, day string) bool {
	return renewalBasis(ctx, day) == principal.RenewalTypedOrLife
}

// graded is the grade of an FCI of a day by the organization's bands, or why there is none.
func graded(ctx context.Context, day string, fci, knownPct *float64) (grade, reason *string) {
	return indicators.FCIGrade(fci, knownPct, principal.From(ctx).FCIBands, byLife(ctx, day))
}

// DeferredBasis splits deferred maintenance by where it comes from.
type DeferredBasis struct {
	Typed        float64 `json:"typed" decimals:"2" doc:"Typed on systems and assets, or said by assessments."`
	Deficiencies float64 `json:"deficiencies" decimals:"2" doc:"What the live deficiencies that count cost, those with an action_year after the year of as_of left out."`
}

// AsRecorded are costs that were not brought to the prices of another year.
type AsRecorded struct {
	Count int     `json:"count" doc:"Assets, systems and appraised buildings."`
	Cost  float64 `json:"cost" decimals:"2" doc:"Their replacement cost."`
}

// Basis says how much of the figures of a day that is over was not known on that day.
type Basis struct {
	EnteredLater int `json:"entered_later" doc:"Assets that were entered after the day; what has no day of its own is as it was first entered."`
	ChangedSince int `json:"changed_since" doc:"Others that were changed since; what has no day of its own is as it was on the day."`
}

// Prices say in whose year's prices the amounts are.
type Prices struct {
	PricesOf       int  `json:"prices_of" unit:"year" doc:"The year whose prices amounts are in, as far as price indexes reach; as_recorded says what they do not reach."`
	IndexedThrough *int `json:"indexed_through" unit:"year" doc:"The last year of which every price index in use has a value; afterwards that value counts. Null without an index."`
}

// Share is a number of assets and what replacing them would cost.
type Share struct {
	Assets          int     `json:"assets"`
	ReplacementCost float64 `json:"replacement_cost" decimals:"2"`
}

// DataQuality counts the assets that lack a field.
type DataQuality struct {
	WithoutReplacementCost    int `json:"without_replacement_cost"`
	WithoutInstallation       int `json:"without_installation" doc:"Neither install_date nor install_year."`
	WithoutUsefulLife         int `json:"without_expected_useful_life"`
	WithoutConditionRating    int `json:"without_condition_rating"`
	WithoutPlannedRenewalYear int `json:"without_planned_renewal_year"`
	WithoutSite               int `json:"without_site"`
	ValueBelowNeed            int `json:"value_below_need" doc:"Systems and buildings whose own replacement cost is less than the renewals that are due inside."`
	ZeroReplacementCost       int `json:"zero_replacement_cost" doc:"Assets, systems and buildings whose replacement_cost is 0. It counts as none: the value is that of the parts."`
	RetiredWithoutDate        int `json:"gone_without_date" doc:"Assets that are decommissioned or disposed of, nobody knows since when: they count on no day."`
	DeficienciesWithoutCost   int `json:"deficiencies_without_cost" doc:"Live deficiencies that count as deferred maintenance in the year of as_of, and of which nobody knows the cost."`
}

// targets are where a row of indicatorsSQL is scanned to, in its order.
func (f *Indicators) targets(shares *[6]Share) []any {
	c, b, q := &f.Counts, &f.ReplacementCostBasis, &f.DataQuality
	targets := []any{
		&c.Sites, &c.Buildings, &c.Systems, &c.Assets, &c.LeftOut, &f.ReplacementCost, &b.Buildings, &b.Systems, &b.Assets,
		&f.AsRecorded.Count, &f.AsRecorded.Cost, &f.DeferredMaintenanceCost, &f.DeferredBasis.Typed,
		&f.DeferredBasis.Deficiencies, &f.Need, &f.NeedWithoutValue, &f.FCIPct,
		&f.NeedBasis.PlannedRenewalYears, &f.NeedBasis.UsefulLives, &f.NeedBasis.DeferredMaintenance, &f.LifeKnownPct,
		&f.AverageAgeYears, &f.WeightedAgeYears, &f.AverageConditionRating, &f.WeightedConditionRating,
		&q.WithoutInstallation, &q.WithoutReplacementCost, &q.WithoutUsefulLife, &q.WithoutPlannedRenewalYear, &q.WithoutSite, &q.ValueBelowNeed,
		&q.ZeroReplacementCost, &q.RetiredWithoutDate, &q.DeficienciesWithoutCost,
		&f.past.EnteredLater, &f.past.ChangedSince,
		&f.PastUsefulLife.Assets, &f.PastUsefulLife.ReplacementCost,
	}
	for i := range shares {
		targets = append(targets, &shares[i].Assets)
	}
	for i := range shares {
		targets = append(targets, &shares[i].ReplacementCost)
	}
	return targets
}

// scan reads one row of indicatorsSQL of a day; more are targets of columns that stand before it.
func (f *Indicators) scan(ctx context.Context, day string, row pgx.Row, more ...any) error {
	var shares [6]Share
	if err := row.Scan(append(more, f.targets(&shares)...)...); err != nil {
		return err
	}
	f.Condition = map[string]Share{}
	for i, grade := range conditionKeys {
		f.Condition[grade] = shares[i]
	}
	f.DataQuality.WithoutConditionRating = shares[5].Assets
	f.Currency = currency(ctx)
	f.FCIGrade, f.FCIGradeReason = graded(ctx, day, f.FCIPct, f.LifeKnownPct)
	return nil
}

// SummaryRequest is a request for the indicators of one record.
type SummaryRequest struct {
	ID           string  `path:"id" format:"uuid"`
	AsOf         *string `query:"as_of" format:"date" doc:"Day of the figures, today when left out. On a day that is over: what stood there, with what had been said of it by then."`
	HorizonYears int     `query:"horizon_years" default:"0" minimum:"0" maximum:"50" doc:"Renewals planned up to so many years after the year of as_of count as needs."`
	PricesOf     *int    `query:"prices_of" minimum:"1900" maximum:"2200" doc:"The year whose prices costs are brought to by the organization's price indexes; the year of as_of when left out."`
}

// Summary is the indicators of a site, a building or a system.
type Summary struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears int    `json:"horizon_years" unit:"year"`
	RenewalBasis string `json:"renewal_basis" enum:"typed,typed_or_life" doc:"What renewals are due by, by the organization's setting of the day. typed: planned_renewal_year alone. typed_or_life: else the end of the expected useful life."`
	Basis        *Basis `json:"basis" doc:"How much of the figures of a day that is over is hindsight; null of today and days to come."`
	Prices
	Indicators
	WorkOrderCounts
}

// mountSummaries serves the summary of each kind of parent to callers who may read the parent.
func (f family) mountSummaries() {
	for singular, v := range map[string]view{"site": ofSite, "building": ofBuilding, "system": ofSystem} {
		statement := rollup(partsSQL+unitsSQL+" SELECT "+indicatorsSQL+" FROM unit u", v, noKeys)
		transport.Get(f.registry.API, transport.Operation{
			Path: "/v1/" + singular + "s/{id}/summary", ID: "get_" + singular + "_summary", Scope: singular + "s:read", ResponseName: "PlaceSummary",
			Summary:     "Summarize a " + singular + ": counts, replacement cost, needs, FCI, age, condition and open work orders",
			Description: "A " + singular + " that is itself planned, decommissioned, demolished or disposed counts for nothing.",
		}, func(ctx context.Context, in SummaryRequest) (Summary, error) {
			return f.summarize(ctx, singular, statement, in)
		})
	}
}

func (f family) summarize(ctx context.Context, singular string, statement prices.Statement, in SummaryRequest) (Summary, error) {
	id := strings.ToLower(in.ID)
	asOf, err := day(ctx, in.AsOf)
	if err != nil {
		return Summary{}, err
	}
	summary := Summary{ID: id, AsOf: asOf, HorizonYears: in.HorizonYears, RenewalBasis: renewalBasis(ctx, asOf)}
	table, err := f.pricesOf(ctx, yearOf(summary.AsOf, in.PricesOf))
	if err != nil {
		return summary, err
	}
	summary.Prices = Prices{table.PricesOf, table.IndexedThrough}
	found := false
	err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT name FROM "+singular+" WHERE organization_id = current_organization() AND id = $1::uuid",
			id).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				found = true
				if err := rows.Scan(&summary.Name); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		resource.PlanPast(ctx, batch, summary.AsOf)
		batch.Queue(statement.For(summary.AsOf, resource.Today(ctx), table, byLife(ctx, summary.AsOf)),
			summary.AsOf, in.HorizonYears, table.JSON(), id).QueryRow(func(row pgx.Row) error {
			return summary.scan(ctx, summary.AsOf, row)
		})
	})
	switch {
	case err != nil:
		return summary, err
	case !found:
		return summary, fault.NotFound(singular, id)
	}
	summary.Basis = summary.basis(ctx, asOf)
	summary.WorkOrderCounts = f.countWorkOrders(ctx, singular+"_id", id)
	return summary, nil
}

// day is the requested date, or today. Before 1900 nobody kept figures: a 400.
func day(ctx context.Context, asOf *string) (string, error) {
	switch {
	case asOf == nil:
		return resource.Today(ctx), nil
	case *asOf < calendar.FirstDay:
		return "", fault.InvalidFields(fault.Field{Field: "as_of", Message: "must be " + calendar.FirstDay + " or later"})
	}
	return *asOf, nil
}

// basis is how much of the figures of a day is hindsight: nil where it is not over.
func (f *Indicators) basis(ctx context.Context, day string) *Basis {
	if day < resource.Today(ctx) {
		return &f.past
	}
	return nil
}

// Table is the summary as CSV: one row.
func (s Summary) Table() transport.Table { return transport.TableOf([]Summary{s}) }
