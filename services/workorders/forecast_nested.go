package workorders

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ams.internal/libs/domain/contracts/meters"
)

// addNested adds the work of plans that include each other. Each family of them is gone through together, for targets that are alike in all
// of them.
func (f *forecaster) addNested(ctx context.Context, plans []*forecastPlan) error {
	for _, p := range plans {
		if p.TargetFilter == nil {
			continue
		}
		found, _, err := f.find(ctx, *p.TargetFilter, maxFound)
		if err != nil {
			return err
		}
		for _, t := range found {
			p.Targets = append(p.Targets, t.PMTarget)
		}
	}
	for _, p := range plans {
		if !p.counted() {
			continue
		}
		if err := f.readUsage(ctx, p); err != nil {
			return err
		}
	}
	for _, family := range families(plans) {
		f.walk(f.members(family))
		for _, p := range family {
			f.addDays(p)
		}
	}
	return nil
}

// readUsage asks what the counters of the targets of a floating plan have run, now and when it began to count.
func (f *forecaster) readUsage(ctx context.Context, p *forecastPlan) (err error) {
	positions := map[string]targetState{}
	for _, u := range p.units {
		positions[u.id] = u.targetState
	}
	records := make([]meters.UsageRecord, len(p.Targets))
	for i, t := range p.Targets {
		s, known := positions[t.TargetID]
		if !known {
			s.lastDone = dayOf(p.LastDoneOn)
		}
		records[i] = usageSince(t.TargetID, s, p.plannedFrom, p.zone(ctx))
	}
	if p.usage, err = f.usages(ctx, p.Trigger.Meter.Name, records); err == nil {
		f.checkUsed(p, records, p.usage)
	}
	return err
}

// families are the plans that include each other, also by way of others.
func families(plans []*forecastPlan) [][]*forecastPlan {
	of := map[string]string{} // each plan's family, which is called after one of its plans
	for _, p := range plans {
		of[p.ID] = p.ID
	}
	for _, p := range plans {
		for _, smaller := range p.Supersedes {
			if from, active := of[smaller]; active && from != of[p.ID] {
				for id, family := range of {
					if family == from {
						of[id] = of[p.ID]
					}
				}
			}
		}
	}
	var all [][]*forecastPlan
	at := map[string]int{}
	for _, p := range plans {
		i, known := at[of[p.ID]]
		if !known {
			i = len(all)
			at[of[p.ID]], all = i, append(all, nil)
		}
		all[i] = append(all[i], p)
	}
	return all
}

// members are the plans of a family, on targets that stand for all that are like them.
func (f *forecaster) members(family []*forecastPlan) []*member {
	known := make([]map[string]*unit, len(family))
	in := make([]map[string]bool, len(family))
	var targets []string
	for i, p := range family {
		known[i], in[i], p.targets = map[string]*unit{}, map[string]bool{}, map[string]bool{}
		for _, u := range p.units {
			known[i][u.id] = u
		}
		for _, t := range p.Targets {
			in[i][t.TargetID], p.targets[t.TargetID] = true, true
			targets = append(targets, t.TargetID)
		}
	}
	slices.Sort(targets)
	standFor, counts := map[string]string{}, map[string]int{}
	for _, id := range slices.Compact(targets) {
		var alike strings.Builder
		for i, p := range family {
			fmt.Fprintf(&alike, "%t ", in[i][id])
			if run := p.usage[id]; run.runs() {
				fmt.Fprint(&alike, *run.Total, value(run.At), *run.Daily, " ")
			}
			if u := known[i][id]; u != nil {
				fmt.Fprint(&alike, u.targetState, u.work, u.suppressed, p.rows[id])
			}
			alike.WriteByte('\n')
		}
		if _, is := standFor[alike.String()]; !is {
			standFor[alike.String()] = id
		}
		counts[standFor[alike.String()]]++
	}
	members := make([]*member, len(family))
	for i, p := range family {
		var ids []string
		for id := range counts {
			if in[i][id] {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		add := func(id string, targets []string, count int) *unit {
			u := known[i][id]
			if u == nil {
				u = &unit{targetState: targetState{lastDone: dayOf(p.LastDoneOn)}}
			}
			u.id, u.targets, u.count = id, targets, count
			if run := p.usage[id]; run.runs() {
				u.total, u.counted, u.daily = *run.Total, value(run.At), *run.Daily
			}
			return u
		}
		var units []*unit
		if p.WorkOrderPer == "plan" && len(ids) > 0 {
			units = []*unit{add(p.ID, ids, 1)}
		} else {
			for _, id := range ids {
				units = append(units, add(id, []string{id}, counts[id]))
			}
		}
		var larger []*largerPlan
		for _, l := range family {
			if slices.Contains(l.Supersedes, p.ID) {
				larger = append(larger, &l.largerPlan)
			}
		}
		slices.SortFunc(larger, func(a, b *largerPlan) int { return strings.Compare(a.ID, b.ID) })
		members[i] = f.member(p, units, larger)
	}
	return members
}
