package workorders

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/contracts/meters"
	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/workhours"
)

// task is the planner's work on one plan.
type planWork struct {
	*planner
	plan        *PMPlan
	schedule    maintenance.Schedule
	plannedFrom time.Time
	loaded      *time.Time // next_action_at when the plan was read
	zone        *time.Location
	today       time.Time
	job         *JobPlan
	coming      []maintenance.Occurrence // of a fixed plan by dates, what may open by now and the next ones
	larger      []*largerPlan
	usage       map[string]usage        // by target, of a plan by a meter
	gauges      map[string]meters.Gauge // by target
	force       *forced                 // somebody asks for one occurrence before its turn
	next        time.Time               // when something opens next; zero: nobody knows
	made        int
	left        bool // to another instance, which works on it, or to the next look, as it was changed
}

// forced is an occurrence that somebody asks for.
type forced struct{ key, target, reason string }

// planTarget is a record that a plan is for, as its owner says it is now.
type planTarget struct {
	PMTarget
	entry  reference.Entry
	rating *int
}

// work makes what is due of a plan.
func (p *planner) work(ctx context.Context, id string) error {
	w, err := p.load(ctx, id)
	if err != nil || w == nil {
		return err
	}
	return w.run(ctx)
}

// load reads a plan with everything that its dates depend on; nil where there is no such plan or it makes no work.
func (p *planner) load(ctx context.Context, id string) (*planWork, error) {
	w := &planWork{planner: p, plan: &PMPlan{}}
	var moved string
	var from *string
	var hours map[string]*workhours.Hours
	found := false
	err := p.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		shown, err := p.registry.Show(ctx, tx, "pm_plans", id)
		if fault.KindNotFound == kindOf(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(shown.Body, w.plan); err != nil {
			return err
		}
		found = true
		if err := tx.QueryRow(ctx, `SELECT moved::text, planned_from::text, next_action_at FROM pm_plan
			WHERE organization_id = current_organization() AND id = $1::uuid`, id).Scan(&moved, &from, &w.loaded); err != nil {
			return err
		}
		jobs, err := jobPlansOf(ctx, tx, []string{w.plan.JobPlanID})
		if w.job = jobs[w.plan.JobPlanID]; err != nil {
			return err
		}
		if w.plan.CalendarID != nil {
			if hours, err = storedHours(ctx, tx, []string{*w.plan.CalendarID}); err != nil {
				return err
			}
		}
		w.larger, err = p.largerPlans(ctx, tx, id)
		return err
	})
	if err != nil || !found || w.plan.Status != "active" || w.job == nil {
		return nil, err
	}
	if w.schedule, err = w.plan.scheduleMoved(moved, hours); err != nil {
		return nil, err
	}
	w.zone = w.plan.zone(ctx)
	w.today = maintenance.DayOf(p.now(), w.zone)
	w.plannedFrom = dayOf(from)
	w.coming = comingOf(w.schedule, w.plannedFrom, w.today, furtherOn)
	return w, nil
}

// furtherOn is how many occurrences that open later are looked at: those of the next ones that were skipped or
// made already are passed over.
const furtherOn = 25

// comingOf are the occurrences of a fixed plan by dates that open by today, and some further ones. Those that somebody put on another day
// are looked at whenever they are.
func comingOf(s maintenance.Schedule, from, today time.Time, further int) []maintenance.Occurrence {
	if s.Rule == nil {
		return nil
	}
	var all []maintenance.Occurrence
	later := 0
	for o := range s.Fixed(from.AddDate(0, 0, -40)) {
		_, isMoved := s.Moved[o.Key]
		if o.Due.Before(from) {
			continue
		}
		all = append(all, o)
		if o.Opens.After(today) && !isMoved {
			if later++; later == further {
				break
			}
		}
	}
	return all
}

// run finds out which targets have something due, asks their owners, and writes in batches.
func (w *planWork) run(ctx context.Context) error {
	targets, err := w.targets(ctx)
	if err != nil || targets == nil {
		return err
	}
	if err := w.readMeters(ctx, targets); err != nil {
		return err
	}
	if w.plan.WorkOrderPer == "plan" {
		return w.write(ctx, []planTarget{{PMTarget: PMTarget{"plan", w.plan.ID}}}, targets, true)
	}
	if len(targets) == 0 {
		return w.write(ctx, nil, nil, true)
	}
	for start := 0; start < len(targets); start += batchTargets {
		end := min(start+batchTargets, len(targets))
		if err := w.write(ctx, targets[start:end], nil, end == len(targets)); err != nil || w.left {
			return err // going on would move next_action_at behind a batch that was not looked at
		}
		if w.afterBatch != nil {
			w.afterBatch()
		}
	}
	return nil
}

