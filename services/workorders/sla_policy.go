package workorders

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
	"ams.internal/libs/workhours"
)

// SLAPolicy is a service level: how soon work of a priority is begun and done. What it says is stamped on work orders when they are made.
type SLAPolicy struct {
	resource.Record
	Priority        string  `json:"priority" required:"true" enum:"low,medium,high,urgent" unique:"type" filter:"equals" sort:"true" doc:"Of which work orders; there is one policy for a priority and type." example:"urgent"`
	Type            *string `json:"type" enum:"corrective,preventive,inspection,emergency,other" filter:"equals" sort:"true" doc:"Of which type; null for all types that have no policy of their own." example:"corrective"`
	CalendarID      *string `json:"calendar_id" references:"calendars" filter:"equals" doc:"The working hours by which its minutes are counted; null counts round the clock." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	RespondMinutes  *int    `json:"respond_minutes" minimum:"1" maximum:"527040" unit:"minute" filter:"range" sort:"true" doc:"Within how many minutes work begins. Needed, or complete_minutes." example:"60"`
	CompleteMinutes *int    `json:"complete_minutes" minimum:"1" maximum:"527040" unit:"minute" filter:"range" sort:"true" doc:"Within how many minutes it is done." example:"480"`
	PauseOnHold     bool    `json:"pause_on_hold" default:"true" filter:"equals" doc:"Whether time stands still while the work order is on hold." example:"true"`
}

var slaPolicies = resource.Definition[SLAPolicy]{
	Collection: "sla_policies", Table: "sla_policy", Label: "priority",
	BeforeWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[SLAPolicy]) error {
		var ids []string
		for _, c := range changes {
			if c.After != nil && c.After.CalendarID != nil {
				ids = append(ids, *c.After.CalendarID)
			}
		}
		hours, err := storedHours(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.After != nil {
				c.After.check(hours, c.FieldError)
			}
		}
		return nil
	},
}

func (p *SLAPolicy) check(hours map[string]*workhours.Hours, fieldError func(field, format string, args ...any)) {
	if p.RespondMinutes == nil && p.CompleteMinutes == nil {
		fieldError("complete_minutes", "is required where there is no respond_minutes")
	}
	if p.RespondMinutes != nil && p.CompleteMinutes != nil && *p.RespondMinutes > *p.CompleteMinutes {
		fieldError("respond_minutes", "must not be more than complete_minutes; work is begun before it is done")
	}
	if p.CalendarID == nil || hours[*p.CalendarID] == nil {
		return
	}
	for field, minutes := range map[string]*int{"respond_minutes": p.RespondMinutes, "complete_minutes": p.CompleteMinutes} {
		if minutes == nil {
			continue
		}
		if _, reached := hours[*p.CalendarID].Add(time.Now(), minutesOf(*minutes)); !reached {
			fieldError(field, "is more time than the calendar has in 20 years; correct one of them")
		}
	}
}

func minutesOf(n int) time.Duration { return time.Duration(n) * time.Minute }

// policyKey is what a policy is for; the type is empty of one for any.
type policyKey struct{ priority, kind string }

// storedPolicies gives all policies of the organization.
func storedPolicies(ctx context.Context, tx pgx.Tx) (map[policyKey]SLAPolicy, error) {
	rows, err := tx.Query(ctx, `SELECT priority, coalesce(type, ''), calendar_id::text, respond_minutes, complete_minutes, pause_on_hold
		FROM sla_policy WHERE organization_id = current_organization()`)
	if err != nil {
		return nil, err
	}
	found := map[policyKey]SLAPolicy{}
	var key policyKey
	var p SLAPolicy
	_, err = pgx.ForEachRow(rows, []any{&key.priority, &key.kind, &p.CalendarID, &p.RespondMinutes, &p.CompleteMinutes,
		&p.PauseOnHold}, func() error {
		found[key] = p
		p = SLAPolicy{}
		return nil
	})
	return found, err
}
