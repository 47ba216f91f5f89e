package mcp

import (
	"context"
	"net/url"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/schema"
)

// writtenWorkOrderSchema describes one work order, read or written. The result has the whole record.
var writtenWorkOrderSchema = object(node{"id": text, "number": text, "title": text, "status": text,
	"allowed_transitions": texts, "version": integer})

type searchWorkOrdersArguments struct {
	Q          string   `json:"q"`
	Status     []string `json:"status" enum:"open,in_progress,on_hold,completed,closed,cancelled"`
	Type       []string `json:"type" enum:"corrective,preventive,inspection,emergency,other"`
	Priority   []string `json:"priority" enum:"low,medium,high,urgent"`
	Overdue    *bool    `json:"overdue"`
	SiteID     string   `json:"site_id" format:"uuid"`
	BuildingID string   `json:"building_id" format:"uuid"`
	AssigneeID string   `json:"assignee_id" format:"uuid"`
	Sort       string   `json:"sort"`
	filterArguments
	pageArguments
}

var searchWorkOrders = define("work_orders", tool{
	name: "search_work_orders", title: "Search work orders",
	description: "Work orders. group_by type, team_id, building_id … gives statistics: count, actual_cost, estimated_cost, actual_hours. " +
		"filters: asset_id, team_id, assignee_id (null: nobody), completed_at_from with _to, closed_at_from, created_at_from, due_date_to, " +
		"actual_cost_min, problem_code …",
	scopes: []string{"work_orders:read"}, operations: []string{"GET /v1/work-orders"}, output: searchResult,
}, func(ctx context.Context, call *toolCall, in *searchWorkOrdersArguments) (any, error) {
	return call.searchFiltered(ctx, workOrders, call.query(in), in.filterArguments, in.pageArguments)
})

type getWorkOrderArguments struct {
	ID      string   `json:"id" format:"uuid" api:"-"`
	Number  string   `json:"number"`
	Include []string `json:"include" enum:"comments,tasks,costs" uniqueItems:"true" api:"-" doc:"Read these as well."`
	Fields  []string `json:"fields" api:"-"`
}

// part is a collection below a work order or a project, with the fields that a result has.
type part struct{ path, fields string }

var workOrderParts = map[string]part{
	"comments": {"comments", "id,body,created_by,created_at"},
	"tasks":    {"tasks", "id,title,position,result,note"},
	"costs":    {"costs", "id,kind,quantity,unit_cost,hours,amount,incurred_on"},
}

var getWorkOrder = define("work_orders", tool{
	name: "get_work_order", title: "Show a work order",
	description: "One work order, by id or number, with allowed_transitions; on request with its comments, tasks and costs.",
	scopes:      []string{"work_orders:read"},
	operations: []string{"GET /v1/work-orders", "GET /v1/work-orders/{id}", "GET /v1/work-orders/{work_order_id}/comments",
		"GET /v1/work-orders/{work_order_id}/tasks", "GET /v1/work-orders/{work_order_id}/costs"},
	additions: []string{documentsOperation}, output: writtenWorkOrderSchema,
}, func(ctx context.Context, call *toolCall, in *getWorkOrderArguments) (any, error) {
	by, value, err := exactlyOne(map[string]string{"id": in.ID, "number": in.Number})
	if err != nil {
		return nil, err
	}
	found, err := call.readWithParts(ctx, workOrders, by, value, in.Fields, in.Include, workOrderParts)
	if err != nil {
		return nil, err
	}
	return call.withDocuments(ctx, found), nil
})

