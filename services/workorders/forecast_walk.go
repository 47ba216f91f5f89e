package workorders

import (
	"slices"
	"time"

	"ams.internal/libs/domain/maintenance"
)

// member is a plan in a forecast, with the plans that it is nested with. Its days follow from the planner's own decisions, taken ahead of
// time: on each day on which the planner would find something, for what a target then stands at, as if everything that is made were done on
// the day on which it is due. What is late is done at once.
type member struct {
	*planWork
	of        *forecastPlan
	all       []maintenance.Occurrence // of a plan by dates, as far as the forecast needs them
	as        *largerPlan              // as those see it that it includes
	units     []*unit
	startedOn time.Time // the first day of the forecast
	reacts    bool      // what is done changes when something is due, of this plan or of one that it is nested with
}

// unit are targets of a plan that stand at the same point, or the whole plan where one work order is for all of them.
type unit struct {
	targetState
	id         string // of one of them
	targets    []string
	count      int
	from       int // in all: everything before it is made
	work       []workToDo
	suppressed []included // what larger work is still to be done for
	polled     bool
	next       time.Time // when the planner finds something again

	total, counted, daily float64 // of its counter: today, when the work was last done, and what it runs a day; 0 where it does not run
}

// workToDo is a work order that is still to be done.
type workToDo struct {
	key       string
	due, done time.Time
}

// included is an occurrence of a plan that larger work makes superfluous, and that work.
type included struct{ own, plan, key string }

// comingTo are the occurrences of a fixed plan by dates that a forecast up to a day may come to: those that max_gap_months bring forward
// run ahead of the rule.
func (p *forecastPlan) comingTo(to time.Time) []maintenance.Occurrence {
	if p.schedule.Rule == nil {
		return nil
	}
	further := furtherOn + len(p.schedule.Moved)
	if p.MaxGapMonths != nil {
		further += maintenance.Days(p.plannedFrom, to)/(28**p.MaxGapMonths) + 1
	}
	return comingOf(p.schedule, p.plannedFrom, to, further)
}

// walk goes through the days of plans that are nested with each other, or of one that is not.
func (f *forecaster) walk(members []*member) {
	for _, m := range members {
		for _, u := range m.units {
			for _, w := range u.work {
				m.of.add(w.due, u.count)
			}
		}
		m.reacts = slices.ContainsFunc(members, func(m *member) bool { return m.schedule.Rule == nil || m.plan.MaxGapMonths != nil })
	}
	for day := f.today; !day.After(f.to); {
		for _, m := range members {
			for _, u := range m.units {
				m.finish(u, day, members)
			}
		}
		next := f.to.AddDate(0, 0, 1)
		for _, m := range members {
			for _, u := range m.units {
				if at := m.poll(u, day, members); at.Before(next) {
					next = at
				}
			}
		}
		day = next
	}
}

// finish does the work that was due before a day.
func (m *member) finish(u *unit, day time.Time, members []*member) {
	u.work = slices.DeleteFunc(u.work, func(w workToDo) bool {
		if !w.done.Before(day) {
			return false
		}
		if w.key == u.key && u.state == "generated" {
			u.state, u.doneOn = "done", w.done
		}
		m.did(u, w.done)
		u.polled = u.polled && !m.reacts
		m.notify(u, w.key, "done", w.done, members)
		return true
	})
	u.undone = len(u.work) > 0
}

// notify says that an occurrence was done: so is what it includes, also by way of others.
func (m *member) notify(u *unit, key, state string, on time.Time, members []*member) {
	for i, row := range m.as.rows[u.id] {
		if row.key == key {
			m.as.rows[u.id][i].state, m.as.rows[u.id][i].doneOn = state, on
		}
	}
	for _, smaller := range members {
		for _, s := range smaller.units {
			if s.id != u.id && m.plan.WorkOrderPer != "plan" && smaller.plan.WorkOrderPer != "plan" {
				continue
			}
			of := func(in included) bool { return in.plan == m.plan.ID && in.key == key }
			for _, in := range slices.DeleteFunc(slices.Clone(s.suppressed), func(in included) bool { return !of(in) }) {
				if s.state == "suppressed" && s.key == in.own {
					s.doneOn = on
				}
				smaller.did(s, on)
				s.polled = false
				smaller.notify(s, in.own, "suppressed", on, members)
			}
			s.suppressed = slices.DeleteFunc(s.suppressed, of)
		}
	}
}

