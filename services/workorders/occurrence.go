package workorders

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// PMOccurrence is one time that the work of a plan is, or was, to be done on a target.
type PMOccurrence struct {
	ID          string  `json:"id" format:"uuid"`
	PMPlanID    string  `json:"pm_plan_id" format:"uuid"`
	Occurrence  string  `json:"occurrence" doc:"Names it for good: the rule's own date, f<n> for the n-th cycle of a floating plan, m<k> for a step of a meter, c<n> for a limit that was passed." example:"2027-03-01"`
	TargetType  string  `json:"target_type" enum:"asset,system,building,site,segment,plan" doc:"plan where one work order is for all targets, and of what is planned."`
	TargetID    string  `json:"target_id" format:"uuid"`
	DueOn       string  `json:"due_on" format:"date" doc:"Last day on which it is in time."`
	OpensOn     string  `json:"opens_on" format:"date" doc:"Day on which its work order is made."`
	State       string  `json:"state" enum:"planned,generated,done,missed,skipped,suppressed,superseded" doc:"planned: it was put on another day, and is not made yet. generated: its work order is to be done. suppressed: a larger plan includes it. superseded: another occurrence took its place before it was due, for instance by a change of the rule; it was due in no report."`
	WorkOrderID *string `json:"work_order_id" format:"uuid" doc:"The work order that serves it."`
	DoneOn      *string `json:"done_on" format:"date" doc:"Local day of completion; of a suppressed one, of the larger work."`
	Reason      *string `json:"reason" doc:"Why it was put on another day, skipped, missed, suppressed or superseded."`
}

func (row *occurrenceRow) shown(plan string) PMOccurrence {
	return PMOccurrence{row.ID, plan, row.Key, row.TargetType, row.TargetID, *row.Due, *row.Opens, row.State, row.WorkOrderID, nil, row.Reason}
}

// PMOccurrences is a page of them.
type PMOccurrences struct {
	Data       []PMOccurrence       `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (l PMOccurrences) Pages() transport.Pages {
	return l.Pagination.Pages()
}

// OccurrencesRequest asks for the occurrences of a plan.
type OccurrencesRequest struct {
	ID         string   `path:"id" format:"uuid" doc:"Of the plan, as the list gives it."`
	Page       int      `query:"page" default:"1" minimum:"1" maximum:"1000000" doc:"From 1."`
	PerPage    int      `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"How many on a page."`
	State      []string `query:"state" enum:"planned,generated,done,missed,skipped,suppressed,superseded" doc:"One of these states; comma between several."`
	TargetID   *string  `query:"target_id" format:"uuid" doc:"On this target."`
	Occurrence *string  `query:"occurrence" maxLength:"20" doc:"Of this name."`
	DueFrom    *string  `query:"due_on_from" format:"date" doc:"Due on this day or later."`
	DueTo      *string  `query:"due_on_to" format:"date" doc:"Due on this day or earlier."`
}

const occurrenceColumns = `o.id::text, o.plan_id::text, o.occurrence, o.target_type, o.target_id::text, o.due_on::text, o.opens_on::text,
	o.state, o.work_order_id::text, o.done_on::text, o.reason`

// occurrencesSQL are the occurrences of the plan $1 that there are, and those that were put on another day and are not made yet.
const occurrencesSQL = `(SELECT id, plan_id, occurrence, target_type, target_id, due_on, opens_on, state, work_order_id, done_on, reason
		FROM pm_occurrence WHERE organization_id = current_organization() AND plan_id = $1::uuid
	UNION ALL SELECT md5(p.id::text || m.key)::uuid, p.id, m.key, 'plan', p.id, m.value::date, m.value::date - p.lead_days, 'planned', NULL,
		NULL,
			p.moved_because->>m.key
		FROM pm_plan p, jsonb_each_text(p.moved) m WHERE p.organization_id = current_organization() AND p.id = $1::uuid AND p.status <> 'ended'
			AND NOT EXISTS (SELECT FROM pm_occurrence x WHERE x.organization_id = p.organization_id AND x.plan_id = p.id AND x.occurrence =
				m.key)) o`

const maintenanceScope, maintenanceFeature = "maintenance", "maintenance"

func (o orders) mountOccurrences() {
	transport.Get(o.registry.API, transport.Operation{
		Path: "/v1/maintenance/pm-plans/{id}/occurrences", ID: "list_pm_occurrences", ResponseName: "PMOccurrenceList", RowName: "PMOccurrence",
		Scope: maintenanceScope + ":read", Feature: maintenanceFeature, Summary: "List the occurrences of a preventive maintenance plan",
		Description: "What was made, done, missed, skipped, suppressed or superseded, by the day on which it was due, and what was put on " +
			"another day. What else is to come is in the forecast.",
	}, o.listOccurrences)
}

func (o orders) listOccurrences(ctx context.Context, in OccurrencesRequest) (PMOccurrences, error) {
	list := PMOccurrences{Data: []PMOccurrence{}}
	where, args := " WHERE true", []any{strings.ToLower(in.ID)}
	add := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND "+condition, "$"+strconv.Itoa(len(args)))
	}
	if len(in.State) > 0 {
		add("o.state = ANY(%s::text[])", in.State)
	}
	if in.TargetID != nil {
		add("o.target_id = %s::uuid", *in.TargetID)
	}
	if in.Occurrence != nil {
		add("o.occurrence = %s", *in.Occurrence)
	}
	if in.DueFrom != nil {
		add("o.due_on >= %s::date", *in.DueFrom)
	}
	if in.DueTo != nil {
		add("o.due_on <= %s::date", *in.DueTo)
	}
	err := o.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var total int
		var known bool
		if err := tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM `+occurrencesSQL+where+`), EXISTS (SELECT FROM pm_plan
			WHERE organization_id = current_organization() AND id = $1::uuid)`, args...).Scan(&total, &known); err != nil {
			return err
		}
		if !known {
			return fault.NotFound("pm plan", in.ID)
		}
		list.Pagination = transport.PaginationOf(in.Page, in.PerPage, int64(total))
		rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT %s FROM %s%s ORDER BY o.due_on, o.id LIMIT %d OFFSET %d`, occurrenceColumns,
			occurrencesSQL, where,
			in.PerPage, (in.Page-1)*in.PerPage), args...)
		if err != nil {
			return err
		}
		list.Data, err = pgx.AppendRows(list.Data, rows, pgx.RowToStructByPos[PMOccurrence])
		return err
	})
	return list, postgres.Fault(err, nil)
}
