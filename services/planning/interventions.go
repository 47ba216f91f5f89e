package planning

import (
	"context"
	"errors"
	"sort"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/fault"
	"ams.internal/libs/transport"
	"ams.internal/services/planning/engine"
)

// Intervention is what was done to an element in a year, or why nothing was.
type Intervention struct {
	ElementType string  `json:"element_type" doc:"asset, system, building or segment." example:"segment"`
	ElementID   string  `json:"element_id" format:"uuid" doc:"The element." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Code        *string `json:"code" doc:"Its code." example:"SEG-000012"`
	Name        string  `json:"name" doc:"Its name when the inventory was read." example:"Rue Principale, de la 1re à la 2e Avenue"`
	ClassCode   string  `json:"class_code" doc:"Code of its class." example:"CLS-0001"`
	SiteID      *string `json:"site_id" format:"uuid" doc:"Its site."`
	Year        int     `json:"year" doc:"The calendar year." example:"2027"`
	Chosen      bool    `json:"chosen" doc:"Whether something was done." example:"true"`
	TreatmentID *string `json:"treatment_id" format:"uuid" doc:"What was done; null: nothing, or catching up on deferred maintenance." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Treatment   *string `json:"treatment" doc:"Its name." example:"Resurfaçage"`
	Kind        *string `json:"kind" doc:"maintenance, rehabilitation or replacement." example:"rehabilitation"`
	Cost        float64 `json:"cost" decimals:"2" doc:"What it cost." example:"400000.00"`

	ConditionBefore float64 `json:"condition_before" unit:"point" doc:"Before it." example:"40"`
	ConditionAfter  float64 `json:"condition_after" unit:"point" doc:"After it." example:"100"`
	NeedBefore      float64 `json:"need_before" decimals:"2" doc:"What was needed before." example:"1000000.00"`
	NeedAfter       float64 `json:"need_after" decimals:"2" doc:"What is needed after." example:"0.00"`
	Risk            int     `json:"risk" doc:"Probability × consequence after it, 1 to 25." example:"6"`
	Reason          string  `json:"reason" doc:"funded, funded_lesser, no_funds, cap, not_worth, target_met, dropped, override or no_trigger." example:"funded"`
	Rank            *int    `json:"rank" doc:"Place of the step that decided; null where none did." example:"3"`
}

// intervention is an outcome as it is shown.
func (m *assembled) intervention(i, year int, o *engine.Outcome) Intervention {
	line, class := m.lines[i], m.input.Elements[i].Class
	v := Intervention{ElementType: line.Type, ElementID: line.ID, Name: line.Name,
		ClassCode: codeOf(m.classes[class]), Year: m.input.Start + year, Chosen: o.Treatment != engine.NoTreatment,
		Cost: dollars(o.Cost), ConditionBefore: float64(o.Before) / 1000, ConditionAfter: float64(o.After) / 1000,
		NeedBefore: dollars(o.NeedBefore), NeedAfter: dollars(o.NeedAfter), Risk: o.Risk, Reason: reasons[o.Reason]}
	if line.Code != "" {
		v.Code = &line.Code
	}
	if line.SiteID != "" {
		v.SiteID = &line.SiteID
	}
	if o.Rank > 0 {
		v.Rank = &o.Rank
	}
	if v.Chosen {
		name := m.treatmentName(i, o.Treatment, "en")
		v.Treatment, v.Kind = &name, &kinds[0]
		if o.Treatment >= 0 {
			t := m.treatments[class][o.Treatment]
			v.TreatmentID, v.Kind = &t.ID, &t.Kind
		}
	}
	return v
}

// InterventionsFilter says which interventions of a run are asked for.
type InterventionsFilter struct {
	ID       string  `path:"id" format:"uuid" doc:"The run."`
	Scenario string  `query:"scenario" doc:"Code of one of its scenarios; needed where there are several."`
	Year     *int    `query:"year" doc:"One year."`
	Chosen   *bool   `query:"chosen" doc:"true: what was done. false: elements to which nothing was done."`
	Reason   *string `query:"reason" enum:"funded,funded_lesser,no_funds,cap,not_worth,target_met,dropped,override,no_trigger" doc:"One reason."`
	Class    string  `query:"class" doc:"Code of a class."`
	SiteID   *string `query:"site_id" format:"uuid" doc:"A site."`
}

