package assets

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/contracts/los"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/fault"
	"ams.internal/libs/parquet"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// infrastructureStatements are the report's statements, by group_by.
var infrastructureStatements = map[string]prices.Statement{
	"service_category": stateSQL(ofServices, "n.category", "NULL::text", "NULL::text"),
	"building_type":    stateSQL(ofBuildingTypes, "'network'", "NULL::text", "NULL::text"),
	"network": stateSQL(keys{asset: "'assets'", system: "'assets'", building: "'assets'", site: "'assets'"},
		"'network'", "n.network_id", "n.name"),
}

// uncategorizedSQL gives the buildings whose service nobody has said.
var uncategorizedSQL = "SELECT b.building_type, count(*), coalesce(sum(b.replacement_cost), 0) FROM building b " +
	"LEFT JOIN site p ON p.organization_id = current_organization() " +
	"AND p.id = b.site_id WHERE b.organization_id = current_organization() AND " +
	indicators.ToBeCategorized("b") + " AND " + indicators.Counts("b") + " AND " + indicators.Counts("p") + " GROUP BY 1 ORDER BY 1"

func (f family) mountStateOfInfrastructure() {
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/reports/state-of-infrastructure", FromReplica: true, ID: "get_state_of_infrastructure", Scope: "assets:read",
		RowName: "ServiceState", Summary: "Report the state of all infrastructure, assets and networks, by service",
		Description: "The table that O. Reg. 588/17, section 5 (2) 3, asks of an asset management plan (runs of scenarios refer to it), " +
			"per service category and in total: number, replacement cost, average age, " +
			"condition and how it is assessed; and what stands behind it: needs, FCI, risk, confidence and " +
			"gaps. Networks need the scope infrastructure:read; without it they are named in left_out. As CSV or Parquet (Accept), one row for " +
			"each group and one for the total.",
	}, func(ctx context.Context, in InfrastructureRequest) (StateOfInfrastructure, error) {
		return f.stateOfInfrastructure(ctx, in, principal.From(ctx).Allows("infrastructure:read"))
	})
}

// stateOfInfrastructure makes the report, with networks where they may be read.
func (f family) stateOfInfrastructure(ctx context.Context, in InfrastructureRequest, networksToo bool) (StateOfInfrastructure, error) {
	asOf, err := day(ctx, in.AsOf)
	if err != nil {
		return StateOfInfrastructure{}, err
	}
	report := StateOfInfrastructure{AsOf: asOf, HorizonYears: in.HorizonYears, GroupBy: in.GroupBy, Currency: currency(ctx),
		RenewalBasis: renewalBasis(ctx, asOf),
		LeftOut:      []string{}, ToBeCategorized: []Uncategorized{}, Data: []ServiceState{}}
	table, err := f.pricesOf(ctx, yearOf(asOf, in.PricesOf))
	if err != nil {
		return report, err
	}
	report.Prices = Prices{table.PricesOf, table.IndexedThrough}
	networks := noNetworks
	switch {
	case !principal.From(ctx).Has("infrastructure"): // there are none
	case !networksToo:
		report.LeftOut = append(report.LeftOut, "networks")
	default:
		if networks, err = f.networksOf(ctx, asOf, in.HorizonYears, table); err != nil {
			return report, err
		}
	}
	approaches := map[string]string{}
	if in.GroupBy == "service_category" {
		if approaches, report.ApproachUnknown, err = f.approaches(ctx, in.Language); err != nil {
			return report, err
		}
	}
	err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SET LOCAL work_mem = '32MB'")
		resource.PlanPast(ctx, batch, asOf)
		batch.Queue(infrastructureStatements[in.GroupBy].For(asOf, resource.Today(ctx), table, byLife(ctx, asOf)), asOf,
			in.HorizonYears, table.JSON(), networks.Networks,
			networks.Methods).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				var state ServiceState
				var overall bool
				if err := state.scan(rows, &overall); err != nil {
					return err
				}
				state.FCIGrade, state.FCIGradeReason = graded(ctx, asOf, state.FCIPct, state.LifeKnownPct)
				if overall {
					report.Total = state
				} else {
					report.Data = append(report.Data, state)
				}
			}
			return rows.Err()
		})
		batch.Queue(uncategorizedSQL).Query(func(rows pgx.Rows) (err error) {
			report.ToBeCategorized, err = pgx.AppendRows(report.ToBeCategorized, rows, pgx.RowToStructByPos[Uncategorized])
			return err
		})
	})
	report.name(in.Language, approaches)
	report.Basis = (&Indicators{past: report.Total.basis}).basis(ctx, asOf)
	return report, err
}

