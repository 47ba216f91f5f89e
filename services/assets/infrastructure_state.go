package assets

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/prices"
)

// The report on the state of infrastructure adds up assets and networks by the service that they help to provide, as O. Reg. 588/17,
// section 5 (2) 3, asks of asset management plans. Networks come from the infrastructure service with every digit, and are added up by
// the same statement as the assets.

// stateDetails are what the report adds up of assets besides the tallies.
var stateDetails = func() []detail {
	details := []detail{{"method", "coalesce(a.condition_method, 'unknown')", true}}
	for i, level := range append(append([]string{}, indicators.RiskLevels...), "") {
		where := indicators.RiskLevel("a.risk_score") + " = '" + level + "'"
		if level == "" {
			where = "a.risk_score IS NULL"
		}
		details = append(details, detail{fmt.Sprint("risk", i+1), "count(*) FILTER (WHERE " + where + ")", false},
			detail{fmt.Sprint("risk_value", i+1), "coalesce(sum({a cost}) FILTER (WHERE " + where + "), 0)", false})
	}
	return append(details, detail{"confident", "coalesce(sum({a cost}) FILTER (WHERE " + indicators.Confident("a", asOf) + "), 0)", false})
}()

// ofServices are what the report is grouped by: of assets, systems, buildings and sites.
var ofServices = keys{
	asset:    indicators.ServiceCategoryOfAsset("a", "kb", "kp"),
	system:   "coalesce(CASE WHEN b.id IS NOT NULL THEN " + indicators.ServiceCategoryOfBuilding("b") + " END, p.service_category, 'other')",
	building: indicators.ServiceCategoryOfBuilding("b"), site: "coalesce(p.service_category, 'other')", joins: placeJoins,
}

var ofBuildingTypes = keys{
	asset:  "CASE WHEN kb.id IS NOT NULL THEN coalesce(kb.building_type, 'other') END",
	system: "CASE WHEN b.id IS NOT NULL THEN coalesce(b.building_type, 'other') END", building: "coalesce(b.building_type, 'other')",
	site: "NULL::text", joins: placeJoins,
}

const placeJoins = ` LEFT JOIN {building} kb ON kb.organization_id = current_organization() AND kb.id = a.building_id
	LEFT JOIN {site} kp ON kp.organization_id = current_organization() AND kp.id = a.site_id`

// stateUnitsSQL is unitsSQL by key: an appraised building is worth its appraisal where the building belongs, and what is inside of it has
// its counts, age, condition and need where each asset belongs.
const stateUnitsSQL = wholeSQL + `, appraised AS (
	SELECT building_id, max(appraisal) AS appraisal, coalesce({known of appraisal}, 0) AS known FROM whole GROUP BY 1
	HAVING max(appraisal) IS NOT NULL
), worth AS (
	SELECT building_id, site_id, CASE WHEN max(appraisal) IS NULL THEN sum(of_systems + of_assets) ELSE max(appraisal) END AS value
	FROM whole WHERE site_id IN (SELECT site_id FROM whole WHERE loose <> 0) GROUP BY 1, 2
), covered AS (
	SELECT building_id, site_id FROM (SELECT w.*, sum(value) OVER (PARTITION BY site_id) AS of_site FROM worth w) w
	WHERE CASE WHEN building_id IS NULL THEN of_site ELSE value END > 0
), unit AS (
	SELECT w.*, CASE WHEN o.building_id IS NULL THEN w.known WHEN w.appraisal IS NOT NULL THEN o.known ELSE 0 END AS life_known,
		coalesce(w.appraisal, 0) AS of_buildings, o.building_id IS NULL OR w.appraisal IS NOT NULL AS valued,
		CASE WHEN o.building_id IS NULL THEN w.bare - CASE WHEN w.loose <> 0 AND EXISTS (SELECT FROM covered c WHERE c.site_id = w.site_id
			AND c.building_id IS NOT DISTINCT FROM w.building_id) THEN w.loose ELSE 0 END ELSE 0 END AS bare_need
	FROM whole w LEFT JOIN appraised o ON o.building_id = w.building_id
)`

