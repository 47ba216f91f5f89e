package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects/stored"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// WorkOrder is a piece of work from request to payment.
type WorkOrder struct {
	resource.Record
	Title       string  `json:"title" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"What is to be done, in a few words." example:"Remplacer le joint de la pompe nº 2"`
	Number      *string `json:"number" maxLength:"50" unique:"true" auto:"WO-%06d" filter:"equals" sort:"true" search:"code" doc:"Number of the work order; the next one when left out." example:"WO-000001"`
	Description *string `json:"description" maxLength:"5000" doc:"What is to be done, at length." example:"Fuite à l'arbre, environ un litre par jour"`
	Type        string  `json:"type" default:"corrective" enum:"corrective,preventive,inspection,emergency,other" filter:"equals" facet:"true" sort:"true" doc:"Why the work is done." example:"corrective"`
	Priority    string  `json:"priority" default:"medium" enum:"low,medium,high,urgent" filter:"equals" facet:"true" sort:"true" doc:"How soon it is needed." example:"high"`
	Status      string  `json:"status" default:"open" enum:"open,in_progress,on_hold,completed,closed,cancelled" filter:"equals" facet:"true" sort:"true" doc:"open → in_progress, on_hold, completed, cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress, cancelled; completed → closed, in_progress; cancelled → open; closed is final, and nothing of a closed work order changes any more." example:"open"`

	SiteID     *string `json:"site_id" references:"sites" filter:"equals" facet:"true" doc:"The site. Follows from building_id, system_id, asset_id and segment_id. As a filter: with everything in the site's buildings." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID *string `json:"building_id" references:"buildings" filter:"equals" doc:"The building. Follows from system_id and asset_id." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SystemID   *string `json:"system_id" references:"systems" filter:"equals" doc:"The system. Follows from asset_id." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssetID    *string `json:"asset_id" references:"assets" filter:"equals" doc:"The asset that is worked on. Where it was at the time stays in site_id, building_id and system_id when it moves." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SegmentID  *string `json:"segment_id" references:"segments" filter:"equals" doc:"The network segment that is worked on. Needs the feature Infrastructure." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ProjectID  *string `json:"project_id" references:"projects" filter:"equals" doc:"The project that the work is part of. Needs the feature Projects." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`

	AssigneeID     *string `json:"assignee_id" references:"users" filter:"equals" doc:"The user who does it; an active one at the time of assignment." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	TeamID         *string `json:"team_id" references:"teams" filter:"equals" doc:"The team that does it; an active one at the time of assignment." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	VendorID       *string `json:"vendor_id" references:"vendors" filter:"equals" doc:"The vendor who does it." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	RequesterName  *string `json:"requester_name" maxLength:"200" private:"requests:read" filter:"equals" sort:"true" doc:"Who asked for it. Contact data, as of requests: shown to those with requests:read alone, in no event, and erased some time after the end (contact_retention_days)." example:"Geneviève Côté"`
	RequesterEmail *string `json:"requester_email" maxLength:"254" format:"email" pattern:"^[^@\\s<>\"]+@[^@\\s<>\"]+$" patternDescription:"an e-mail address such as name@example.ca" private:"requests:read" filter:"equals" doc:"How to reach who asked for it. Contact data, as requester_name." example:"genevieve.cote@riviere-claire.ca"`
	RequestID      *string `json:"request_id" readOnly:"true" references:"requests" filter:"equals" doc:"The request that it was made for, or that was accepted with it first. As a filter: with work orders by which the request is closed as well." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	RequestedAt    *string `json:"requested_at" format:"date-time" filter:"range" sort:"true" doc:"When it was asked for, where that was before its record was made here: work orders of another system keep their past with it. Not after started_at, completed_at and closed_at. Left out, created_at says it." example:"2026-11-27T14:40:00Z"`
	DueDate        *string `json:"due_date" format:"date" filter:"range" sort:"index" doc:"Last day on which it is in time, in the organization's time zone." example:"2026-12-01"`
	ScheduledStart *string `json:"scheduled_start" format:"date-time" filter:"range" sort:"true" doc:"When it is planned to begin." example:"2026-11-30T13:00:00Z"`
	ScheduledEnd   *string `json:"scheduled_end" format:"date-time" filter:"range" sort:"true" doc:"When it is planned to end, not before scheduled_start." example:"2026-11-30T17:00:00Z"`

	StartedAt           *string  `json:"started_at" format:"date-time" filter:"range" sort:"true" doc:"When work began for the first time: stamped by the move to in_progress. May be given on create, or with that move or the one to completed." example:"2026-11-30T13:10:00Z"`
	CompletedAt         *string  `json:"completed_at" format:"date-time" filter:"range" sort:"true" doc:"When it was done: stamped by the move to completed, cleared by the move back to in_progress. May be given on create, or with the move to completed." example:"2026-11-30T16:20:00Z"`
	ClosedAt            *string  `json:"closed_at" format:"date-time" filter:"range" sort:"true" doc:"When it was closed: stamped by the move to closed. May be given on create, or with that move." example:"2026-12-02T14:00:00Z"`
	HoldReason          *string  `json:"hold_reason" maxLength:"1000" doc:"Why it waits; required while on hold, cleared afterwards (the history keeps it)." example:"Pièce en commande"`
	CancelReason        *string  `json:"cancel_reason" maxLength:"1000" doc:"Why it was cancelled; required while cancelled, cleared when it is opened again." example:"Doublon"`
	EstimatedHours      *float64 `json:"estimated_hours" minimum:"0" maximum:"1000000" unit:"hour" filter:"range" sort:"true" doc:"Hours of work expected." example:"3.5"`
	EstimatedCost       *float64 `json:"estimated_cost" money:"true" filter:"range" sort:"true" doc:"Cost expected." example:"640.00"`
	ProblemCode         *string  `json:"problem_code" maxLength:"50" filter:"equals" sort:"true" doc:"What was wrong, in the organization's codes. break on a segment counts as a break of it; break and backup count for connection-days." example:"leak"`
	CauseCode           *string  `json:"cause_code" maxLength:"50" filter:"equals" sort:"true" doc:"Why it was wrong, in the organization's codes." example:"wear"`
	RemedyCode          *string  `json:"remedy_code" maxLength:"50" filter:"equals" sort:"true" doc:"What helped, in the organization's codes." example:"replaced"`
	OverrideReason      *string  `json:"override_reason" maxLength:"1000" doc:"Why it was completed with required tasks open or with tasks that failed. May be given with the move to completed; cleared when it is taken up again (the history keeps it)." example:"Accès refusé par le locataire"`
	CompletionNotes     *string  `json:"completion_notes" maxLength:"5000" doc:"What was done and found. Needed with the move to completed while a task without follow_up has failed." example:"Joint et roulement remplacés"`
	DowntimeMinutes     *int     `json:"downtime_minutes" minimum:"0" unit:"minute" filter:"range" sort:"true" doc:"How long the asset was out of service." example:"95"`
	ConnectionsAffected *int     `json:"connections_affected" minimum:"0" filter:"range" sort:"true" doc:"How many connections (properties) were without service meanwhile. With downtime_minutes it makes the connection-days of breaks and backups." example:"40"`

	JobPlanID      *string    `json:"job_plan_id" references:"job_plans" filter:"equals" doc:"The job plan: what the work order has of it is a copy, made when it is named. Needs the feature Maintenance." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	JobPlanVersion *int       `json:"job_plan_version" readOnly:"true" doc:"The version of the job plan that was copied."`
	Safety         *string    `json:"safety" readOnly:"true" doc:"What whoever does it must know before beginning; of the job plan."`
	Materials      []Material `json:"materials" readOnly:"true" doc:"What is needed for it; of the job plan."`
	FormTemplateID *string    `json:"form_template_id" readOnly:"true" references:"form_templates" filter:"equals" doc:"The form that is filled in with it; of the job plan."`
	PMPlanID       *string    `json:"pm_plan_id" readOnly:"true" references:"pm_plans" filter:"equals" doc:"The preventive maintenance plan that it was made by."`
	Occurrence     *string    `json:"occurrence" readOnly:"true" filter:"equals" sort:"true" doc:"The plan's occurrence that it serves."`

	Targets []InlineTarget `json:"targets" writeOnly:"true" makes:"work_order_targets" maxItems:"500" doc:"With a new work order: what it is for, where that is several things. site_id, building_id, system_id, asset_id and segment_id follow: each is filled where all targets agree. Afterwards they are at /v1/work-orders/{id}/targets."`
	made    []*WorkOrderTarget

	ServiceLevel
	IsOverdue          bool     `json:"is_overdue" readOnly:"true" doc:"Whether it is still open, in progress or on hold after its due_date, by today in the organization's time zone."`
	ActualHours        float64  `json:"actual_hours" readOnly:"true" unit:"hour" filter:"range" sort:"true" doc:"Hours of its labour costs, less those of credits."`
	LabourCost         float64  `json:"labour_cost" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"Sum of its labour costs, less credits."`
	MaterialCost       float64  `json:"material_cost" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"Sum of its material costs."`
	OtherCost          float64  `json:"other_cost" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"Sum of its contractor and other costs."`
	ActualCost         float64  `json:"actual_cost" decimals:"2" readOnly:"true" generated:"true" filter:"range" sort:"true" doc:"Sum of all its costs."`
	LateCosts          int      `json:"late_costs" readOnly:"true" filter:"range" sort:"true" doc:"How many costs were added after it was closed."`
	ResponseHours      *float64 `json:"response_hours" readOnly:"true" unit:"hour" filter:"range" sort:"true" doc:"From requested_at, else creation, to the first beginning of work (to completion, where no beginning is known), to two decimals. Null before, and for work without requested_at that began before its work order was created here."`
	ResolutionHours    *float64 `json:"resolution_hours" readOnly:"true" unit:"hour" filter:"range" sort:"true" doc:"From requested_at, else creation, to completion, to two decimals. Null before, and for work without requested_at that was done before its work order was created here."`
	AllowedTransitions []string `json:"allowed_transitions" readOnly:"true" doc:"The states that it can move to from here."`
	Currency           string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	Effects []stored.Declared `json:"effects" writeOnly:"true" makes:"work_order_effects" maxItems:"500" doc:"What its completion does to other records, declared with it; further ones at …/effects, where they are listed."`
}

