package workorders

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
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
	Cost       float64 `json:"cost" decimals:"2" doc:"Their estimated cost; of job plans without an estimate, the materials."`
}

// ForecastGroup is the work of a month, a plan, a site or a team.
type ForecastGroup struct {
	Key  *string `json:"key" doc:"YYYY-MM, or the id of the plan, site or team; null where there is none, and for the sites of plans with a filter." example:"2027-03"`
	Name *string `json:"name" doc:"The plan's name; null of other groups."`
	ForecastFigures
}

// Table implements transport.Tabular.
func (f MaintenanceForecast) Table() transport.Table { return transport.TableOf(f.Data) }

const (
	// forecastYears is how far a forecast reaches.
	forecastYears = 10
	// forecastPage is how many plans are looked at at once.
	forecastPage = 500
)

func (o orders) mountForecast() {
	transport.Get(o.registry.API, transport.Operation{
		Path: "/v1/maintenance/forecast", FromReplica: true, ID: "get_maintenance_forecast", Scope: maintenanceScope + ":read", Feature: maintenanceFeature, RowName: "MaintenanceForecastGroup",
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
	if err := f.addAll(ctx); err != nil {
		return MaintenanceForecast{}, postgres.Fault(err, nil)
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
	isPart      bool           // a larger plan includes it
	settled     map[string]int // occurrences that are done, skipped or suppressed already, by their names: on how many targets
	standing    []alike        // of floating plans
}

// addAll adds the work of all plans, of one snapshot. A cursor gives them a page at a time, and of a page the targets of one plan are read;
// so memory does not grow with the number of plans. Those that go by counters, each of which costs a call of their owner, are kept until the
// transaction is over: nobody is waited for in it.
func (f *forecaster) addAll(ctx context.Context) error {
	var metered []*forecastPlan
	if err := f.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DECLARE forecast NO SCROLL CURSOR FOR "+forecastSQL); err != nil {
			return err
		}
		for {
			page, err := f.page(ctx, tx)
			if err != nil || len(page) == 0 {
				return err
			}
			for _, p := range page {
				switch {
				case p.schedule.Rule != nil:
					err = f.addFixed(ctx, tx, p)
				case p.schedule.Interval != nil:
					f.addFloating(p)
				case p.Trigger.Meter != nil:
					metered = append(metered, p)
				}
				if err != nil {
					return err
				}
			}
		}
	}); err != nil {
		return err
	}
	for _, p := range metered {
		if err := f.addMetered(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

const forecastSQL = `SELECT p.id::text, p.name, p.starts_on::text, p.ends_on::text, coalesce(p.target_filter::text, 'null'), p.due_by::text,
		p.seasons::text, p.exception_dates::text, p.extra_dates::text, p.basis, p.work_order_per, p.max_gap_months,
		p.calendar_id::text, p.non_working_day, p.last_done_on::text, p.moved::text, p.planned_from::text, p.team_id::text, p.target_count, p.target_sites::text,
		p.id::text IN (SELECT jsonb_array_elements_text(l.supersedes) FROM pm_plan l
			WHERE l.organization_id = current_organization() AND l.status = 'active' AND l.supersedes <> '[]'),
		coalesce(j.estimated_hours, 0)::float8, coalesce(j.estimated_cost,
			(SELECT sum((m->>'quantity')::numeric * (m->>'unit_cost')::numeric) FROM jsonb_array_elements(j.materials) m), 0)::float8
	FROM pm_plan p JOIN job_plan j ON j.organization_id = p.organization_id AND j.id = p.job_plan_id
	WHERE p.organization_id = current_organization() AND p.status = 'active'`

// page gives the cursor's next plans; none at its end.
func (f *forecaster) page(ctx context.Context, tx pgx.Tx) (page []*forecastPlan, err error) {
	rows, err := tx.Query(ctx, "FETCH "+strconv.Itoa(forecastPage)+" FROM forecast")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	byID := map[string]*forecastPlan{}
	var ids, floating []string
	for rows.Next() {
		p := &forecastPlan{settled: map[string]int{}, sites: map[string]int{}}
		var filter, trigger, seasons, exceptions, extra, sites string
		var from *string
		if err := rows.Scan(&p.ID, &p.Name, &p.StartsOn, &p.EndsOn, &filter, &trigger, &seasons, &exceptions, &extra, &p.Basis, &p.WorkOrderPer,
			&p.MaxGapMonths, &p.CalendarID, &p.NonWorkingDay, &p.LastDoneOn, &p.moved, &from, &p.TeamID, &p.count, &sites, &p.isPart, &p.hours,
			&p.cost); err != nil {
			return nil, err
		}
		if err := decode(filter, &p.TargetFilter, trigger, &p.Trigger, seasons, &p.Seasons, exceptions, &p.ExceptionDates, extra, &p.ExtraDates,
			sites, &p.sites); err != nil {
			return nil, err
		}
		if p.plannedFrom = dayOf(from); p.WorkOrderPer == "plan" {
			p.count, p.sites = 1, map[string]int{}
		}
		if p.Basis == "floating" {
			floating = append(floating, p.ID)
		}
		page, ids, byID[p.ID] = append(page, p), append(ids, p.ID), p
	}
	if err := rows.Err(); err != nil || page == nil {
		return nil, err
	}
	plans := make([]*largerPlan, len(page))
	for i, p := range page {
		plans[i] = &p.largerPlan
	}
	if err := scheduleAll(ctx, tx, plans); err != nil {
		return nil, err
	}
	if err := f.settled(ctx, tx, byID, ids); err != nil {
		return nil, err
	}
	return page, f.standings(ctx, tx, byID, floating)
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

// alike are targets of a floating plan that stand at the same point.
type alike struct {
	state       string // of their latest occurrence
	sequence    int
	due, doneOn time.Time
	targets     int
}

// standings reads where the targets of floating plans stand.
func (f *forecaster) standings(ctx context.Context, tx pgx.Tx, byID map[string]*forecastPlan, ids []string) error {
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT plan_id::text, state, sequence, due_on::text, done_on::text, count(*)::integer FROM (
			SELECT DISTINCT ON (plan_id, target_id) plan_id, state, sequence, due_on, done_on FROM pm_occurrence
			WHERE organization_id = current_organization() AND plan_id = ANY($1::uuid[]) AND NOT ahead
			ORDER BY plan_id, target_id, sequence DESC, own_date DESC) latest
		GROUP BY plan_id, state, sequence, due_on, done_on`, ids)
	if err != nil {
		return err
	}
	var a alike
	var plan string
	var due, done *string
	_, err = pgx.ForEachRow(rows, []any{&plan, &a.state, &a.sequence, &due, &done, &a.targets}, func() error {
		one := a
		one.due, one.doneOn = dayOf(due), dayOf(done)
		byID[plan].standing = append(byID[plan].standing, one)
		return nil
	})
	return err
}

func (f *forecaster) addFixed(ctx context.Context, tx pgx.Tx, p *forecastPlan) error {
	parts, err := f.partsOf(ctx, tx, p)
	if err != nil {
		return err
	}
	for o := range p.schedule.Fixed(f.from.AddDate(0, 0, -40)) {
		if o.Date.After(f.to.AddDate(0, 0, 40)) {
			break
		}
		if o.Due.Before(f.from) || o.Due.After(f.to) || o.Due.Before(p.plannedFrom) {
			continue
		}
		f.add(p, o.Due, p.count-p.settled[o.Key]-p.included(o, parts))
	}
	return nil
}

// part is what a plan has in common with a larger one.
type part struct {
	targets      []string
	due          []time.Time // of the larger plan
	suppressDays int
}

// partsOf reads what of a plan's targets larger plans are for, and when.
func (f *forecaster) partsOf(ctx context.Context, tx pgx.Tx, p *forecastPlan) (parts []part, err error) {
	if !p.isPart {
		return nil, nil
	}
	if p.Targets, err = targetsOf(ctx, tx, p.ID); err != nil {
		return nil, err
	}
	larger, err := f.largerPlans(ctx, tx, p.ID)
	if err != nil {
		return nil, err
	}
	for _, l := range larger {
		if l.schedule.Rule == nil {
			continue
		}
		in := map[string]bool{}
		for _, t := range l.Targets {
			in[t.TargetID] = true
		}
		shared := part{suppressDays: l.SuppressDays}
		for _, t := range p.Targets {
			if in[t.TargetID] {
				shared.targets = append(shared.targets, t.TargetID)
			}
		}
		for o := range l.schedule.Fixed(f.from.AddDate(0, 0, -l.SuppressDays-40)) {
			if o.Date.After(f.to.AddDate(0, 0, l.SuppressDays+40)) {
				break
			}
			if !o.Due.Before(l.plannedFrom) {
				shared.due = append(shared.due, o.Due)
			}
		}
		parts = append(parts, shared)
	}
	return parts, nil
}

func targetsOf(ctx context.Context, tx pgx.Tx, plan string) (targets []PMTarget, err error) {
	var text string
	if err := tx.QueryRow(ctx, "SELECT targets::text FROM pm_plan WHERE organization_id = current_organization() AND id = $1::uuid", plan).
		Scan(&text); err != nil {
		return nil, err
	}
	return targets, decode(text, &targets)
}

// included is on how many targets an occurrence is a part of larger work.
func (p *forecastPlan) included(o maintenance.Occurrence, parts []part) int {
	found := map[string]bool{}
	for _, l := range parts {
		if slices.ContainsFunc(l.due, func(due time.Time) bool { return maintenance.Suppresses(due, o.Due, l.suppressDays) }) {
			for _, target := range l.targets {
				found[target] = true
			}
		}
	}
	if p.WorkOrderPer == "plan" && len(found) < len(p.Targets) {
		return 0
	}
	return min(len(found), p.count)
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
	fresh := p.count
	for _, a := range p.standing {
		fresh -= a.targets
		switch a.state {
		case "generated":
			f.add(p, a.due, a.targets)
			if a.due.Before(f.today) {
				a.due = f.today
			}
			walk(a.sequence+1, a.due, a.targets)
		case "done":
			walk(a.sequence+1, a.doneOn, a.targets)
		default:
			walk(a.sequence+1, a.due, a.targets)
		}
	}
	if fresh > 0 {
		walk(1, dayOf(p.LastDoneOn), fresh)
	}
}

// addMetered asks what the counters of the targets of a plan run.
func (f *forecaster) addMetered(ctx context.Context, p *forecastPlan) error {
	var targets []PMTarget
	if err := f.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		targets, err = targetsOf(ctx, tx, p.ID)
		return err
	}); err != nil {
		return err
	}
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
	for _, u := range usages {
		if u.Total == nil || u.Daily == nil {
			continue
		}
		for due, steps := range maintenance.DueSteps(f.today, f.to, *u.Total, p.Trigger.Meter.Every, *u.Daily) {
			f.add(p, due, steps)
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
		id, name := p.ID, p.Name // a group does not keep the whole plan
		f.group(&id, &name).add(p, n)
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