// lines are the columns that assets (u, of unit) and networks (n, of the infrastructure service) have in common.
var lines = func() (list []struct{ name, ofAssets, ofNetworks string }) {
	add := func(name, ofAssets, ofNetworks string) {
		list = append(list, struct{ name, ofAssets, ofNetworks string }{name, ofAssets, ofNetworks})
	}
	const value = "(u.of_buildings + CASE WHEN u.valued AND u.appraisal IS NULL THEN u.of_systems + u.of_assets ELSE 0 END)"
	for _, name := range []string{"sites", "buildings", "systems", "assets"} {
		add(name, "u."+name, "0")
	}
	add("networks", "0", "CASE WHEN n.segments > 0 THEN 1 ELSE 0 END")
	add("segments", "0", "n.segments")
	add("left_out", "u.left_out", "n.left_out")
	add("length", "0", "n.length")
	add("value", value, "n.value")
	add("recorded", "CASE WHEN u.valued THEN u.costs - u.restated ELSE 0 END", "n.recorded")
	add("recorded_value", "CASE WHEN u.valued THEN "+value+" - u.restated_value ELSE 0 END", "n.recorded_value")
	add("without_cost", "u.unpriced", "coalesce(n.without_cost, 0)")
	for _, name := range []string{"deferred", "need"} {
		add(name, "u."+name, "n."+name)
	}
	add("bare", "u.bare_need", "n.bare")
	for _, name := range []string{"renewed", "by_life"} {
		add(name, "u."+name, "coalesce(n."+name+", 0)") // the release before does not give them
	}
	add("known", "u.life_known", "coalesce(n.known, 0)")
	add("things", "u.assets", "n.segments")
	add("own_value", "u.value1 + u.value2 + u.value3 + u.value4 + u.value5 + u.value_unrated", "n.value")
	add("value_aged", "u.value1 + u.value2 + u.value3 + u.value4 + u.value5 + u.value_unrated - u.value_undated", "n.value_aged")
	for _, name := range []string{"age", "aged", "value_age", "rating", "past", "lived", "past_value", "costed", "lasting", "confident",
		"entered_later", "changed_since"} {
		add(name, "u."+name, "n."+name)
	}
	add("dated", "u.dated", "coalesce(n.dated, n.aged)") // the release before gives aged alone
	add("rated6", "u.unrated", "n.rated6")
	add("value6", "u.value_unrated", "n.value6")
	for i := 1; i <= 6; i++ {
		for _, name := range []string{"rated", "value"} {
			if column := fmt.Sprint(name, i); i < 6 {
				add(column, "u."+column, "n."+column)
			}
		}
		for _, name := range []string{"risk", "risk_value"} {
			add(fmt.Sprint(name, i), fmt.Sprint("u.", name, i), fmt.Sprint("n.", name, i))
		}
	}
	return list
}()

// stateLinesSQL gives line: rows of assets and networks with the same columns. It takes $4 the networks, as JSON. networkKey, networkID and
// networkName say where a network n belongs.
func stateLinesSQL(networkKey, networkID, networkName string) string {
	var ofAssets, ofNetworks, sums []string
	for _, l := range lines {
		ofAssets, ofNetworks = append(ofAssets, l.ofAssets+" AS "+l.name), append(ofNetworks, l.ofNetworks)
		if !strings.Contains(" things own_value networks sites buildings systems assets ", " "+l.name+" ") {
			sums = append(sums, l.name+" numeric")
		}
	}
	return `, network AS MATERIALIZED (
	SELECT ` + networkKey + " AS key, " + networkID + " AS id, " + networkName + ` AS label, n.* FROM json_to_recordset($4::json)
		AS n(network_id text, name text, asset_class text, category text, ` + strings.Join(sums, ", ") + `)
), line AS MATERIALIZED (
	SELECT u.key, NULL::text AS id, NULL::text AS name, ` + strings.Join(ofAssets, ", ") + ` FROM unit u
	UNION ALL
	SELECT n.key, n.id, n.label, ` + strings.Join(ofNetworks, ", ") + ` FROM network n
)`
}

