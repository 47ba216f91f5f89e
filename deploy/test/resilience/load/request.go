package load

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"

	"ams.internal/deploy/test/resilience/consistency"
)

// Collection is one that the load reads and writes.
type Collection struct {
	Path, Service string
	fields        func(text string) map[string]any // what a record is created with; nil: it is only read
}

// Written says whether the load makes records in the collection.
func (c Collection) Written() bool { return c.fields != nil }

func named(field string) func(string) map[string]any {
	return func(text string) map[string]any { return map[string]any{field: text} }
}

// Collections are all of them. A mix uses the first ones.
var Collections = []Collection{
	{"/v1/assets", "assets", named("name")},
	{"/v1/work-orders", "workorders", named("title")},
	{"/v1/sites", "assets", named("name")},
	{"/v1/projects", "projects", named("name")},
	{"/v1/los/service-areas", "los", named("name")},
	{"/v1/infrastructure/networks", "infrastructure", func(text string) map[string]any {
		return map[string]any{"name": text, "asset_class": "water_main"}
	}},
	{"/v1/users", "users", func(text string) map[string]any {
		return map[string]any{"name": text, "email": fmt.Sprintf("u-%d@example.ca", rand.Int64())}
	}},
	{"/v1/requests", "requests", named("title")},
	{"/v1/forms/templates", "forms", named("name")},
	{"/v1/meters", "meters", nil}, // each belongs to a record of another service, which may be the one that is away
}

// Mix is how often each kind of request is made, in percent.
type Mix struct {
	get, list, create, update, remove  int
	bulkCreate, bulkUpdate, bulkRemove int
	collections, bulkRows, minRecords  int // with fewer records than that, one more is created
}

// The mixes. Everyday is what an organization does; Reading mostly reads; Changes and Bulks only write, in the collections
// whose services are killed.
var (
	Everyday = Mix{get: 30, list: 25, create: 20, update: 23, bulkCreate: 2, collections: len(Collections), bulkRows: 10, minRecords: 1}
	Reading  = Mix{get: 45, list: 35, create: 8, update: 12, collections: len(Collections), minRecords: 20}
	Changes  = Mix{create: 35, update: 53, remove: 12, collections: 2, minRecords: 10}
	Bulks    = Mix{bulkCreate: 25, bulkUpdate: 50, bulkRemove: 25, collections: 2, bulkRows: 25, minRecords: 1}
)

// Request is something that a caller of the organization's may do.
type Request struct {
	Call
	Service, Kind string
	Done          func(body []byte) error // takes the body of a success
}

// next gives the next request of a mix.
func (o *Organization) next(mix Mix) Request {
	of := rand.IntN(mix.collections)
	chosen, some := o.Pick()
	switch few := !some || len(o.Records()) < mix.minRecords; {
	case few && mix.create > 0:
		return o.create(of)
	case few:
		return o.bulkCreate(of, mix.bulkRows)
	}
	chance := rand.IntN(100)
	for _, each := range []struct {
		share int
		make  func() Request
	}{
		{mix.get, func() Request { return o.Get(chosen) }},
		{mix.list, func() Request { return o.List(of) }},
		{mix.create, func() Request { return o.create(of) }},
		{mix.update, func() Request { return o.update(chosen) }},
		{mix.remove, func() Request { return o.remove(chosen) }},
		{mix.bulkCreate, func() Request { return o.bulkCreate(of, mix.bulkRows) }},
		{mix.bulkUpdate, func() Request { return o.bulkUpdate(mix.bulkRows) }},
		{mix.bulkRemove, func() Request { return o.bulkRemove(mix.bulkRows / 2) }},
	} {
		if chance -= each.share; chance < 0 {
			return each.make()
		}
	}
	panic("the shares of a mix are not 100 %")
}

// Get reads a record.
func (o *Organization) Get(r Record) Request {
	c := Collections[r.Collection]
	return o.request("get", c, Call{Method: http.MethodGet, Path: c.Path + "/" + r.ID}, func(body []byte) error {
		_, _, err := Written(body)
		return err
	})
}

// List reads the newest records of a collection.
func (o *Organization) List(of int) Request {
	c := Collections[of]
	return o.request("list", c, Call{Method: http.MethodGet, Path: c.Path + "?per_page=10&sort=-created_at"}, func(body []byte) error {
		var page struct{ Data []json.RawMessage }
		return json.Unmarshal(body, &page)
	})
}

// Text is one that no other record has.
func Text() string { return fmt.Sprintf("Load %016x", rand.Uint64()) }