// reported gives lifecycle planning what the report says of each service category today, for its inventory to be reconciled with. Whoever
// made that inventory may read networks.
func (f family) reported(ctx context.Context) (lines []inventory.Line, err error) {
	report, err := f.stateOfInfrastructure(ctx, InfrastructureRequest{GroupBy: "service_category", Language: "en"}, true)
	if err != nil {
		return nil, err
	}
	for _, state := range report.Data {
		cost := inventory.Cents(math.Round(state.ReplacementCost * 100))
		line := inventory.Line{Type: "reported", Name: state.Name, Cost: &cost, PricesOf: report.PricesOf}
		if state.Key != nil {
			line.ServiceCategory = *state.Key
		}
		line.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte("state-of-infrastructure "+line.ServiceCategory)).String()
		lines = append(lines, line)
	}
	return lines, nil
}

// name gives the groups their names in a language, their order, and the approach of their category.
func (r *StateOfInfrastructure) name(language string, approaches map[string]string) {
	words := stateWords[language]
	r.Total.Name = words["total"]
	for i := range r.Data {
		group := &r.Data[i]
		switch {
		case group.Name != "": // a network has its own
		case group.Key == nil:
			group.Name = words["outside"]
		default:
			group.Name = words[*group.Key]
		}
		if group.Key != nil {
			if approach, stated := approaches[*group.Key]; stated {
				group.ConditionApproach = &approach
			}
		}
	}
	if r.GroupBy == "service_category" {
		slices.SortStableFunc(r.Data, func(a, b ServiceState) int {
			return slices.Index(indicators.ServiceCategories, *a.Key) - slices.Index(indicators.ServiceCategories, *b.Key)
		})
	}
}

var noNetworks = infrastructure.State{Networks: "[]", Methods: "[]"}

// networksOf asks the infrastructure service once. A report without networks would look as if there were none, so it is a 503 while that is
// away.
func (f family) networksOf(ctx context.Context, asOf string, horizonYears int, table prices.Table) (infrastructure.State, error) {
	request := infrastructure.StateRequest{AsOf: &asOf, HorizonYears: horizonYears, Prices: table}
	return infrastructure.Networks.Call(ctx, f.registry.References, request)
}

// approaches gives how conditions are assessed, by service category, in a language or else the other. The report is served without them
// while the los service is away, and says so. A plan without levels of service has none.
func (f family) approaches(ctx context.Context, language string) (texts map[string]string, unknown bool, err error) {
	texts = map[string]string{}
	if !principal.From(ctx).Has("los") {
		return texts, false, nil
	}
	found, err := los.ConditionApproaches.Call(ctx, f.registry.References, struct{}{})
	if unavailable := (*fault.Error)(nil); errors.As(err, &unavailable) && unavailable.Kind == fault.KindUnavailable {
		return texts, true, nil
	}
	for _, approach := range found.Data {
		text, other := approach.English, approach.French
		if language == "fr" {
			text, other = other, text
		}
		if text == nil {
			text = other
		}
		if text != nil {
			texts[approach.Category] = *text
		}
	}
	return texts, false, err
}

// infrastructureColumns are those of the report as a table. The columns of every caller are the same.
func infrastructureColumns() []parquet.Column {
	var columns []parquet.Column
	add := func(of parquet.Column, names ...string) {
		for _, of.Name = range names {
			columns = append(columns, of)
		}
	}
	text, day, number := parquet.Column{}, parquet.Column{Type: parquet.Date}, parquet.Column{Type: parquet.Number}
	count, money := parquet.Column{Type: parquet.Integer}, parquet.Column{Type: parquet.Decimal, Decimals: 2}
	add(text, "key", "id", "name")
	add(day, "as_of")
	add(count, "horizon_years", "prices_of")
	add(text, "currency")
	add(count, "sites", "buildings", "systems", "assets", "networks", "segments", "left_out")
	add(number, "length_km")
	add(money, "replacement_cost", "as_recorded_cost", "deferred_maintenance_cost", "need", "need_without_value")
	add(number, "fci_pct")
	add(text, "fci_grade")
	add(money, "need_planned_renewal_years", "need_useful_lives", "need_deferred_maintenance")
	add(number, "life_known_pct")
	add(text, "renewal_basis")
	add(number, "average_age_years", "weighted_age_years", "average_condition_rating", "weighted_condition_rating")
	add(count, "past_useful_life")
	add(money, "past_useful_life_cost")
	add(number, "past_useful_life_pct", "confidence_pct")
	add(money, "confidence_cost")
	for _, grade := range conditionKeys {
		add(count, "condition_"+grade)
		add(money, "condition_"+grade+"_cost")
	}
	for _, level := range riskKeys() {
		add(count, "risk_"+level)
		add(money, "risk_"+level+"_cost")
	}
	add(count, "without_replacement_cost", "without_installation", "without_expected_useful_life", "without_condition_rating")
	add(text, "condition_approach")
	return columns
}

func riskKeys() []string { return append(slices.Clone(indicators.RiskLevels), "unknown") }