// InterventionsRequest asks for a page of them.
type InterventionsRequest struct {
	InterventionsFilter
	Page    int `query:"page" default:"1" minimum:"1" doc:"Page, from 1."`
	PerPage int `query:"per_page" default:"100" minimum:"1" maximum:"1000" doc:"How many on a page."`
}

func (in *InterventionsFilter) wants(v *Intervention) bool {
	return (in.Year == nil || v.Year == *in.Year) &&
		(in.Chosen == nil || v.Chosen == *in.Chosen) && (in.Reason == nil || v.Reason == *in.Reason) &&
		(in.Class == "" || v.ClassCode == in.Class) && (in.SiteID == nil || v.SiteID != nil && *v.SiteID == *in.SiteID)
}

// Interventions are a page of them.
type Interventions struct {
	Scenario   string               `json:"scenario" doc:"Code of the scenario." example:"SCN-0001"`
	Data       []Intervention       `json:"data" doc:"By element and year."`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (i Interventions) Pages() transport.Pages { return i.Pagination.Pages() }

func (p *planning) mountInterventions() {
	transport.Get(p.registry.API, transport.Operation{Path: runPath + "/interventions", ID: "list_planning_run_interventions",
		Scope: "planning:read", Feature: "planning", Summary: "List what a scenario does to each element in each year, and why",
		Description: "Pages of JSON; /interventions/export has all at once as CSV, NDJSON or Parquet. 409 until the run is completed.",
		FromReplica: true, RowName: "PlanningIntervention"}, func(ctx context.Context, in InterventionsRequest) (Interventions, error) {
		out := Interventions{Data: []Intervention{}}
		found, from := 0, (in.Page-1)*in.PerPage
		err := p.eachIntervention(ctx, &in.InterventionsFilter, func(scenario string) { out.Scenario = scenario }, func(v *Intervention) error {
			if found++; found > from && len(out.Data) < in.PerPage {
				out.Data = append(out.Data, *v)
			}
			return nil
		})
		out.Pagination = transport.PaginationOf(in.Page, in.PerPage, int64(found))
		return out, err
	})
}

// eachIntervention hands out what is asked for, by element and year.
func (p *planning) eachIntervention(ctx context.Context, in *InterventionsFilter, begin func(scenario string),
	each func(v *Intervention) error) error {
	if err := mayRead(ctx); err != nil {
		return err
	}
	return p.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := resultOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		n, err := r.scenario(in.Scenario)
		if err != nil {
			return err
		}
		begin(scenarioCode(&r.definitions.Scenarios[n]))
		m, err := p.assemble(ctx, tx, r, n)
		if err != nil {
			return err
		}
		return blocksOf(ctx, tx, in.ID, n, len(m.lines), func(from int, years [][]engine.Outcome) error {
			for i := range years[0] {
				for year := range years {
					if in.Year != nil && m.input.Start+year != *in.Year {
						continue
					}
					if v := m.intervention(from+i, year, &years[year][i]); in.wants(&v) {
						if err := each(&v); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
	})
}

// mountInterventionsExport serves all interventions at once.
func (p *planning) mountInterventionsExport() {
	transport.GetStream[Intervention](p.registry.API, transport.Operation{Path: runPath + "/interventions/export",
		ID:    "export_planning_run_interventions",
		Scope: "planning:read", Feature: "planning", Summary: "Get all that a scenario does, as one stream",
		Description: "As CSV, NDJSON or Parquet (Accept), with the filters of the list. 409 until the run is completed.",
	}, func(ctx context.Context, in InterventionsFilter, accept []string) (*transport.Response, error) {
		if err := p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error { // errors before the first byte
			if err := mayRead(ctx); err != nil {
				return err
			}
			found, err := resultOf(ctx, tx, in.ID)
			if err == nil {
				_, err = found.scenario(in.Scenario)
			}
			return err
		}); err != nil {
			return nil, err
		}
		return transport.StreamRecords(ctx, accept, "interventions", func(ctx context.Context, do func(*Intervention) error) error {
			return p.eachIntervention(ctx, &in, func(string) {}, do)
		}), nil
	})
}

// ElementRequest asks for one element of a run.
type ElementRequest struct {
	ID        string `path:"id" format:"uuid" doc:"The run."`
	ElementID string `path:"element_id" format:"uuid" doc:"The asset, system, building or segment."`
	Scenario  string `query:"scenario" doc:"Code of one of its scenarios; needed where there are several."`
}

// ElementYears is what became of an element, and why.
type ElementYears struct {
	Scenario    string        `json:"scenario" doc:"Code of the scenario." example:"SCN-0001"`
	ElementType string        `json:"element_type" doc:"asset, system, building or segment." example:"segment"`
	ElementID   string        `json:"element_id" format:"uuid" doc:"The element."`
	Name        string        `json:"name" doc:"Its name when the inventory was read." example:"Rue Principale"`
	ClassCode   string        `json:"class_code" doc:"Code of its class." example:"CLS-0001"`
	Currency    string        `json:"currency" doc:"Of all amounts." example:"CAD"`
	Data        []ElementYear `json:"data" doc:"By year."`
}

// ElementYear is a year of an element.
type ElementYear struct {
	Intervention
	Options    []ElementOption `json:"options" doc:"What was possible, the cheapest first."`
	BlockedBy  *Blocker        `json:"blocked_by" doc:"The fund or cap that did not allow more."`
	SentenceEn string          `json:"sentence_en" doc:"The reason in one sentence." example:"Not funded: step 4 of 6, ratio 350.00; levy had 635,000.00 left, 165,000.00 short."`
	SentenceFr string          `json:"sentence_fr" doc:"The same in French."`
}

// ElementOption is something that was possible.
type ElementOption struct {
	TreatmentID *string `json:"treatment_id" format:"uuid" doc:"The treatment; null: catching up on deferred maintenance."`
	Treatment   string  `json:"treatment" doc:"Its name." example:"Resurfaçage"`
	Cost        float64 `json:"cost" decimals:"2" doc:"What it costs." example:"400000.00"`
	Benefit     float64 `json:"benefit" doc:"Points × dollars over benefit_years; points where nothing is weighted." example:"150000000"`
	Ratio       float64 `json:"ratio" doc:"Of what it adds to the possibility before it on the frontier, benefit to cost; 0 off the frontier." example:"375"`
	OnFrontier  bool    `json:"on_frontier" doc:"Whether no mix of two others outdoes it." example:"true"`
}

// Blocker is a fund or a cap that did not allow more.
type Blocker struct {
	Code    string  `json:"code" doc:"Code of the fund, or name of the cap." example:"levy"`
	Left    float64 `json:"left" decimals:"2" doc:"What was left." example:"635000.00"`
	ShortBy float64 `json:"short_by" decimals:"2" doc:"What was missing." example:"165000.00"`
}

func (p *planning) mountExplanation() {
	p.mountInterventionsExport()
	transport.Get(p.registry.API, transport.Operation{Path: runPath + "/elements/{element_id}", ID: "get_planning_run_element",
		Scope: "planning:read", Feature: "planning", Summary: "Explain what a scenario does to one element in each year, and why not more",
		Description: "409 until the run is completed; 404 for an element that is left out.",
		FromReplica: true, RowName: "PlanningElementYear"}, p.explain)
}

// explain reads one block of the inventory and one of the outcomes, and calculates the element's options again.
func (p *planning) explain(ctx context.Context, in ElementRequest) (ElementYears, error) {
	out := ElementYears{ElementID: in.ElementID, Currency: currencyOf(ctx), Data: []ElementYear{}}
	if err := mayRead(ctx); err != nil {
		return out, err
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
		years, err := figuresOf(ctx, tx, in.ID, n)
		if err != nil {
			return err
		}
		m, i, outcomes, err := p.element(ctx, tx, r, n, in.ElementID)
		if err != nil {
			return err
		}
		line := m.lines[i]
		out.Scenario, out.ElementType, out.Name, out.ClassCode = scenarioCode(m.of), line.Type, line.Name,
			codeOf(m.classes[m.input.Elements[i].Class])
		done := make([]int, len(outcomes))
		for year := range outcomes {
			done[year] = outcomes[year].Treatment
		}
		options := engine.Explain(&m.input, &m.scenario, i, done)
		for year := range outcomes {
			out.Data = append(out.Data, m.elementYear(i, year, &outcomes[year], options[year], years[year].Steps))
		}
		return nil
	})
	return out, err
}

// element gives an element of a scenario, with its number, and what became of it by year.
func (p *planning) element(ctx context.Context, tx pgx.Tx, r *result, n int, id string) (*assembled, int, []engine.Outcome, error) {
	m, err := p.assemble(ctx, tx, r, n)
	if err != nil {
		return nil, 0, nil, err
	}
	i := sort.Search(len(m.lines), func(i int) bool { return m.lines[i].ID >= id })
	if i == len(m.lines) || m.lines[i].ID != id {
		for _, l := range m.leftOut {
			if l.line.ID == id {
				return nil, 0, nil, fault.New(fault.KindNotFound, "left_out", "The scenario leaves the element out: %s.", l.reason)
			}
		}
		return nil, 0, nil, fault.NotFound("element of the run", id)
	}
	block := i / engine.BlockSize
	var packed []byte
	if err := tx.QueryRow(ctx, "SELECT outcomes FROM run_block WHERE organization_id = current_organization() AND run_id = $1 "+
		"AND scenario = $2 AND number = $3", r.run, n, block).Scan(&packed); err != nil {
		return nil, 0, nil, err
	}
	years, err := outcomesOf(packed, min(engine.BlockSize, len(m.lines)-block*engine.BlockSize))
	if err != nil {
		return nil, 0, nil, err
	}
	var outcomes []engine.Outcome
	for _, year := range years {
		outcomes = append(outcomes, year[i%engine.BlockSize])
	}
	return m, i, outcomes, nil
}

func (m *assembled) elementYear(i, year int, o *engine.Outcome, options []engine.Option, steps int) ElementYear {
	a := ElementYear{Intervention: m.intervention(i, year, o), Options: []ElementOption{}}
	class := m.input.Elements[i].Class
	ratio, frontier := 0.0, 0.0
	for _, option := range options {
		shown := ElementOption{Treatment: m.treatmentName(i, option.Treatment, "en"), Cost: dollars(option.Cost), Benefit: option.Benefit,
			Ratio: option.Ratio, OnFrontier: option.OnFrontier}
		if option.Treatment >= 0 {
			shown.TreatmentID = &m.treatments[class][option.Treatment].ID
		}
		if option.OnFrontier {
			if frontier = option.Ratio; option.Treatment == o.Treatment {
				ratio = option.Ratio
			}
		}
		a.Options = append(a.Options, shown)
	}
	// What was refused is the step behind the one that was taken, else the first.
	refused := o.Treatment == engine.NoTreatment
	if reason := reasons[o.Reason]; reason == "no_funds" || reason == "cap" || reason == "funded_lesser" {
		for _, option := range options {
			if option.OnFrontier && refused {
				ratio = option.Ratio
				break
			}
			refused = refused || option.Treatment == o.Treatment
		}
		if m.of.Objective == "worst_first" {
			ratio = frontier
		}
		if o.Blocker >= 0 {
			a.BlockedBy = &Blocker{Left: dollars(o.Left), ShortBy: dollars(o.Short)}
			if reason == "cap" {
				a.BlockedBy.Code = m.of.Caps[o.Blocker].Name
			} else {
				a.BlockedBy.Code = m.of.Funds[o.Blocker].Code
			}
		}
	}
	a.SentenceEn, a.SentenceFr = m.sentence("en", i, o, steps, ratio), m.sentence("fr", i, o, steps, ratio)
	return a
}

// ElementsRequest asks for elements of an inventory.
type ElementsRequest struct {
	ID      string  `path:"id" format:"uuid" doc:"The inventory."`
	LeftOut *string `query:"left_out" enum:"none,any,status,covered,no_class,no_life,no_value,no_age_or_condition" doc:"none: what is calculated with. any: what is left out. Else one reason."`
	Class   string  `query:"class" doc:"Code of a class."`
	Page    int     `query:"page" default:"1" minimum:"1" doc:"Page, from 1."`
	PerPage int     `query:"per_page" default:"100" minimum:"1" maximum:"1000" doc:"How many on a page."`
}

// InventoryElements are a page of an inventory.
type InventoryElements struct {
	Data       []InventoryElement   `json:"data" doc:"Those that are calculated with, then those that are left out; by id."`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (e InventoryElements) Pages() transport.Pages { return e.Pagination.Pages() }

// Table is the page as CSV.
func (e InventoryElements) Table() transport.Table { return transport.TableOf(e.Data) }

// InventoryElement is a record of an inventory as scenarios of the basis parts have it, with the catalogue of today.
type InventoryElement struct {
	ElementType string   `json:"element_type" doc:"asset, system, building or segment." example:"segment"`
	ElementID   string   `json:"element_id" format:"uuid" doc:"The record."`
	Code        *string  `json:"code" doc:"Its code." example:"SEG-000012"`
	Name        string   `json:"name" doc:"Its name when the inventory was read." example:"Rue Principale"`
	ClassCode   *string  `json:"class_code" doc:"Code of its class." example:"CLS-0001"`
	LeftOut     *string  `json:"left_out" doc:"Why it is left out; null: it is not." example:"no_class"`
	Value       float64  `json:"value" decimals:"2" doc:"What replacing it costs, in the prices of its own year." example:"1000000.00"`
	Deferred    *float64 `json:"deferred_maintenance" decimals:"2" doc:"That it bears, also of what it is in." example:"10000.00"`
	Rating      *int     `json:"condition_rating" doc:"1 (very good) to 5." example:"3"`
	RatedOn     *string  `json:"condition_assessed_on" format:"date" doc:"When that was." example:"2025-06-01"`
	Installed   *string  `json:"installed" format:"date" doc:"The day that its age is counted from." example:"1998-07-01"`
}

func (p *planning) mountElements() {
	transport.Get(p.registry.API,
		transport.Operation{Path: "/v1/planning/inventories/{id}/elements", ID: "list_planning_inventory_elements", Scope: "planning:read",
			Feature: "planning", Summary: "List what an inventory has, with the class of each record or the reason why it is left out",
			Description: "As JSON or CSV, in pages. 409 until the inventory is ready.", FromReplica: true, RowName: "PlanningInventoryElement"},
		p.elements)
}

func (p *planning) elements(ctx context.Context, in ElementsRequest) (InventoryElements, error) {
	out := InventoryElements{Data: []InventoryElement{}}
	if err := mayRead(ctx); err != nil {
		return out, err
	}
	found := 0
	err := p.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var state string
		err := tx.QueryRow(ctx, "SELECT state FROM inventory WHERE organization_id = current_organization() AND id = $1", in.ID).Scan(&state)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound("planning inventory", in.ID)
		}
		if err == nil && state != "ready" {
			err = fault.Conflict("not_ready", "state", state, "The inventory is %s; it has elements once it is ready.", state)
		}
		if err != nil {
			return err
		}
		catalogue, err := loadDefinitions(ctx, tx, nil)
		if err != nil {
			return err
		}
		m, err := p.assembleAll(ctx, tx, in.ID, catalogue)
		if err != nil {
			return err
		}
		add := func(line *inventory.Line, class *AssetClass, reason string, value engine.Cents, deferred *float64) {
			code := ""
			if class != nil {
				code = codeOf(class)
			}
			if in.Class != "" && in.Class != code || in.LeftOut != nil && *in.LeftOut != reason && (*in.LeftOut != "any" || reason == "none") {
				return
			}
			if found++; found <= (in.Page-1)*in.PerPage || len(out.Data) == in.PerPage {
				return
			}
			e := InventoryElement{ElementType: line.Type, ElementID: line.ID, Code: given(line.Code), Name: line.Name, ClassCode: given(code),
				Value: dollars(value), Deferred: deferred, RatedOn: given(line.RatedOn), Installed: given(line.Installed)}
			if reason != "none" {
				e.LeftOut = &reason
			}
			if line.Rating > 0 {
				e.Rating = &line.Rating
			}
			out.Data = append(out.Data, e)
		}
		for i, line := range m.lines {
			deferred := dollars(m.input.Elements[i].Deferred)
			add(line, m.classes[m.input.Elements[i].Class], "none", m.input.Elements[i].Value, &deferred)
		}
		for _, l := range m.leftOut {
			add(l.line, l.class, l.reason, l.value, nil)
		}
		return nil
	})
	out.Pagination = transport.PaginationOf(in.Page, in.PerPage, int64(found))
	return out, err
}

// everything is a scenario that looks at all, on the basis parts.
var everything = &Scenario{Kind: "do_nothing", StartsOn: "2000-01-01", Years: 1, Basis: "parts"}

func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
