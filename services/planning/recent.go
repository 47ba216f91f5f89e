package planning

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fairqueue"
	"ams.internal/libs/principal"
)

// maxRecent is how many elements the assembled scenarios that an instance caches may have together: about 100 MB.
const maxRecent = 200_000

// recent caches what was assembled last, for callers with more than one question about a scenario of a run. It never changes; reading the
// run has decided before whether the caller may.
type recent struct {
	mu    sync.Mutex
	all   map[string]*assembled
	order []string // the one asked about last at the end
}

func (r *recent) get(key string) *assembled {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.all[key]
	if m != nil {
		r.order = append(slices.DeleteFunc(r.order, func(one string) bool { return one == key }), key)
	}
	return m
}

func (r *recent) put(key string, m *assembled) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(m.lines)+len(m.leftOut) > maxRecent {
		return
	}
	if r.all == nil {
		r.all = map[string]*assembled{}
	}
	if r.all[key] == nil {
		r.order = append(r.order, key)
	}
	r.all[key] = m
	elements := 0
	for _, one := range r.all {
		elements += len(one.lines) + len(one.leftOut)
	}
	for elements > maxRecent {
		oldest := r.all[r.order[0]]
		elements -= len(oldest.lines) + len(oldest.leftOut)
		delete(r.all, r.order[0])
		r.order = r.order[1:]
	}
}

// questionPlaces is about how many inventories an instance answers questions at once. Each takes a processor and the inventory's memory.
const questionPlaces = 2

// questionWait is how long a question waits for its turn.
const questionWait = endpoint.Deadline / 2

// inTurn works on a question when it is the turn of the caller's organization.
func (p *planning) inTurn(ctx context.Context, of *fairqueue.Queue, work func() error) error {
	return of.InTurn(ctx, principal.From(ctx).OrganizationID, questionWait,
		"Too many questions about inventories and runs are being answered; send this again in some seconds.", work)
}

// readInTurn reads from an inventory or a run in that turn.
func (p *planning) readInTurn(ctx context.Context, read func(ctx context.Context, tx pgx.Tx) error) error {
	return p.inTurn(ctx, p.questions, func() error { return p.registry.DB.Read(ctx, read) })
}

// assembleAll gives all of an inventory as the catalogue of today takes it, page after page.
func (p *planning) assembleAll(ctx context.Context, tx pgx.Tx, id string, today *definitions) (*assembled, error) {
	key := inputHash(today, id)
	if m := p.recent.get(key); m != nil {
		return m, nil
	}
	all, err := readInventory(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	m := newAssembly(today, all).scenario(everything)
	p.recent.put(key, m)
	return m, nil
}

// assemble gives what a scenario of a run was calculated with.
func (p *planning) assemble(ctx context.Context, tx pgx.Tx, r *result, scenario int) (*assembled, error) {
	key := r.run + " " + strconv.Itoa(scenario)
	if m := p.recent.get(key); m != nil {
		return m, nil
	}
	if r.assembly == nil {
		all, err := readInventory(ctx, tx, r.inventory)
		if err != nil {
			return nil, err
		}
		r.assembly = newAssembly(r.definitions, all)
	}
	m := r.assembly.scenario(&r.definitions.Scenarios[scenario])
	p.recent.put(key, m)
	return m, nil
}
