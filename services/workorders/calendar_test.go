package workorders

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func makeCalendar(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("Bureau %d", n), "time_zone": "America/Halifax",
		"week": []any{map[string]any{"day": "monday", "from": "08:30", "to": "16:30"},
			map[string]any{"day": "saturday", "from": "22:00", "to": "24:00"}},
		"holidays": []any{map[string]any{"name": "Noël", "date": "2026-12-25", "rrule": nil},
			map[string]any{"name": "Vendredi saint", "date": nil, "rrule": "FREQ=YEARLY;BYEASTER=-2"}},
		"external_id": fmt.Sprintf("calendar-%d", n), "tags": []string{"bureau"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

// makePolicy makes a policy for a priority and type that no other is for, as long as n are not more than the pairs.
func makePolicy(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	body := makeCalendar(t, client, int(vendorNames.Add(1)))
	delete(body, "external_id")
	calendar := client.Create(t, "/v1/maintenance/calendars", body)
	priorities, types := []string{"low", "medium", "high", "urgent"}, []any{"corrective", "preventive", "inspection", "emergency", "other"}
	return map[string]any{
		"priority": priorities[n%4], "type": types[n/4%5], "calendar_id": calendar["id"], "respond_minutes": 60 + n, "complete_minutes": 480 + n,
		"pause_on_hold": n%2 == 0, "external_id": fmt.Sprintf("sla-%d", n), "tags": []string{"urgent"},
		"custom_fields": map[string]any{"lot": 4.0},
	}
}

func TestWhatIsNoCalendarIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	period := func(day, from, to string) fields { return fields{"day": day, "from": from, "to": to} }
	for name, c := range map[string]struct {
		change  fields
		refused string
	}{
		"no such zone":        {fields{"time_zone": "Toronto"}, "time_zone"},
		"a local zone":        {fields{"time_zone": "Local"}, "time_zone"},
		"no hours":            {fields{"week": []fields{}}, "week"},
		"no such day":         {fields{"week": []fields{period("lundi", "08:30", "16:30")}}, "week[0].day"},
		"no such time":        {fields{"week": []fields{period("monday", "8h", "16:30")}}, "week[0].from"},
		"after the day's end": {fields{"week": []fields{period("monday", "08:00", "24:30")}}, "week[0].to"},
		"backwards":           {fields{"week": []fields{period("monday", "22:00", "06:00")}}, "week[0].to"},
		"nothing":             {fields{"week": []fields{period("monday", "08:00", "08:00")}}, "week[0].to"},
		"overlapping": {fields{"week": []fields{period("monday", "08:00", "12:00"), period("tuesday", "08:00", "12:00"),
			period("monday", "11:59", "16:00")}}, "week[2]"},
		"a holiday of no day":  {fields{"holidays": []fields{{"name": "x"}}}, "holidays[0]"},
		"a holiday of two":     {fields{"holidays": []fields{{"name": "x", "date": "2026-12-25", "rrule": "FREQ=YEARLY"}}}, "holidays[0]"},
		"30 February":          {fields{"holidays": []fields{{"name": "x", "date": "2026-02-30"}}}, "holidays[0].date"},
		"a rule that is none":  {fields{"holidays": []fields{{"name": "x", "rrule": "every Friday"}}}, "holidays[0].rrule"},
		"a rule by the second": {fields{"holidays": []fields{{"name": "x", "rrule": "FREQ=SECONDLY"}}}, "holidays[0].rrule"},
		"a rule that is never": {fields{"holidays": []fields{{"name": "x", "rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}}},
			"holidays[0].rrule"},
		"a rule of 10,000 long": {fields{"holidays": []fields{{"name": "x", "rrule": strings.Repeat("X", 10_000)}}}, "holidays[0].rrule"},
	} {
		body := makeCalendar(t, nil, 1)
		for field, value := range c.change {
			body[field] = value
		}
		response := f.Must(t, http.StatusBadRequest, "POST", "/v1/maintenance/calendars", body)
		if !slices.ContainsFunc(response.Fields(), func(field string) bool { return strings.HasPrefix(field, c.refused) }) {
			t.Errorf("%s: refused %v, want %s: %s", name, response.Fields(), c.refused, response.Body)
		}
	}
}

func TestServiceLevelsAndCalendarsNeedTheirFeature(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plain := *f.Client
	plain.Principal.Features = []string{"api_access"}
	for _, path := range []string{"/v1/maintenance/calendars", "/v1/maintenance/sla-policies"} {
		resourcetest.Expect(t, plain.Must(t, http.StatusForbidden, "GET", path, nil).JSON,
			fields{"code": "feature_not_in_plan", "feature": "Maintenance"})
	}
	f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "medium", "complete_minutes": 60})
	resourcetest.Expect(t, plain.Create(t, "/v1/work-orders", fields{"title": "x"}), fields{"sla_state": "none", "complete_by": nil})
}

func TestWhatIsNoServiceLevelIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	short := f.Create(t, "/v1/maintenance/calendars", fields{"name": "Une minute", "time_zone": "America/Toronto",
		"week": []fields{{"day": "monday", "from": "08:30", "to": "08:31"}}})
	for name, c := range map[string]struct {
		body    fields
		refused string
	}{
		"no time":                {fields{}, "complete_minutes"},
		"no minutes":             {fields{"complete_minutes": 0}, "complete_minutes"},
		"more than a year":       {fields{"complete_minutes": 527_041}, "complete_minutes"},
		"begun after it is done": {fields{"respond_minutes": 61, "complete_minutes": 60}, "respond_minutes"},
		"more than there is":     {fields{"complete_minutes": 527_040, "calendar_id": short["id"]}, "complete_minutes"},
		"nobody's calendar":      {fields{"complete_minutes": 60, "calendar_id": nobody}, "calendar_id"},
		"no such type":           {fields{"complete_minutes": 60, "type": "any"}, "type"},
		"half a minute":          {fields{"complete_minutes": 1.5}, "complete_minutes"},
	} {
		c.body["priority"] = "high"
		if response := f.Refused(t, "POST", "/v1/maintenance/sla-policies", c.body); !slices.Contains(response.Fields(), c.refused) {
			t.Errorf("%s: refused %v, want %s", name, response.Fields(), c.refused)
		}
	}
	all := f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "high", "complete_minutes": 527_040})
	f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "high", "type": "emergency", "complete_minutes": 1})
	for _, kind := range []any{nil, "emergency"} {
		resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", "/v1/maintenance/sla-policies",
			fields{"priority": "high", "type": kind, "complete_minutes": 5}).JSON, fields{"code": "already_exists", "field": "priority"})
	}
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "PATCH", fmt.Sprint("/v1/maintenance/sla-policies/", all["id"]),
		fields{"type": "emergency"}).JSON, fields{"code": "already_exists"})
}
