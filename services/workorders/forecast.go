package main

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// ForecastRequest asks for the work that plans are going to make.
type ForecastRequest struct {
	From    string `query:"from" required:"true" format:"date" doc:"First day on which work is due; days that are over have none."`
	To      string `query:"to" required:"true" format:"date" doc:"Last day, at most ten years after from."`
	GroupBy string `query:"group_by" default:"month" enum:"month,plan,site,team" doc:"What the work is counted by."`
}

// MaintenanceForecast is the work that plans are going to make.
type MaintenanceForecast struct {
	From     string          `json:"from" format:"date"`
	To       string          `json:"to" format:"date"`
	GroupBy  string          `json:"group_by"`
	Currency string          `json:"currency" example:"CAD"`
	Total    ForecastFigures `json:"total"`
	Data     []ForecastGroup `json:"data" doc:"The groups: months in order, others by what they are called."`
}

// ForecastFigures is an amount of work.
type ForecastFigures struct {
	WorkOrders int     `json:"work_orders" doc:"How many work orders."`
	Hours      float64 `json:"hours" unit:"hour" doc:"Their estimated hours; those of job plans without an estimate are missing."`
	Cost       float64 `json:"cost" doc:"Their estimated cost; of job plans without an estimate, the materials."`
}

// ForecastGroup is the work of a month, a plan, a site or a team.
type ForecastGroup struct {
	Key  *string `json:"key" doc:"YYYY-MM, or the id of the plan, site or team; null where there is none, and for the sites of plans with a filter." example:"2027-03"`
	Name *string `json:"name" doc:"The plan's name; null of other groups."`
	ForecastFigures
}

// Table implements transport.Tabular.
func (f MaintenanceForecast) Table() [][]string { return transport.TableOf(f.Data) }

const (
	// forecastYears is how far a forecast reaches.
	forecastYears = 10
	// forecastPage is how many plans are looked at at once.
	forecastPage = 500
)

func (o orders) mountForecast() {
	transport.Get(o.registry.API, transport.Operation{
		Path: "/v1/maintenance/forecast", ID: "get_maintenance_forecast", Scope: maintenanceScope + ":read", Feature: maintenanceFeature, RowName: "MaintenanceForecastGroup",
		Summary: "Forecast the work that preventive maintenance plans are going to make",
		Description: "Of active plans, by the days on which work is due. Floating plans go on as if everything were done on the day on which it is " +
			"due; of meters, steps follow from the use of the last 90 days, and none where nothing is used. What larger plans include is left " +
			"out. Gauges and conditions cannot be foreseen.",
	}, o.forecast)
}

// forecaster adds up the work of plans.
type forecaster struct {
	orders
	in              ForecastRequest
	from, to, today time.Time
	total           ForecastFigures
	groups          map[string]*ForecastGroup
}

func (o orders) forecast(ctx context.Context, in ForecastRequest) (MaintenanceForecast, error) {
	f := &forecaster{orders: o, in: in, from: dayOf(&in.From), to: dayOf(&in.To), groups: map[string]*ForecastGroup{}}
	today := resource.Today(ctx)
	f.today = dayOf(&today)
	var problems schema.Problems
	if f.to.Before(f.from) {
		problems.Add("to", "must be from (%s) or later", in.From)
	} else if f.to.After(f.from.AddDate(forecastYears, 0, 0)) {
		problems.Add("to", "must be at most %d years after from (%s)", forecastYears, in.From)
	}
	if err := problems.Err(); err != nil {
		return MaintenanceForecast{}, err
	}
	if f.from.Before(f.today) {
		f.from = f.today
	}
	for after := ""; ; {
		page, err := f.page(ctx, after)
		if err != nil {
			return MaintenanceForecast{}, postgres.Fault(err, nil)
		}
		for _, p := range page {
			if err := f.addPlan(ctx, p); err != nil {
				return MaintenanceForecast{}, err
			}
		}
		if len(page) < forecastPage {
			break
		}
		after = page[len(page)-1].ID
	}
	forecast := MaintenanceForecast{From: in.From, To: in.To, GroupBy: in.GroupBy, Currency: currencyOf(ctx), Total: f.total.rounded(), Data: []ForecastGroup{}}
	for _, group := range slices.SortedFunc(maps.Values(f.groups), func(a, b *ForecastGroup) int {
		return cmp.Or(strings.Compare(valueOf(a.Name), valueOf(b.Name)), strings.Compare(valueOf(a.Key), valueOf(b.Key)))
	}) {
		group.ForecastFigures = group.rounded()
		forecast.Data = append(forecast.Data, *group)
	}
	return forecast, nil
}

