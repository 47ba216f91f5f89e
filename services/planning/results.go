package planning

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/transport"
	"ams.internal/services/planning/engine"
)

const runPath = "/v1/planning/runs/{id}"

// result is a run that is completed, as far as it was read.
type result struct {
	run         string
	inventory   string
	definitions *definitions
	assembly    *assembly // once something is assembled that no earlier question was about
}

// resultOf gives a completed run; 409 where it is not.
func resultOf(ctx context.Context, tx pgx.Tx, id string) (*result, error) {
	r := &result{run: id}
	var state string
	err := tx.QueryRow(ctx,
		"SELECT state, inventory_id::text FROM run WHERE organization_id = current_organization() AND id = $1", id).Scan(&state, &r.inventory)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.NotFound("planning run", id)
	}
	if err != nil {
		return nil, err
	}
	if state != "completed" {
		return nil, fault.Conflict("not_completed", "state", state, "The run is %s; it has results once it is completed.", state)
	}
	r.definitions, err = storedDefinitions(ctx, tx, id)
	return r, err
}

// scenario is scenarioOf of the parameter scenario.
func (r *result) scenario(code string) (int, error) { return r.scenarioOf("scenario", code) }

// scenarioOf gives the number of a scenario of the run by the code in a parameter; the only one where there is one.
func (r *result) scenarioOf(field, code string) (int, error) {
	var codes []string
	for i := range r.definitions.Scenarios {
		s := &r.definitions.Scenarios[i]
		if code == scenarioCode(s) || code == s.ID || code == "" && len(r.definitions.Scenarios) == 1 {
			return i, nil
		}
		codes = append(codes, scenarioCode(s))
	}
	return 0, fault.InvalidFields(fault.Field{Field: field, Message: "must be the code of a scenario of the run: " + joined(codes)})
}

func scenarioCode(s *Scenario) string { return valueOr(s.Code, s.ID) }

// figuresOf gives the figures of a scenario by year, of replication 0.
func figuresOf(ctx context.Context, tx pgx.Tx, run string, scenario int) (years []YearFigures, err error) {
	err = partFigures(ctx, tx, run, part{scenario, 0}, &years)
	return years, err
}

func partFigures(ctx context.Context, tx pgx.Tx, run string, of part, into any) error {
	var text []byte
	if err := tx.QueryRow(ctx, "SELECT figures::text FROM run_part WHERE organization_id = current_organization() AND run_id = $1 "+
		"AND scenario = $2 AND replication = $3", run, of.scenario, of.replication).Scan(&text); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// blocksOf hands out the outcomes of a scenario by block: the number of its first element, and by year what became of each.
func blocksOf(ctx context.Context, tx pgx.Tx, run string, scenario, elements int,
	each func(from int, years [][]engine.Outcome) error) error {
	rows, err := tx.Query(ctx, "SELECT number, outcomes FROM run_block WHERE organization_id = current_organization() AND run_id = $1 "+
		"AND scenario = $2 ORDER BY number", run, scenario)
	if err != nil {
		return err
	}
	var number int
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&number, &packed}, func() error {
		from := number * engine.BlockSize
		years, err := outcomesOf(packed, min(engine.BlockSize, elements-from))
		if err != nil {
			return err
		}
		return each(from, years)
	})
	return err
}

func outcomesOf(packed []byte, elements int) ([][]engine.Outcome, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	block, err := io.ReadAll(zip)
	if err != nil {
		return nil, err
	}
	return engine.ReadBlock(block, elements)
}

// ScenarioYear is a year of a scenario.
type ScenarioYear struct {
	Scenario string `json:"scenario" doc:"Code of the scenario." example:"SCN-0001"`
	YearFigures
	Spread *Spread `json:"spread" doc:"What chance made of the scenario's decisions; null without replications."`
}

