package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// work is three years of work orders and what belongs to them.
type work struct {
	orders                 []record
	comments, tasks, costs parts
	closings               []record // written last: nothing of a closed work order changes
}

const (
	workDays     = 3 * 365
	maxWithParts = 50 // work orders that have comments, tasks or costs of their own: each of those is a call
)

// workOrders makes the work of three years: most of it long done and closed, the latest open, some of that overdue.
func (g *generator) workOrders(network lines, plan capitalPlan) work {
	w := work{comments: parts{}, tasks: parts{}, costs: parts{}}
	count := min(len(g.data.assets)/4+40, 1600)
	for i := range count {
		ago := workDays - workDays*i/count // oldest first
		if i > count*9/10 {
			ago = g.random.IntN(30)
		}
		r := record{"external_id": fmt.Sprintf("%s-W-%05d", g.prefix, i+1)}
		if ago > 0 { // today's have just come in
			r["requested_at"] = g.moment(-ago, -15-37*i%100)
		}
		task := g.subject(r, network, plan)
		g.describe(r, task)
		done := g.move(&w, r, ago, task)
		w.orders = append(w.orders, r)
		// The latest ones are told in full, and some older ones.
		if len(w.costs) < maxWithParts && (ago < 45 || g.chance(3)) {
			g.detail(&w, r, task, ago, done)
		}
	}
	w.closeAtOnce()
	return w
}

// closeAtOnce has work orders that nothing is written below closed when they are made: only the others are changed afterwards.
func (w *work) closeAtOnce() {
	byID := map[any]record{}
	for _, r := range w.orders {
		byID[r["external_id"]] = r
	}
	w.closings = slices.DeleteFunc(w.closings, func(closing record) bool {
		id := closing["external_id"].(string)
		if w.comments[id] != nil || w.tasks[id] != nil || w.costs[id] != nil {
			return false
		}
		byID[id]["status"], byID[id]["closed_at"] = closing["status"], closing["closed_at"]
		return true
	})
}

// subject chooses what is worked on, and what is done to it.
func (g *generator) subject(r record, network lines, plan capitalPlan) job {
	if len(network.segments) > 0 && g.chance(18) {
		segment := one(g, network.segments)
		class := strings.TrimPrefix(segment["network_external_id"].(string), g.prefix+"-N-")
		if segment["status"] == "in_service" {
			r["segment_external_id"] = segment["external_id"]
			return g.job(class, fmt.Sprint(segment["name"]), r)
		}
	}
	asset := one(g, g.data.assets)
	for asset["status"] != "in_service" {
		asset = one(g, g.data.assets)
	}
	r["asset_external_id"] = asset["external_id"]
	if len(plan.projects) > 0 && g.chance(3) {
		r["project_external_id"] = plan.projects[g.random.IntN(len(plan.projects))]["external_id"]
	}
	return g.job(asset["uniformat_code"].(string), fmt.Sprint(asset["name"]), r)
}

// job finds one for a code, the more exact the better, and names the work order after it.
func (g *generator) job(code, name string, r record) job {
	var fitting []job
	for length := len(code); len(fitting) == 0 && length > 0; length-- {
		for _, j := range jobs {
			if strings.HasPrefix(j.code, code[:length]) {
				fitting = append(fitting, j)
			}
		}
	}
	chosen := one(g, fitting)
	r["title"] = fmt.Sprintf("%s – %s", g.text(chosen.french, chosen.english), name)
	return chosen
}

func (g *generator) describe(r record, j job) {
	r["type"], r["priority"] = j.kind, map[string]string{
		"emergency": "urgent", "corrective": g.pick("low", "medium", "medium", "high"), "preventive": g.pick("low", "medium"),
		"inspection": "medium",
	}[j.kind]
	r["estimated_hours"], r["estimated_cost"] = j.hours, round(j.hours*68+j.price, 2)
	r["tags"] = []string{g.text(map[string]string{"emergency": "urgence", "corrective": "correctif", "preventive": "préventif",
		"inspection": "inspection"}[j.kind], j.kind)}
	if j.problem != "" {
		r["problem_code"] = j.problem
		if len(g.requesters) > 0 && g.chance(70) {
			requester := one(g, g.requesters)
			r["requester_name"], r["requester_email"] = requester.name, requester.email
		}
	}
}