func currencyOf(ctx context.Context) string {
	if currency := principal.From(ctx).Currency; currency != "" {
		return currency
	}
	return "CAD"
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (f ForecastFigures) rounded() ForecastFigures {
	return ForecastFigures{f.WorkOrders, math.Round(f.Hours*100) / 100, math.Round(f.Cost*100) / 100}
}

// forecastPlan is a plan with what its forecast needs.
type forecastPlan struct {
	largerPlan
	hours, cost float64
	count       int // of targets, or 1
	sites       map[string]int
	larger      []*largerPlan
	settled     map[string]int // occurrences that are done, skipped or suppressed already, by their names: on how many targets
	standing    []standing     // of floating plans, by target
}

// page reads the next plans by their ids.
func (f *forecaster) page(ctx context.Context, after string) (page []*forecastPlan, err error) {
	err = f.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT p.id::text, p.name, p.starts_on::text, p.ends_on::text,
				CASE WHEN EXISTS (SELECT FROM pm_plan l WHERE l.organization_id = p.organization_id AND l.status = 'active'
					AND l.supersedes @> jsonb_build_array(p.id::text)) OR p.due_by ? 'meter' THEN p.targets::text ELSE '[]' END,
				coalesce(p.target_filter::text, 'null'), p.due_by::text, p.seasons::text, p.exception_dates::text, p.extra_dates::text, p.basis,
				p.work_order_per, p.max_gap_months, p.calendar_id::text, p.non_working_day, p.last_done_on::text, p.moved::text, p.planned_from::text, p.team_id::text,
				p.target_count, p.target_sites::text, coalesce(j.estimated_hours, 0)::float8, coalesce(j.estimated_cost,
					(SELECT sum((m->>'quantity')::numeric * (m->>'unit_cost')::numeric) FROM jsonb_array_elements(j.materials) m), 0)::float8
			FROM pm_plan p JOIN job_plan j ON j.organization_id = p.organization_id AND j.id = p.job_plan_id
			WHERE p.organization_id = current_organization() AND p.status = 'active' AND p.id > coalesce(nullif($1, ''),
				'00000000-0000-0000-0000-000000000000')::uuid ORDER BY p.id LIMIT $2`, after, forecastPage)
		if err != nil {
			return err
		}
		defer rows.Close()
		byID := map[string]*forecastPlan{}
		var ids, included, floating []string
		for rows.Next() {
			p := &forecastPlan{settled: map[string]int{}, sites: map[string]int{}}
			var targets, filter, trigger, seasons, exceptions, extra, sites string
			var from *string
			if err := rows.Scan(&p.ID, &p.Name, &p.StartsOn, &p.EndsOn, &targets, &filter, &trigger, &seasons, &exceptions, &extra, &p.Basis,
				&p.WorkOrderPer, &p.MaxGapMonths, &p.CalendarID, &p.NonWorkingDay, &p.LastDoneOn, &p.moved, &from, &p.TeamID, &p.count, &sites, &p.hours,
				&p.cost); err != nil {
				return err
			}
			if err := decode(targets, &p.Targets, filter, &p.TargetFilter, trigger, &p.Trigger, seasons, &p.Seasons, exceptions,
				&p.ExceptionDates, extra, &p.ExtraDates, sites, &p.sites); err != nil {
				return err
			}
			if p.plannedFrom = dayOf(from); p.WorkOrderPer == "plan" {
				p.count, p.sites = 1, map[string]int{}
			}
			if len(p.Targets) > 0 {
				included = append(included, p.ID)
			}
			if p.Basis == "floating" {
				floating = append(floating, p.ID)
			}
			page, ids, byID[p.ID] = append(page, p), append(ids, p.ID), p
		}
		if err := rows.Err(); err != nil || page == nil {
			return err
		}
		plans := make([]*largerPlan, len(page))
		for i, p := range page {
			plans[i] = &p.largerPlan
		}
		if err := scheduleAll(ctx, tx, plans); err != nil {
			return err
		}
		for _, id := range included {
			if byID[id].larger, err = f.largerPlans(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := f.settled(ctx, tx, byID, ids); err != nil {
			return err
		}
		return f.standings(ctx, tx, byID, floating)
	})
	return page, err
}

// settled reads what is done, skipped or suppressed already of what is due in the period.
func (f *forecaster) settled(ctx context.Context, tx pgx.Tx, byID map[string]*forecastPlan, ids []string) error {
	rows, err := tx.Query(ctx, `SELECT plan_id::text, occurrence, count(*)::integer FROM pm_occurrence WHERE organization_id = current_organization()
		AND plan_id = ANY($1::uuid[]) AND due_on BETWEEN $2::date AND $3::date AND state IN ('done', 'skipped') GROUP BY 1, 2`, ids, text(f.from), text(f.to))
	if err != nil {
		return err
	}
	var plan, key string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&plan, &key, &n}, func() error { byID[plan].settled[key] = n; return nil })
	return err
}

// standings reads where the targets of floating plans stand.
func (f *forecaster) standings(ctx context.Context, tx pgx.Tx, byID map[string]*forecastPlan, ids []string) error {
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT DISTINCT ON (plan_id, target_id) plan_id::text, target_id::text, occurrence, state, sequence, due_on::text,
			done_on::text
		FROM pm_occurrence WHERE organization_id = current_organization() AND plan_id = ANY($1::uuid[]) AND NOT ahead
		ORDER BY plan_id, target_id, sequence DESC, own_date DESC`, ids)
	if err != nil {
		return err
	}
	var s standing
	var plan string
	var due, done *string
	_, err = pgx.ForEachRow(rows, []any{&plan, &s.id, &s.key, &s.state, &s.sequence, &due, &done}, func() error {
		one := s
		one.due, one.doneOn = dayOf(due), dayOf(done)
		byID[plan].standing = append(byID[plan].standing, one)
		return nil
	})
	return err
}

