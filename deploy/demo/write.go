package demo

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// writer writes the records of one organization and remembers what ids they got, by their external ids.
type writer struct {
	api     *client
	written *tally
	mu      sync.Mutex
	ids     map[string]string
}

// writeRecords writes what the organization's plan has room for, everything after what it refers to.
func (s *seeding) writeRecords(ctx context.Context, e *entry) error {
	key, end, err := s.writingKey(ctx, e)
	if err != nil {
		return err
	}
	w := &writer{api: newClient(s.target.BaseURL, key), written: s.written, ids: map[string]string{}}
	b := s.blueprint
	people, err := w.bulk(ctx, "users", b.userRecords())
	if err != nil {
		return err
	}
	data := b.generate(people)
	if err := w.bulks(ctx, step{"sites", data.sites}, step{"buildings", data.buildings}, step{"systems", data.systems},
		step{"assets", data.assets}); err != nil {
		return err
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	if err := w.writePriceIndex(ctx, b, today.Year()); err != nil {
		return err
	}
	var network lines
	if b.has("infrastructure") && b.lines != nil {
		network = b.lines(b.generator("lines", people, today, data))
		if err := w.bulks(ctx, step{"infrastructure/networks", network.networks}, step{"infrastructure/segments", network.segments},
			step{"infrastructure/inspections", network.inspections}); err != nil {
			return err
		}
	}
	if b.has("planning") {
		if err := w.writePlanning(ctx, b.generator("planning", people, today, data), today); err != nil {
			return err
		}
	}
	var plan capitalPlan
	if b.has("projects") {
		plan = b.generator("projects", people, today, data).capitalPlan(network)
		if err := w.bulks(ctx, step{"projects", plan.projects}); err != nil {
			return err
		}
	}
	work := b.generator("work", people, today, data).workOrders(network, plan)
	if err := w.writeWork(ctx, work); err != nil {
		return err
	}
	if err := w.writePlan(ctx, plan, work); err != nil {
		return err
	}
	kept := b.generator("maintenance", people, today, data).maintenance(network)
	if err := w.writeUpkeep(ctx, b, kept); err != nil {
		return err
	}
	if b.has("los") {
		if err := w.writeService(ctx, b.generator("service", people, today, data), network); err != nil {
			return err
		}
	}
	if b.has("accounting") {
		if err := w.writeBooks(ctx, b.generator("accounting", people, today, data)); err != nil {
			return err
		}
	}
	if err := w.writeDocuments(ctx, b, b.generator("documents", people, today, data).documents(work, kept)); err != nil {
		return err
	}
	return end(ctx)
}

// step is the records of one collection.
type step struct {
	collection string
	records    []record
}

func (w *writer) bulks(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		if _, err := w.bulk(ctx, s.collection, s.records); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) bulk(ctx context.Context, collection string, records []record) ([]string, error) {
	ids, err := w.api.bulk(ctx, collection, records, w.written)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, id := range ids {
		if external, given := records[i]["external_id"].(string); given {
			w.ids[external] = id
		}
	}
	return ids, err
}

// id is what the service calls a record that was written.
func (w *writer) id(external string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ids[external]
}

// parts are the records of a sub-collection, by the external id of what they belong to.
type parts map[string][]record

func (p parts) add(of string, r record) {
	r["external_id"] = fmt.Sprintf("%s-%02d", r["external_id"], len(p[of])+1)
	p[of] = append(p[of], r)
}

// writeParts writes the parts of many records, a few calls at a time: each is a call of its own.
func (w *writer) writeParts(ctx context.Context, collection, name string, all parts) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for of, records := range all {
		group.Go(func() error {
			_, err := w.bulk(ctx, collection+"/"+w.id(of)+"/"+name, records)
			return err
		})
	}
	return group.Wait()
}

// update changes records that are there, by their external ids.
func (w *writer) update(ctx context.Context, collection string, records []record) error {
	for start := 0; start < len(records); start += rowsPerCall {
		part := records[start:min(start+rowsPerCall, len(records))]
		if err := w.api.do(ctx, http.MethodPatch, "/v1/"+collection+"/bulk", record{"data": part}, nil); err != nil {
			return err
		}
	}
	return nil
}
