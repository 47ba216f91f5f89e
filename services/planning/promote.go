package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/projects"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
	"ams.internal/services/planning/engine"
)

// PromoteRequest asks for projects of what a run decided.
type PromoteRequest struct {
	ID       string `path:"id" format:"uuid" doc:"The run."`
	Scenario string `json:"scenario" required:"true" maxLength:"50" doc:"Code of one of its scenarios." example:"SCN-0001"`
	Years    []int  `json:"years" required:"true" maxItems:"100" uniqueItems:"true" doc:"The calendar years whose interventions become projects." example:"[2027,2028]"`
	GroupBy  string `json:"group_by" default:"class" enum:"element,site,building,network,class" doc:"What the interventions of a project have in common, besides year and kind of treatment." example:"class"`
}

// Promotion is the projects that were made.
type Promotion struct {
	Data []PromotedProject `json:"data" doc:"By year, group and kind."`
}

// PromotedProject is a project that was made of interventions.
type PromotedProject struct {
	ProjectID string  `json:"project_id" format:"uuid" doc:"The project."`
	Name      string  `json:"name" doc:"Its name." example:"Chaussées souples 2027: Resurfaçage"`
	Year      int     `json:"year" doc:"Its fiscal year." example:"2027"`
	Kind      string  `json:"kind" doc:"maintenance, rehabilitation or replacement." example:"rehabilitation"`
	Elements  int     `json:"elements" doc:"How many elements." example:"12"`
	Amount    float64 `json:"amount" decimals:"2" doc:"Its estimate." example:"4800000.00"`

	body  map[string]any
	links []map[string]any
	parts []committed
	types []string // of the parts' elements
	cost  engine.Cents
	words []string
}

// projectsAtOnce is how many projects are made in one transaction.
const projectsAtOnce = 100

func (p *planning) mountPromotion() {
	transport.Post(p.registry.API, transport.Operation{Path: runPath + "/promote", ID: "promote_planning_run", Scope: "planning:write",
		Feature: "planning", Deadline: readTimeout, Summary: "Make projects of what a scenario decided",
		Description: "One proposed project for each group, year and kind of treatment, with its estimate (class D), links to its elements and " +
			"why they were chosen. The key needs projects:write too, and the plan Projects. 409 with the project where a group was promoted before.",
		CallsOut: true}, p.promote)
}

func (p *planning) promote(ctx context.Context, in PromoteRequest) (out Promotion, err error) {
	if !principal.From(ctx).Has("projects") {
		return out, endpoint.NotInPlan("projects")
	}
	if err := may(ctx, "projects:write"); err != nil {
		return out, err
	}
	if err := mayRead(ctx); err != nil { // projects name what they are about
		return out, err
	}
	var projects []*PromotedProject
	scenario := 0
	err = p.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		r, err := resultOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if scenario, err = r.scenario(in.Scenario); err != nil {
			return err
		}
		if err := r.definitions.Scenarios[scenario].has(in.Years); err != nil {
			return err
		}
		m, err := p.assemble(ctx, tx, r, scenario)
		if err != nil {
			return err
		}
		projects, err = m.projects(ctx, tx, &in, scenario)
		if err != nil {
			return err
		}
		return promotedBefore(ctx, tx, in.ID, scenario, projects)
	})
	if err != nil {
		return out, err
	}
	if len(projects) == 0 {
		return out, fault.Conflict("nothing_chosen", "years", in.Years, "The scenario does nothing in these years.")
	}
	for some := range slices.Chunk(projects, projectsAtOnce) {
		if err := p.makeProjects(ctx, some); err != nil {
			return out, err
		}
	}
	err = p.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return p.keepPromotions(ctx, tx, in.ID, scenario, projects)
	})
	out.Data = []PromotedProject{}
	for _, one := range projects {
		out.Data = append(out.Data, *one)
	}
	return out, err
}