// stateSQL gives a row of the total and a row for each group. It takes $5 the methods of networks, as JSON.
func stateSQL(by keys, networkKey, networkID, networkName string) prices.Statement {
	return rollup(partsSQL+stateUnitsSQL+stateLinesSQL(networkKey, networkID, networkName)+
		`, method AS (
	SELECT m.key, m.id, m.method, sum(m.value) AS value FROM (
		SELECT t.key, NULL::text AS id, t.method, t.value FROM standing t WHERE t.stands AND t.value <> 0
		UNION ALL
		SELECT n.key, n.id, m.method, m.value FROM json_to_recordset($5::json) AS m(network_id text, method text, value numeric)
			JOIN network n ON n.network_id = m.network_id WHERE m.value <> 0) m
	GROUP BY 1, 2, 3
), grouped AS (
	SELECT grouping(u.key) = 1 AS overall, u.key, u.id, u.name, `+stateColumns+`
	FROM line u GROUP BY GROUPING SETS ((), (u.key, u.id, u.name))
)
SELECT g.*, coalesce((SELECT json_object_agg(m.method, m.value ORDER BY m.method) FROM (
		SELECT m.method, sum(m.value) AS value FROM method m
		WHERE g.overall OR m.key IS NOT DISTINCT FROM g.key AND m.id IS NOT DISTINCT FROM g.id GROUP BY 1) m), '{}')::text
FROM grouped g ORDER BY g.overall DESC, g.name COLLATE "natural", g.key COLLATE "natural", g.id`, everything, by, stateDetails...)
}

// stateColumns are what a ServiceState is read from, in the order of its targets.
var stateColumns = func() string {
	var list []string
	for _, name := range []string{"sites", "buildings", "systems", "assets", "networks", "segments", "left_out"} {
		list = append(list, number(name))
	}
	fci := indicators.FCI("sum(u.need) - sum(u.bare)", "sum(u.value)")
	rated := "(sum(u.value1) + sum(u.value2) + sum(u.value3) + sum(u.value4) + sum(u.value5))"
	list = append(list, "coalesce("+indicators.Km("sum(u.length)")+", 0)", amount("value"), number("recorded"), amount("recorded_value"),
		amount("deferred"), amount("need"), amount("bare"), fci, needBasisSQL, lifeKnownSQL("sum(u.value)"),
		indicators.Years("(sum(u.age) / nullif(sum(u.aged), 0))"), indicators.Years("(sum(u.value_age) / nullif(sum(u.value_aged), 0))"),
		"round(sum(u.rating) / nullif(sum(u.things) - sum(u.rated6), 0), 2)",
		"round((sum(u.value1) + 2 * sum(u.value2) + 3 * sum(u.value3) + 4 * sum(u.value4) + 5 * sum(u.value5)) / nullif("+rated+", 0), 2)",
		number("past"), amount("past_value"), "round(100.0 * sum(u.past) / nullif(sum(u.lived), 0), 2)",
		amount("confident"), "round(100.0 * sum(u.confident) / nullif(sum(u.own_value), 0), 2)",
		"coalesce(sum(u.things) - sum(u.costed), 0)::bigint", "coalesce(sum(u.things) - sum(u.dated), 0)::bigint",
		"coalesce(sum(u.things) - sum(u.lasting), 0)::bigint", number("without_cost"), number("entered_later"), number("changed_since"))
	for i := 1; i <= 6; i++ {
		list = append(list, number(fmt.Sprint("rated", i)), amount(fmt.Sprint("value", i)),
			number(fmt.Sprint("risk", i)), amount(fmt.Sprint("risk_value", i)))
	}
	return strings.Join(list, ", ")
}()

// InfrastructureRequest asks for the state of infrastructure.
type InfrastructureRequest struct {
	AsOf         *string `query:"as_of" format:"date" doc:"Day of the figures, today when left out. On a day that is over: what stood there, with what had been said of it by then."`
	HorizonYears int     `query:"horizon_years" default:"0" minimum:"0" maximum:"50" doc:"Renewals planned up to so many years after the year of as_of count as needs."`
	PricesOf     *int    `query:"prices_of" minimum:"1900" maximum:"2200" doc:"The year whose prices costs are brought to by the organization's price indexes; the year of as_of when left out."`
	GroupBy      string  `query:"group_by" default:"service_category" enum:"service_category,network,building_type" doc:"What the groups are. By network, all assets are one group; by building type, all networks are one, and what is outside of buildings has no key."`
	Language     string  `query:"language" default:"en" enum:"en,fr" doc:"Language of the names of groups, and of condition_approach."`
}

