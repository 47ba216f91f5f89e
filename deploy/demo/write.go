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
	then, since := earlierSurveys(data.assets)
	if err := w.bulks(ctx, step{"sites", data.sites}, step{"buildings", data.buildings}, step{"systems", data.systems},
		step{"assets", then}); err != nil {
		return err
	}
	if err := w.update(ctx, "assets", since); err != nil {
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
	// What only refers to the register is written beside the work on it.
	group, side := errgroup.WithContext(ctx)
	if b.has("planning") {
		group.Go(func() error { return w.writePlanning(side, b.generator("planning", people, today, data), today) })
	}
	if b.has("los") {
		group.Go(func() error { return w.writeService(side, b.generator("service", people, today, data), network) })
	}
	if b.has("accounting") {
		group.Go(func() error { return w.writeBooks(side, b.generator("accounting", people, today, data)) })
	}
	group.Go(func() error { return w.writeWorks(side, b, network, people, data, today) })
	if err := group.Wait(); err != nil {
		return err
	}
	return end(ctx)
}

// writeWorks writes what is done about the register, everything after what it refers to: projects, work orders, maintenance, documents.
func (w *writer) writeWorks(ctx context.Context, b blueprint, network lines, people []string, data dataset, today time.Time) error {
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
	upkeep := b.generator("maintenance", people, today, data).maintenance(network)
	group, side := errgroup.WithContext(ctx)
	group.Go(func() error { return w.writePlan(side, plan, work) })
	group.Go(func() error {
		if err := w.writeUpkeep(side, b, upkeep); err != nil {
			return err
		}
		return w.writeDocuments(side, b, b.generator("documents", people, today, data).documents(work, upkeep))
	})
	return group.Wait()
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

// part is one sub-collection of a collection's records.
type part struct {
	name  string
	parts parts
}

// writeParts writes the parts of many records, a few calls at a time: each is a call of its own.
func (w *writer) writeParts(ctx context.Context, collection string, all ...part) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for _, p := range all {
		for of, records := range p.parts {
			group.Go(func() error {
				_, err := w.bulk(ctx, collection+"/"+w.id(of)+"/"+p.name, records)
				return err
			})
		}
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
