package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID            string  `json:"id" format:"uuid" doc:"Of the delivery; the header webhook-delivery-id."`
	EndpointID    string  `json:"endpoint_id" format:"uuid"`
	EventID       string  `json:"event_id" format:"uuid" doc:"Of the event; the header webhook-id."`
	EventType     string  `json:"event_type" example:"asset.updated"`
	RecordID      string  `json:"record_id" format:"uuid" doc:"Of the record that the event is about."`
	Sequence      *int64  `json:"sequence" doc:"The event's number; null of a test."`
	State         string  `json:"state" enum:"pending,delivered,failed" doc:"pending: waits, or is tried again. failed: was tried eleven times in about three days."`
	Cause         string  `json:"cause" enum:"event,replay,redelivery,test" doc:"Why it is made."`
	AttemptCount  int     `json:"attempt_count" doc:"How often it was tried."`
	NextAttemptAt *string `json:"next_attempt_at" format:"date-time" doc:"When it is tried next, or was due; null when it is finished."`
	CreatedAt     string  `json:"created_at" format:"date-time"`
	FinishedAt    *string `json:"finished_at" format:"date-time"`
	LastStatus    *int    `json:"last_status" doc:"The status of the receiver's last answer; null while there is none."`
	LastError     *string `json:"last_error" doc:"What went wrong at the last attempt, in a sentence."`
}

// Deliveries is a page of them.
type Deliveries struct {
	Data       []Delivery           `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

// Pages implements transport.Paged.
func (l Deliveries) Pages() transport.Pages { return l.Pagination.Pages() }

// deliveriesRequest asks for deliveries of an endpoint.
type deliveriesRequest struct {
	page
	ID          string   `path:"id" format:"uuid" doc:"Of the endpoint."`
	State       []string `query:"state" enum:"pending,delivered,failed" doc:"One of these states; comma between several."`
	EventType   []string `query:"event_type" doc:"Types or patterns such as work_order.*; comma between several."`
	RecordID    *string  `query:"record_id" format:"uuid" doc:"About this record."`
	CreatedFrom *string  `query:"created_from" format:"date-time" doc:"Made at this time or later."`
	CreatedTo   *string  `query:"created_to" format:"date-time" doc:"Made at this time or before."`
	Sort        string   `query:"sort" default:"-created_at" enum:"created_at,-created_at" doc:"Newest first, unless created_at is asked for."`
}

// deliveryRequest names a delivery.
type deliveryRequest struct {
	ID string `path:"id" format:"uuid" doc:"Of the delivery."`
}

func (p public) mountDeliveries() {
	api := p.registry.API
	transport.Get(api, transport.Operation{
		Path: "/v1/webhook-endpoints/{id}/deliveries", ID: "list_webhook_deliveries", ResponseName: "WebhookDeliveryList",
		RowName: "WebhookDelivery", Scope: scope + ":read", Summary: "List the deliveries of a webhook endpoint",
		Description: "Newest first; kept for 30 days.",
	}, p.listDeliveries)
	transport.Get(api, transport.Operation{
		Path: "/v1/webhook-deliveries/{id}", ID: "get_webhook_delivery", ResponseName: "WebhookDeliveryDetail", Scope: scope + ":read",
		Summary:     "Get a webhook delivery with every attempt",
		Description: "What was sent, what came back and how long it took. The body that was sent is shown to keys that may read the record.",
		Response:    deliveryDetailSchema(),
	}, func(ctx context.Context, in deliveryRequest) (shown DeliveryDetail, err error) {
		err = p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			shown, err = readDelivery(ctx, tx, in.ID)
			return err
		})
		return shown, postgres.Fault(err, nil)
	})
	transport.Post(api, transport.Operation{
		Path: "/v1/webhook-deliveries/{id}/redeliver", ID: "redeliver_webhook_delivery", ResponseName: "WebhookDelivery", Scope: scope + ":write",
		Status: 201, Summary: "Deliver an event to its endpoint once more",
		Description: "Makes a new delivery of the same event, with the same webhook-id, and sends it as soon as the endpoint is active, " +
			"whatever else waits. Answers the new delivery.",
	}, p.redeliver)
}

const deliveryColumns = `d.id::text, d.endpoint_id::text, d.event_id::text, d.event_type, d.record_id::text, d.sequence, d.state,
	d.cause, d.attempts, d.next_attempt_at, d.created_at, d.finished_at, d.last_status, d.last_error`

func scanDelivery(row pgx.CollectableRow) (Delivery, error) {
	var d Delivery
	var next, finished *time.Time
	var created time.Time
	err := row.Scan(&d.ID, &d.EndpointID, &d.EventID, &d.EventType, &d.RecordID, &d.Sequence, &d.State, &d.Cause, &d.AttemptCount,
		&next, &created, &finished, &d.LastStatus, &d.LastError)
	d.NextAttemptAt, d.CreatedAt, d.FinishedAt = formatTime(next), *formatTime(&created), formatTime(finished)
	return d, err
}

func formatTime(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := at.UTC().Format(timestampFormat)
	return &text
}

func (p public) listDeliveries(ctx context.Context, in deliveriesRequest) (Deliveries, error) {
	list := Deliveries{Data: []Delivery{}}
	where, args, err := in.where(ctx)
	if err != nil {
		return list, err
	}
	order := " ORDER BY d.created_at, d.id"
	if in.Sort == "-created_at" {
		order = " ORDER BY d.created_at DESC, d.id DESC"
	}
	err = p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := requireEndpoint(ctx, tx, in.ID); err != nil {
			return err
		}
		var total int64
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM delivery d"+where, args...).Scan(&total); err != nil {
			return err
		}
		list.Pagination = in.of(total)
		// The ids of a page come from an index, so that the rows of the pages before it are not read.
		rows, err := tx.Query(ctx, fmt.Sprintf("SELECT %s FROM (SELECT d.id FROM delivery d%s%s LIMIT %d OFFSET %d) k JOIN delivery d ON "+
			"d.organization_id = $1 AND d.id = k.id%s",
			deliveryColumns, where, order, in.PerPage, in.offset(), order), args...)
		if err != nil {
			return err
		}
		list.Data, err = pgx.CollectRows(rows, scanDelivery)
		return err
	})
	return list, postgres.Fault(err, nil)
}

// where gives the condition of a list and its arguments; $1 is the organization.
func (in deliveriesRequest) where(ctx context.Context) (string, []any, error) {
	where, args := " WHERE d.organization_id = $1 AND d.endpoint_id = $2", []any{principal.From(ctx).OrganizationID, in.ID}
	add := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND "+condition, len(args))
	}
	if len(in.State) > 0 {
		add("d.state = ANY($%d::text[])", in.State)
	}
	if len(in.EventType) > 0 {
		var problems schema.Problems
		checkFilter(in.EventType, "event_type", problems.Add)
		if err := problems.Err(); err != nil {
			return "", nil, err
		}
		add("d.event_type = ANY($%d::text[])", namesOf(in.EventType))
	}
	if in.RecordID != nil {
		add("d.record_id = $%d::uuid", *in.RecordID)
	}
	if in.CreatedFrom != nil {
		add("d.created_at >= $%d::text::timestamptz", *in.CreatedFrom)
	}
	if in.CreatedTo != nil {
		add("d.created_at <= $%d::text::timestamptz", *in.CreatedTo)
	}
	return where, args, nil
}

// requireEndpoint is a 404 when the organization does not have the endpoint.
func requireEndpoint(ctx context.Context, tx pgx.Tx, id string) error {
	var found bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM webhook_endpoint WHERE organization_id = $1 AND id = $2)`,
		principal.From(ctx).OrganizationID, id).Scan(&found)
	if err == nil && !found {
		err = fault.NotFound("webhook endpoint", id)
	}
	return err
}