// readWithParts reads a record and the requested parts. It reads them in parallel where the id is known.
func (call *toolCall) readWithParts(ctx context.Context, c *collection, by, value string, fields, include []string,
	parts map[string]part) (record, error) {
	var found record
	read := func(ctx context.Context) (err error) {
		found, err = call.read(ctx, c, value, fields)
		return err
	}
	id := value
	group, groupCtx := errgroup.WithContext(ctx)
	if by == "id" {
		group.Go(func() error { return read(groupCtx) })
	} else {
		var err error
		if found, err = call.readByFilter(ctx, c, by, value, fields); err != nil {
			return nil, err
		}
		id = textOf(found, "id")
	}
	lists := make([]apiList, len(include))
	for i, wanted := range include {
		group.Go(func() error {
			query := url.Values{"per_page": {"100"}, "fields": {parts[wanted].fields}}
			return call.get(groupCtx, c.path+"/"+id+"/"+parts[wanted].path, query, &lists[i])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, wanted := range include {
		rows := lists[i].Data
		for _, r := range rows {
			withoutEmpty(r)
		}
		found[wanted] = rows
		if total := lists[i].Pagination.Total; total > len(rows) {
			found[wanted+"_total"] = total
		}
	}
	return found, nil
}

// workOrderFields are the fields of a work order that tools write.
type workOrderFields struct {
	Description    string   `json:"description" maxLength:"5000"`
	Type           string   `json:"type" enum:"corrective,preventive,inspection,emergency,other"`
	Priority       string   `json:"priority" enum:"low,medium,high,urgent"`
	SiteID         string   `json:"site_id" format:"uuid"`
	BuildingID     string   `json:"building_id" format:"uuid"`
	SystemID       string   `json:"system_id" format:"uuid"`
	AssetID        string   `json:"asset_id" format:"uuid"`
	SegmentID      string   `json:"segment_id" format:"uuid"`
	ProjectID      string   `json:"project_id" format:"uuid"`
	AssigneeID     string   `json:"assignee_id" format:"uuid" doc:"An active user."`
	DueDate        string   `json:"due_date" format:"date"`
	EstimatedHours *float64 `json:"estimated_hours"`
	EstimatedCost  *float64 `json:"estimated_cost" money:"true"`
	ProblemCode    string   `json:"problem_code" maxLength:"50"`
	Tags           []string `json:"tags" maxLength:"100"`
}

type createWorkOrderArguments struct {
	Title string `json:"title" required:"true" maxLength:"200"`
	workOrderFields
	RequesterName string       `json:"requester_name" maxLength:"200"`
	Targets       []workTarget `json:"targets" maxItems:"500" doc:"Several things, in place of asset_id."`
	Effects       []workEffect `json:"effects" maxItems:"500" doc:"What its completion does to other records."`
	RequestID     string       `json:"request_id" format:"uuid" api:"-" doc:"Accepts this request with it."`
	idempotencyArgument
}

// workTarget is one of the things that a work order is about.
type workTarget struct {
	TargetType string `json:"target_type" required:"true"`
	TargetID   string `json:"target_id" required:"true" format:"uuid"`
}

// workEffect is what the completion of a work order does to another record.
type workEffect struct {
	Kind    string        `json:"kind" required:"true" enum:"close_deficiency,rate,read_meter,create_deficiency,create_work_order,close_request,replace"`
	Payload effectPayload `json:"payload" required:"true" doc:"{deficiency_id}, {asset_id, condition_rating}, {meter_id, value}, {asset_id, successor} …"`
}

// effectPayload is an object whose members depend on the kind. The API says what is wrong with it.
type effectPayload map[string]any

// Check implements schema.Checker.
func (effectPayload) Check(at string, value any, problems *schema.Problems) any {
	if _, ok := value.(map[string]any); !ok {
		problems.Add(at, "must be an object that names what is changed")
	}
	return value
}

var createWorkOrder = define("work_orders", tool{
	name: "create_work_order", title: "Create a work order", writes: true,
	description: "Opens a work order. The most specific of asset_id, system_id, building_id, site_id is enough. Look first whether one is " +
		"open for the same matter.",
	scopes: []string{"work_orders:write"}, operations: []string{"POST /v1/work-orders"}, additions: []string{"POST /v1/requests/{id}/accept"},
	output: writtenWorkOrderSchema,
}, func(ctx context.Context, call *toolCall, in *createWorkOrderArguments) (any, error) {
	if in.RequestID != "" {
		return call.accept(ctx, in)
	}
	return call.create(ctx, workOrders, workOrders.path, in, in.idempotencyArgument)
})

// accept accepts a request with a new work order. The result is the request.
func (call *toolCall) accept(ctx context.Context, in *createWorkOrderArguments) (any, error) {
	body, err := encodeBody(call.tool.arguments, in)
	if err != nil {
		return nil, err
	}
	accepted, replayed, err := call.postOnce(ctx, requests.path+"/"+in.RequestID+"/accept", map[string]any{"work_order": body},
		in.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	shown := call.written(ctx, requests, requests.path, accepted)
	if replayed {
		shown["more"] = repetition
	}
	return shown, nil
}

type updateWorkOrderArguments struct {
	ID    string `json:"id" required:"true" format:"uuid" api:"-"`
	Title string `json:"title" maxLength:"200"`
	workOrderFields
	revisionArguments
}

var updateWorkOrder = define("work_orders", tool{
	name: "update_work_order", title: "Change a work order", writes: true, overwrites: true, repeatable: true,
	description: "Changes the given fields only. For the status use transition_work_order.",
	scopes:      []string{"work_orders:write"}, operations: []string{"PATCH /v1/work-orders/{id}"}, output: writtenWorkOrderSchema,
}, func(ctx context.Context, call *toolCall, in *updateWorkOrderArguments) (any, error) {
	return call.update(ctx, workOrders, in.ID, in, in.revisionArguments)
})

type transitionWorkOrderArguments struct {
	ID              string `json:"id" required:"true" format:"uuid" api:"-"`
	To              string `json:"to" required:"true" enum:"open,in_progress,on_hold,completed,closed,cancelled" doc:"One of allowed_transitions."`
	HoldReason      string `json:"hold_reason" maxLength:"1000" doc:"Needed for on_hold."`
	CancelReason    string `json:"cancel_reason" maxLength:"1000" doc:"Needed for cancelled."`
	CompletionNotes string `json:"completion_notes" maxLength:"5000"`
	ProblemCode     string `json:"problem_code" maxLength:"50"`
	CauseCode       string `json:"cause_code" maxLength:"50"`
	RemedyCode      string `json:"remedy_code" maxLength:"50"`
	DowntimeMinutes *int   `json:"downtime_minutes" minimum:"0" maximum:"100000000"`
	idempotencyArgument
}

var transitionWorkOrder = define("work_orders", tool{
	name: "transition_work_order", title: "Move a work order on", writes: true, overwrites: true,
	description: "Starts, holds, completes, closes, cancels or reopens a work order. closed is final.",
	scopes:      []string{"work_orders:write"}, operations: []string{"POST /v1/work-orders/{id}/transition"}, output: writtenWorkOrderSchema,
}, func(ctx context.Context, call *toolCall, in *transitionWorkOrderArguments) (any, error) {
	if in.To == "cancelled" {
		if err := call.confirm(ctx, workOrders, in.ID, "Cancel"); err != nil {
			return nil, err
		}
	}
	return call.create(ctx, workOrders, workOrders.path+"/"+in.ID+"/transition", in, in.idempotencyArgument)
})

type addCommentArguments struct {
	WorkOrderID string `json:"work_order_id" required:"true" format:"uuid" api:"-"`
	Body        string `json:"body" required:"true" maxLength:"5000"`
	idempotencyArgument
}

var addComment = define("work_orders", tool{
	name: "add_comment", title: "Comment on a work order", writes: true,
	description: "Adds a comment to a work order, in the name of this connection's key.",
	scopes:      []string{"work_orders:write"}, operations: []string{"POST /v1/work-orders/{work_order_id}/comments"},
	output: object(node{"id": text, "body": text, "created_at": text}),
}, func(ctx context.Context, call *toolCall, in *addCommentArguments) (any, error) {
	return call.create(ctx, comments, workOrders.path+"/"+in.WorkOrderID+"/comments", in, in.idempotencyArgument)
})

var comments = &collection{kind: "comment", references: []nameReference{referenceTo("work_order", "work_orders")}}
