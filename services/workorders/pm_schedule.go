package main

import (
	"time"

	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/recurrence"
)

// schedule is when the plan's work is due, by the rules of package maintenance. A plan that was checked has no error in it.
func (p *PMPlan) schedule(moved map[string]time.Time) maintenance.Schedule {
	s := maintenance.Schedule{LeadDays: p.LeadDays, NonWorking: p.NonWorkingDay, Works: weekday, StartsOn: dayOf(&p.StartsOn), EndsOn: dayOf(p.EndsOn),
		Exceptions: daysOf(p.ExceptionDates), Extra: daysOf(p.ExtraDates), Moved: moved}
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
