package assets

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// A statement of an asset's condition is a row of condition_assessment, also one that is reported on the asset itself. A statement of its
// costs is on those rows, and on the asset: the columns own_… have what was last stated there. The database says which statement drives,
// from all of them (derivedSQL), whenever one is written, changed or deleted.

// statements are what a change of an asset states on the asset itself; nil where it states nothing.
type statements struct {
	rating      *ratingStatement
	replacement *costStatement
	deferred    *costStatement
}

// ratingStatement is a rating, or nil where one is taken back.
type ratingStatement struct {
	SourceID string `json:"source_id"` // of the row that it becomes
	Rating   *int   `json:"rating"`
	On       string `json:"rated_on"`
	Method   string `json:"method"`
	Explicit bool   `json:"explicit"` // it came with a day or a method of its own
	Dated    bool   `json:"dated"`    // with a day
}

// costStatement is a cost, or nil where it is not known since that day.
type costStatement struct {
	Cost     *float64 `json:"cost"`
	Year     *int     `json:"year,omitempty"`      // whose prices it is in
	YearSent bool     `json:"year_sent,omitempty"` // else it stays that of the last statement on the asset
	On       *string  `json:"said_on"`
	Dated    bool     `json:"dated"` // it came with a day of its own
}

// prepareStatements reads what the changes state, and puts into each record what drives it then. A statement that is not new, as in each
// night's import, is left out: the record stays as it is.
func prepareStatements(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Asset]) error {
	today := resource.Today(ctx)
	var stating []*resource.Change[Asset]
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		readRating(c, today)
		readCosts(c, today)
		if s := c.After.stated; c.Before != nil && s != (statements{}) {
			stating = append(stating, c)
		}
	}
	if stating == nil {
		return nil
	}
	return derive(ctx, tx, stating)
}

// readRating reads what a change states of the condition. A new asset has it as stated; others keep theirs until derive.
func readRating(c *resource.Change[Asset], today string) {
	before, a := c.Before, c.After
	if before == nil {
		before = &Asset{}
	}
	s := ratingStatement{Rating: a.ConditionRating, On: today, Method: "reported"}
	s.Dated = a.ConditionAssessedOn != nil && !resource.Same(before.ConditionAssessedOn, a.ConditionAssessedOn)
	qualified := a.ConditionMethod != nil && !resource.Same(before.ConditionMethod, a.ConditionMethod)
	if s.Explicit = s.Dated || qualified; s.Dated {
		s.On = *a.ConditionAssessedOn
	}
	if qualified || s.Dated && a.ConditionMethod != nil && c.Sets("condition_method") {
		s.Method = *a.ConditionMethod
	}
	a.ConditionRating, a.ConditionAssessedOn, a.ConditionMethod = before.ConditionRating, before.ConditionAssessedOn, before.ConditionMethod
	switch {
	case s.Rating == nil && s.Dated:
		c.FieldError("condition_assessed_on", "is the day of a condition_rating; give one with it")
	case s.Rating == nil && qualified:
		c.FieldError("condition_method", "is the method of a condition_rating; give one with it")
	case s.On > today:
		c.FieldError("condition_assessed_on", "must not be in the future")
	case s.Explicit:
	case resource.Same(before.ConditionRating, s.Rating):
		return // the same rating without a day
	case s.Rating != nil && resource.Same(before.ReportedConditionRating, s.Rating):
		return // what was reported last, though something else drives
	}
	s.SourceID = uuid.Must(uuid.NewV7()).String()
	if a.stated.rating = &s; c.Before == nil {
		a.ConditionRating, a.ConditionAssessedOn, a.ConditionMethod, a.ConditionSourceID = s.Rating, &s.On, &s.Method, &s.SourceID
		if s.Method == "reported" || s.Method == "age_based" {
			a.ReportedConditionRating = s.Rating
		}
	}
}

// readCosts reads what a change states of the costs. A new asset has them as stated; others keep theirs until derive.
func readCosts(c *resource.Change[Asset], today string) {
	a := c.After
	if on := a.ReplacementCostAsOf; on != nil && *on > today {
		c.FieldError("replacement_cost_as_of", "must not be in the future")
	}
	if on := a.DeferredMaintenanceAsOf; on != nil && *on > today {
		c.FieldError("deferred_maintenance_as_of", "must not be in the future")
	}
	b := c.Before
	if b == nil {
		a.ReplacementCostAsOf = firstDay(a.ReplacementCost, a.ReplacementCostAsOf, a.ReplacementCostYear, today)
		a.DeferredMaintenanceAsOf = firstDay(a.DeferredMaintenanceCost, a.DeferredMaintenanceAsOf, a.ReplacementCostYear, today)
		return
	}
	same := resource.Same(b.ReplacementCost, a.ReplacementCost) && resource.Same(b.ReplacementCostYear, a.ReplacementCostYear)
	a.stated.replacement = costStatementOf(a.ReplacementCost, b.ReplacementCostAsOf, a.ReplacementCostAsOf, same, today)
	if r := a.stated.replacement; r != nil {
		fresh := c.Sets("replacement_cost") && !c.Sets("replacement_cost_year") // not what is shown with another day or year
		if r.YearSent = !fresh || r.Dated; !fresh {
			r.Year = a.ReplacementCostYear
		}
	}
	if a.rejectTyped(&b.Lifecycle, c.Sets, c.Reject) {
		rejectDay(c)
	} else {
		a.stated.deferred = costStatementOf(a.DeferredMaintenanceCost, b.DeferredMaintenanceAsOf, a.DeferredMaintenanceAsOf,
			resource.Same(b.DeferredMaintenanceCost, a.DeferredMaintenanceCost), today)
	}
	a.ReplacementCost, a.ReplacementCostYear, a.ReplacementCostAsOf = b.ReplacementCost, b.ReplacementCostYear, b.ReplacementCostAsOf
	a.DeferredMaintenanceCost, a.DeferredMaintenanceAsOf = b.DeferredMaintenanceCost, b.DeferredMaintenanceAsOf
}

