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

	"ams.internal/libs/domain/contracts/meters"
	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/natural"
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

	NotForeseen      []NotForeseen `json:"not_foreseen" doc:"Active plans of which work may fall due that is not in the figures, by name, at most 100."`
	NotForeseenCount int           `json:"not_foreseen_count" doc:"How many such plans there are."`
}

// NotForeseen is a plan of which nobody can say when all its work falls due.
type NotForeseen struct {
	PMPlanID string `json:"pm_plan_id" format:"uuid" doc:"The plan."`
	Name     string `json:"name" doc:"Its name."`
	Because  string `json:"because" enum:"gauge,condition,meter_not_used" doc:"gauge, condition: when a limit is passed cannot be foreseen. meter_not_used: some of its targets have no such counter, or one that ran nothing in the last 90 days."`
}

// maxNotForeseen is how many such plans a response names.
const maxNotForeseen = 100

// ForecastFigures is an amount of work.
type ForecastFigures struct {
	WorkOrders int     `json:"work_orders" doc:"How many work orders."`
	Hours      float64 `json:"hours" unit:"hour" doc:"Their estimated hours; those of job plans without an estimate are missing."`
	Cost       float64 `json:"cost" decimals:"2" doc:"Their estimated cost; of job plans without an estimate, the materials."`
}

// ForecastGroup is the work of a month, a plan, a site or a team.
type ForecastGroup struct {
	Key  *string `json:"key" doc:"YYYY-MM, or the id of the plan, site or team; null where there is none, and for the sites of plans with a filter." example:"2027-03"`
	Name *string `json:"name" doc:"Of the plan, site or team; No team and No site say that there is none, or that it is not known. Null of months."`
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
		Path: "/v1/maintenance/forecast", FromReplica: true, ID: "get_maintenance_forecast",
		Scope: maintenanceScope + ":read", Feature: maintenanceFeature, RowName: "MaintenanceForecastGroup",
		Summary: "Forecast the work that preventive maintenance plans are going to make",
		Description: "Of active plans, by the days on which work is due. " +
			"Floating plans go on as if everything were done on the day on which it is " +
			"due; what counters make due follows from their use of the last 90 days, in floating plans whichever comes first. What larger plans " +
			"include is left out. Gauges, conditions and counters that are not used cannot be foreseen: not_foreseen names such plans.",
	}, o.forecast)
}

// forecaster adds up the work of plans.
type forecaster struct {
	orders
	in              ForecastRequest
	from, to, today time.Time
	total           ForecastFigures
	groups          map[string]*ForecastGroup
	notForeseen     []NotForeseen
	each            func(p *forecastPlan, due time.Time, n int) // of tests
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
	if err := f.nameGroups(ctx); err != nil {
		return MaintenanceForecast{}, err
	}
	forecast := MaintenanceForecast{From: in.From, To: in.To, GroupBy: in.GroupBy, Currency: currencyOf(ctx), Total: f.total.rounded(),
		Data: []ForecastGroup{}}
	inOrder := natural.Order()
	for _, group := range slices.SortedFunc(maps.Values(f.groups), func(a, b *ForecastGroup) int {
		return cmp.Or(inOrder(valueOf(a.Name), valueOf(b.Name)), inOrder(valueOf(a.Key), valueOf(b.Key)))
	}) {
		group.ForecastFigures = group.rounded()
		forecast.Data = append(forecast.Data, *group)
	}
	slices.SortFunc(f.notForeseen, func(a, b NotForeseen) int {
		return cmp.Or(inOrder(a.Name, b.Name), strings.Compare(a.PMPlanID, b.PMPlanID))
	})
	forecast.NotForeseenCount = len(f.notForeseen)
	forecast.NotForeseen = append([]NotForeseen{}, f.notForeseen[:min(len(f.notForeseen), maxNotForeseen)]...)
	return forecast, nil
}

// nameGroups asks who has them for the names of teams and sites.
func (f *forecaster) nameGroups(ctx context.Context) error {
	collection := map[string]string{"team": "teams", "site": "sites"}[f.in.GroupBy]
	if collection == "" {
		return nil
	}
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(f.groups)), func(id string) bool { return id == "" })
	entries, err := f.entries(ctx, collection, ids)
	if err != nil {
		return err
	}
	for id, group := range f.groups {
		name := "No " + f.in.GroupBy
		if id != "" {
			name = entries[id].Name
		}
		group.Name = &name
	}
	return nil
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
	nested      bool // it includes others, or others include it; or where each target stands matters otherwise
	units       []*unit
	days        map[time.Time]int // how many work orders are due
	usage       map[string]usage  // by target, of a floating plan by a meter
}

