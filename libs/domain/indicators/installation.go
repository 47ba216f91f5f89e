package indicators

import "time"

// Installation is when something came, or comes, to stand, with the field that says so: install_date, install_year or year_built.
type Installation struct {
	Field string
	Shown any    // its value
	Day   string // the first day that it leaves
}

// plannedAhead is how many years before it something may be planned.
const plannedAhead = 10

// RejectToCome objects to an installation more than ten years after today, and, at both fields, to a status of what stands while the
// installation is after today. mayWait is whether the record can still have the status planned: it is new, or has it now.
func (i Installation) RejectToCome(status string, today string, mayWait bool, fieldError func(field, format string, args ...any)) {
	if i.Day > farthest(today) {
		fieldError(i.Field, "(%v) must be no later than %d years from today; correct it", i.Shown, plannedAhead)
		return
	}
	if i.Day <= today || status == "planned" || OutOfUse(status) {
		return
	}
	way := "correct it"
	if mayWait {
		way = "correct it, or set status to planned until then"
	}
	fieldError(i.Field, "(%v) must not be in the future while status is %s; %s", i.Shown, status, way)
	fieldError("status", "must not be %s while %s (%v) is in the future", status, i.Field, i.Shown)
}

// farthest is the last day for which an installation may be planned.
func farthest(today string) string {
	day, err := time.Parse(time.DateOnly, today)
	if err != nil {
		panic("indicators: " + err.Error()) // a day of ours
	}
	return day.AddDate(plannedAhead, 0, 0).Format(time.DateOnly)
}