// rejectDay objects to a day of a deferred maintenance that follows from deficiencies, which have days of their own.
func rejectDay(c *resource.Change[Asset]) {
	if on := c.After.DeferredMaintenanceAsOf; on != nil && c.Sets("deferred_maintenance_as_of") {
		c.Reject(fault.Conflict("derived_from_deficiencies", "deferred_maintenance_as_of", *on,
			"The deferred maintenance follows from the asset's deficiencies, which say when they were found; leave deferred_maintenance_as_of out."))
	}
}

// costStatementOf is what a change of a record states of a cost; nil where cost and day are the same, or the day is left out.
func costStatementOf(cost *float64, before, on *string, same bool, today string) *costStatement {
	s := &costStatement{Cost: cost, On: on, Dated: on != nil && !resource.Same(before, on)}
	switch {
	case same && !s.Dated:
		return nil
	case !s.Dated:
		s.On = &today
	}
	return s
}

// firstDay is the day of a cost that a new record has: 1 January of the year whose prices it is in, unless it is given.
func firstDay(cost *float64, on *string, year *int, today string) *string {
	if cost == nil || on != nil || year == nil {
		return on
	}
	day := min(ofYear("", *year).day, today)
	return &day
}

// derive puts into the records what drives them once the changes are written, and takes statements that turn out not to be
// new out of stated.
func derive(ctx context.Context, tx pgx.Tx, stating []*resource.Change[Asset]) error {
	input, ids := make([]map[string]any, len(stating)), make([]string, len(stating))
	of := map[string]*Asset{}
	for i, c := range stating {
		s := c.After.stated
		input[i] = map[string]any{"asset_id": c.ID(), "rating": s.rating, "replacement": s.replacement, "deferred": s.deferred}
		ids[i], of[c.ID()] = c.ID(), c.After
	}
	document, err := json.Marshal(input)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT d.id::text, d.rating_is_new, d.replacement_is_new, d.deferred_is_new,
			d.condition_rating, d.condition_assessed_on::text, d.condition_method, d.condition_source_id::text, d.reported_condition_rating,
			d.replacement_cost::float8, d.replacement_cost_year, d.replacement_cost_as_of::text,
			d.deferred_maintenance_cost::float8, d.deferred_maintenance_as_of::text
		FROM (`+derivedSQL("current_organization()", "$1", "$2")+`) d`, string(document), ids)
	if err != nil {
		return err
	}
	var id string
	var rated, replaced, deferred bool
	var d Asset
	_, err = pgx.ForEachRow(rows, []any{&id, &rated, &replaced, &deferred,
		&d.ConditionRating, &d.ConditionAssessedOn, &d.ConditionMethod, &d.ConditionSourceID, &d.ReportedConditionRating,
		&d.ReplacementCost, &d.ReplacementCostYear, &d.ReplacementCostAsOf, &d.DeferredMaintenanceCost, &d.DeferredMaintenanceAsOf,
	}, func() error {
		of[id].take(rated, replaced, deferred, d)
		return nil
	})
	return err
}

// take sets what the new statements derive, and forgets those that are not new.
func (a *Asset) take(rated, replaced, deferred bool, d Asset) {
	if !rated {
		a.stated.rating = nil
	} else {
		a.ConditionRating, a.ConditionAssessedOn, a.ConditionMethod = d.ConditionRating, d.ConditionAssessedOn, d.ConditionMethod
		a.ConditionSourceID, a.ReportedConditionRating = d.ConditionSourceID, d.ReportedConditionRating
	}
	if !replaced {
		a.stated.replacement = nil
	} else {
		a.ReplacementCost, a.ReplacementCostYear, a.ReplacementCostAsOf = d.ReplacementCost, d.ReplacementCostYear, d.ReplacementCostAsOf
	}
	if !deferred {
		a.stated.deferred = nil
	} else {
		a.DeferredMaintenanceCost, a.DeferredMaintenanceAsOf = d.DeferredMaintenanceCost, d.DeferredMaintenanceAsOf
	}
}