// has objects to years that are none of the scenario's.
func (s *Scenario) has(years []int) error {
	if len(years) == 0 {
		return fault.InvalidFields(fault.Field{Field: "years", Message: fmt.Sprintf("must have at least one year, from %d on", s.firstYear())})
	}
	for i, year := range years {
		if first := s.firstYear(); year < first || year >= first+s.Years {
			return fault.InvalidFields(fault.Field{Field: entry("years", i),
				Message: fmt.Sprintf("must be a year of the scenario, %d to %d", first, first+s.Years-1)})
		}
	}
	return nil
}

// projects puts the interventions of some years together.
func (m *assembled) projects(ctx context.Context, tx pgx.Tx, in *PromoteRequest, n int) ([]*PromotedProject, error) {
	figures, err := figuresOf(ctx, tx, in.ID, n)
	if err != nil {
		return nil, err
	}
	groups := map[string]*PromotedProject{}
	err = blocksOf(ctx, tx, in.ID, n, len(m.lines), func(from int, years [][]engine.Outcome) error {
		for i := range years[0] {
			m.promoteElement(groups, in, n, from+i, i, years, figures)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	projects := make([]*PromotedProject, 0, len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		one := groups[key]
		one.complete(m)
		projects = append(projects, one)
	}
	slices.SortStableFunc(projects, func(a, b *PromotedProject) int { return cmp.Compare(a.Year, b.Year) })
	return projects, nil
}

// promoteElement adds what is done to an element in the wanted years to the projects of its groups.
func (m *assembled) promoteElement(groups map[string]*PromotedProject, in *PromoteRequest, n, i, at int, years [][]engine.Outcome,
	figures []YearFigures) {
	var options [][]engine.Option
	for year := range years {
		o := &years[year][at]
		if o.Treatment == engine.NoTreatment || !slices.Contains(in.Years, m.input.Start+year) {
			continue
		}
		if options == nil {
			done := make([]int, len(years))
			for y := range years {
				done[y] = years[y][at].Treatment
			}
			options = engine.Explain(&m.input, &m.scenario, i, done)
		}
		element := m.elementYear(i, year, o, options[year], figures[year].Steps)
		group, name := m.lines[i].ID, m.lines[i].Name
		if in.GroupBy != "element" {
			group, name = m.group(i, in.GroupBy, o)
		}
		key := strings.Join([]string{"planning", in.ID, scenarioCode(m.of), fmt.Sprint(element.Year), *element.Kind, group}, ":")
		one := groups[key]
		if one == nil {
			one = &PromotedProject{Name: cmp.Or(name, "Other"), Year: element.Year, Kind: *element.Kind, body: map[string]any{"external_id": key,
				"status": "proposed", "estimate_class": "D", "fiscal_year": element.Year, "lifecycle_activity": m.activity(i, o),
				"project_type": map[string]string{"rehabilitation": "rehabilitation", "replacement": "replacement"}[*element.Kind]}}
			if field := map[string]string{"site": "site_id", "building": "building_id", "network": "network_id"}[in.GroupBy]; field != "" &&
				group != "" {
				one.body[field] = group
			}
			groups[key] = one
		}
		one.add(&element, o.Cost)
	}
}

// activity is the lifecycle activity of a treatment.
func (m *assembled) activity(i int, o *engine.Outcome) string {
	if o.Treatment < 0 {
		return "maintenance"
	}
	t := m.treatments[m.input.Elements[i].Class][o.Treatment]
	if t.LifecycleActivity != nil {
		return *t.LifecycleActivity
	}
	if t.Kind == "maintenance" {
		return "maintenance"
	}
	return "renewal"
}

func (p *PromotedProject) add(a *ElementYear, cost engine.Cents) {
	p.Elements++
	p.cost += cost
	p.links = append(p.links, map[string]any{"target_type": a.ElementType, "target_id": a.ElementID, "note": a.SentenceEn})
	p.parts = append(p.parts, committed{ElementID: a.ElementID, Year: a.Year, TreatmentID: a.TreatmentID})
	p.types = append(p.types, a.ElementType)
	if !slices.Contains(p.words, *a.Treatment) {
		p.words = append(p.words, *a.Treatment)
	}
}

// longestName and longestText are of a project's name and its texts.
const (
	longestName = 200
	longestText = 5000
)

func (p *PromotedProject) complete(m *assembled) {
	p.Name = shortened(fmt.Sprintf("%s %d: %s", p.Name, p.Year, joined(p.words)), longestName)
	p.Amount = dollars(p.cost)
	p.body["name"], p.body["estimate_amount"] = p.Name, p.Amount
	if p.body["project_type"] == "" {
		p.body["project_type"] = "other"
	}
	p.body["description"] = shortened(fmt.Sprintf("%d × %s. %s (%s)", p.Elements, joined(p.words), m.of.Name, scenarioCode(m.of)), longestText)
	var why []string
	for _, link := range p.links {
		why = append(why, link["note"].(string)) // it is one
	}
	p.body["justification"] = shortened(strings.Join(slices.Compact(why), "\n"), longestText)
}

func shortened(text string, limit int) string {
	if letters := []rune(text); len(letters) > limit {
		return string(letters[:limit-1]) + "…"
	}
	return text
}

// promotedBefore is a 409 where something of the projects was made a project of before.
func promotedBefore(ctx context.Context, tx pgx.Tx, run string, scenario int, projects []*PromotedProject) error {
	var elements []string
	var years []int
	for _, one := range projects {
		for _, part := range one.parts {
			elements, years = append(elements, part.ElementID), append(years, part.Year)
		}
	}
	var project, element string
	var year int
	err := tx.QueryRow(ctx, `SELECT p.project_id::text, p.element_id::text, p.year FROM promotion p
		JOIN unnest($3::uuid[], $4::integer[]) w (element_id, year) ON w.element_id = p.element_id AND w.year = p.year
		WHERE p.organization_id = current_organization() AND p.run_id = $1 AND p.scenario = $2 ORDER BY p.year, p.element_id LIMIT 1`,
		run, scenario, elements, years).Scan(&project, &element, &year)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	conflict := fault.Conflict("promoted_before", "years", year, "The intervention on element %s in %d was promoted before, to project %s.",
		element, year, project)
	conflict.ExistingID = project
	return conflict
}

// makeProjects has the projects service make them, or find those that an interrupted call has made.
func (p *planning) makeProjects(ctx context.Context, projects []*PromotedProject) error {
	var request contract.PromotionsRequest
	for _, one := range projects {
		request.Projects = append(request.Projects, contract.PromotedProject{Project: one.body, Links: one.links})
	}
	made, err := contract.Promote.Call(ctx, p.registry.References, request)
	if err != nil {
		return err
	}
	for i, one := range projects {
		one.ProjectID = made.IDs[i]
		for n := range one.parts {
			one.parts[n].ProjectID = one.ProjectID
		}
	}
	return nil
}

// keepPromotions remembers which project each intervention belongs to, and says that the run was promoted.
func (p *planning) keepPromotions(ctx context.Context, tx pgx.Tx, run string, scenario int, projects []*PromotedProject) error {
	batch := &pgx.Batch{}
	for _, one := range projects {
		for i, part := range one.parts {
			batch.Queue(`INSERT INTO promotion (organization_id, run_id, scenario, year, element_type, element_id, treatment_id, project_id)
				VALUES (current_organization(), $1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`, run, scenario, part.Year, one.types[i],
				part.ElementID, part.TreatmentID, part.ProjectID)
		}
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	var promoted int // of two calls for the same, one finds what the other has written
	if err := tx.QueryRow(ctx, "SELECT count(DISTINCT project_id) FROM promotion WHERE organization_id = current_organization() "+
		"AND run_id = $1", run).Scan(&promoted); err != nil {
		return err
	}
	return resource.Edit(ctx, tx, p.registry, "planning_runs", run, func(r *PlanningRun) { r.Projects = promoted })
}