// Spread is the figures of a year over all replications: the tenth, the fiftieth and the ninetieth percentile, by nearest rank.
type Spread struct {
	SpentP10   float64  `json:"spent_p10" decimals:"2" doc:"Spent, failures included." example:"1190000.00"`
	SpentP50   float64  `json:"spent_p50" decimals:"2" doc:"Spent, failures included." example:"1215000.00"`
	SpentP90   float64  `json:"spent_p90" decimals:"2" doc:"Spent, failures included." example:"1460000.00"`
	BacklogP10 float64  `json:"backlog_p10" decimals:"2" doc:"Backlog." example:"900000.00"`
	BacklogP50 float64  `json:"backlog_p50" decimals:"2" doc:"Backlog." example:"1000000.00"`
	BacklogP90 float64  `json:"backlog_p90" decimals:"2" doc:"Backlog." example:"1200000.00"`
	FCIP10     *float64 `json:"fci_pct_p10" unit:"percent" doc:"Facility condition index." example:"34.62"`
	FCIP50     *float64 `json:"fci_pct_p50" unit:"percent" doc:"Facility condition index." example:"38.46"`
	FCIP90     *float64 `json:"fci_pct_p90" unit:"percent" doc:"Facility condition index." example:"46.15"`
}

// YearsRequest asks for the figures of a run by year.
type YearsRequest struct {
	ID       string `path:"id" format:"uuid" doc:"The run."`
	Scenario string `query:"scenario" doc:"Code of one of its scenarios; all when left out."`
}

// RunYears are the figures of a run by scenario and year.
type RunYears struct {
	Currency string         `json:"currency" doc:"Of all amounts." example:"CAD"`
	Data     []ScenarioYear `json:"data" doc:"By scenario, in the order of the run, and year."`
}

// Table is the years as CSV.
func (y RunYears) Table() transport.Table { return transport.TableOf(y.Data) }

func (p *planning) mountResults() {
	transport.Get(p.registry.API, transport.Operation{Path: runPath + "/years", ID: "get_planning_run_years", Scope: "planning:read",
		Feature: "planning", Summary: "Get what a run's scenarios spend, leave and keep up, by year",
		Description: "As JSON, CSV or Parquet; with Accept: image/svg+xml two charts, of condition and of backlog by scenario. " +
			"409 until the run is completed.", FromReplica: true, RowName: "PlanningRunYear"}, p.years)
	p.mountGroups()
	p.mountComparison()
	p.mountInterventions()
	p.mountExplanation()
	p.mountRegulation()
}

func (p *planning) years(ctx context.Context, in YearsRequest) (RunYears, error) {
	out := RunYears{Currency: currencyOf(ctx), Data: []ScenarioYear{}}
	err := p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := resultOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		wanted, all := 0, in.Scenario == ""
		if !all {
			if wanted, err = r.scenario(in.Scenario); err != nil {
				return err
			}
		}
		for n := range r.definitions.Scenarios {
			if !all && n != wanted {
				continue
			}
			s := &r.definitions.Scenarios[n]
			years, err := figuresOf(ctx, tx, in.ID, n)
			if err != nil {
				return err
			}
			spreads, err := spreadsOf(ctx, tx, in.ID, n, s)
			if err != nil {
				return err
			}
			for i, y := range years {
				out.Data = append(out.Data, ScenarioYear{scenarioCode(s), y, spreads[i]})
			}
		}
		return nil
	})
	return out, err
}

// spreadsOf gives the spread of each year of a scenario; nil without replications.
func spreadsOf(ctx context.Context, tx pgx.Tx, run string, n int, s *Scenario) ([]*Spread, error) {
	spreads := make([]*Spread, s.Years)
	if s.Replications == 0 {
		return spreads, nil
	}
	replications := make([][]engine.Replication, s.Replications)
	for i := range replications {
		if err := partFigures(ctx, tx, run, part{n, i + 1}, &replications[i]); err != nil {
			return nil, err
		}
	}
	for year := range spreads {
		var spent, backlog, fci []int64
		for _, years := range replications {
			spent, backlog = append(spent, int64(years[year].Spent)), append(backlog, int64(years[year].Backlog))
			if index, known := years[year].FCI(); known {
				fci = append(fci, index)
			}
		}
		at := func(values []int64, percent int) float64 { return float64(engine.Percentile(values, percent)) / 100 }
		spreads[year] = &Spread{SpentP10: at(spent, 10), SpentP50: at(spent, 50), SpentP90: at(spent, 90), BacklogP10: at(backlog, 10),
			BacklogP50: at(backlog, 50), BacklogP90: at(backlog, 90)}
		if len(fci) > 0 {
			low, middle, high := at(fci, 10), at(fci, 50), at(fci, 90)
			spreads[year].FCIP10, spreads[year].FCIP50, spreads[year].FCIP90 = &low, &middle, &high
		}
	}
	return spreads, nil
}