func (o *Organization) create(of int) Request {
	c := Collections[of]
	if !c.Written() {
		return o.List(of)
	}
	return o.request("create", c, Call{Method: http.MethodPost, Path: c.Path, Body: c.fields(Text())}, o.acknowledgeOne(of, "created"))
}

func (o *Organization) update(r Record) Request {
	c := Collections[r.Collection]
	body := map[string]any{"external_id": Text()}
	return o.request("update", c, Call{Method: http.MethodPatch, Path: c.Path + "/" + r.ID, Body: body},
		o.acknowledgeOne(r.Collection, "updated"))
}

// remove deletes a record, unless another caller does.
func (o *Organization) remove(r Record) Request {
	if len(o.release(r)) == 0 {
		return o.create(r.Collection)
	}
	c := Collections[r.Collection]
	return o.request("delete", c, Call{Method: http.MethodDelete, Path: c.Path + "/" + r.ID}, func([]byte) error {
		o.Acknowledge(r.Collection, consistency.Change{Record: r.ID, Action: "deleted"})
		return nil
	})
}

// BulkCreate creates several records in one call.
func (o *Organization) BulkCreate(of, count int) Request {
	var rows []map[string]any
	for range count {
		rows = append(rows, Collections[of].fields(Text()))
	}
	return o.bulk(of, http.MethodPost, rows, o.acknowledgeRows(of, "created", count))
}

func (o *Organization) bulkCreate(of, count int) Request {
	if !Collections[of].Written() {
		return o.List(of)
	}
	return o.BulkCreate(of, count)
}

func (o *Organization) bulkUpdate(count int) Request {
	chosen := o.pickSome(count)
	if len(chosen) == 0 {
		return o.BulkCreate(0, count)
	}
	of := chosen[0].Collection
	var rows []map[string]any
	for _, r := range chosen {
		rows = append(rows, map[string]any{"id": r.ID, "external_id": Text()})
	}
	return o.bulk(of, http.MethodPatch, rows, o.acknowledgeRows(of, "updated", len(rows)))
}

func (o *Organization) bulkRemove(count int) Request {
	chosen := o.release(o.pickSome(count)...)
	if len(chosen) == 0 {
		return o.BulkCreate(0, count)
	}
	of := chosen[0].Collection
	var rows []map[string]any
	for _, r := range chosen {
		rows = append(rows, map[string]any{"id": r.ID})
	}
	return o.bulk(of, http.MethodDelete, rows, func(body []byte) error {
		var response struct{ Results []struct{ ID, Status string } }
		err := json.Unmarshal(body, &response)
		for _, result := range response.Results {
			o.Acknowledge(of, consistency.Change{Record: result.ID, Action: result.Status})
		}
		return err
	})
}

func (o *Organization) bulk(of int, method string, rows []map[string]any, done func([]byte) error) Request {
	c := Collections[of]
	return o.request("bulk", c, Call{Method: method, Path: c.Path + "/bulk", Body: map[string]any{"data": rows}}, done)
}

func (o *Organization) request(kind string, of Collection, call Call, done func([]byte) error) Request {
	call.Key = o.Key()
	return Request{Call: call, Service: of.Service, Kind: kind, Done: done}
}

func (o *Organization) acknowledgeOne(of int, action string) func([]byte) error {
	return func(body []byte) error {
		id, version, err := Written(body)
		if err == nil {
			o.Acknowledge(of, consistency.Change{Record: id, Action: action, Version: version})
		}
		return err
	}
}

func (o *Organization) acknowledgeRows(of int, action string, count int) func([]byte) error {
	return func(body []byte) error {
		var response struct{ Data []acknowledged }
		if err := json.Unmarshal(body, &response); err != nil {
			return err
		}
		if len(response.Data) != count {
			return fmt.Errorf("%d rows were sent and %d acknowledged", count, len(response.Data))
		}
		for _, row := range response.Data {
			o.Acknowledge(of, consistency.Change{Record: row.ID, Action: action, Version: row.Version})
		}
		return nil
	}
}

type acknowledged struct {
	ID      string
	Version int
}

// Written reads what a response says of its record.
func Written(body []byte) (id string, version int, err error) {
	var r acknowledged
	if err := json.Unmarshal(body, &r); err != nil {
		return "", 0, err
	}
	if r.ID == "" || r.Version == 0 {
		return "", 0, fmt.Errorf("a response without id or version: %.80s", body)
	}
	return r.ID, r.Version, nil
}