// addPlan adds the work of a plan.
func (f *forecaster) addPlan(ctx context.Context, p *forecastPlan) error {
	switch {
	case p.schedule.Rule != nil:
		f.addFixed(p)
	case p.schedule.Interval != nil:
		f.addFloating(p)
	case p.Trigger.Meter != nil:
		return f.addMetered(ctx, p)
	}
	return nil
}

func (f *forecaster) addFixed(p *forecastPlan) {
	for o := range p.schedule.Fixed(f.from.AddDate(0, 0, -40)) {
		if o.Date.After(f.to.AddDate(0, 0, 40)) {
			break
		}
		if o.Due.Before(f.from) || o.Due.After(f.to) || o.Due.Before(p.plannedFrom) {
			continue
		}
		f.add(p, o.Due, p.count-p.settled[o.Key]-p.included(o))
	}
}

// included is on how many targets an occurrence is a part of larger work.
func (p *forecastPlan) included(o maintenance.Occurrence) int {
	found := map[string]bool{}
	for _, l := range p.larger {
		if l.schedule.Rule == nil || !l.suppressing(o) {
			continue
		}
		if l.targets == nil {
			l.targets = map[string]bool{}
			for _, t := range l.Targets {
				l.targets[t.TargetID] = true
			}
		}
		for _, t := range p.Targets {
			if l.targets[t.TargetID] {
				found[t.TargetID] = true
			}
		}
	}
	if p.WorkOrderPer == "plan" && len(found) < len(p.Targets) {
		return 0
	}
	return min(len(found), p.count)
}