// GroupsRequest asks for the figures of groups of elements.
type GroupsRequest struct {
	ID       string `path:"id" format:"uuid" doc:"The run."`
	By       string `query:"by" default:"class" enum:"class,category,site,building,network,kind,fund,element_type" doc:"What the elements of a group have in common; kind: of the treatments that were chosen; fund: what they were paid from."`
	Scenario string `query:"scenario" doc:"Code of one of its scenarios; needed where there are several."`
	Year     *int   `query:"year" doc:"One year; all when left out."`
}

// RunGroups are the figures of groups of elements by year.
type RunGroups struct {
	Scenario string      `json:"scenario" doc:"Code of the scenario." example:"SCN-0001"`
	By       string      `json:"by" doc:"What the elements of a group have in common." example:"class"`
	Currency string      `json:"currency" doc:"Of all amounts." example:"CAD"`
	Data     []GroupYear `json:"data" doc:"By group and year."`
}

// Table is the groups as CSV.
func (g RunGroups) Table() transport.Table { return transport.TableOf(g.Data) }

// GroupYear is a group in a year. By kind and fund, only spent is known.
type GroupYear struct {
	Group        string   `json:"group" doc:"Code of the class or fund, the category, kind or type, or the id of the place; empty for what has none." example:"CLS-0001"`
	Name         string   `json:"name" doc:"What people call it." example:"Chaussées souples"`
	Year         int      `json:"year" doc:"The calendar year." example:"2027"`
	Elements     int      `json:"elements" doc:"How many; by kind how many were treated." example:"3"`
	Spent        float64  `json:"spent" decimals:"2" doc:"What the chosen treatments cost." example:"1000000.00"`
	Need         *float64 `json:"need" decimals:"2" doc:"What was needed before them." example:"2000000.00"`
	Addressed    *float64 `json:"addressed" decimals:"2" doc:"By how much less is needed after the treatments." example:"1000000.00"`
	Backlog      *float64 `json:"backlog" decimals:"2" doc:"What is needed after them." example:"1000000.00"`
	Value        *float64 `json:"value" decimals:"2" doc:"What replacing everything costs." example:"2300000.00"`
	FCIPct       *float64 `json:"fci_pct" unit:"percent" doc:"100 × backlog / value." example:"43.48"`
	AvgCondition *float64 `json:"avg_condition" unit:"point" doc:"Condition by value." example:"69.57"`
	PoorPct      *float64 `json:"poor_pct" unit:"percent" doc:"Part of the value that is rated 4 or 5." example:"43.48"`
}

// sums are added up for a group in a year.
type sums struct {
	elements                                    int
	spent, need, addressed, backlog, worth, bad engine.Cents
	conditions                                  float64
}

// readGroups are the scopes of what groups name, by what they are made by.
var readGroups = map[string]string{"site": "sites:read", "building": "buildings:read", "network": readSegments}

func (p *planning) mountGroups() {
	transport.Get(p.registry.API, transport.Operation{Path: runPath + "/groups", ID: "get_planning_run_groups",
		Scope: "planning:read", Feature: "planning", Summary: "Get the figures of a scenario by class, category, place, kind or fund, by year",
		Description: "As JSON or CSV. 409 until the run is completed.", FromReplica: true, RowName: "PlanningRunGroup"}, p.groups)
}

