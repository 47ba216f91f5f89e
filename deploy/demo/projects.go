package demo

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// capitalPlan is the projects of ten years and what belongs to them.
type capitalPlan struct {
	projects                       []record
	phases, funding, budget, links parts
}

const maxProjects = 42

// capitalPlan makes projects of what is worst: building systems, and networks of lines.
func (g *generator) capitalPlan(network lines) capitalPlan {
	p := capitalPlan{phases: parts{}, funding: parts{}, budget: parts{}, links: parts{}}
	year := g.year() - 2
	worst := g.worstSystems()
	for i := range min(maxProjects, len(worst)) {
		system := worst[i]
		if len(network.networks) > 0 && i%3 == 2 {
			g.lineProject(&p, network, year+i%11)
			continue
		}
		building := g.record(g.data.buildings, system["building_external_id"])
		name := fmt.Sprintf("%s – %s, %s", g.text("Réfection", "Renewal"), strings.ToLower(system["name"].(string)), building["name"])
		cost, known := system["replacement_cost"].(float64)
		if !known {
			cost = round(140000+900000*g.random.Float64(), -3)
		}
		r := g.project(&p, name, year+i%11, cost)
		r["building_external_id"], r["project_type"], r["lifecycle_activity"] = building["external_id"], "renewal", "renewal"
		if i%7 == 0 {
			r["project_type"], r["lifecycle_activity"] = "upgrade", "service_improvement"
		}
		g.link(&p, r, "system", system["external_id"].(string), g.text("À remplacer", "To be replaced"))
		g.link(&p, r, "building", building["external_id"].(string), "")
		linked := 0
		for _, asset := range g.data.assets {
			if linked < 3 && asset["system_external_id"] == system["external_id"] && asset["status"] == "in_service" {
				g.link(&p, r, "asset", asset["external_id"].(string), "")
				linked++
			}
		}
	}
	return p
}

// worstSystems are those in poor condition, in the order of the buildings, at most a few of each building's.
func (g *generator) worstSystems() []record {
	var worst []record
	of := map[any]int{}
	for _, system := range g.data.systems {
		rating, _ := system["condition_rating"].(int)
		if building := system["building_external_id"]; rating >= 4 && of[building] < 2 {
			of[building]++
			worst = append(worst, system)
		}
	}
	step := max(1, len(worst)/maxProjects) // from all over the town
	var chosen []record
	for i := 0; i < len(worst); i += step {
		chosen = append(chosen, worst[i])
	}
	return chosen
}

func (g *generator) record(of []record, externalID any) record {
	for _, r := range of {
		if r["external_id"] == externalID {
			return r
		}
	}
	return nil
}

// lineProject renews some segments of one network that lie side by side.
func (g *generator) lineProject(p *capitalPlan, network lines, year int) {
	first := g.random.IntN(len(network.segments) - 8)
	segments := []record{network.segments[first]}
	class := segments[0]["network_external_id"]
	for _, candidate := range network.segments[first+1:] {
		if len(segments) < 5 && candidate["network_external_id"] == class && candidate["status"] == "in_service" {
			segments = append(segments, candidate)
		}
	}
	cost := 0.0
	for _, segment := range segments {
		line := segment["geometry"].(record)["coordinates"].([][2]float64)
		cost += length(line) * 2100
	}
	r := g.project(p, fmt.Sprintf("%s – %s", g.text("Renouvellement", "Rehabilitation"), segments[0]["name"]), year,
		round(math.Max(cost, 60000), -3))
	r["network_external_id"], r["project_type"], r["lifecycle_activity"] = class, g.pick("rehabilitation", "replacement"), "renewal"
	if g.chance(15) {
		r["project_type"], r["lifecycle_activity"] = "expansion", "growth"
	}
	for _, segment := range segments {
		g.link(p, r, "segment", segment["external_id"].(string), "")
	}
}

// project adds one with its phases, funding and budget: past ones are done, this year's under way, later ones proposed.
func (g *generator) project(p *capitalPlan, name string, year int, cost float64) record {
	id := fmt.Sprintf("%s-P-%03d", g.prefix, len(p.projects)+1)
	status, percent := "proposed", 0
	switch ahead := year - g.year(); {
	case ahead < -1:
		status, percent = "closed", 100
	case ahead < 0:
		status, percent = g.pick("completed", "closed", "completed"), 100
	case ahead == 0:
		status, percent = g.pick("in_progress", "in_progress", "approved", "on_hold"), 20+5*g.random.IntN(14)
	case ahead == 1:
		status, percent = g.pick("approved", "approved", "proposed"), 0
	case g.chance(12):
		status = g.pick("deferred", "cancelled")
	}
	if status == "approved" {
		percent = 0
	}
	r := record{
		"external_id": id, "name": name, "status": status, "fiscal_year": year, "percent_complete": percent,
		"planned_start_date": fmt.Sprintf("%d-%02d-01", year, 3+g.random.IntN(4)),
		"planned_end_date":   fmt.Sprintf("%d-%02d-28", year, 8+g.random.IntN(4)),
		"estimate_amount":    cost, "estimate_class": []string{"A", "B", "C", "D", "D"}[min(4, max(0, year-g.year()+1))],
		"contingency_pct": 10 + 5*g.random.IntN(3),
		"justification": g.text("État mauvais relevé à la dernière évaluation; réparations répétées.",
			"Poor condition at the last assessment; repeated repairs."),
		"priority_criteria": record{"risk": 1 + g.random.IntN(5), "legislated": g.random.IntN(5), "health_safety": g.random.IntN(6),
			"los_impact": g.random.IntN(6), "cost_avoidance": g.random.IntN(5), "climate": g.random.IntN(4)},
	}
	if status == "in_progress" {
		r["health"] = g.pick("on_track", "on_track", "at_risk", "off_track")
	}
	if len(g.managers) > 0 {
		r["manager_user_id"] = one(g, g.managers)
	}
	p.projects = append(p.projects, r)
	g.phases(p, id, year, status, percent)
	budget := round(cost*(1.02+0.12*g.random.Float64()), -2)
	if status != "proposed" && status != "deferred" && status != "cancelled" {
		r["budget_amount"] = budget // approved with it; its lines, which come next, add up to it
	}
	g.budget(p, id, year, status, budget)
	g.fund(p, id, year, status, budget)
	return r
}

