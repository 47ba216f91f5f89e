package outbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/propagation"

	"ams.internal/libs/leader"
	"ams.internal/libs/principal"
)

const (
	maxEvents = 500
	maxBytes  = 4 << 20
	// MaxBody is the largest body that the webhooks service must accept: a batch of one event whose record and former values are
	// as large as the body of a bulk call allows.
	MaxBody = 64 << 20
	// postTimeout is the time for the webhooks service to store and acknowledge a batch.
	postTimeout = 10 * time.Second
)

// entry is a row of the outbox.
type entry struct {
	ID             string    `db:"id"`
	OrganizationID string    `db:"organization_id"`
	Type           string    `db:"type"`
	Collection     string    `db:"collection"`
	RecordID       string    `db:"record_id"`
	Version        int       `db:"version"`
	Payload        string    `db:"payload"`
	Traceparent    string    `db:"traceparent"`
	CreatedAt      time.Time `db:"created_at"`
}

// batch is the entries of one call, by position.
type batch []entry

// full says that the outbox may have more entries.
func (b batch) full() bool {
	size := 0
	for i := range b {
		size += len(b[i].Payload)
	}
	return len(b) == maxEvents || size > maxBytes/2
}

// errNotAcknowledged says that the webhooks service responded, and has not acknowledged all events of the batch.
var errNotAcknowledged = errors.New("outbox: not all events were kept")

// publish sends the oldest events to the webhooks service, and deletes those that it acknowledges from the outbox. The database confirms
// the lock between the two: what was read is not what a later leader has sent already.
func (r *Relay) publish(ctx context.Context, lock *leader.Lock) (sent batch, acknowledged int, err error) {
	sent, err = r.take(ctx)
	if err == nil && len(sent) > 0 {
		err = lock.Confirm(ctx)
	}
	if err != nil || len(sent) == 0 {
		return nil, 0, err
	}
	ids, err := r.post(ctx, sent)
	if err != nil {
		return sent, 0, err
	}
	received := map[string]bool{}
	for _, id := range ids {
		received[id] = true
	}
	var organizations, done []string // ids that were sent; an id of the response that was not sent deletes nothing
	for i := range sent {
		if received[sent[i].ID] {
			organizations, done = append(organizations, sent[i].OrganizationID), append(done, sent[i].ID)
		}
	}
	if err := r.forget(ctx, organizations, done); err != nil {
		return sent, 0, err
	}
	if len(done) < len(sent) {
		return sent, len(done), fmt.Errorf("%w: %d of %d were", errNotAcknowledged, len(done), len(sent))
	}
	return sent, len(done), nil
}

// take reads the oldest events.
func (r *Relay) take(ctx context.Context) (batch, error) {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	var taken batch
	if err := r.DB.Poll(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `
			SELECT id::text, organization_id::text, type, collection, record_id::text, version, payload, traceparent, created_at
			FROM outbox_take($1, $2)`, maxEvents, maxBytes)
		if err != nil {
			return err
		}
		taken, err = pgx.CollectRows(rows, pgx.RowToStructByName[entry])
		return err
	}); err != nil {
		return nil, fmt.Errorf("take events: %w", err)
	}
	return taken, nil
}

// forget deletes events that were acknowledged.
func (r *Relay) forget(ctx context.Context, organizations, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	if _, err := r.DB.Pool().Exec(ctx, "SELECT outbox_done($1::uuid[], $2::uuid[])", organizations, ids); err != nil {
		return fmt.Errorf("forget events: %w", err)
	}
	return nil
}

// post sends a batch and gives the ids that are acknowledged.
func (r *Relay) post(ctx context.Context, b batch) ([]string, error) {
	actor := principal.Actor{Type: "service", ID: r.Service, Name: r.Service}
	p := principal.Principal{Cell: r.cell, Actor: actor, RequestID: uuid.Must(uuid.NewV7()).String()}
	body := b.body()
	// An inbox that says nothing may have kept the events all the same: it recognises them by their ids, so that another one can be asked.
	response, err := r.Directory.Send(ctx, r.client, "webhooks", "", true, func(ctx context.Context, address string) (*http.Request, error) {
		target := "http://" + address + InboxPath
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body)) // #nosec G704 -- an instance of ours
		if err != nil {
			return nil, err
		}
		request.Header.Set(principal.Header, r.Signer.Sign(p))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Request-Id", p.RequestID)
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(request.Header)) // of this call; each event carries its own trace
		return request, nil
	})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("read the acknowledgement: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the webhooks service answered %d: %.200s", response.StatusCode, body)
	}
	var acknowledged struct {
		Received []string `json:"received"`
	}
	if err := json.Unmarshal(body, &acknowledged); err != nil {
		return nil, fmt.Errorf("read the acknowledgement: %w", err)
	}
	return acknowledged.Received, nil
}

// body is the batch as JSON. A payload is JSON already, and is copied.
func (b batch) body() []byte {
	size := 100
	for i := range b {
		size += len(b[i].Payload) + 500
	}
	dst := append(make([]byte, 0, size), `{"events":[`...)
	for i := range b {
		e := &b[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, `{"id":"`...), e.ID...)
		dst = append(append(dst, `","organization_id":"`...), e.OrganizationID...)
		dst = append(append(dst, `","type":`...), text(e.Type)...)
		dst = append(append(dst, `,"collection":`...), text(e.Collection)...)
		dst = append(append(dst, `,"record_id":"`...), e.RecordID...)
		dst = strconv.AppendInt(append(dst, `","version":`...), int64(e.Version), 10)
		dst = append(e.CreatedAt.UTC().AppendFormat(append(dst, `,"at":"`...), "2006-01-02T15:04:05.000000Z"), `","traceparent":"`...)
		dst = append(append(append(dst, e.Traceparent...), `","payload":`...), e.Payload...)
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}