func (p *planning) groups(ctx context.Context, in GroupsRequest) (RunGroups, error) {
	out := RunGroups{By: in.By, Currency: currencyOf(ctx), Data: []GroupYear{}}
	if scope := readGroups[in.By]; scope != "" {
		if err := may(ctx, scope); err != nil {
			return out, err
		}
	}
	err := p.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := resultOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		n, err := r.scenario(in.Scenario)
		if err != nil {
			return err
		}
		s := &r.definitions.Scenarios[n]
		out.Scenario = scenarioCode(s)
		if in.By == "fund" {
			years, err := figuresOf(ctx, tx, in.ID, n)
			for _, y := range years {
				for _, f := range y.Funds {
					if in.Year == nil || *in.Year == y.Year {
						out.Data = append(out.Data, GroupYear{Group: f.Code, Name: f.Code, Year: y.Year, Spent: f.Spent})
					}
				}
			}
			return err
		}
		m, err := p.assemble(ctx, tx, r, n)
		if err != nil {
			return err
		}
		out.Data, err = m.groupYears(ctx, tx, in, n)
		return err
	})
	return out, err
}

func (m *assembled) groupYears(ctx context.Context, tx pgx.Tx, in GroupsRequest, n int) ([]GroupYear, error) {
	groups := map[string][]sums{}
	names := map[string]string{}
	err := blocksOf(ctx, tx, in.ID, n, len(m.lines), func(from int, years [][]engine.Outcome) error {
		for year := range years {
			for i := range years[year] {
				o := &years[year][i]
				group, name := m.group(from+i, in.By, o)
				if in.By == "kind" && o.Treatment == engine.NoTreatment {
					continue
				}
				if groups[group] == nil {
					groups[group], names[group] = make([]sums, m.input.Years), name
				}
				m.add(&groups[group][year], from+i, year, o)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := []GroupYear{}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		for year, s := range groups[group] {
			if in.Year == nil || *in.Year == m.input.Start+year {
				rows = append(rows, s.row(group, names[group], m.input.Start+year, in.By == "kind"))
			}
		}
	}
	return rows, nil
}

func (m *assembled) add(s *sums, i, year int, o *engine.Outcome) {
	value := m.input.ValueIn(i, year)
	s.elements++
	s.spent += o.Cost
	s.need += o.NeedBefore
	s.addressed += o.NeedBefore - o.NeedAfter
	s.backlog += o.NeedAfter
	s.addCondition(value, o.After)
	if ratingOf(m.classes[m.input.Elements[i].Class], o.After) >= 4 {
		s.bad += value
	}
}

// addCondition adds a condition by value.
func (s *sums) addCondition(value engine.Cents, condition engine.Condition) {
	s.worth += value
	s.conditions += float64(value) * float64(condition)
}

// condition is by value, to the hundredth of a point; nil without value.
func (s *sums) condition() *float64 {
	if s.worth == 0 {
		return nil
	}
	condition := rounded(s.conditions / float64(s.worth) / 1000)
	return &condition
}

func (s *sums) row(group, name string, year int, spentOnly bool) GroupYear {
	row := GroupYear{Group: group, Name: name, Year: year, Elements: s.elements, Spent: dollars(s.spent)}
	if spentOnly {
		return row
	}
	need, addressed, backlog, value := dollars(s.need), dollars(s.addressed), dollars(s.backlog), dollars(s.worth)
	row.Need, row.Addressed, row.Backlog, row.Value, row.FCIPct, row.PoorPct = &need, &addressed, &backlog, &value, pct(s.backlog, s.worth),
		pct(s.bad, s.worth)
	row.AvgCondition = s.condition()
	return row
}

// group gives the group of an element, and what people call it.
func (m *assembled) group(i int, by string, o *engine.Outcome) (group, name string) {
	line, class := m.lines[i], m.classes[m.input.Elements[i].Class]
	place := func(id string) (string, string) {
		if found := m.names[id]; found != nil {
			return id, found.Name
		}
		return id, ""
	}
	switch by {
	case "class":
		return codeOf(class), class.Name
	case "category":
		return class.ServiceCategory, class.ServiceCategory
	case "site":
		return place(line.SiteID)
	case "building":
		if line.Type == "building" {
			return line.ID, line.Name
		}
		return place(line.BuildingID)
	case "network":
		return place(line.NetworkID)
	case "element_type":
		return line.Type, line.Type
	}
	kind := kinds[0]
	if o.Treatment >= 0 {
		kind = m.treatments[m.input.Elements[i].Class][o.Treatment].Kind
	}
	return kind, kind
}
