package workorders

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // time zones are checked against the same list on every machine

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/recurrence"
	"ams.internal/libs/resource"
	"ams.internal/libs/workhours"
)

// Calendar is working hours: service levels count time by them, and plans find working days.
type Calendar struct {
	resource.Record
	Name     string       `json:"name" required:"true" maxLength:"200" unique:"true" filter:"equals" sort:"index" search:"name" doc:"What the calendar is called; unique in the organization." example:"Bureau"`
	TimeZone string       `json:"time_zone" required:"true" maxLength:"64" filter:"equals" doc:"IANA name of the time zone of its hours." example:"America/Toronto"`
	Week     []WorkPeriod `json:"week" maxItems:"100" doc:"When people work; at least one period. Periods of one day do not overlap. A night is two: until 24:00, and from 00:00 of the next day."`
	Holidays []Holiday    `json:"holidays" maxItems:"500" doc:"Days on which nobody works."`
}

// WorkPeriod is a part of a day of the week.
type WorkPeriod struct {
	Day  string `json:"day" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" doc:"Day of the week." example:"monday"`
	From string `json:"from" maxLength:"5" doc:"When work begins, as 08:30." example:"08:30"`
	To   string `json:"to" maxLength:"5" doc:"When it ends, after from; 24:00 is the end of the day." example:"16:30"`
}

// Holiday is a day without work, once or every year.
type Holiday struct {
	Name string  `json:"name" maxLength:"200" doc:"What the day is." example:"Noël"`
	Date *string `json:"date" required:"false" format:"date" doc:"The day, of one that has a date; else rrule." example:"2026-12-25"`
	Rule *string `json:"rrule" required:"false" maxLength:"500" doc:"A rule of days after RFC 5545, counted from 2000-01-01, in which BYEASTER=n is n days after Easter Sunday." example:"FREQ=YEARLY;BYEASTER=-2"`
}

var daysOfTheWeek = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"} // by time.Weekday

var calendars = resource.Definition[Calendar]{
	Collection: "calendars", Table: "calendar", NaturalKey: "name",
	BeforeWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Calendar]) error {
		var deletes []*resource.Change[Calendar]
		for _, c := range changes {
			if c.After == nil {
				deletes = append(deletes, c)
			} else {
				_ = c.After.hours(c.FieldError)
			}
		}
		return rejectRunningCalendars(ctx, tx, deletes)
	},
	AfterWrite: wakePlans,
}

// wakePlans lets the planner look again at the plans that go by calendars that changed: a new holiday can make work due a day earlier.
func wakePlans(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Calendar]) error {
	var ids []string
	for _, c := range changes {
		if c.Before != nil && c.After != nil {
			ids = append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE pm_plan SET next_action_at = statement_timestamp() WHERE organization_id = current_organization()
		AND calendar_id = ANY($1::uuid[]) AND status = 'active'`, ids)
	return err
}

// rejectRunningCalendars keeps calendars by which the time of a work order is being counted. That of others is stamped, and needs none.
func rejectRunningCalendars(ctx context.Context, tx pgx.Tx, deletes []*resource.Change[Calendar]) error {
	if len(deletes) == 0 {
		return nil
	}
	byID, ids := map[string]*resource.Change[Calendar]{}, []string{}
	for _, c := range deletes {
		byID[c.ID()] = c
		ids = append(ids, c.ID())
	}
	rows, err := tx.Query(ctx, `SELECT sla_calendar_id::text, count(*) FROM work_order WHERE organization_id = current_organization()
		AND sla_calendar_id = ANY($1::uuid[]) AND sla_state IN ('running', 'paused') GROUP BY 1`, ids)
	if err != nil {
		return err
	}
	var id string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&id, &count}, func() error {
		byID[id].Reject(fault.StillInUse("id", id, map[string]int{"work_orders": count},
			"The time of %d work orders is being counted by the calendar; complete or cancel those first.", count))
		return nil
	})
	return err
}

// hours are the working hours of a calendar. What is wrong with it goes to fieldError; then they are incomplete.
func (c *Calendar) hours(fieldError func(field, format string, args ...any)) *workhours.Hours {
	zone, err := time.LoadLocation(c.TimeZone)
	if err != nil || c.TimeZone == "Local" || c.TimeZone == "" {
		fieldError("time_zone", "must be the IANA name of a time zone, such as America/Toronto")
		zone = time.UTC
	}
	if len(c.Week) == 0 {
		fieldError("week", "must have at least one period; without any, nobody ever works")
	}
	week := map[time.Weekday][]workhours.Span{}
	for i, p := range c.Week {
		day := time.Weekday(slices.Index(daysOfTheWeek, p.Day))
		from, err := workhours.Minutes(p.From)
		if err != nil {
			fieldError(fmt.Sprintf("week[%d].from", i), "must be a time of the day, such as 08:30")
			continue
		}
		to, err := workhours.Minutes(p.To)
		if err != nil || to <= from {
			fieldError(fmt.Sprintf("week[%d].to", i),
				"must be a time of the day after from, such as 16:30; a night is two periods, until 24:00 and from 00:00")
			continue
		}
		for _, other := range week[day] {
			if from < other.To && other.From < to {
				fieldError(fmt.Sprintf("week[%d]", i), "overlaps another period of %s; make one of them, or correct their times", p.Day)
			}
		}
		week[day] = append(week[day], workhours.Span{From: from, To: to})
	}
	var dates []string
	var rules []recurrence.Rule
	for i, holiday := range c.Holidays {
		switch at := fmt.Sprintf("holidays[%d]", i); {
		case (holiday.Date == nil) == (holiday.Rule == nil):
			fieldError(at, "must have either date or rrule")
		case holiday.Date != nil:
			dates = append(dates, *holiday.Date)
		default:
			rule, err := recurrence.ParseHoliday(*holiday.Rule)
			if err == nil {
				err = rule.Check(workhours.HolidaysStart)
			}
			var wrong *recurrence.Error
			if errors.As(err, &wrong) {
				fieldError(at+".rrule", "%s", wrong.Message)
				continue
			}
			rules = append(rules, rule)
		}
	}
	return workhours.New(zone, week, dates, rules)
}

// storedHours gives the working hours of calendars by their ids.
func storedHours(ctx context.Context, tx pgx.Tx, ids []string) (map[string]*workhours.Hours, error) {
	found := map[string]*workhours.Hours{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, `SELECT id::text, time_zone, week, holidays FROM calendar
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[])`, ids)
	if err != nil {
		return nil, err
	}
	var id string
	var c Calendar
	_, err = pgx.ForEachRow(rows, []any{&id, &c.TimeZone, &c.Week, &c.Holidays}, func() error {
		found[id] = c.hours(func(string, string, ...any) {}) // was checked when it was written
		c = Calendar{}
		return nil
	})
	return found, err
}
