package assets

import (
	"fmt"
	"slices"
	"strconv"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// OutOfUse is since when something no longer stands. It is embedded in everything that may stop to.
type OutOfUse struct {
	OutOfUseOn *string `json:"out_of_use_on" format:"date" filter:"range" sort:"true" doc:"The first day on which it no longer stood, not in the future and not before it was installed or built. Stamped when its status says that it is gone for good, unless it is given; cleared on the way back." example:"2026-03-01"`
}

// retiredStates are the states of what is out of use for good: they count for nothing (indicators.Counts), and are not planned.
var retiredStates = []string{"decommissioned", "disposed", "demolished"}

// retirement is what the rules of out_of_use_on need to know of a change.
type retirement struct {
	date, before         **string // of the record after and before the change; before is nil on create
	status, statusBefore string
	installed            []bound // the days before which it did not stand
	disposed             *string // disposed_on
	changed              bool    // one of the other dates
	fieldError           func(field, format string, args ...any)
}

// rejectToCome objects to a status of what stands while the day of installation is to come. What was stored so stays until one of the two
// is changed.
func (r retirement) rejectToCome(today string) {
	if r.before != nil && !r.changed && r.status == r.statusBefore {
		return
	}
	for _, b := range r.installed {
		indicators.Installation{Field: b.field, Shown: b.shown, Day: b.day}.RejectToCome(r.status, today,
			r.before == nil || r.statusBefore == "planned", r.fieldError)
	}
}

// bound is a field, and the earliest day that it leaves.
type bound struct {
	field, shown, day string
}

func (r retirement) check(today string) {
	r.rejectToCome(today)
	retired := slices.Contains(retiredStates, r.status)
	wasRetired := r.before != nil && slices.Contains(retiredStates, r.statusBefore)
	given := *r.date != nil && (r.before == nil || !resource.Same(*r.before, *r.date))
	switch {
	case !retired && given:
		r.fieldError("out_of_use_on", "is for what is gone for good; leave it out while status is %s", r.status)
		return
	case !retired:
		*r.date = nil
		return
	case !wasRetired && !given:
		*r.date = r.stamp(today)
		return
	case *r.date == nil || !given && !r.changed:
		return
	}
	if **r.date > today {
		r.fieldError("out_of_use_on", "must not be in the future")
	}
	for _, b := range r.installed {
		if **r.date < b.day {
			contradict(r.fieldError, "out_of_use_on", **r.date, b)
		}
	}
	if r.disposed != nil && **r.date > *r.disposed {
		contradict(r.fieldError, "disposed_on", *r.disposed, bound{"out_of_use_on", **r.date, **r.date})
	}
}

// stamp is the day of a move today, or of the disposal where that was before. It is nil for what is entered as gone without a day, and
// for what was never installed.
func (r retirement) stamp(today string) *string {
	day := today
	switch {
	case r.disposed != nil:
		day = min(today, *r.disposed)
	case r.before == nil:
		return nil
	}
	for _, b := range r.installed {
		if day < b.day {
			return nil
		}
	}
	return &day
}

// contradict objects to a day that is before what another field leaves, naming both fields.
func contradict(fieldError func(field, format string, args ...any), field, day string, b bound) {
	fieldError(field, "must not be before %s (%s)", b.field, b.shown)
	fieldError(b.field, "must not be after %s (%s)", field, day)
}

// installed is from which day on something with this lifecycle may have stood.
func (l *Lifecycle) installed() []bound {
	switch {
	case l.InstallDate != nil:
		return []bound{{"install_date", *l.InstallDate, *l.InstallDate}}
	case l.InstallYear != nil:
		return []bound{ofYear("install_year", *l.InstallYear)}
	}
	return nil
}

func ofYear(field string, year int) bound {
	return bound{field, strconv.Itoa(year), fmt.Sprintf("%04d-01-01", year)}
}

// moved reports whether a change moves the day of installation.
func (l *Lifecycle) moved(before *Lifecycle) bool {
	return !resource.Same(before.InstallDate, l.InstallDate) || !resource.Same(before.InstallYear, l.InstallYear)
}

func retirementOfSite(c *resource.Change[Site]) retirement {
	r := retirement{date: &c.After.OutOfUseOn, status: c.After.Status, fieldError: c.FieldError}
	if c.Before != nil {
		r.before, r.statusBefore = &c.Before.OutOfUseOn, c.Before.Status
	}
	return r
}

func retirementOfBuilding(c *resource.Change[Building]) retirement {
	r := retirement{date: &c.After.OutOfUseOn, status: c.After.Status, fieldError: c.FieldError}
	if c.After.YearBuilt != nil {
		r.installed = []bound{ofYear("year_built", *c.After.YearBuilt)}
	}
	if c.Before != nil {
		r.before, r.statusBefore = &c.Before.OutOfUseOn, c.Before.Status
		r.changed = !resource.Same(c.Before.YearBuilt, c.After.YearBuilt)
	}
	return r
}

func retirementOfSystem(c *resource.Change[System]) retirement {
	r := retirement{date: &c.After.OutOfUseOn, status: c.After.Status, installed: c.After.installed(), fieldError: c.FieldError}
	if c.Before != nil {
		r.before, r.statusBefore = &c.Before.OutOfUseOn, c.Before.Status
		r.changed = c.After.moved(&c.Before.Lifecycle)
	}
	return r
}

// checkDates checks an asset's days of disposal and out of use. What was stored before these rules stays until one of the days is changed.
func checkDates(c *resource.Change[Asset], today string) {
	a := c.After
	r := retirement{date: &a.OutOfUseOn, status: a.Status, installed: a.installed(), disposed: a.DisposedOn, fieldError: c.FieldError}
	changed := true
	if c.Before != nil {
		r.before, r.statusBefore = &c.Before.OutOfUseOn, c.Before.Status
		changed = a.moved(&c.Before.Lifecycle) || !resource.Same(c.Before.DisposedOn, a.DisposedOn) ||
			!resource.Same(c.Before.AcquisitionDate, a.AcquisitionDate) || c.Before.Status != "disposed" && a.Status == "disposed"
	}
	// No way leads back from disposed: that is a 409.
	if a.DisposedOn != nil && !a.retired() && (c.Before == nil || c.Before.Status != "disposed" && (changed || c.Before.Status != a.Status)) {
		c.FieldError("disposed_on", "(%s) is for what is disposed of; null takes it away while status is %s", *a.DisposedOn, a.Status)
		c.FieldError("status", "must not be %s with a disposed_on (%s)", a.Status, *a.DisposedOn)
	}
	if r.changed = changed; a.DisposedOn != nil && changed {
		if *a.DisposedOn > today {
			c.FieldError("disposed_on", "must not be in the future")
		}
		bounds := a.installed()
		if a.AcquisitionDate != nil {
			bounds = append(bounds, bound{"acquisition_date", *a.AcquisitionDate, *a.AcquisitionDate})
		}
		for _, b := range bounds {
			if *a.DisposedOn < b.day {
				contradict(c.FieldError, "disposed_on", *a.DisposedOn, b)
			}
		}
	}
	r.check(today)
}