// did notes that work was done on a day: a floating plan goes on from it, and from what its counter shows by the end of that day.
func (m *member) did(u *unit, on time.Time) {
	if on.After(u.lastDone) {
		u.lastDone, u.counted = on, u.total+u.daily*float64(maintenance.Days(m.startedOn, on))
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// poll makes what the planner makes on a day, and gives the day on which something happens next.
func (m *member) poll(u *unit, day time.Time, members []*member) time.Time {
	if !u.polled || !u.next.After(day) {
		for again := true; again; {
			again = m.decideOn(u, day, members)
		}
		u.polled, u.next = true, m.next
	}
	next := u.next
	if next.IsZero() {
		next = day.AddDate(1000, 0, 0)
	}
	for _, w := range u.work {
		if at := w.done.AddDate(0, 0, 1); m.reacts && at.Before(next) {
			next = at
		}
	}
	return next
}

// decideOn makes what is due of a plan on a day, and reports whether that was anything.
func (m *member) decideOn(u *unit, day time.Time, members []*member) bool {
	m.today, m.next = day, time.Time{}
	var made, missed []maintenance.Occurrence
	if m.schedule.Rule != nil {
		m.coming = m.comingOn(u, day)
		made, missed = m.decideFixed(u.targetState)
	} else if o, is := m.nextCycle(u); is {
		made = []maintenance.Occurrence{o}
	}
	before := u.targetState
	for _, o := range missed {
		m.record(u, o, "missed", time.Time{})
	}
	for i, o := range made {
		m.make(u, o, before, i == 0, day, members)
	}
	return len(made)+len(missed) > 0
}

// nextCycle is the next cycle of a floating plan where it is made today: by its interval, or by the use of its counter.
func (m *member) nextCycle(u *unit) (maintenance.Occurrence, bool) {
	if m.schedule.Interval != nil {
		o, more := m.cycle(u.targetState)
		if !more || m.opens(o) {
			return o, more
		}
	}
	if m.plan.Trigger.Meter == nil || u.daily <= 0 || m.over() || u.waits() {
		return maintenance.Occurrence{}, false
	}
	reached, runs := maintenance.MeterDue(m.startedOn, u.total, u.counted+m.plan.Trigger.Meter.Every, u.daily)
	if !runs {
		return maintenance.Occurrence{}, false
	}
	if reached.After(m.today) {
		m.opensAt(reached)
		return maintenance.Occurrence{}, false
	}
	return m.schedule.At(maintenance.Cycle(u.sequence+1), m.today), true
}

// comingOn are the occurrences that a target may come to on a day, as the planner would read them.
func (m *member) comingOn(u *unit, day time.Time) []maintenance.Occurrence {
	for ; u.from < len(m.all); u.from++ {
		o := m.all[u.from]
		_, moved := m.schedule.Moved[o.Key]
		if !slices.Contains(u.ahead, o.Key) && (moved || u.own.IsZero() || o.Date.After(u.own)) {
			break
		}
	}
	to, later := u.from, 0
	for ; to < len(m.all) && later < 2+len(m.schedule.Moved)+len(u.ahead); to++ {
		if m.all[to].Opens.After(day) {
			later++
		}
	}
	return m.all[u.from:to]
}

// make makes an occurrence, unless larger work includes it.
func (m *member) make(u *unit, o maintenance.Occurrence, before targetState, first bool, day time.Time, members []*member) {
	for _, l := range members {
		if slices.Contains(m.larger, l.as) {
			l.show(o, day, u.targets[0])
		}
	}
	var since time.Time
	if m.plan.Basis == "floating" {
		since = before.lastDone
	}
	if l, in := m.includedIn(o, u.targets, since); l != nil {
		m.record(u, o, "suppressed", in.doneOn)
		if in.doneOn.IsZero() {
			u.suppressed = append(u.suppressed, included{o.Key, l.ID, in.key})
		} else {
			m.notify(u, o.Key, "suppressed", in.doneOn, members)
		}
		return
	}
	if first && !m.plan.Stack && before.open() {
		m.serve(u, before.key, o.Key, members)
	}
	m.record(u, o, "generated", time.Time{})
	u.work, u.undone = append(u.work, workToDo{o.Key, o.Due, later(o.Due, day)}), true
	m.of.add(o.Due, u.count)
}

// serve lets the work order of the occurrence before serve the one that opened: it is counted with that.
func (m *member) serve(u *unit, earlier, key string, members []*member) {
	u.work = slices.DeleteFunc(u.work, func(w workToDo) bool {
		if w.key == earlier {
			m.of.add(w.due, -u.count)
		}
		return w.key == earlier
	})
	for i, row := range m.as.rows[u.id] {
		if row.key == earlier {
			m.as.rows[u.id][i].state = "missed"
		}
	}
	for _, smaller := range members {
		for _, s := range smaller.units {
			for i, in := range s.suppressed {
				if in.plan == m.plan.ID && in.key == earlier {
					s.suppressed[i].key = key
				}
			}
		}
	}
}

// record notes an occurrence that there is now.
func (m *member) record(u *unit, o maintenance.Occurrence, state string, doneOn time.Time) {
	n := sequenceOf(o.Key)
	m.as.rows[u.id] = append(m.as.rows[u.id], largerRow{key: o.Key, state: state, sequence: n, due: o.Due, doneOn: doneOn})
	m.did(u, doneOn)
	if _, moved := m.schedule.Moved[o.Key]; moved && n == 0 {
		u.ahead = append(u.ahead, o.Key)
		return
	}
	u.key, u.state, u.sequence, u.own, u.due, u.doneOn = o.Key, state, n, o.Date, o.Due, doneOn
	u.workOrderStatus = &openStatus
}

var openStatus = "open"

// show says what the plan is expected to do on a target about the day on which an occurrence of a smaller one is due.
func (m *member) show(o maintenance.Occurrence, day time.Time, target string) {
	if m.schedule.Rule == nil {
		return
	}
	days := m.plan.SuppressDays + 31
	at := func(day time.Time) int {
		i, _ := slices.BinarySearchFunc(m.all, day, func(o maintenance.Occurrence, day time.Time) int { return o.Date.Compare(day) })
		return i
	}
	m.as.coming = m.all[at(o.Due.AddDate(0, 0, -days)):at(o.Due.AddDate(0, 0, days+1))]
	if m.plan.MaxGapMonths == nil {
		return
	}
	m.as.first = map[string]maintenance.Occurrence{}
	for _, u := range m.units {
		if u.id != target && m.plan.WorkOrderPer != "plan" {
			continue
		}
		m.coming = m.comingOn(u, day)
		for next := range m.toCome(u.targetState) {
			m.as.first[u.id] = next
			break
		}
	}
}
