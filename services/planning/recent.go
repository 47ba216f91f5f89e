package main

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
)

// mostRecent is how many elements the assembled scenarios together may have that an instance keeps in memory: about 100 MB.
const mostRecent = 200_000

// recent keeps what was assembled last, for who asks more than one question about a scenario of a run. It never changes; who may ask is decided
// before, by reading the run.
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
	for elements > mostRecent && len(r.order) > 1 {
		gone := r.all[r.order[0]]
		elements -= len(gone.lines) + len(gone.leftOut)
		delete(r.all, r.order[0])
		r.order = r.order[1:]
	}
}

// assemble gives what a scenario of a run was calculated with.
func (p *planning) assemble(ctx context.Context, tx pgx.Tx, r *result, scenario int) (*assembled, error) {
	key := r.run + " " + strconv.Itoa(scenario)
	if m := p.recent.get(key); m != nil {
		return m, nil
	}
	all, err := readInventory(ctx, tx, r.inventory)
	if err != nil {
		return nil, err
	}
	m := newAssembly(r.definitions, all).scenario(&r.definitions.Scenarios[scenario])
	p.recent.put(key, m)
	return m, nil
}
