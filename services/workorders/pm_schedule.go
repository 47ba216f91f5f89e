package workorders

import (
	"time"

	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/recurrence"
	"ams.internal/libs/workhours"
)

// schedule is when the plan's work is due, by the rules of package maintenance. A plan that was checked has no error in it. Hours are those
// of its calendar, nil where it has none.
func (p *PMPlan) schedule(moved map[string]time.Time, hours *workhours.Hours) maintenance.Schedule {
	works := weekday
	if hours != nil {
		works = hours.Works
	}
	s := maintenance.Schedule{LeadDays: p.LeadDays, NonWorking: p.NonWorkingDay, Works: works, StartsOn: dayOf(&p.StartsOn),
		EndsOn: dayOf(p.EndsOn), Exceptions: daysOf(p.ExceptionDates), Extra: daysOf(p.ExtraDates), Moved: moved}
	if p.Trigger.RRule != nil {
		if rule, err := recurrence.Parse(*p.Trigger.RRule); err == nil {
			s.Rule = &rule
		}
	}
	if i := p.Trigger.Interval; i != nil {
		s.Interval = &maintenance.Interval{N: i.N, Unit: i.Unit}
	}
	if p.MaxGapMonths != nil {
		s.MaxGapMonths = *p.MaxGapMonths
	}
	if w := p.Window; w != nil {
		s.Window.Days = w.DaysBefore != nil
		if s.Window.Days {
			s.Window.DaysBefore, s.Window.DaysAfter = *w.DaysBefore, *w.DaysAfter
		}
		if w.Calendar != nil {
			s.Window.Calendar = *w.Calendar
		}
	}
	for _, season := range p.Seasons {
		s.Seasons = append(s.Seasons, maintenance.Season{From: season.From, To: season.To})
	}
	return s
}

// scheduleMoved is the plan's schedule with what was put on other days, as JSON.
func (p *PMPlan) scheduleMoved(text string, hours map[string]*workhours.Hours) (maintenance.Schedule, error) {
	days := map[string]string{}
	if err := decode(text, &days); err != nil {
		return maintenance.Schedule{}, err
	}
	moved := map[string]time.Time{}
	for key, day := range days {
		moved[key] = dayOf(&day)
	}
	return p.schedule(moved, hours[valueOf(p.CalendarID)]), nil
}

// doneBefore reports whether an occurrence was done before the plan began: last_done_on is within its window.
func (p *PMPlan) doneBefore(o maintenance.Occurrence) bool {
	done := dayOf(p.LastDoneOn)
	return !done.IsZero() && !o.From.IsZero() && !done.Before(o.From) && !done.After(o.To)
}

// weekday reports whether people work on a day, where no calendar says otherwise.
func weekday(day time.Time) bool {
	return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
}

func dayOf(text *string) time.Time {
	if text == nil {
		return time.Time{}
	}
	day, _ := maintenance.Day(*text)
	return day
}

func daysOf(texts []string) []time.Time {
	days := make([]time.Time, len(texts))
	for i := range texts {
		days[i] = dayOf(&texts[i])
	}
	return days
}

// text is a day as SQL and JSON have it; nil for none.
func text(day time.Time) *string {
	if day.IsZero() {
		return nil
	}
	formatted := day.Format(time.DateOnly)
	return &formatted
}
