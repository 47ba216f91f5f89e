package forms

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// Records that the other services have, in every organization.
const (
	site      = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e21"
	building  = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e31"
	pump      = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e51"
	road      = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e61"
	workOrder = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e71"
	nobodys   = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2eff"
)

type fields = map[string]any

var (
	templatesURL = pathOf("form_templates")
	responsesURL = pathOf("form_responses")
)

func pathOf(collection string) string { return catalogue.Product().Must(collection).Path }

// fixture is the service on a database of its own, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	*resourcetest.Peers
	database *postgrestest.Database
	db       *postgres.DB
	forms    forms
	owner    *owner
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	database := postgrestest.New(t, "forms", migrations)
	db := database.Open(t)
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	for collection, entry := range map[string]reference.Entry{
		"sites": {ID: site, Name: "Garage municipal"}, "buildings": {ID: building, Name: "Caserne 2"}, "assets": {ID: pump, Name: "Pompe 3"},
		"segments": {ID: road, Name: "Rue Principale"}, "work_orders": {ID: workOrder, Name: "Inspection de mai"},
	} {
		peers.Keep(collection, entry)
	}
	api := transport.New(signer, db, resourcetest.Log(t))
	f := forms{resource.NewRegistry(api, db, peers.References), peers.References}
	f.mount()
	made := newOwner(t, peers)
	return &fixture{resourcetest.NewClient(api.Handler(), signer), peers, database, db, f, made}
}

// send runs the sender of effects until the test ends.
func (f *fixture) send(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { effects.NewSender("forms", f.db, f.References, resourcetest.Log(t), recordAnswers).Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
}

// owner stands in for the services that make deficiencies, work orders and readings: it keeps what they would make.
type owner struct {
	mu     sync.Mutex
	made   []fields // with kind and id
	refuse *fault.Error
	lose   int // how many more answers are lost on their way
}

func newOwner(t testing.TB, peers *resourcetest.Peers) *owner {
	t.Helper()
	db := postgrestest.New(t, "library", nil).Open(t)
	o := &owner{}
	api := transport.New(resourcetest.NewSigner(t), db, resourcetest.Log(t))
	apply := effects.Applier{Apply: o.apply}
	effects.Serve(api, map[string]effects.Applier{"create_deficiency": apply, "create_work_order": apply, "read_meter": apply})
	handler := api.Handler()
	for _, service := range []string{"assets", "infrastructure", "workorders", "meters"} {
		peers.Handle(service, "/internal/effects", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(&losing{ResponseWriter: w, owner: o}, r)
		}))
	}
	return o
}

func (o *owner) apply(ctx context.Context, _ pgx.Tx, in effects.Instruction) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refuse != nil {
		return "", o.refuse
	}
	id := uuid.Must(uuid.NewV7()).String()
	if !effects.Checking(ctx) {
		made := fields{"kind": in.Kind, "id": id, "by": in.Actor.Name}
		for _, within := range []string{"deficiency", "work_order"} {
			if body, is := in.Payload[within].(fields); is {
				made["body"] = body
			}
		}
		if made["body"] == nil {
			made["body"] = in.Payload
		}
		o.made = append(o.made, made)
	}
	return id, nil
}

func (o *owner) all() []fields {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]fields{}, o.made...)
}

func (o *owner) set(change func(*owner)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(o)
}

// losing loses answers: who asked sees a broken connection, though what was asked for is done.
type losing struct {
	http.ResponseWriter
	owner *owner
}

func (l *losing) WriteHeader(status int) {
	lost := false
	l.owner.set(func(o *owner) {
		if lost = o.lose > 0; lost {
			o.lose--
		}
	})
	if lost {
		panic(http.ErrAbortHandler)
	}
	l.ResponseWriter.WriteHeader(status)
}

// pumpForm is the form of a pump: it runs or not; what its pressure is where it runs, and a picture where it does not.
var pumpForm = []any{
	fields{"key": "runs", "type": "pass_fail", "label": "La pompe fonctionne", "required": true, "on_fail": "deficiency", "category": "code",
		"priority": "high"},
	fields{"key": "pressure", "type": "number", "label": "Pression", "unit": "kPa",
		"visible_when": fields{"item": "runs", "op": "eq", "value": "pass"}, "fails_when": fields{"item": "pressure", "op": "lt", "value": 100}},
	fields{"key": "photo", "type": "photo", "label": "Photo", "required": true,
		"visible_when": fields{"item": "runs", "op": "eq", "value": "fail"}},
}

// newTemplate publishes a form.
func newTemplate(t testing.TB, client *resourcetest.Client, name string, items []any) string {
	t.Helper()
	return client.Create(t, templatesURL, fields{"name": name, "items": items, "status": "published"})["id"].(string)
}

// begin begins a response about the pump.
func begin(t testing.TB, client *resourcetest.Client, template string, answers fields) string {
	t.Helper()
	return client.Create(t, responsesURL, fields{"template_id": template, "asset_id": pump, "answers": answers})["id"].(string)
}

// submit submits a response, which must work.
func submit(t testing.TB, client *resourcetest.Client, response string, answers fields) fields {
	t.Helper()
	return client.Must(t, http.StatusOK, "POST", responsesURL+"/"+response+"/submit", fields{"answers": answers}).JSON
}
