package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"ams.internal/deploy/cmd/amsctl/api"
	"ams.internal/deploy/test/resilience/consistency"
)

// collection is one that the load reads and writes.
type collection struct {
	path, service string
	make          func(text string) map[string]any
}

func named(field string) func(string) map[string]any {
	return func(text string) map[string]any { return map[string]any{field: text} }
}

var collections = []collection{
	{"/v1/assets", "assets", named("name")},
	{"/v1/sites", "assets", named("name")},
	{"/v1/work-orders", "workorders", named("title")},
	{"/v1/projects", "projects", named("name")},
	{"/v1/los/service-areas", "los", named("name")},
	{"/v1/infrastructure/networks", "infrastructure", func(text string) map[string]any {
		return map[string]any{"name": text, "asset_class": "water_main"}
	}},
	{"/v1/users", "users", func(text string) map[string]any {
		return map[string]any{"name": text, "email": fmt.Sprintf("u-%d@example.ca", rand.Int64())}
	}},
}

// tenant is an organization under load, and what it was told was done.
type tenant struct {
	id            string
	administrator consistency.Administrator
	keys          []string
	turn          atomic.Uint64
	receiver      *consistency.Receiver // of everything; nil where nobody subscribed
	base          int64                 // the sequence before the first change that counts

	mu      sync.Mutex
	records []record // those that it has made
	place   map[string]int
	said    []consistency.Change
}

// record is one that was acknowledged.
type record struct {
	collection int
	id         string
	version    int // the highest that was acknowledged
}

func (t *tenant) key() string { return t.keys[t.turn.Add(1)%uint64(len(t.keys))] }

func (t *tenant) client(base string) *api.Client {
	return &api.Client{Base: base, Bearer: t.key(), GiveUpAfter: time.Minute}
}

// pick gives one of the records.
func (t *tenant) pick() (record, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) == 0 {
		return record{}, false
	}
	return t.records[rand.IntN(len(t.records))], true
}

// believe keeps what an answer acknowledged.
func (t *tenant) believe(of int, action string, id string, version int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, consistency.Change{Record: id, Action: action, Version: version})
	if i, known := t.place[id]; known {
		t.records[i].version = max(t.records[i].version, version)
		return
	}
	t.place[id] = len(t.records)
	t.records = append(t.records, record{of, id, version})
}

// request is something that a caller of the tenant's may do; done takes the answer of a success.
type request struct {
	call
	service, kind string
	done          func(body []byte) error
}

// anything gives the next request of the mix: 30 % get, 25 % list, 20 % create, 23 % change, 2 % a bulk of ten.
func (t *tenant) anything() request {
	chosen, some := t.pick()
	of := rand.IntN(len(collections))
	chance := rand.IntN(100)
	if !some {
		chance = 60
	}
	switch {
	case chance < 30:
		return t.get(chosen)
	case chance < 55:
		return t.list(of)
	case chance < 75:
		return t.create(of)
	case chance < 98:
		return t.change(chosen)
	}
	return t.bulk(of)
}

func (t *tenant) get(r record) request {
	c := collections[r.collection]
	return request{call: call{method: http.MethodGet, path: c.path + "/" + r.id, key: t.key()}, service: c.service, kind: "get",
		done: func(body []byte) error {
			_, _, err := written(body)
			return err
		}}
}

func (t *tenant) list(of int) request {
	c := collections[of]
	return request{call: call{method: http.MethodGet, path: c.path + "?per_page=10&sort=-created_at", key: t.key()}, service: c.service, kind: "list",
		done: func(body []byte) error {
			var page struct{ Data []json.RawMessage }
			return json.Unmarshal(body, &page)
		}}
}

func text() string { return fmt.Sprintf("Load %016x", rand.Uint64()) }

func (t *tenant) create(of int) request {
	c := collections[of]
	return request{call: call{method: http.MethodPost, path: c.path, key: t.key(), body: c.make(text())}, service: c.service, kind: "create",
		done: func(body []byte) error {
			id, version, err := written(body)
			if err == nil {
				t.believe(of, "created", id, version)
			}
			return err
		}}
}

func (t *tenant) change(r record) request {
	c := collections[r.collection]
	return request{call: call{method: http.MethodPatch, path: c.path + "/" + r.id, key: t.key(), body: map[string]any{"external_id": text()}}, service: c.service, kind: "update",
		done: func(body []byte) error {
			id, version, err := written(body)
			if err == nil {
				t.believe(r.collection, "updated", id, version)
			}
			return err
		}}
}

func (t *tenant) bulk(of int) request {
	c := collections[of]
	var rows []map[string]any
	for range 10 {
		rows = append(rows, c.make(text()))
	}
	return request{call: call{method: http.MethodPost, path: c.path + "/bulk", key: t.key(), body: map[string]any{"data": rows}}, service: c.service, kind: "bulk",
		done: func(body []byte) error {
			var answer struct{ Data []acknowledged }
			if err := json.Unmarshal(body, &answer); err != nil {
				return err
			}
			if len(answer.Data) != len(rows) {
				return fmt.Errorf("%d rows were sent and %d acknowledged", len(rows), len(answer.Data))
			}
			for _, row := range answer.Data {
				t.believe(of, "created", row.ID, row.Version)
			}
			return nil
		}}
}

type acknowledged struct {
	ID      string
	Version int
}

// written reads what an answer says of its record.
func written(body []byte) (id string, version int, err error) {
	var r acknowledged
	if err := json.Unmarshal(body, &r); err != nil {
		return "", 0, err
	}
	if r.ID == "" || r.Version == 0 {
		return "", 0, fmt.Errorf("an answer without id or version: %.80s", body)
	}
	return r.ID, r.Version, nil
}

// found makes a tenant. Each of its keys may be used a thousand times a minute.
func found(ctx context.Context, founder consistency.Founder, base string, number, keys int, subscribes bool) (*tenant, error) {
	administrator, err := founder.Found(ctx, fmt.Sprintf("Fault %d", number), fmt.Sprintf("fault-%d@example.ca", number))
	if err != nil {
		return nil, err
	}
	t := &tenant{id: administrator.Organization, administrator: administrator, place: map[string]int{}}
	if t.keys, err = administrator.Keys(ctx, keys, 1000); err != nil {
		return nil, err
	}
	if subscribes {
		t.receiver, err = consistency.Subscribe(ctx, t.client(base), "*")
	}
	return t, err
}