// targets gives what the plan is for now; nil where it is paused because that is too much.
func (w *planWork) targets(ctx context.Context) ([]planTarget, error) {
	targets := []planTarget{}
	if f := w.plan.TargetFilter; f != nil {
		limit := maxFound
		if w.plan.WorkOrderPer == "plan" {
			limit = batchTargets
		}
		found, total, err := w.find(ctx, *f, limit)
		if err != nil {
			return nil, err
		}
		if total > limit {
			return nil, w.pause(ctx, fmt.Sprintf("The filter finds %d records; a plan is for at most %d.", total, limit))
		}
		return found, nil
	}
	wanted := map[string][]string{}
	for _, t := range w.plan.Targets {
		wanted[t.TargetType] = append(wanted[t.TargetType], t.TargetID)
	}
	entries := map[string]map[string]reference.Entry{}
	ratings := map[string]int{}
	for kind, ids := range wanted {
		var err error
		if entries[kind], err = w.entries(ctx, collections[kind], slices.Clone(ids)); err != nil {
			return nil, err
		}
		if w.plan.Trigger.Condition == nil {
			continue
		}
		for chunk := range slices.Chunk(ids, 100) {
			page, err := w.list(ctx, PMTargetFilter{collections[kind], "ids=" + joined(chunk)}, 1, 100)
			if err != nil {
				return nil, err
			}
			for _, row := range page.Data {
				if row.ConditionRating != nil {
					ratings[row.ID] = *row.ConditionRating
				}
			}
		}
	}
	for _, t := range w.plan.Targets {
		made := planTarget{PMTarget: t, entry: entries[t.TargetType][t.TargetID]}
		if rating, known := ratings[t.TargetID]; known {
			made.rating = &rating
		}
		targets = append(targets, made)
	}
	return targets, nil
}

func joined(ids []string) string {
	all := ""
	for i, id := range ids {
		if i > 0 {
			all += ","
		}
		all += id
	}
	return all
}

// find gives the records that a filter finds, and how many they are: no records where they are more than limit.
func (o orders) find(ctx context.Context, filter PMTargetFilter, limit int) (found []planTarget, total int, err error) {
	const perPage = 1000
	kind := o.registry.Catalogue.Must(filter.Collection).Singular
	found = []planTarget{}
	for page := 1; ; page++ {
		list, err := o.list(ctx, filter, page, perPage)
		if err != nil {
			return nil, 0, err
		}
		if total = list.Pagination.Total; total > limit {
			return nil, total, nil
		}
		for _, row := range list.Data {
			references := map[string]string{}
			for name, id := range map[string]*string{"site_id": row.SiteID, "building_id": row.BuildingID, "system_id": row.SystemID} {
				if id != nil {
					references[name] = *id
				}
			}
			entry := reference.Entry{ID: row.ID, Status: row.Status, References: references}
			if row.Name != nil {
				entry.Name = *row.Name
			}
			found = append(found, planTarget{PMTarget{kind, row.ID}, entry, row.ConditionRating})
		}
		if len(list.Data) < perPage {
			return found, total, nil
		}
	}
}

// pause stops a plan that cannot go on, and says why.
func (w *planWork) pause(ctx context.Context, because string) error {
	return w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := w.registry.UpdateWhere(ctx, tx, "pm_plans", []string{"status", "paused_because"}, `
			SELECT p.id, 'paused' AS status, $3::text AS paused_because FROM pm_plan p
			WHERE p.organization_id = $1 AND p.id = $2::uuid AND p.status = 'active'`, w.plan.ID, because); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE pm_plan SET next_action_at = NULL
			WHERE organization_id = current_organization() AND id = $1::uuid`, w.plan.ID)
		return err
	})
}

// kindOf is the kind of an error that a caller may see; empty for others.
func kindOf(err error) fault.Kind {
	if known, is := err.(*fault.Error); is { //nolint:errorlint // as it comes from Show
		return known.Kind
	}
	return ""
}