func (o orders) workOrders() resource.Definition[WorkOrder] {
	return resource.Definition[WorkOrder]{
		Collection: "work_orders", Table: "work_order", NaturalKey: "number", Label: "title", Category: "type",
		Totals: &resource.Totals{Doc: resource.TotalsDoc, Sums: []resource.Sum{
			{Name: "actual_cost", SQL: "t.actual_cost", Doc: "What was spent."},
			{Name: "estimated_cost", SQL: "t.estimated_cost", Doc: "What was expected, of those that say it."},
			{Name: "actual_hours", SQL: "t.actual_hours", Doc: "Hours of labour."},
		}, Groups: []string{"type", "priority", "status", "site_id", "building_id", "system_id", "asset_id", "assignee_id", "team_id",
			"vendor_id", "problem_code", "cause_code", "remedy_code"}},
		Computed: map[string]string{
			"is_overdue":          overdue,
			"response_hours":      hoursSinceRequest(responded),
			"resolution_hours":    hoursSinceRequest("t.completed_at"),
			"allowed_transitions": transitions.AllowedSQL(),
			"currency":            resource.Currency,
		},
		Filters: map[string]resource.Filter{
			"overdue": {Kind: schema.Boolean, SQL: overdue + " = $2",
				Doc: "Only those that are open, in progress or on hold after their due_date (true), or only the others (false)."},
		},
		Also:        alsoByTargets(),
		Transitions: transitions,
		Active:      active,
		Resolve:     resolveReferences,
		BeforeWrite: o.prepareWorkOrders,
		AfterWrite:  o.writeParts,

		BeforeTransaction: o.effects().BeforeCauses,
		Events: map[string]resource.Emits[WorkOrder]{
			"work_order.assigned":  resource.When(assigned),
			"work_order.completed": resource.When(completed),
			"work_order.sla_missed": resource.When(func(c *resource.Change[WorkOrder]) bool {
				return c.After != nil && c.After.SLAState == "missed" && (c.Before == nil || c.Before.SLAState != "missed")
			}),
			"work_order.cost_after_close": resource.WhenUpdated(func(before, after *WorkOrder) bool { return after.LateCosts > before.LateCosts }),
		},
	}
}