// counted reports whether a floating plan goes by a counter as well: where each of its targets stands, only that says.
func (p *forecastPlan) counted() bool { return p.Basis == "floating" && p.Trigger.Meter != nil }

// missing notes that work of a plan is not in the forecast.
func (f *forecaster) missing(p *forecastPlan, because string) {
	f.notForeseen = append(f.notForeseen, NotForeseen{p.ID, p.Name, because})
}

// add counts work orders that are due on a day.
func (p *forecastPlan) add(day time.Time, n int) { p.days[day] += n }

// whole reports whether everything counts that a plan has made, and not only what is due from now on.
func (p *forecastPlan) whole() bool {
	return p.nested || p.schedule.Rule == nil || p.MaxGapMonths != nil
}

// addAll adds the work of all plans, of one snapshot. A cursor gives them a page at a time, so memory does not grow with their number.
// Those that are nested with others, and those that go by counters, each of which costs a call of an owner, wait until the transaction
// is over: nobody is waited for in it.
func (f *forecaster) addAll(ctx context.Context) error {
	var nested, metered []*forecastPlan
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
				if p.Trigger.Gauge != nil {
					f.missing(p, "gauge")
				} else if p.Trigger.Condition != nil {
					f.missing(p, "condition")
				}
				switch {
				case p.schedule.Rule == nil && p.schedule.Interval == nil && !p.counted():
					if p.Trigger.Meter != nil {
						metered = append(metered, p)
					}
				case p.nested:
					if p.Targets, err = targetsOf(ctx, tx, p.ID); err != nil {
						return err
					}
					nested = append(nested, p)
				default:
					f.walk([]*member{f.member(p, p.fresh(), nil)})
					f.addDays(p)
				}
			}
		}
	}); err != nil {
		return err
	}
	if err := f.addNested(ctx, nested); err != nil {
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
		p.time_zone, p.seasons::text, p.exception_dates::text, p.extra_dates::text, p.supersedes::text, coalesce(p.in_time::text, 'null'),
			p.basis,
			p.work_order_per, p.max_gap_months, p.lead_days,
		p.suppress_days, p.stack, p.catch_up, p.calendar_id::text, p.non_working_day, p.last_done_on::text, p.moved::text, p.planned_from::text,
		p.team_id::text, p.target_count, p.target_sites::text, p.supersedes <> '[]' OR p.id::text IN (
			SELECT jsonb_array_elements_text(l.supersedes) FROM pm_plan l
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
	for rows.Next() {
		p := &forecastPlan{largerPlan: largerPlan{rows: map[string][]largerRow{}}, sites: map[string]int{}, days: map[time.Time]int{}}
		var filter, trigger, seasons, exceptions, extra, supersedes, window, sites string
		var from *string
		if err := rows.Scan(&p.ID, &p.Name, &p.StartsOn, &p.EndsOn, &filter, &trigger, &p.TimeZone, &seasons, &exceptions, &extra, &supersedes,
			&window,
			&p.Basis,
			&p.WorkOrderPer, &p.MaxGapMonths, &p.LeadDays, &p.SuppressDays, &p.Stack, &p.CatchUp, &p.CalendarID, &p.NonWorkingDay, &p.LastDoneOn,
			&p.moved, &from, &p.TeamID, &p.count, &sites, &p.nested, &p.hours, &p.cost); err != nil {
			return nil, err
		}
		if err := decode(filter, &p.TargetFilter, trigger, &p.Trigger, seasons, &p.Seasons, exceptions, &p.ExceptionDates, extra, &p.ExtraDates,
			supersedes, &p.Supersedes, window, &p.Window, sites, &p.sites); err != nil {
			return nil, err
		}
		p.nested = p.nested || p.counted()
		if p.plannedFrom = dayOf(from); p.WorkOrderPer == "plan" {
			p.count, p.sites = 1, map[string]int{}
		}
		page, byID[p.ID] = append(page, p), p
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
	for _, p := range page {
		if !p.whole() { // what was due before is made, or was missed
			p.plannedFrom = later(p.plannedFrom, f.today.AddDate(0, 0, -daysBack))
		}
	}
	return page, f.readUnits(ctx, tx, byID)
}

// daysBack is how many days ago what is not made yet may have been due.
const daysBack = 40

// unitsSQL gives where the targets of plans stand: of those that are nested each by itself, of others how many stand at the same point.
const unitsSQL = `WITH o AS MATERIALIZED (
		SELECT * FROM pm_occurrence WHERE organization_id = current_organization() AND plan_id = ANY($1::uuid[])
		UNION ALL SELECT * FROM pm_occurrence WHERE organization_id = current_organization() AND plan_id = ANY($2::uuid[]) AND due_on >=
			$3::date),
	a AS (SELECT plan_id, target_id, max(done_on) FILTER (WHERE plan_id = ANY($1::uuid[])) AS last_done,
			coalesce(array_agg(occurrence ORDER BY occurrence) FILTER (WHERE ahead), '{}') AS ahead,
			coalesce(array_agg(occurrence ORDER BY occurrence) FILTER (WHERE state = 'generated'), '{}') AS keys,
			coalesce(array_agg(due_on::text ORDER BY occurrence) FILTER (WHERE state = 'generated'), '{}') AS due
		FROM o GROUP BY plan_id, target_id),
	l AS (SELECT DISTINCT ON (plan_id, target_id) plan_id, target_id, occurrence, state, sequence, own_date, due_on, done_on, suppressed_by,
			suppressed_key FROM o WHERE NOT ahead ORDER BY plan_id, target_id, sequence DESC, own_date DESC)
	SELECT a.plan_id::text, CASE WHEN a.plan_id = ANY($4::uuid[]) THEN a.target_id::text ELSE '' END, coalesce(l.occurrence, ''),
		coalesce(l.state, ''), coalesce(l.sequence, 0), l.own_date::text, l.due_on::text, l.done_on::text, a.last_done::text,
		coalesce(l.suppressed_by::text, ''), coalesce(l.suppressed_key, ''), a.ahead, a.keys, a.due, count(*)::integer
	FROM a LEFT JOIN l USING (plan_id, target_id) JOIN pm_plan p ON p.organization_id = current_organization() AND p.id = a.plan_id
	WHERE a.target_id = a.plan_id OR p.target_filter IS NOT NULL OR (a.plan_id, a.target_id) IN (SELECT n.id, (t->>'target_id')::uuid
		FROM pm_plan n, jsonb_array_elements(n.targets) t WHERE n.organization_id = current_organization() AND n.id = ANY($1::uuid[] ||
			$2::uuid[]))
	GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 ORDER BY 1, 2, 3`

// readUnits reads where the targets of plans stand that have had an occurrence.
func (f *forecaster) readUnits(ctx context.Context, tx pgx.Tx, byID map[string]*forecastPlan) error {
	whole, others, nested := []string{}, []string{}, []string{}
	days := daysBack
	for _, p := range byID {
		if p.whole() {
			whole = append(whole, p.ID)
		} else {
			others = append(others, p.ID)
		}
		if p.nested {
			nested, days = append(nested, p.ID), max(days, p.SuppressDays+62)
		}
	}
	rows, err := tx.Query(ctx, unitsSQL, whole, others, text(f.today.AddDate(0, 0, -2*daysBack)), nested)
	if err != nil {
		return err
	}
	for rows.Next() {
		u := &unit{}
		var plan, by, in string
		var own, due, done, last *string
		var keys, dues []string
		if err := rows.Scan(&plan, &u.id, &u.key, &u.state, &u.sequence, &own, &due, &done, &last, &by, &in, &u.ahead, &keys, &dues,
			&u.count); err != nil {
			return err
		}
		p := byID[plan]
		u.own, u.due, u.doneOn, u.lastDone = dayOf(own), dayOf(due), dayOf(done), dayOf(last)
		if u.lastDone.IsZero() {
			u.lastDone = dayOf(p.LastDoneOn)
		}
		if u.workOrderStatus, u.undone = &openStatus, len(keys) > 0; by != "" && done == nil {
			u.suppressed = []included{{u.key, by, in}}
		}
		for i, key := range keys {
			w := workToDo{key: key, due: dayOf(&dues[i])}
			w.done = later(w.due, f.today)
			u.work = append(u.work, w)
		}
		p.units = append(p.units, u)
	}
	if err := rows.Err(); err != nil || len(nested) == 0 {
		return err
	}
	rows, err = tx.Query(ctx, `SELECT plan_id::text, target_id::text, occurrence, state, sequence, due_on::text, done_on::text FROM
		pm_occurrence o
		WHERE o.organization_id = current_organization() AND o.plan_id = ANY($1::uuid[]) AND (o.due_on >= $2::date OR o.own_date >= $2::date
			OR o.sequence > 0 AND NOT EXISTS (SELECT FROM pm_occurrence n WHERE n.organization_id = o.organization_id AND n.plan_id = o.plan_id
				AND n.target_id = o.target_id AND n.sequence > o.sequence))
		ORDER BY sequence, own_date`, nested, text(f.today.AddDate(0, 0, -days)))
	if err != nil {
		return err
	}
	return eachLargerRow(rows, func(plan, target string, row largerRow) {
		byID[plan].rows[target] = append(byID[plan].rows[target], row)
	})
}

// fresh are the units of a plan that is not nested: where its targets stand, and those that have had nothing yet.
func (p *forecastPlan) fresh() []*unit {
	left := p.count
	for _, u := range p.units {
		left -= u.count
	}
	if left <= 0 {
		return p.units
	}
	return append(p.units, &unit{count: left, targetState: targetState{lastDone: dayOf(p.LastDoneOn)}})
}

// member is a plan in a walk, with the plans that include it.
func (f *forecaster) member(p *forecastPlan, units []*unit, larger []*largerPlan) *member {
	m := &member{planWork: p.work(f.today), of: p, as: &p.largerPlan, units: units, all: p.comingTo(f.to), startedOn: f.today}
	m.larger = larger
	return m
}

// addDays adds the work of a plan by its days.
func (f *forecaster) addDays(p *forecastPlan) {
	for _, day := range slices.SortedFunc(maps.Keys(p.days), time.Time.Compare) {
		f.add(p, day, p.days[day])
	}
	p.days = nil
}

func targetsOf(ctx context.Context, tx pgx.Tx, plan string) (targets []PMTarget, err error) {
	var text string
	if err := tx.QueryRow(ctx, "SELECT targets::text FROM pm_plan WHERE organization_id = current_organization() AND id = $1::uuid", plan).
		Scan(&text); err != nil {
		return nil, err
	}
	return targets, decode(text, &targets)
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
		found, _, err := f.find(ctx, *p.TargetFilter, maxFound)
		if err != nil {
			return err
		}
		for _, t := range found {
			targets = append(targets, t.PMTarget)
		}
	}
	records := make([]meters.UsageRecord, len(targets))
	for i, t := range targets {
		records[i] = meters.UsageRecord{ID: t.TargetID}
	}
	usages, err := f.usages(ctx, p.Trigger.Meter.Name, records)
	if err != nil {
		return err
	}
	f.checkUsed(p, records, usages)
	last := f.to
	if !p.schedule.EndsOn.IsZero() && p.schedule.EndsOn.Before(last) {
		last = p.schedule.EndsOn
	}
	for _, u := range usages {
		if u.Total == nil || u.Daily == nil {
			continue
		}
		for day, steps := range maintenance.DueSteps(f.today, last, *u.Total, p.Trigger.Meter.Every, *u.Daily) {
			f.add(p, p.schedule.At("", day).Due, steps)
		}
	}
	return nil
}

// checkUsed says of a plan by counters whether it is due some day on all its targets.
func (f *forecaster) checkUsed(p *forecastPlan, records []meters.UsageRecord, usages map[string]usage) {
	if p.Trigger.Gauge == nil && p.Trigger.Condition == nil && slices.ContainsFunc(records,
		func(r meters.UsageRecord) bool { return !usages[r.ID].runs() }) {
		f.missing(p, "meter_not_used")
	}
}

// runs reports whether a counter is used.
func (u usage) runs() bool { return u.Total != nil && u.Daily != nil && *u.Daily > 0 }

// add adds work orders of a plan that are due on a day.
func (f *forecaster) add(p *forecastPlan, due time.Time, n int) {
	if n <= 0 || due.Before(f.from) || due.After(f.to) {
		return
	}
	if f.each != nil {
		f.each(p, due, n)
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