// suppressing reports whether a larger plan's dates make an occurrence superfluous.
func (l *largerPlan) suppressing(o maintenance.Occurrence) bool {
	for larger := range l.schedule.Fixed(o.Due.AddDate(0, 0, -l.SuppressDays-40)) {
		if larger.Date.After(o.Due.AddDate(0, 0, l.SuppressDays+40)) {
			return false
		}
		if !larger.Due.Before(l.plannedFrom) && maintenance.Suppresses(larger.Due, o.Due, l.SuppressDays) {
			return true
		}
	}
	return false
}

func (f *forecaster) addFloating(p *forecastPlan) {
	walk := func(n int, lastDone time.Time, targets int) {
		for steps := 0; steps < 10_000; steps++ {
			o, more := p.schedule.Floating(n, lastDone)
			due := o.Due
			if due.Before(f.today) {
				due = f.today // what is late is done at once
			}
			if !more || due.After(f.to) {
				return
			}
			f.add(p, due, targets)
			n, lastDone = n+1, due
		}
	}
	for _, s := range p.standing {
		switch s.state {
		case "generated":
			f.add(p, s.due, 1)
			if s.due.Before(f.today) {
				s.due = f.today
			}
			walk(s.sequence+1, s.due, 1)
		case "done":
			walk(s.sequence+1, s.doneOn, 1)
		default:
			walk(s.sequence+1, s.due, 1)
		}
	}
	if fresh := p.count - len(p.standing); fresh > 0 {
		walk(1, dayOf(p.LastDoneOn), fresh)
	}
}

// addMetered asks what the counters of the targets run.
func (f *forecaster) addMetered(ctx context.Context, p *forecastPlan) error {
	targets := p.Targets
	if p.TargetFilter != nil {
		found, _, err := f.find(ctx, *p.TargetFilter, mostFound)
		if err != nil {
			return err
		}
		for _, t := range found {
			targets = append(targets, t.PMTarget)
		}
	}
	records := make([]asked, len(targets))
	for i, t := range targets {
		records[i] = asked{ID: t.TargetID}
	}
	usages, err := f.usages(ctx, p.Trigger.Meter.Name, records)
	if err != nil {
		return err
	}
	every := p.Trigger.Meter.Every
	for _, u := range usages {
		if u.Total == nil || u.Daily == nil {
			continue
		}
		for k := maintenance.Step(*u.Total, every) + 1; ; k++ {
			due, runs := maintenance.MeterDue(f.today, *u.Total, float64(k)*every, *u.Daily)
			if !runs || due.After(f.to) {
				break
			}
			f.add(p, due, 1)
		}
	}
	return nil
}

// add adds work orders of a plan that are due on a day.
func (f *forecaster) add(p *forecastPlan, due time.Time, n int) {
	if n <= 0 || due.Before(f.from) || due.After(f.to) {
		return
	}
	f.total.add(p, n)
	switch f.in.GroupBy {
	case "month":
		month := due.Format("2006-01")
		f.group(&month, nil).add(p, n)
	case "plan":
		f.group(&p.ID, &p.Name).add(p, n)
	case "team":
		f.group(p.TeamID, nil).add(p, n)
	case "site":
		left := n
		for _, site := range slices.Sorted(maps.Keys(p.sites)) {
			if of := min(left, p.sites[site]); n == p.count && of > 0 {
				f.group(&site, nil).add(p, of)
				left -= of
			}
		}
		if left > 0 && len(p.sites) == 1 {
			for site := range p.sites {
				f.group(&site, nil).add(p, left)
			}
		} else if left > 0 {
			f.group(nil, nil).add(p, left)
		}
	}
}

func (f *forecaster) group(key, name *string) *ForecastGroup {
	group := f.groups[valueOf(key)]
	if group == nil {
		group = &ForecastGroup{Key: key, Name: name}
		f.groups[valueOf(key)] = group
	}
	return group
}

func (f *ForecastFigures) add(p *forecastPlan, n int) {
	f.WorkOrders += n
	f.Hours += p.hours * float64(n)
	f.Cost += p.cost * float64(n)
}
