package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/test/resilience/consistency"
)

// Organization is one under load, and what its callers were told.
type Organization struct {
	ID, Email, Password string // of the organization, and of its administrator
	Cell                string // that has its data
	Keys                []string
	Receivers           []*consistency.Receiver

	admin    Admin
	base     string // URL of the API
	calls    atomic.Uint64
	sequence int64 // of the last event before the first change that counts

	mu           sync.Mutex
	records      []Record // acknowledged, and no delete was sent
	place        map[string]int
	acknowledged []consistency.Change
	report       func(consistency.Change) // gets each change that was acknowledged; may be nil
}

// Record is one that was acknowledged.
type Record struct {
	Collection int // of Collections
	ID         string
	Version    int // the highest that was acknowledged
}

// Known is an organization that somebody else has made, by its id and its keys, at the API's base URL.
func Known(base, id string, keys []string) *Organization {
	return &Organization{ID: id, Keys: keys, base: base, place: map[string]int{}}
}

// Key gives the next key, so that all are used equally.
func (o *Organization) Key() string { return o.Keys[o.calls.Add(1)%uint64(len(o.Keys))] }

// Client calls the API with one of the keys.
func (o *Organization) Client() *ams.Client {
	return ams.NewClient(o.base, o.Key())
}

// Close ends the receivers.
func (o *Organization) Close() error {
	var errs []error
	for _, r := range o.Receivers {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Begin says that changes count from now on: what comes after the last event of the feed.
func (o *Organization) Begin(ctx context.Context) error {
	events, err := consistency.Feed(ctx, o.Client(), 0)
	if len(events) > 0 {
		o.sequence = events[len(events)-1].Sequence
	}
	return err
}

// Subject is the organization as it is compared.
func (o *Organization) Subject() consistency.Subject {
	o.mu.Lock()
	defer o.mu.Unlock()
	return consistency.Subject{Organization: o.ID, Client: o.Client(), Base: o.sequence, Acknowledged: o.acknowledged, Receivers: o.Receivers}
}

// Subjects are organizations as they are compared.
func Subjects(organizations []*Organization) (all []consistency.Subject) {
	for _, o := range organizations {
		all = append(all, o.Subject())
	}
	return all
}

// Records are those that were acknowledged.
func (o *Organization) Records() []Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.records
}

// Pick gives one of the records.
func (o *Organization) Pick() (Record, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.records) == 0 {
		return Record{}, false
	}
	return o.records[rand.IntN(len(o.records))], true
}

// pickSome gives up to so many records of the collection that one of them is of.
func (o *Organization) pickSome(count int) (some []Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.records) == 0 {
		return nil
	}
	start := rand.IntN(len(o.records))
	of := o.records[start].Collection
	for i := range o.records {
		if r := o.records[(start+i)%len(o.records)]; r.Collection == of && len(some) < count {
			some = append(some, r)
		}
	}
	return some
}

// release takes records out, and gives those that were still there: each is deleted by one caller only.
func (o *Organization) release(records ...Record) (released []Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range records {
		i, known := o.place[r.ID]
		if !known {
			continue
		}
		last := len(o.records) - 1
		o.records[i] = o.records[last]
		o.place[o.records[i].ID] = i
		o.records = o.records[:last]
		delete(o.place, r.ID)
		released = append(released, r)
	}
	return released
}

// addAcknowledged remembers what was acknowledged to a process of its own.
func (o *Organization) addAcknowledged(c consistency.Change) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.acknowledged = append(o.acknowledged, c)
}

// Acknowledge remembers what a response acknowledged.
func (o *Organization) Acknowledge(of int, c consistency.Change) {
	o.addAcknowledged(c)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.report != nil {
		o.report(c)
	}
	i, known := o.place[c.Record]
	switch {
	case known:
		o.records[i].Version = max(o.records[i].Version, c.Version)
	case c.Action == "created":
		o.place[c.Record] = len(o.records)
		o.records = append(o.records, Record{of, c.Record, c.Version})
	}
}
