package workorders

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

// calendar makes a calendar of an office that works Monday to Thursday, not at Christmas, and not on Good Friday's Thursday.
func (p *plans) calendar(t testing.TB, name string) string {
	t.Helper()
	var week []fields
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday"} {
		week = append(week, fields{"day": day, "from": "08:30", "to": "16:30"})
	}
	return p.Create(t, "/v1/maintenance/calendars", fields{"name": name, "time_zone": "America/Toronto", "week": week,
		"holidays": []fields{{"name": "Noël", "date": "2028-12-28"}, {"name": "Jeudi saint", "rrule": "FREQ=YEARLY;BYEASTER=-3"}}})["id"].(string)
}

// Work moves to the calendar's working day, and keeps its name; without a calendar Saturdays and Sundays are off.
func TestACalendarSaysOnWhichDaysWorkIsDue(t *testing.T) {
	p := newPlans(t)
	calendar := p.calendar(t, "Lundi à jeudi")
	for name, c := range map[string]struct {
		body     fields
		key, due string
	}{
		"Sunday, no calendar": {fields{"starts_on": "2028-12-31", "non_working_day": "previous"}, "2028-12-31", "2028-12-29"},
		// the 28th is a holiday
		"Sunday": {fields{"starts_on": "2028-12-31", "non_working_day": "previous", "calendar_id": calendar}, "2028-12-31", "2028-12-27"},
		"Sunday, next": {fields{"starts_on": "2028-12-31", "non_working_day": "next", "calendar_id": calendar}, "2028-12-31",
			"2029-01-01"},
		// Easter is on 16 April
		"Thursday, by rule": {fields{"starts_on": "2028-04-13", "non_working_day": "next", "calendar_id": calendar}, "2028-04-13", "2028-04-17"},
		"Sunday, kept":      {fields{"starts_on": "2028-12-31", "calendar_id": calendar}, "2028-12-31", "2028-12-31"},
		"a working day": {fields{"starts_on": "2028-12-26", "non_working_day": "next", "calendar_id": calendar}, "2028-12-26",
			"2028-12-26"},
	} {
		c.body["trigger"], c.body["ends_on"] = fields{"rrule": "FREQ=YEARLY"}, "2029-06-30"
		plan := p.plan(t, "2028-01-01", c.body)
		p.at(t, c.due+"T12:00:00Z")
		if all := p.occurrences(t, plan, ""); len(all) != 1 || all[c.key]["due_on"] != c.due {
			t.Errorf("%s: %v, want %s due %s", name, all, c.key, c.due)
		}
		p.Must(t, http.StatusOK, "PATCH", "/v1/maintenance/pm-plans/"+plan, fields{"status": "ended"})
	}
}

