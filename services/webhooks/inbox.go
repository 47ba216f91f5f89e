package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

const (
	inboxPath = "/internal/events"
	// inboxBody is how long a batch may be: relays send 4 MiB, or one event however long it is.
	inboxBody = 64 << 20
	// inboxPatience is a little more than a relay has.
	inboxPatience = 12 * time.Second
)

// inbox takes the events that the services' relays bring. It is the one operation that is about several organizations at
// once, and so stands beside the API, whose operations are each in one.
type inbox struct {
	db     *postgres.DB
	signer *principal.Signer
	log    *slog.Logger
	now    func() time.Time
	kept   func(touched []endpointKey, organizations []string) // called after each commit
}

// arrival is an event as a relay sends it.
type arrival struct {
	ID             string          `json:"id"`
	OrganizationID string          `json:"organization_id"`
	Type           string          `json:"type"`
	Collection     string          `json:"collection"`
	RecordID       string          `json:"record_id"`
	Version        int             `json:"version"`
	At             time.Time       `json:"at"`
	Traceparent    string          `json:"traceparent"`
	Payload        json.RawMessage `json:"payload"`

	facts facts
}

type arrivedBatch struct {
	Events []arrival `json:"events"`
}

type receivedBatch struct {
	Received []string `json:"received"`
}

// ServeHTTP implements http.Handler.
func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), inboxPatience)
	defer cancel()
	received, err := in.take(w, r.WithContext(ctx))
	if err != nil {
		var known *fault.Error
		if !errors.As(err, &known) {
			in.log.ErrorContext(ctx, "events not taken", "error", err)
			known = fault.New(fault.KindInternal, "internal_error", "The events could not be kept.")
		}
		transport.WriteFault(w, known)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(receivedBatch{received}); err != nil { // the relay went away; it will send them again
		in.log.DebugContext(ctx, "answer to a relay not sent", "error", err)
	}
}

// take reads a batch and keeps it.
func (in *inbox) take(w http.ResponseWriter, r *http.Request) ([]string, error) {
	p, err := in.signer.Verify(r.Header.Get(principal.Header))
	switch {
	case err != nil:
		return nil, fault.New(fault.KindUnauthenticated, "principal_refused", "Events are taken from the product's own services only.").Because(err)
	case p.Actor.Type != "service":
		return nil, fault.Forbidden("services_only", "Events are taken from the product's own services only.")
	case r.Method != http.MethodPost:
		return nil, fault.Invalid("method_not_allowed", "%s takes POST.", inboxPath).WithHeader("Allow", http.MethodPost)
	}
	var batch arrivedBatch
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, inboxBody)).Decode(&batch); err != nil {
		return nil, fault.Invalid("malformed_events", "The events cannot be read: %s", err)
	}
	sound := make([]arrival, 0, len(batch.Events))
	for _, a := range batch.Events {
		if err := a.check(); err != nil {
			// It is not acknowledged, and so not lost: it waits in its outbox until somebody has looked at this.
			in.log.ErrorContext(r.Context(), "an event cannot be taken", "event", a.ID, "type", a.Type, "error", err)
			continue
		}
		sound = append(sound, a)
	}
	return in.keep(r.Context(), sound)
}

// check refuses what no service of ours writes, and reads what subscriptions may ask about.
func (a *arrival) check() (err error) {
	for name, id := range map[string]string{"id": a.ID, "organization_id": a.OrganizationID, "record_id": a.RecordID} {
		if !isUUID(id) {
			return fmt.Errorf("%s %q is no UUID", name, id)
		}
	}
	if _, known := catalogue.Product().FindEventType(a.Type); !known {
		return fmt.Errorf("the type %q is not in the catalogue", a.Type)
	}
	if len(a.Payload) < 2 || a.Payload[0] != '{' || a.At.IsZero() {
		return errors.New("its payload is no object, or its time is missing")
	}
	a.facts, err = factsOf(a.Type, a.Collection, a.RecordID, a.Payload)
	return err
}

func isUUID(text string) bool {
	return len(text) == 36 && uuid.Validate(text) == nil
}

// byOrganization gives the events of each organization in their order, and the organizations in the one order in which
// everybody locks them.
func byOrganization(arrivals []arrival) (organizations []string, of map[string][]arrival) {
	of = map[string][]arrival{}
	for _, a := range arrivals {
		of[a.OrganizationID] = append(of[a.OrganizationID], a)
	}
	return slices.Sorted(maps.Keys(of)), of
}