// Table is the report as CSV or Parquet: a row for each group, the total last.
func (r StateOfInfrastructure) Table() transport.Table {
	var rows [][]string
	for _, s := range append(slices.Clone(r.Data), r.Total) {
		row := []string{text(s.Key), text(s.ID), s.Name, r.AsOf, strconv.Itoa(r.HorizonYears), strconv.Itoa(r.PricesOf), r.Currency,
			strconv.Itoa(s.Counts.Sites), strconv.Itoa(s.Counts.Buildings), strconv.Itoa(s.Counts.Systems), strconv.Itoa(s.Counts.Assets),
			strconv.Itoa(s.Counts.Networks), strconv.Itoa(s.Counts.Segments), strconv.Itoa(s.Counts.LeftOut), exact(&s.LengthKm),
			inCents(s.ReplacementCost), inCents(s.AsRecorded.Cost), inCents(s.DeferredMaintenanceCost), inCents(s.Need), inCents(s.NeedWithoutValue),
			exact(s.FCIPct), text(s.FCIGrade), inCents(s.NeedBasis.PlannedRenewalYears),
			inCents(s.NeedBasis.UsefulLives), inCents(s.NeedBasis.DeferredMaintenance), exact(s.LifeKnownPct), r.RenewalBasis,
			exact(s.AverageAgeYears), exact(s.WeightedAgeYears), exact(s.AverageConditionRating),
			exact(s.WeightedConditionRating), strconv.Itoa(s.PastUsefulLife.Count), inCents(s.PastUsefulLife.ReplacementCost),
			exact(s.PastUsefulLife.Pct), exact(s.Confidence.Pct), inCents(s.Confidence.ReplacementCost)}
		for _, grade := range conditionKeys {
			row = append(row, strconv.Itoa(s.Condition[grade].Count), inCents(s.Condition[grade].ReplacementCost))
		}
		for _, level := range riskKeys() {
			row = append(row, strconv.Itoa(s.Risk[level].Count), inCents(s.Risk[level].ReplacementCost))
		}
		rows = append(rows, append(row, strconv.Itoa(s.DataGaps.WithoutReplacementCost), strconv.Itoa(s.DataGaps.WithoutInstallation),
			strconv.Itoa(s.DataGaps.WithoutUsefulLife), strconv.Itoa(s.DataGaps.WithoutConditionRating), text(s.ConditionApproach)))
	}
	return transport.TableOfTexts(infrastructureColumns(), rows)
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func exact(value *float64) string {
	if value == nil {
		return ""
	}
	return strconv.FormatFloat(*value, 'f', -1, 64)
}

func inCents(value float64) string { return strconv.FormatFloat(value, 'f', 2, 64) }

// stateWords are the names of groups, by language. Those of service categories are the words of level-of-service areas.
var stateWords = map[string]map[string]string{
	"en": {
		"total":            "Total",
		"outside":          "Outside of buildings",
		"network":          "Networks",
		"assets":           "Sites, buildings and equipment",
		"roads":            "Roads",
		"bridges_culverts": "Bridges and culverts",
		"water":            "Drinking water",
		"wastewater":       "Wastewater",
		"stormwater":       "Stormwater",
		"facilities":       "Facilities",
		"parks_recreation": "Parks and recreation",
		"fleet":            "Fleet",
		"solid_waste":      "Solid waste",
		"transit":          "Transit",
		"fire":             "Fire services",
		"library":          "Library",
		"education":        "Education",
		"housing":          "Housing",
		"natural_assets":   "Natural assets",
		"other":            "Other",
		"school":           "Schools",
		"administration":   "Administration",
		"arena":            "Arenas",
		"pool":             "Pools",
		"community_centre": "Community centres",
		"fire_hall":        "Fire halls",
		"police":           "Police",
		"ambulance":        "Ambulance",
		"works_garage":     "Works garages",
		"pump_station":     "Pumping stations",
		"treatment":        "Treatment plants",
		"warehouse":        "Warehouses",
		"parking":          "Parking",
		"child_care":       "Child care",
	},
	"fr": {
		"total":            "Total",
		"outside":          "Hors des bâtiments",
		"network":          "Réseaux",
		"assets":           "Sites, bâtiments et équipements",
		"roads":            "Routes",
		"bridges_culverts": "Ponts et ponceaux",
		"water":            "Eau potable",
		"wastewater":       "Eaux usées",
		"stormwater":       "Eaux pluviales",
		"facilities":       "Installations",
		"parks_recreation": "Parcs et loisirs",
		"fleet":            "Parc de véhicules",
		"solid_waste":      "Déchets solides",
		"transit":          "Transport en commun",
		"fire":             "Protection incendie",
		"library":          "Bibliothèque",
		"education":        "Éducation",
		"housing":          "Logement",
		"natural_assets":   "Actifs naturels", //nolint:misspell // French
		"other":            "Autres",
		"school":           "Écoles",
		"administration":   "Administration",
		"arena":            "Arénas",
		"pool":             "Piscines",
		"community_centre": "Centres communautaires",
		"fire_hall":        "Casernes",
		"police":           "Police",
		"ambulance":        "Ambulances",
		"works_garage":     "Garages municipaux",
		"pump_station":     "Stations de pompage",
		"treatment":        "Usines de traitement",
		"warehouse":        "Entrepôts",
		"parking":          "Stationnements",
		"child_care":       "Garderies",
	},
}