// The forecast, floating plans and what larger plans include go by the calendar too.
func TestEverythingThatKnowsDatesGoesByTheCalendar(t *testing.T) {
	p := newPlans(t)
	calendar := p.calendar(t, "Lundi à jeudi")
	friday := nextFriday(time.Now().AddDate(0, 3, 0))
	thursday, monday := friday.AddDate(0, 0, -1).Format(time.DateOnly), friday.AddDate(0, 0, 3)
	weekly := p.plan(t, time.Now().Format(time.DateOnly),
		fields{"starts_on": friday.Format(time.DateOnly), "ends_on": friday.AddDate(0, 0, 6).Format(time.DateOnly),
			"trigger": fields{"rrule": "FREQ=WEEKLY"}, "calendar_id": calendar, "non_working_day": "next"})
	ask := func() fields {
		day := monday.Format(time.DateOnly)
		return p.Must(t, http.StatusOK, "GET", "/v1/maintenance/forecast?from="+day+"&to="+day, nil).JSON["total"].(fields)
	}
	resourcetest.Expect(t, ask(), fields{"work_orders": 1})
	p.plan(t, time.Now().Format(time.DateOnly), fields{"starts_on": monday.Format(time.DateOnly), "trigger": fields{"rrule": "FREQ=WEEKLY"},
		"suppress_days": 0, "supersedes": []string{weekly}})
	resourcetest.Expect(t, ask(), fields{"work_orders": 1}) // the larger one
	p.at(t, monday.Format(time.DateOnly)+"T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, weekly, "")[friday.Format(time.DateOnly)],
		fields{"state": "suppressed", "due_on": monday.Format(time.DateOnly)})

	floating := p.plan(t, time.Now().Format(time.DateOnly), fields{"basis": "floating", "starts_on": friday.Format(time.DateOnly),
		"calendar_id": calendar, "non_working_day": "previous", "trigger": fields{"interval": fields{"n": 1, "unit": "year"}}})
	p.at(t, thursday+"T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, floating, "")["f1"], fields{"due_on": thursday})
}

// nextFriday is the first Friday from a day on whose Thursday is no holiday of the calendar.
func nextFriday(from time.Time) time.Time {
	day := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC)
	for day.Weekday() != time.Friday || day.Month() == time.March || day.Month() == time.April || day.Month() == time.December {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

// A calendar that a plan goes by stays, and is the organization's own; one that changes is looked at again.
func TestTheCalendarOfAPlan(t *testing.T) {
	p := newPlans(t)
	calendar := p.calendar(t, "Lundi à jeudi")
	plan := p.plan(t, "2028-01-01",
		fields{"starts_on": "2028-12-31", "trigger": fields{"rrule": "FREQ=YEARLY"}, "calendar_id": calendar, "non_working_day": "previous"})
	found, _ := p.List(t, "/v1/maintenance/pm-plans?calendar_id="+calendar)
	if len(found) != 1 || found[0]["id"] != plan {
		t.Errorf("by its calendar: %v", found)
	}
	resourcetest.Expect(t, p.Must(t, http.StatusConflict, "DELETE", "/v1/maintenance/calendars/"+calendar, nil).JSON,
		fields{"code": "still_in_use", "dependents": map[string]any{"pm_plans": 1.0}})

	p.at(t, "2028-12-26T12:00:00Z")
	if all := p.occurrences(t, plan, ""); len(all) != 0 {
		t.Fatalf("made before its day: %v", all)
	}
	p.exec(t, "UPDATE pm_plan SET next_action_at = '2100-01-01'")
	p.Must(t, http.StatusOK, "PATCH", "/v1/maintenance/calendars/"+calendar,
		fields{"holidays": []fields{{"name": "Congé", "date": "2028-12-27"}, {"name": "Noël", "date": "2028-12-28"}}})
	p.at(t, "2028-12-26T12:00:00Z")
	if all := p.occurrences(t, plan, ""); !slices.Equal(slices.Collect(maps.Keys(all)), []string{"2028-12-31"}) ||
		all["2028-12-31"]["due_on"] != "2028-12-26" {
		t.Errorf("after the holiday was added: %v", all)
	}

	other := p.Other()
	foreign := other.Create(t, "/v1/maintenance/calendars", fields{"name": "Autre", "time_zone": "America/Toronto",
		"week": []fields{{"day": "monday", "from": "08:30", "to": "16:30"}}})["id"].(string)
	for _, id := range []string{foreign, nobody} {
		answer := p.Must(t, http.StatusNotFound, "PATCH", "/v1/maintenance/pm-plans/"+plan, fields{"calendar_id": id})
		if !slices.Equal(answer.Fields(), []string{"calendar_id"}) || strings.Contains(string(answer.Body), "Autre") {
			t.Errorf("the calendar %s: %s", id, answer.Body)
		}
	}
	p.Must(t, http.StatusOK, "PATCH", "/v1/maintenance/pm-plans/"+plan, fields{"calendar_id": nil})
	p.Must(t, http.StatusNoContent, "DELETE", "/v1/maintenance/calendars/"+calendar, nil)
}