func (g *generator) phases(p *capitalPlan, id string, year int, status string, percent int) {
	for i, phase := range []struct {
		french, english   string
		begins, ends      string
		yearsBefore, done int // percent of the project at which it is done
	}{{"Études", "Study", "09-01", "12-15", 1, 5}, {"Plans et devis", "Design", "01-10", "03-31", 0, 20},
		{"Appel d'offres", "Tender", "04-01", "05-15", 0, 30}, {"Travaux", "Construction", "06-01", "11-15", 0, 100}} {
		r := record{
			"external_id": id + "-F", "name": g.text(phase.french, phase.english), "sequence": i + 1, "status": "planned",
			"planned_start_date": fmt.Sprintf("%d-%s", year-phase.yearsBefore, phase.begins),
			"planned_end_date":   fmt.Sprintf("%d-%s", year-phase.yearsBefore, phase.ends),
		}
		switch {
		case status == "cancelled":
			r["status"] = "cancelled"
		case percent >= phase.done:
			r["status"], r["percent_complete"] = "completed", 100
		case i > 0 && percent > 0 && p.phases[id][i-1]["status"] == "completed":
			r["status"], r["percent_complete"] = "in_progress", percent
		}
		p.phases.add(id, r)
	}
}

// budget divides the money into lines; what is built takes two years when it is large.
func (g *generator) budget(p *capitalPlan, id string, year int, status string, budget float64) {
	spent := map[string]float64{"closed": 1, "completed": 0.97, "in_progress": 0.4, "on_hold": 0.15}[status]
	line := func(year int, category string, share float64) {
		amount := round(budget*share, 2)
		r := record{"external_id": id + "-B", "fiscal_year": year, "category": category, "budget_amount": amount,
			"forecast_amount": round(amount*(0.95+0.12*g.random.Float64()), 2)}
		if spent > 0 {
			r["actual_amount"] = round(amount*spent*(0.9+0.1*g.random.Float64()), 2)
		}
		if status == "in_progress" {
			r["committed_amount"] = round(amount*0.35, 2)
		}
		if status == "closed" {
			r["forecast_amount"] = r["actual_amount"]
		}
		p.budget.add(id, r)
	}
	line(year-1, "design", 0.1)
	if budget > 600000 {
		line(year, "construction", 0.5)
		line(year+1, "construction", 0.3)
	} else {
		line(year, "construction", 0.8)
	}
	line(year, "contingency", 0.1)
}

// fund says who pays: what is under way is paid for, what lies ahead is asked for.
func (g *generator) fund(p *capitalPlan, id string, year int, status string, budget float64) {
	state := map[string]string{"closed": "received", "completed": "received", "in_progress": "confirmed", "on_hold": "confirmed",
		"approved": "confirmed", "cancelled": "declined"}[status]
	if state == "" {
		state = "requested"
	}
	source := func(kind, french, english, status string, share float64) {
		r := record{"external_id": id + "-S", "source_type": kind, "name": g.text(french, english), "status": status,
			"amount": round(budget*share, 2), "fiscal_year": year}
		if status == "confirmed" || status == "received" {
			r["confirmed_on"] = fmt.Sprintf("%d-11-20", year-1)
		}
		p.funding.add(id, r)
	}
	switch g.random.IntN(4) {
	case 0:
		source("reserve", "Réserve des immobilisations", "Capital reserve", state, 1)
	case 1:
		source("ccbf", "Fonds pour le développement des collectivités", "Canada Community-Building Fund", state, 0.5)
		source("levy", "Budget de fonctionnement", "Levy", state, 0.35)
	case 2:
		source("provincial_grant", "Subvention provinciale", "Provincial grant", g.pick(state, "requested"), 0.6)
		source("debt", "Règlement d'emprunt", "Debenture", state, 0.4)
	default:
		source("debt", "Règlement d'emprunt", "Debenture", state, 0.7)
		source("federal_grant", "Subvention fédérale", "Federal grant", g.pick("requested", "declined"), 0.3)
	}
}

// link names its target by external id until it is written.
func (g *generator) link(p *capitalPlan, project record, kind, target, note string) {
	r := record{"external_id": project["external_id"].(string) + "-L", "target_type": kind, "target_id": target}
	if note != "" {
		r["note"] = note
	}
	p.links.add(project["external_id"].(string), r)
}

// writePlan writes what belongs to the projects, when everything is there that they link to.
func (w *writer) writePlan(ctx context.Context, plan capitalPlan, all work) error {
	for i, order := range all.orders {
		if project, named := order["project_external_id"].(string); named && i%2 == 0 {
			plan.links.add(project, record{"external_id": project + "-L", "target_type": "work_order", "target_id": order["external_id"]})
		}
	}
	for _, links := range plan.links {
		for _, link := range links {
			link["target_id"] = w.id(link["target_id"].(string))
		}
	}
	return w.writeParts(ctx, "projects", part{"phases", plan.phases}, part{"funding-sources", plan.funding},
		part{"budget-lines", plan.budget}, part{"links", plan.links})
}