// StateOfInfrastructure is the report.
type StateOfInfrastructure struct {
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears int    `json:"horizon_years" unit:"year"`
	GroupBy      string `json:"group_by"`
	Prices
	RenewalBasis    string          `json:"renewal_basis" enum:"typed,typed_or_life" doc:"What renewals are due by, by the organization's setting of the day. typed: planned_renewal_year alone. typed_or_life: else the end of the expected useful life."`
	Basis           *Basis          `json:"basis" doc:"How much of the figures of a day that is over is hindsight; null of today and days to come."`
	Currency        string          `json:"currency" doc:"Currency of every amount of money."`
	LeftOut         []string        `json:"left_out" doc:"What the key may not read and the report is therefore without: networks."`
	ApproachUnknown bool            `json:"approach_unknown" doc:"Whether condition_approach could not be asked for at this moment."`
	ToBeCategorized []Uncategorized `json:"to_be_categorized" doc:"Buildings that count as other until their service_category is set: pumping stations and treatment plants, which may be of water or of wastewater."`
	Total           ServiceState    `json:"total" doc:"Everything: the state of assets and the networks' summaries together."`
	Data            []ServiceState  `json:"data" doc:"The groups, which add up to the total."`
}

// Uncategorized is buildings of one type.
type Uncategorized struct {
	BuildingType    string  `json:"building_type"`
	Buildings       int     `json:"buildings"`
	ReplacementCost float64 `json:"replacement_cost" decimals:"2" doc:"Their appraisals, as recorded."`
}

// ServiceState is the state of a part of the infrastructure: assets that are neither planned nor out of use, and segments in use.
type ServiceState struct {
	Key                     *string            `json:"key" doc:"The service category or building type, or network or assets; null for what has none."`
	ID                      *string            `json:"id" format:"uuid" doc:"The network, where the groups are networks."`
	Name                    string             `json:"name" doc:"Name of the group."`
	Counts                  StateCounts        `json:"counts" doc:"How many there are."`
	LengthKm                float64            `json:"length_km" unit:"km" doc:"Length of the segments."`
	ReplacementCost         float64            `json:"replacement_cost" decimals:"2" doc:"What replacing everything would cost, in prices of prices_of. A building with an appraisal is worth that, in its own category."`
	AsRecorded              AsRecorded         `json:"as_recorded" doc:"What of replacement_cost stays in prices as recorded."`
	DeferredMaintenanceCost float64            `json:"deferred_maintenance_cost" decimals:"2" doc:"Maintenance that is due and was put off."`
	Need                    float64            `json:"need" decimals:"2" doc:"Renewals due within the horizon, and the deferred maintenance of everything else."`
	NeedBasis               NeedBasis          `json:"need_basis" doc:"Where need comes from; the three add up to it."`
	NeedWithoutValue        float64            `json:"need_without_value" decimals:"2" doc:"The part of need that no replacement cost stands against. It is left out of the FCI."`
	FCIPct                  *float64           `json:"fci_pct" unit:"percent" doc:"Facility Condition Index: need less need_without_value, over replacement cost."`
	FCIGrade                *string            `json:"fci_grade" enum:"good,fair,poor,critical"`
	FCIGradeReason          *string            `json:"fci_grade_reason" enum:"lives_unknown" doc:"Why there is no grade though there is an FCI. lives_unknown: renewals are due by lives, and of less than half of the replacement cost the year of renewal is known."`
	LifeKnownPct            *float64           `json:"life_known_pct" unit:"percent" doc:"The share of replacement_cost whose year of renewal is known: planned, or installation and expected useful life."`
	AverageAgeYears         *float64           `json:"average_age_years" unit:"year" doc:"Mean age of the assets and segments whose installation is known."`
	WeightedAgeYears        *float64           `json:"weighted_age_years" unit:"year" doc:"Their mean age by replacement cost."`
	AverageConditionRating  *float64           `json:"average_condition_rating" doc:"Mean condition rating of what is rated, 1 (very good) to 5 (very poor)."`
	WeightedConditionRating *float64           `json:"weighted_condition_rating" doc:"Their mean rating by replacement cost."`
	Condition               map[string]Portion `json:"condition_distribution" doc:"Assets and segments by condition grade: very_good, good, fair, poor, very_poor, unknown."`
	PastUsefulLife          PastLife           `json:"past_useful_life" doc:"Assets and segments whose expected useful life is over."`
	Risk                    map[string]Portion `json:"risk_distribution" doc:"Assets and segments by risk level: very_low, low, moderate, high, very_high, unknown."`
	Confidence              Confidence         `json:"confidence" doc:"How well the condition is known."`
	DataGaps                DataGaps           `json:"data_gaps" doc:"Assets and segments that lack what the figures are made from."`
	ConditionApproach       *string            `json:"condition_approach" doc:"How the condition is assessed (O. Reg. 588/17, section 5 (2) 3 v), from the level-of-service areas of the category; null where nobody has said it, and of groups that are no categories."`

	basis Basis
}