// findDelivery reads a delivery. Deliveries of a deleted endpoint are not shown while they wait for the purge.
func findDelivery(ctx context.Context, tx pgx.Tx, id string) (Delivery, error) {
	rows, err := tx.Query(ctx, "SELECT "+deliveryColumns+` FROM delivery d
		JOIN webhook_endpoint w ON w.organization_id = d.organization_id AND w.id = d.endpoint_id
		WHERE d.organization_id = $1 AND d.id = $2`, principal.From(ctx).OrganizationID, id)
	if err != nil {
		return Delivery{}, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, scanDelivery)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.NotFound("webhook delivery", id)
	}
	return found, err
}

// readMessage reads an event. It is purged, with pgx.ErrNoRows, 30 days after it was received; a redelivery that was made later
// is still there then.
func readMessage(ctx context.Context, tx pgx.Tx, id string) (message, error) {
	rows, err := tx.Query(ctx, "SELECT "+messageColumns+" FROM event e WHERE e.organization_id = $1 AND e.id = $2",
		principal.From(ctx).OrganizationID, id)
	if err != nil {
		return message{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scanMessage)
}

// Redelivery is a delivery that was asked for.
type Redelivery struct{ Delivery }

// Location implements transport.Located.
func (d Redelivery) Location() string { return "/v1/webhook-deliveries/" + d.ID }

func (p public) redeliver(ctx context.Context, in deliveryRequest) (made Redelivery, err error) {
	err = p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		former, err := findDelivery(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := lockEndpoint(ctx, tx, former.EndpointID); err != nil {
			return err
		}
		m, err := readMessage(ctx, tx, former.EventID)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Conflict("event_gone", "event_id", former.EventID, "The event is more than 30 days old and no longer kept; read the "+
				"record %s instead.", former.RecordID)
		}
		if err != nil {
			return err
		}
		id, err := enqueueRedelivery(ctx, tx, former.EndpointID, m, p.now())
		if err != nil {
			return err
		}
		if made.Delivery, err = findDelivery(ctx, tx, id); err != nil {
			return err
		}
		return p.registry.Audit(ctx, tx, "webhook_endpoints", former.EndpointID, "redelivered",
			map[string]any{"delivery_id": id, "redelivery_of": in.ID})
	})
	return made, postgres.Fault(err, nil)
}
