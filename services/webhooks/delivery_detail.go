package main

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
)

// DeliveryDetail is a delivery with its attempts.
type DeliveryDetail struct {
	Delivery
	Attempts []Attempt `json:"attempts" doc:"Every attempt, in order. One whose process was killed is counted and not here: nobody knows what came of it."`
}

// Attempt is one call to a receiver.
type Attempt struct {
	Number     int              `json:"number"`
	At         string           `json:"at" format:"date-time"`
	DurationMS int              `json:"duration_ms" unit:"millisecond"`
	Request    AttemptRequest   `json:"request"`
	Response   *AttemptResponse `json:"response" doc:"null when no answer came."`
	Error      *string          `json:"error" doc:"What went wrong, in a sentence; null of a success."`
}

// AttemptRequest is what was sent.
type AttemptRequest struct {
	Headers map[string]string `json:"headers" doc:"As they were sent; the values of the endpoint's own are not shown."`
	Body    *string           `json:"body" doc:"What was sent, made again from the event. null when the key may not read events of this type, or when the event is no longer kept."`
}

// AttemptResponse is what the receiver answered.
type AttemptResponse struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body" doc:"Its first 16 KiB."`
}

// deliveryDetailSchema is the schema of a DeliveryDetail. The type cannot say that a response may be null.
func deliveryDetailSchema() any {
	shown := schema.Shown(reflect.TypeFor[DeliveryDetail]()).JSON
	shown.Properties["attempts"].Items.Properties["response"].Nullable = true
	return shown
}

// readDelivery reads a delivery with its attempts, and for callers who may read the record with the body that was sent.
func readDelivery(ctx context.Context, tx pgx.Tx, id string) (DeliveryDetail, error) {
	shown := DeliveryDetail{Attempts: []Attempt{}}
	var err error
	if shown.Delivery, err = findDelivery(ctx, tx, id); err != nil {
		return shown, err
	}
	rows, err := tx.Query(ctx, `SELECT number, at, duration_ms, request_headers, response_status, response_headers, response_body, error
		FROM attempt WHERE organization_id = $1 AND delivery_id = $2 ORDER BY number`, principal.From(ctx).OrganizationID, id)
	if err != nil {
		return shown, err
	}
	if shown.Attempts, err = pgx.CollectRows(rows, scanAttempt); err != nil {
		return shown, err
	}
	body, err := sentBody(ctx, tx, shown.Delivery)
	for i := range shown.Attempts {
		shown.Attempts[i].Request.Body = body
	}
	return shown, err
}

func scanAttempt(row pgx.CollectableRow) (Attempt, error) {
	var a Attempt
	var at time.Time
	var sent, received []byte
	var status *int
	var body *string
	if err := row.Scan(&a.Number, &at, &a.DurationMS, &sent, &status, &received, &body, &a.Error); err != nil {
		return a, err
	}
	a.At = *formatTime(&at)
	if err := json.Unmarshal(sent, &a.Request.Headers); err != nil {
		return a, err
	}
	if status == nil {
		return a, nil
	}
	a.Response = &AttemptResponse{Status: *status, Headers: map[string]string{}}
	if body != nil {
		a.Response.Body = *body
	}
	if received == nil {
		return a, nil
	}
	return a, json.Unmarshal(received, &a.Response.Headers)
}

// sentBody makes the body that was sent from the event again; nil when the caller may not read the record.
func sentBody(ctx context.Context, tx pgx.Tx, d Delivery) (*string, error) {
	m, err := readMessage(ctx, tx, d.EventID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if may, err := mayReadMessage(principal.From(ctx), m); err != nil || !may {
		return nil, err
	}
	var as shape
	if err := tx.QueryRow(ctx, `SELECT destination, format, payload FROM webhook_endpoint WHERE organization_id = $1 AND id = $2`, m.organizationID,
		d.EndpointID).Scan(&as.destination, &as.format, &as.payload); err != nil {
		return nil, err
	}
	_, content := as.content(m)
	body := string(content)
	return &body, nil
}
