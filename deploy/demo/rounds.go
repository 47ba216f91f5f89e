package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// rounds are a plan that has been going on for some months: most of its work was done in time, some late, and some is still to be done.
type rounds struct {
	plan    string   // its external id
	targets []string // external ids of buildings
	from    string   // the day on which the first was due
	done    [roundCycles][]roundDone
}

// roundDone is when a building's work of a cycle came up and was done; all empty: it is still to be done.
type roundDone struct{ requested, started, completed string }

const (
	roundCycles    = 5
	roundBuildings = 8
	roundInterval  = 30 // days
	roundLead      = 5  // days before it is due, when the work order comes
	roundsAgo      = 135
)

// roundLate is how many days after the due day a building's work of a cycle was done.
func roundLate(building, cycle int) int {
	switch {
	case (building+2*cycle)%11 == 0:
		return 9 // more than a fifth of the interval
	case (3*building+cycle)%7 == 0:
		return 4
	case (building+cycle)%5 == 0:
		return -1
	}
	return 0
}

// filters adds a plan of air filters, due so long after they were last changed.
func (g *generator) filters(u *upkeep) {
	job, plan := g.prefix+"-JP-F", g.prefix+"-PM-F"
	name := g.text("Filtres de ventilation, tous les 30 jours", "Air filters, every 30 days")
	u.jobs = append(u.jobs, record{"external_id": job, "name": name, "code": "JP-F", "type": "preventive",
		"estimated_hours": 0.75, "estimated_cost": 95, "tasks": []record{{"title": g.text("Changer les filtres", "Change the filters")},
			{"title": g.text("Noter la pression", "Note the pressure")}},
		"materials": []record{{"description": g.text("Filtre MERV 13", "MERV 13 filter"), "quantity": 2, "unit_cost": 18.5}}})
	u.plans = append(u.plans, record{"external_id": plan, "name": name, "job_plan_external_id": job, "basis": "floating",
		"starts_on": g.date(-roundsAgo), "trigger": record{"interval": record{"n": roundInterval, "unit": "day"}}, "lead_days": roundLead,
		"calendar_external_id": u.calendars[0]["external_id"], "team_external_id": u.teams[0]["external_id"]})
	r := rounds{plan: plan, from: g.date(-roundsAgo)}
	for _, building := range g.data.buildings {
		i := len(r.targets)
		if building["status"] != "active" || i == roundBuildings {
			continue
		}
		r.targets = append(r.targets, building["external_id"].(string))
		due := -roundsAgo
		for n := range roundCycles {
			done := due + roundLate(i, n)
			when := roundDone{g.moment(due-roundLead, 0), g.moment(done, 15*i), g.moment(done, 15*i+45)}
			if i == 0 && n == roundCycles-1 {
				when = roundDone{}
			}
			r.done[n] = append(r.done[n], when)
			due = done + roundInterval
		}
	}
	u.rounds = r
}

// begin names the buildings of the rounds in their plan, now that they are there.
func (w *writer) begin(u upkeep) {
	var targets []record
	for _, external := range u.rounds.targets {
		targets = append(targets, record{"target_type": "building", "target_id": w.id(external)})
	}
	for _, plan := range u.plans {
		if plan["external_id"] == u.rounds.plan {
			plan["targets"] = targets
		}
	}
}

// goThrough does the work of the cycles that are over, one after the other, as people did it then. What has been done stays.
func (w *writer) goThrough(ctx context.Context, r rounds) error {
	path := "/v1/maintenance/pm-plans/" + w.id(r.plan) + "/occurrences"
	if err := w.api.do(ctx, http.MethodPost, path+"/reschedule",
		record{"occurrence": "f1", "due_on": r.from, "reason": "Log book"}, nil); err != nil {
		return err
	}
	for n, done := range r.done {
		key := fmt.Sprintf("f%d", n+1)
		orders, err := w.cycle(ctx, path, key, len(r.targets))
		if err != nil {
			return err
		}
		var completed []record
		for i, external := range r.targets {
			if order, open := orders[w.id(external)]; open && done[i].completed != "" {
				completed = append(completed, record{"id": order, "status": "completed", "requested_at": done[i].requested,
					"started_at": done[i].started, "completed_at": done[i].completed})
			}
		}
		if len(completed) == 0 {
			continue
		}
		if err := w.update(ctx, "work-orders", completed); err != nil {
			return err
		}
	}
	return nil
}

// cycle lets the work of a cycle be made, and gives the work orders that are to be done, by building. The planner may be making it as well.
func (w *writer) cycle(ctx context.Context, path, key string, wanted int) (map[string]string, error) {
	for {
		var list struct {
			Data []struct {
				TargetID    string `json:"target_id"`
				WorkOrderID string `json:"work_order_id"`
				State       string `json:"state"`
			} `json:"data"`
		}
		if err := w.api.do(ctx, http.MethodGet, path+"?per_page=1000&occurrence="+url.QueryEscape(key), nil, &list); err != nil {
			return nil, err
		}
		if len(list.Data) == wanted {
			open := map[string]string{}
			for _, o := range list.Data {
				if o.State == "generated" {
					open[o.TargetID] = o.WorkOrderID
				}
			}
			return open, nil
		}
		if err := w.api.do(ctx, http.MethodPost, path+"/generate", record{"occurrence": key, "reason": "Log book"}, nil); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
