package workorders

import (
	"encoding/json"
	"slices"

	"ams.internal/libs/resource"
)

// PMPlan is preventive maintenance of one kind: what is done, on what, and when. The planner makes a work order for each occurrence, once.
type PMPlan struct {
	resource.Record
	Name             string          `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"What people call the plan." example:"Extincteurs, tous les mois"`
	Code             *string         `json:"code" maxLength:"50" unique:"true" auto:"PM-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"PM-0001"`
	Status           string          `json:"status" default:"draft" enum:"draft,active,paused,ended" filter:"equals" sort:"true" doc:"draft → active, ended; active → paused, ended; paused → active, ended; ended is final. Only active plans make work, from the day on which they become active; changes make nothing of the past." example:"draft"`
	JobPlanID        string          `json:"job_plan_id" required:"true" references:"job_plans" filter:"equals" doc:"What is done." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Targets          []PMTarget      `json:"targets" maxItems:"5000" doc:"What it is done on. Either these or target_filter." example:"[{\"target_type\":\"asset\",\"target_id\":\"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"}]"`
	TargetFilter     *PMTargetFilter `json:"target_filter" doc:"What it is done on, looked up each time that work is made. A plan whose filter finds more than 10,000 records is paused."`
	WorkOrderPer     string          `json:"work_order_per" default:"target" enum:"target,plan" filter:"equals" doc:"target: a work order for each target. plan: one for all of them." example:"target"`
	Basis            string          `json:"basis" required:"true" enum:"fixed,floating" filter:"equals" sort:"true" doc:"fixed: due on the rule's dates, whenever it was done. floating: due some time after it was last done." example:"fixed"`
	TimeZone         *string         `json:"time_zone" maxLength:"100" doc:"IANA time zone in which its days begin and end; the organization's when left out." example:"America/Toronto"`
	StartsOn         string          `json:"starts_on" required:"true" format:"date" filter:"range" sort:"true" doc:"First day, 1990-01-01 or later. Rules count from it; it is a date of the rule only where it matches. A floating plan that was never done is due on it." example:"2027-01-01"`
	EndsOn           *string         `json:"ends_on" format:"date" filter:"range" sort:"true" doc:"Last day on which anything is due." example:"2031-12-31"`
	Trigger          PMTrigger       `json:"trigger" required:"true" column:"due_by" doc:"What makes the work due: rrule for a fixed plan, interval for a floating one; meter, gauge or condition for either. A floating plan may have several: whichever comes first, and completing resets all."`
	LeadDays         int             `json:"lead_days" default:"0" minimum:"0" maximum:"730" unit:"day" doc:"How many days before it is due the work order is made; fewer than the interval." example:"14"`
	Window           *PMWindow       `json:"window" column:"in_time" doc:"When work counts as in time by the rule window of pm-compliance: days about the due day, or the calendar period of the rule's own date."`
	MaxGapMonths     *int            `json:"max_gap_months" minimum:"1" maximum:"1200" unit:"month" doc:"Due no later than so many months after it was last done, whatever the rule says." example:"16"`
	Seasons          []PMSeason      `json:"seasons" maxItems:"20" doc:"Parts of the year in which it is done; all year when left out. Dates of a rule out of season fall away, a floating due day moves to the next season's first day." example:"[{\"from\":\"11-01\",\"to\":\"03-31\"}]"`
	ExceptionDates   []string        `json:"exception_dates" format:"date" maxItems:"500" uniqueItems:"true" doc:"Dates of the rule on which nothing is due." example:"[\"2027-07-01\"]"`
	ExtraDates       []string        `json:"extra_dates" format:"date" maxItems:"500" uniqueItems:"true" doc:"Days on which it is due besides." example:"[\"2027-09-07\"]"`
	CalendarID       *string         `json:"calendar_id" references:"calendars" filter:"equals" doc:"The calendar whose days with hours, less its holidays, are working days; Monday to Friday when left out." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	NonWorkingDay    string          `json:"non_working_day" default:"keep" enum:"keep,previous,next" doc:"What becomes of a due day on which nobody works: it stays, or is the working day before or after it, where there is one within 31 days." example:"previous"`
	Supersedes       []string        `json:"supersedes" references:"pm_plans" maxItems:"20" uniqueItems:"true" doc:"Smaller plans that this one includes: their occurrences on the same target within suppress_days are suppressed."`
	SuppressDays     int             `json:"suppress_days" default:"7" minimum:"0" maximum:"366" unit:"day" doc:"How many days apart two due days may be for this plan's to include the other's." example:"7"`
	Stack            bool            `json:"stack" default:"false" doc:"true: every occurrence has a work order of its own. false: when the next one opens while work is open, the earlier is missed and its work order serves the later." example:"false"`
	CatchUp          string          `json:"catch_up" default:"latest" enum:"latest,all,none" doc:"What is made when several occurrences opened while nobody looked: the last, all, or none; the others are missed." example:"latest"`
	WhenOutOfService string          `json:"when_out_of_service" default:"skip" enum:"skip,generate" doc:"What becomes of an occurrence whose target is out of service." example:"skip"`
	Obligation       *string         `json:"obligation" maxLength:"500" filter:"equals" search:"text" doc:"The law, standard or contract that asks for it." example:"O. Reg. 213/07, Div. B, 6.2.7.2"`
	TeamID           *string         `json:"team_id" references:"teams" filter:"equals" doc:"The team that its work orders are given to." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	LastDoneOn       *string         `json:"last_done_on" format:"date" filter:"range" sort:"true" doc:"When it was last done before the plan began. An occurrence whose window it is in is done with it." example:"2026-12-03"`
	PausedBecause    *string         `json:"paused_because" readOnly:"true" doc:"Why the planner paused it; null where somebody did."`
}