// alsoByTargets is what filters by place find besides: work orders with a target there.
func alsoByTargets() map[string]string {
	also := map[string]string{}
	for _, field := range places {
		also[field] = "SELECT e.work_order_id FROM work_order_target e WHERE e.organization_id = $1 AND e." + field + " = ANY($2::text[]::uuid[])"
	}
	also["request_id"] = "SELECT e.work_order_id FROM work_order_effect e WHERE e.organization_id = $1 AND e.kind = 'close_request' " +
		"AND lower(e.payload->>'request_id') = ANY($2::text[])"
	return also
}

// assigned reports whether the change gives the work to somebody, or to somebody else than before.
func assigned(c *resource.Change[WorkOrder]) bool {
	return c.After != nil && c.After.AssigneeID != nil && (c.Before == nil || !resource.Same(c.Before.AssigneeID, c.After.AssigneeID))
}

func completed(c *resource.Change[WorkOrder]) bool {
	return c.After != nil && c.After.Status == "completed" && (c.Before == nil || c.Before.Status != "completed")
}

func (o orders) prepareWorkOrders(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	var deletes []*resource.Change[WorkOrder]
	for _, c := range changes {
		if c.After == nil {
			deletes = append(deletes, c)
		}
	}
	if deletes != nil {
		return rejectDeletes(ctx, tx, deletes)
	}
	for _, c := range changes {
		c.After.nameRequest()
	}
	if err := o.locateByTargets(ctx, tx, changes); err != nil {
		return err
	}
	if err := rejectOpenTasks(ctx, tx, changes); err != nil {
		return err
	}
	if err := prepareStates(ctx, tx, changes); err != nil {
		return err
	}
	if err := stampServiceLevels(ctx, tx, changes); err != nil {
		return err
	}
	return o.effects().CheckCauses(ctx, tx, moves(changes))
}