// StateCounts are numbers of records that count.
type StateCounts struct {
	Sites     int `json:"sites"`
	Buildings int `json:"buildings"`
	Systems   int `json:"systems"`
	Assets    int `json:"assets"`
	Networks  int `json:"networks" doc:"Networks with segments that count."`
	Segments  int `json:"segments"`
	LeftOut   int `json:"left_out" doc:"Assets and segments that are planned or out of use, inside of something that is, or were not there on the day; in no other figure."`
}

// Portion is a number of assets and segments, and what replacing them would cost.
type Portion struct {
	Count           int     `json:"count"`
	ReplacementCost float64 `json:"replacement_cost" decimals:"2"`
}

// PastLife is a Portion with its share of those whose life is known.
type PastLife struct {
	Portion
	Pct *float64 `json:"pct" unit:"percent" doc:"Of the assets and segments whose installation and expected life are known."`
}

// Confidence is what part of the replacement cost of assets and segments has a condition that somebody looked at.
type Confidence struct {
	Pct             *float64           `json:"pct" unit:"percent" doc:"Replacement cost of what was assessed or inspected within the five years before as_of, of the replacement cost of all assets and segments."`
	ReplacementCost float64            `json:"replacement_cost" decimals:"2" doc:"That replacement cost."`
	Methods         map[string]float64 `json:"methods" doc:"Replacement cost by how the condition was found out; unknown is what was never rated, or nobody said how."`
}

// DataGaps counts the assets and segments that lack a field.
type DataGaps struct {
	WithoutReplacementCost int `json:"without_replacement_cost"`
	WithoutInstallation    int `json:"without_installation"`
	WithoutUsefulLife      int `json:"without_expected_useful_life"`
	WithoutConditionRating int `json:"without_condition_rating"`
	WithoutCost            int `json:"deficiencies_without_cost" doc:"Live deficiencies that count as deferred maintenance, and of which nobody knows the cost."`
}

func (s *ServiceState) scan(row pgx.Row, overall *bool) error {
	c, q := &s.Counts, &s.DataGaps
	var name *string
	var condition, risk [6]Portion
	var methods string
	targets := []any{overall, &s.Key, &s.ID, &name, &c.Sites, &c.Buildings, &c.Systems, &c.Assets, &c.Networks, &c.Segments, &c.LeftOut,
		&s.LengthKm, &s.ReplacementCost, &s.AsRecorded.Count, &s.AsRecorded.Cost, &s.DeferredMaintenanceCost, &s.Need, &s.NeedWithoutValue,
		&s.FCIPct, &s.NeedBasis.PlannedRenewalYears, &s.NeedBasis.UsefulLives, &s.NeedBasis.DeferredMaintenance,
		&s.LifeKnownPct, &s.AverageAgeYears, &s.WeightedAgeYears, &s.AverageConditionRating, &s.WeightedConditionRating,
		&s.PastUsefulLife.Count, &s.PastUsefulLife.ReplacementCost, &s.PastUsefulLife.Pct, &s.Confidence.ReplacementCost, &s.Confidence.Pct,
		&q.WithoutReplacementCost, &q.WithoutInstallation, &q.WithoutUsefulLife, &q.WithoutCost, &s.basis.EnteredLater, &s.basis.ChangedSince}
	for i := range 6 {
		targets = append(targets, &condition[i].Count, &condition[i].ReplacementCost, &risk[i].Count, &risk[i].ReplacementCost)
	}
	if err := row.Scan(append(targets, &methods)...); err != nil {
		return err
	}
	if name != nil {
		s.Name = *name
	}
	s.Condition, s.Risk = map[string]Portion{}, map[string]Portion{"unknown": risk[5]}
	for i, grade := range conditionKeys {
		s.Condition[grade] = condition[i]
	}
	for i, level := range indicators.RiskLevels {
		s.Risk[level] = risk[i]
	}
	q.WithoutConditionRating = condition[5].Count
	return json.Unmarshal([]byte(methods), &s.Confidence.Methods)
}
