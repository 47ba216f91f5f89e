package webhooks

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
	rows, err := tx.Query(ctx, `SELECT a.number, a.at, a.duration_ms, a.request_headers, a.response_status, a.response_headers,
		a.response_body, a.error, coalesce(a.destination, e.destination, ''), coalesce(a.format, e.format, ''), coalesce(a.payload, e.payload, '')
		FROM attempt a LEFT JOIN webhook_endpoint e ON e.organization_id = a.organization_id AND e.id = $3
		WHERE a.organization_id = $1 AND a.delivery_id = $2 ORDER BY a.number`, principal.From(ctx).OrganizationID, id, shown.EndpointID)
	if err != nil {
		return shown, err
	}
	var sentAs []shape
	shown.Attempts, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Attempt, error) {
		a, as, err := scanAttempt(row)
		sentAs = append(sentAs, as)
		return a, err
	})
	if err != nil {
		return shown, err
	}
	m, may, err := messageShown(ctx, tx, shown.EventID)
	if err != nil || !may {
		return shown, err
	}
	bodies := map[shape]*string{} // most attempts of a delivery have sent the same
	for i, as := range sentAs {
		if bodies[as] == nil {
			_, content := as.content(m)
			body := string(content)
			bodies[as] = &body
		}
		shown.Attempts[i].Request.Body = bodies[as]
	}
	return shown, nil
}

func scanAttempt(row pgx.CollectableRow) (a Attempt, as shape, err error) {
	var at time.Time
	var sent, received []byte
	var status *int
	var body *string
	if err = row.Scan(&a.Number, &at, &a.DurationMS, &sent, &status, &received, &body, &a.Error, &as.destination, &as.format,
		&as.payload); err != nil {
		return a, as, err
	}
	a.At = *formatTime(&at)
	if err = json.Unmarshal(sent, &a.Request.Headers); err != nil || status == nil {
		return a, as, err
	}
	a.Response = &AttemptResponse{Status: *status, Headers: map[string]string{}}
	if body != nil {
		a.Response.Body = *body
	}
	if received != nil {
		err = json.Unmarshal(received, &a.Response.Headers)
	}
	return a, as, err
}

// messageShown reads the event of a delivery, from which what was sent is made again, and says whether it is there and the
// caller may read its record.
func messageShown(ctx context.Context, tx pgx.Tx, eventID string) (message, bool, error) {
	m, err := readMessage(ctx, tx, eventID)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	may, err := mayReadMessage(principal.From(ctx), m)
	return m, may, err
}