// writeParts writes the targets and the effects that work orders bring, and lets effects follow them.
func (o orders) writeParts(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	if err := o.insertTargets(ctx, tx, changes); err != nil {
		return err
	}
	if err := notifyRequests(ctx, tx, changes); err != nil {
		return err
	}
	return o.effects().FollowCauses(ctx, tx, moves(changes))
}

// rejectDeletes allows deleting work that was never done: open or cancelled work orders without costs.
func rejectDeletes(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	byID, ids := map[string]*resource.Change[WorkOrder]{}, []string{}
	for _, c := range changes {
		if status := c.Before.Status; status != "open" && status != "cancelled" {
			c.Reject(fault.Conflict("delete_not_allowed", "status", status,
				"The work order is %s. Only open and cancelled work orders can be deleted; %s.", status, alternative(status)))
			continue
		}
		byID[c.ID()] = c
		ids = append(ids, c.ID())
	}
	rows, err := tx.Query(ctx, `SELECT work_order_id::text, count(*) FROM work_order_cost
		WHERE organization_id = current_organization() AND work_order_id = ANY($1::uuid[]) GROUP BY 1`, ids)
	if err != nil {
		return err
	}
	var id string
	var costs int
	_, err = pgx.ForEachRow(rows, []any{&id, &costs}, func() error {
		byID[id].Reject(fault.StillInUse("id", id, map[string]int{"work_order_costs": costs},
			"The work order has %d costs; money that was spent stays on record. Delete the costs first, or cancel the work order.", costs))
		return nil
	})
	return err
}

func alternative(status string) string {
	for _, next := range transitions.From[status] {
		if next == "cancelled" {
			return "cancel it instead"
		}
	}
	return "it stays on record"
}