// move puts a work order into a state that fits its age, and says whether the work is done.
func (g *generator) move(w *work, r record, ago int, j job) (done bool) {
	daysAllowed := map[string]int{"urgent": 2, "high": 7, "medium": 21, "low": 45}[r["priority"].(string)]
	r["due_date"] = g.date(daysAllowed - ago)
	if len(g.technicians) > 0 && (ago > 3 || g.chance(60)) {
		r["assignee_id"] = one(g, g.technicians)
	}
	took := min(1+int(float64(daysAllowed)*(0.2+0.95*g.random.Float64())), max(ago, 1))
	finished := took < ago && g.chance(min(99, 55+ago))
	switch {
	case finished && g.chance(4):
		r["status"], r["cancel_reason"] = "cancelled", g.text(g.pick("Doublon", "Réglé par l'occupant", "Reporté au projet de réfection"),
			g.pick("Duplicate", "Settled by the occupant", "Left to the renewal project"))
	case finished:
		begun, minutes := max(0, took-1-g.random.IntN(2)), min(int(j.hours*60), 480) // of one day
		r["status"], r["started_at"], r["completed_at"] = "completed", g.moment(begun-ago, g.random.IntN(120)), g.moment(took-ago, 120+minutes)
		if j.problem != "" {
			r["cause_code"], r["remedy_code"] = j.cause, j.remedy
		}
		if g.chance(35) {
			r["downtime_minutes"] = minutes * (1 + g.random.IntN(4))
		}
		if j.problem == "break" || j.problem == "backup" {
			r["downtime_minutes"], r["connections_affected"] = minutes, 5+ago%40
		}
		r["completion_notes"] = g.text(g.pick("Réparé et remis en service.", "Pièce remplacée, essai concluant.",
			"Travaux terminés, rien d'autre à signaler."), g.pick("Repaired and returned to service.", "Part replaced, tested well.",
			"Work done, nothing else to report."))
		if closed := took + 3 + g.random.IntN(12); closed < ago && g.chance(92) {
			w.closings = append(w.closings, record{"external_id": r["external_id"], "status": "closed", "closed_at": g.moment(closed-ago, 600)})
		}
		return true
	case ago > 2 && g.chance(12):
		r["status"], r["hold_reason"] = "on_hold",
			g.text(g.pick("Pièce en commande", "En attente d'un entrepreneur", "Accès au local à convenir"),
				g.pick("Part on order", "Waiting for a contractor", "Access to be arranged"))
	case ago > 0 && g.chance(40):
		r["status"], r["started_at"] = "in_progress", g.moment(-1-g.random.IntN(ago), 30)
	default:
		r["status"] = "open"
		if g.chance(40) {
			start := 1 + g.random.IntN(9)
			r["scheduled_start"], r["scheduled_end"] = g.moment(start, 0), g.moment(start, int(j.hours*60)+60)
		}
	}
	return false
}

// detail adds what people wrote, ticked off and spent.
func (g *generator) detail(w *work, r record, j job, ago int, done bool) {
	id := r["external_id"].(string)
	w.comments.add(id, record{"external_id": id + "-C", "body": g.text(
		g.pick("Vu sur place, pièce commandée.", "Le responsable du bâtiment a été avisé.", "À coordonner avec les utilisateurs du local."),
		g.pick("Looked at on site, part ordered.", "The site supervisor knows.", "To be arranged with the people in the room."))})
	if g.chance(50) {
		w.comments.add(id, record{"external_id": id + "-C", "body": g.text(g.pick("Photos au dossier.", "Même problème que l'an dernier."),
			g.pick("Photos on file.", "The same as last year."))})
	}
	for i, step := range j.steps {
		task := record{"external_id": id + "-T", "title": g.text(step[0], step[1]), "position": i + 1}
		if done {
			task["result"] = g.pick("pass", "pass", "pass", "pass", "na", "fail")
		}
		w.tasks.add(id, task)
	}
	if r["status"] == "open" || r["status"] == "cancelled" {
		return
	}
	labour := record{"external_id": id + "-K", "kind": "labour", "hours": round(j.hours*(0.7+0.7*g.random.Float64()), 1),
		"unit_cost": g.between(52, 84), "incurred_on": g.date(-ago / 2)}
	if user, assigned := r["assignee_id"]; assigned {
		labour["user_id"] = user
	}
	w.costs.add(id, labour)
	if j.price > 0 {
		w.costs.add(id, record{"external_id": id + "-K", "kind": "material", "quantity": 1 + g.random.IntN(3),
			"unit_cost": round(j.price*(0.85+0.3*g.random.Float64()), 2), "incurred_on": g.date(-ago / 2)})
	}
	if j.kind == "emergency" && g.chance(50) {
		w.costs.add(id, record{"external_id": id + "-K", "kind": "contractor", "unit_cost": g.between(400, 4200),
			"incurred_on": g.date(-ago / 2)})
	}
}

func (w *writer) writeWork(ctx context.Context, all work) error {
	if err := w.bulks(ctx, step{"work-orders", all.orders}); err != nil {
		return err
	}
	if err := w.writeParts(ctx, "work-orders", part{"comments", all.comments}, part{"tasks", all.tasks},
		part{"costs", all.costs}); err != nil {
		return err
	}
	return w.update(ctx, "work-orders", all.closings)
}
