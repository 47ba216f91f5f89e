package webhooks

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

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

const (
	// maxInboxBody limits a batch. Relays send 4 MiB, or one event of any length.
	maxInboxBody = 64 << 20
	// inboxTimeout is a little longer than a relay waits.
	inboxTimeout = 12 * time.Second
)

// asServicesWrite are options for reading what our own services wrote: nothing that they kept may be refused here, because it would wait
// in its outbox for ever.
var asServicesWrite = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// inbox receives the events that the services' relays send. It is not an operation of the API, because those are about one
// organization each, and a batch has events of several.
type inbox struct {
	db          *postgres.DB
	signer      *principal.Signer
	log         *slog.Logger
	plans       *plans
	now         func() time.Time
	afterCommit func(ctx context.Context, touched []endpointKey, organizations []string)
}

// incomingEvent is an event as a relay sends it.
type incomingEvent struct {
	ID             string          `json:"id"`
	OrganizationID string          `json:"organization_id"`
	Type           string          `json:"type"`
	Collection     string          `json:"collection"`
	RecordID       string          `json:"record_id"`
	Version        int             `json:"version"`
	At             time.Time       `json:"at"`
	Traceparent    string          `json:"traceparent"`
	Payload        json.RawMessage `json:"payload"`

	attributes attributes
}

type eventBatch struct {
	Events []incomingEvent `json:"events"`
}

type eventReceipt struct {
	Received []string `json:"received"`
}

// ServeHTTP implements http.Handler.
func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), inboxTimeout)
	defer cancel()
	received, err := in.receive(w, r.WithContext(ctx))
	if err != nil {
		var known *fault.Error
		if !errors.As(err, &known) {
			in.log.ErrorContext(ctx, "events not taken", "error", err)
			known = fault.New(fault.KindInternal, "internal_error", "The events could not be kept.")
		}
		transport.WriteFault(w, r.Header["Accept"], known)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(eventReceipt{received}); err != nil { // the relay hung up; it sends them again
		in.log.DebugContext(ctx, "response to a relay not sent", "error", err)
	}
}

// receive reads a batch, stores its valid events, and gives the ids of those that are stored.
func (in *inbox) receive(w http.ResponseWriter, r *http.Request) ([]string, error) {
	p, err := in.signer.Verify(r.Header.Get(principal.Header))
	switch {
	case err != nil:
		return nil, fault.New(fault.KindUnauthenticated, "principal_refused",
			"Events are taken from the product's own services only.").WithCause(err)
	case p.Actor.Type != "service":
		return nil, fault.Forbidden("services_only", "Events are taken from the product's own services only.")
	case r.Method != http.MethodPost:
		return nil, fault.Invalid("method_not_allowed", "%s takes POST.", outbox.InboxPath).WithHeader("Allow", http.MethodPost)
	}
	var batch eventBatch
	if err := jsonv2.UnmarshalRead(http.MaxBytesReader(w, r.Body, maxInboxBody), &batch, asServicesWrite); err != nil {
		return nil, fault.Invalid("malformed_events", "The events cannot be read: %s", err)
	}
	valid := make([]incomingEvent, 0, len(batch.Events))
	for _, e := range batch.Events {
		if err := e.validate(); err != nil {
			// It is not acknowledged, and so not lost: it stays in its outbox until somebody has looked at this.
			in.log.ErrorContext(r.Context(), "an event cannot be taken", "event", e.ID, "type", e.Type, "error", err)
			continue
		}
		valid = append(valid, e)
	}
	ctx := postgres.InCell(r.Context(), p.CellName()) // a relay has the events of one cell
	in.compareWithPlans(ctx, valid)
	return in.store(ctx, valid)
}

// validate rejects what none of our services writes, and reads the attributes that subscriptions filter by.
func (e *incomingEvent) validate() (err error) {
	for name, id := range map[string]string{"id": e.ID, "organization_id": e.OrganizationID, "record_id": e.RecordID} {
		if !isUUID(id) {
			return fmt.Errorf("%s %q is no UUID", name, id)
		}
	}
	if _, known := catalogue.Product().FindEventType(e.Type); !known {
		return fmt.Errorf("the type %q is not in the catalogue", e.Type)
	}
	if len(e.Payload) < 2 || e.Payload[0] != '{' || e.At.IsZero() {
		return errors.New("its payload is no object, or its time is missing")
	}
	e.attributes, err = attributesOf(e.Type, e.Collection, e.RecordID, e.Payload)
	return err
}

// compareWithPlans finds the events about records on such as their organization's plan does not include. It waits for the gateway no longer
// than for one organization.
func (in *inbox) compareWithPlans(ctx context.Context, events []incomingEvent) {
	ctx, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	for i := range events {
		a := &events[i].attributes
		if needed := featuresOf(a.seenWith); needed != nil {
			a.unplanned = !in.plans.of(ctx, events[i].OrganizationID, in.now()).have(needed...)
		}
	}
}

// featuresOf are the features of the plan that collections belong to.
func featuresOf(collections []string) (names []string) {
	for _, collection := range collections {
		if row, _ := catalogue.Product().Find(collection); row.Feature != "" {
			names = append(names, row.Feature)
		}
	}
	return names
}

func isUUID(text string) bool {
	return len(text) == 36 && uuid.Validate(text) == nil
}

// byOrganization groups events by organization, and gives the organizations in the order in which every inbox locks them.
func byOrganization(events []incomingEvent) (organizations []string, grouped map[string][]incomingEvent) {
	grouped = map[string][]incomingEvent{}
	for _, e := range events {
		grouped[e.OrganizationID] = append(grouped[e.OrganizationID], e)
	}
	return slices.Sorted(maps.Keys(grouped)), grouped
}
