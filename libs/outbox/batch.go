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

	"ams.internal/libs/principal"
)

const (
	mostEvents = 500
	mostBytes  = 4 << 20
	// MaxBody is the largest body that the webhooks service must take: a batch of one event, whose record and former values are
	// as large as a bulk call's body can make them.
	MaxBody = 64 << 20
	// deadline is what the webhooks service has to keep a batch.
	deadline = 10 * time.Second
)

// entry is an event as it waits in the outbox.
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

// batch is what is sent in one call, by position.
type batch []entry

// full says that more waits, or may.
func (b batch) full() bool {
	size := 0
	for i := range b {
		size += len(b[i].Payload)
	}
	return len(b) == mostEvents || size > mostBytes/2
}

// errRefused says that the webhooks service answered, and has not kept all that it was sent.
var errRefused = errors.New("outbox: not all events were kept")

// handOn sends the events that have waited longest, and forgets those that the webhooks service has.
func (r *Relay) handOn(ctx context.Context, conn *pgx.Conn) (taken batch, kept int, err error) {
	rows, err := conn.Query(ctx, `SELECT id::text, organization_id::text, type, collection, record_id::text, version, payload, traceparent, created_at
		FROM outbox_take($1, $2)`, mostEvents, mostBytes)
	if err != nil {
		return nil, 0, lost("take events", err)
	}
	taken, err = pgx.CollectRows(rows, pgx.RowToStructByName[entry])
	if err != nil || len(taken) == 0 {
		return nil, 0, lost("take events", err)
	}
	acknowledged := map[string]bool{}
	err = whileLeading(ctx, conn, func(ctx context.Context) error {
		received, err := r.post(ctx, taken)
		for _, id := range received {
			acknowledged[id] = true
		}
		return err
	})
	if err != nil {
		return taken, 0, err
	}
	var received []string // of those that were sent: others are not forgotten, whatever the answer says
	for i := range taken {
		if acknowledged[taken[i].ID] {
			received = append(received, taken[i].ID)
		}
	}
	if _, err := conn.Exec(ctx, "SELECT outbox_done($1::uuid[])", received); err != nil {
		return taken, 0, lost("forget events", err)
	}
	if len(received) < len(taken) {
		return taken, len(received), fmt.Errorf("%w: %d of %d were", errRefused, len(received), len(taken))
	}
	return taken, len(received), nil
}

// post sends a batch and gives the ids that are acknowledged.
func (r *Relay) post(ctx context.Context, b batch) ([]string, error) {
	address, err := r.Directory.Pick(ctx, "webhooks")
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/internal/events", bytes.NewReader(b.body())) // #nosec G704 -- an instance of ours
	if err != nil {
		return nil, err
	}
	p := principal.Principal{Actor: principal.Actor{Type: "service", ID: r.Service, Name: r.Service}, RequestID: uuid.Must(uuid.NewV7()).String()}
	request.Header.Set(principal.Header, r.Signer.Sign(p))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Request-Id", p.RequestID)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(request.Header)) // this work's trace; each event has its own with it
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("read the acknowledgement: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the webhooks service answered %d: %.200s", response.StatusCode, answer)
	}
	var acknowledged struct {
		Received []string `json:"received"`
	}
	if err := json.Unmarshal(answer, &acknowledged); err != nil {
		return nil, fmt.Errorf("read the acknowledgement: %w", err)
	}
	return acknowledged.Received, nil
}

// body is the batch as JSON. Payloads are JSON already, and are copied.
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
