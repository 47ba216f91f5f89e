package infrastructure

import (
	"fmt"
	"strings"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// What follows from other fields of a segment unless it is given: whether it is paved, since when it is out of use, and of which day its
// costs are.

// surfaces are the words of surface_type from which paved follows.
var surfaces = map[string]bool{
	"asphalt": true, "concrete": true, "surface_treated": true, "paver": true, "brick": true,
	"gravel": false, "earth": false, "dirt": false, "granular": false,
}

// pave computes paved from the surface, unless it is given. A computed value that is sent back unchanged counts as computed.
func (s *Segment) pave(before *Segment) {
	if s.Paved != nil && !(before.PavedComputed && resource.Same(s.Paved, before.Paved)) {
		s.PavedComputed = false
		return
	}
	s.Paved, s.PavedComputed = nil, false
	if s.SurfaceType != nil {
		if paved, known := surfaces[strings.ToLower(strings.TrimSpace(*s.SurfaceType))]; known {
			s.Paved, s.PavedComputed = &paved, true
		}
	}
}

// leave stamps the first day on which a segment no longer stood at the move to abandoned or removed, unless it is given, and clears it on
// the way back. One that is created in such a state is not stamped: it may have been gone for years.
func (s *Segment) leave(c *resource.Change[Segment], today string) {
	if !s.retired() {
		if c.Before != nil && resource.Same(s.OutOfUseOn, c.Before.OutOfUseOn) {
			s.OutOfUseOn = nil
		}
		if s.OutOfUseOn != nil {
			c.FieldError("out_of_use_on", "is the day on which it was abandoned or removed; it is %s: send the status too, or leave the day out",
				s.Status)
		}
		return
	}
	if s.OutOfUseOn == nil && c.Before != nil && !c.Before.retired() {
		s.OutOfUseOn = &today
	}
	switch {
	case s.OutOfUseOn == nil:
	case *s.OutOfUseOn > today:
		c.FieldError("out_of_use_on", "must not be in the future")
	case s.InstallDate != nil && *s.OutOfUseOn < *s.InstallDate:
		c.FieldError("out_of_use_on", "(%s) must not be before install_date (%s)", *s.OutOfUseOn, *s.InstallDate)
	case s.InstallYear != nil && (*s.OutOfUseOn)[:4] < fmt.Sprintf("%04d", *s.InstallYear):
		c.FieldError("out_of_use_on", "(%s) must not be before install_year (%d)", *s.OutOfUseOn, *s.InstallYear)
	}
}

// rejectToCome objects to a status of what lies there while the installation is to come. What was stored so stays until one of the two is
// changed.
func (s *Segment) rejectToCome(c *resource.Change[Segment], today string) {
	if c.Before != nil && c.Before.Status == s.Status && resource.Same(c.Before.InstallDate, s.InstallDate) &&
		resource.Same(c.Before.InstallYear, s.InstallYear) {
		return
	}
	mayWait := c.Before == nil || c.Before.Status == "planned"
	switch {
	case s.InstallDate != nil:
		indicators.Installation{Field: "install_date", Shown: *s.InstallDate, Day: *s.InstallDate}.
			RejectToCome(s.Status, today, mayWait, c.FieldError)
	case s.InstallYear != nil:
		indicators.Installation{Field: "install_year", Shown: *s.InstallYear, Day: fmt.Sprintf("%04d-01-01", *s.InstallYear)}.
			RejectToCome(s.Status, today, mayWait, c.FieldError)
	}
}

// dateCosts says of which day the costs are, unless that is given: of a new segment 1 January of the price year, else not known; of a cost
// that changes, today. A cost that is computed from the length is as old as the cost per metre. Its price year goes with it: a cost that
// changes without one is in prices of its day.
func (s *Segment) dateCosts(c *resource.Change[Segment], today string) {
	before := c.Before
	if before == nil {
		before = &Segment{}
	}
	if c.Before != nil && !sameCost(s, before) && !c.Sets("replacement_cost_year") {
		s.ReplacementCostYear = nil
	}
	changed := !sameCost(s, before) || !resource.Same(s.ReplacementCostYear, before.ReplacementCostYear)
	for _, cost := range []struct {
		field    string
		day, was **string
		changed  bool
		isGiven  bool
	}{
		{"replacement_cost_as_of", &s.ReplacementCostAsOf, &before.ReplacementCostAsOf, changed,
			s.ReplacementCost != nil || s.ReplacementUnitCostPerM != nil},
		{"deferred_maintenance_as_of", &s.DeferredMaintenanceAsOf, &before.DeferredMaintenanceAsOf,
			!resource.Same(s.DeferredMaintenanceCost, before.DeferredMaintenanceCost), s.DeferredMaintenanceCost != nil},
	} {
		switch {
		case *cost.day != nil && !resource.Same(*cost.day, *cost.was):
			if **cost.day > today {
				c.FieldError(cost.field, "must not be in the future")
			}
		case c.Before != nil && cost.changed:
			*cost.day = &today
		case c.Before == nil && cost.isGiven && s.ReplacementCostYear != nil:
			day := min(fmt.Sprintf("%04d-01-01", *s.ReplacementCostYear), today)
			*cost.day = &day
		}
	}
}

// sameCost reports whether two segments state the same of what replacing them costs: the same cost, or the same cost per metre.
func sameCost(a, b *Segment) bool {
	statedCost := func(s *Segment) (cost, perMetre *float64) {
		if s.ReplacementCost != nil && !s.ReplacementCostComputed {
			return s.ReplacementCost, nil
		}
		return nil, s.ReplacementUnitCostPerM
	}
	costA, perMetreA := statedCost(a)
	costB, perMetreB := statedCost(b)
	return resource.Same(costA, costB) && resource.Same(perMetreA, perMetreB)
}