// PMTarget is one record that a plan is for.
type PMTarget struct {
	TargetType string `json:"target_type" enum:"asset,system,building,site,segment" doc:"What target_id is of. A segment needs the feature Infrastructure." example:"asset"`
	TargetID   string `json:"target_id" format:"uuid" doc:"The record." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
}

// PMTargetFilter finds the records that a plan is for.
type PMTargetFilter struct {
	Collection string `json:"collection" enum:"assets,systems,buildings,sites,segments" doc:"Where they are." example:"buildings"`
	Query      string `json:"query" maxLength:"2000" doc:"As in the query of the collection's list, without paging and sorting." example:"tags=ascenseur&status=active"`
}

// PMTrigger is what makes the work of a plan due.
type PMTrigger struct {
	RRule     *string      `json:"rrule,omitempty" required:"false" maxLength:"20000" doc:"Dates that repeat, as the RRULE of iCalendar (RFC 5545): FREQ DAILY to YEARLY, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS, WKST, and COUNT or UNTIL (a date)." example:"FREQ=MONTHLY;BYDAY=1MO"`
	Interval  *PMInterval  `json:"interval,omitempty" required:"false" doc:"Time since it was last done. Months that have no such day: the last."`
	Meter     *PMMeter     `json:"meter,omitempty" required:"false" doc:"Use of a counter."`
	Gauge     *PMGauge     `json:"gauge,omitempty" required:"false" doc:"A gauge beyond a limit: once, until clear_value."`
	Condition *PMCondition `json:"condition,omitempty" required:"false" doc:"A condition rating: once, until it is better."`
}

// PMInterval is the time between a completion and the next due day.
type PMInterval struct {
	N    int    `json:"n" minimum:"1" maximum:"1000" doc:"How many." example:"30"`
	Unit string `json:"unit" enum:"day,week,month,year" doc:"Of what." example:"day"`
}

// PMMeter is a step of a counter.
type PMMeter struct {
	Name  string  `json:"name" minLength:"1" maxLength:"100" doc:"The name of the meter that each target has." example:"Heures"`
	Every float64 `json:"every" minimum:"0.000001" maximum:"1000000000" doc:"How much use. Of a fixed plan at every multiple of it, of a floating one so much after the use when it was last done." example:"250"`
}

// PMGauge is a limit of a gauge.
type PMGauge struct {
	Name       string   `json:"name" minLength:"1" maxLength:"100" doc:"The name of the meter that each target has." example:"Pression"`
	Op         string   `json:"op" enum:"gt,lt" doc:"gt: due above value. lt: due below it." example:"gt"`
	Value      float64  `json:"value" minimum:"-999999999999" maximum:"999999999999" doc:"The limit." example:"800"`
	ClearValue *float64 `json:"clear_value,omitempty" required:"false" minimum:"-999999999999" maximum:"999999999999" doc:"Where it must be again before it can be due once more; value when left out." example:"700"`
}

// PMCondition is a condition rating.
type PMCondition struct {
	RatingAtLeast int `json:"rating_at_least" minimum:"1" maximum:"5" doc:"Due when the condition is this rating or worse (5 is very poor)." example:"4"`
}

// PMWindow is when work is in time.
type PMWindow struct {
	DaysBefore *int    `json:"days_before,omitempty" required:"false" minimum:"0" maximum:"730" doc:"With days_after." example:"3"`
	DaysAfter  *int    `json:"days_after,omitempty" required:"false" minimum:"0" maximum:"730" doc:"With days_before." example:"3"`
	Calendar   *string `json:"calendar,omitempty" required:"false" enum:"week,month,year" doc:"The week from Monday, month or year of the rule's own date." example:"year"`
}

// PMSeason is a part of every year, both days included; it may run over New Year.
type PMSeason struct {
	From string `json:"from" minLength:"5" maxLength:"5" doc:"First day, MM-DD." example:"11-01"`
	To   string `json:"to" minLength:"5" maxLength:"5" doc:"Last day, MM-DD." example:"03-31"`
}

var planTransitions = resource.Transitions{
	Field: "status", Ended: []string{"ended"},
	From: map[string][]string{
		"draft":  {"active", "ended"},
		"active": {"paused", "ended"},
		"paused": {"active", "ended"},
	},
}

func (o orders) pmPlans() resource.Definition[PMPlan] {
	return resource.Definition[PMPlan]{
		Collection: "pm_plans", Table: "pm_plan", NaturalKey: "code",
		Transitions:       planTransitions,
		BeforeTransaction: o.findTargets,
		BeforeWrite:       o.preparePlans,
		AfterWrite:        o.schedulePlans,
	}
}

// decode reads JSON texts into what follows each of them.
func decode(pairs ...any) error {
	for pair := range slices.Chunk(pairs, 2) {
		if err := json.Unmarshal([]byte(pair[0].(string)), pair[1]); err != nil {
			return err
		}
	}
	return nil
}
