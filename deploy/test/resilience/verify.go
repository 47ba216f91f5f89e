package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
)

// verify compares everything that was ever acknowledged with what is there: read back through the API, in the history, and whole in
// the database. It gives what is wrong.
func (f *fixture) verify(ctx context.Context) (wrong []string, err error) {
	for _, each := range f.databases() {
		if err := each.connected(ctx, func(db *pgx.Conn) error {
			found, err := f.verifyIn(ctx, db, each.cell)
			wrong = append(wrong, found...)
			return err
		}); err != nil {
			return nil, err
		}
	}
	for _, o := range f.organizations {
		missing, err := f.readBack(ctx, o)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, missing...)
	}
	return wrong, nil
}

// verifyIn is verify for what stands in the database of a cell.
func (f *fixture) verifyIn(ctx context.Context, db *pgx.Conn, cell string) (wrong []string, err error) {
	if err := consistency.AwaitPublished(ctx, db); err != nil {
		return nil, err
	}
	var here []*load.Organization
	for _, o := range f.organizations {
		if o.Cell == cell {
			here = append(here, o)
		}
	}
	found, err := consistency.Verifier{DB: db, Since: f.began}.Acknowledgements(ctx, load.Subjects(here))
	if err != nil {
		return nil, err
	}
	partial, err := consistency.PartialWrites(ctx, db)
	if err != nil {
		return nil, err
	}
	totals, err := consistency.WrongTotals(ctx, db, load.Subjects(here))
	return slices.Concat(found.Examples, partial, totals), err
}

// readBack reads every collection of an organization as a stream, and some records one by one: each that was acknowledged is there,
// in the version that was acknowledged or a later one.
func (f *fixture) readBack(ctx context.Context, o *load.Organization) (missing []string, err error) {
	versions := map[string]int{}
	for _, c := range load.Collections {
		if err := f.readAll(ctx, o, c, versions); err != nil {
			return nil, fmt.Errorf("reading %s back: %w", c.Path, err)
		}
	}
	records := o.Records()
	for _, r := range records {
		if versions[r.ID] < r.Version {
			missing = append(missing, fmt.Sprintf("acknowledged, and not to be read: %s/%s version %d (there is version %d)",
				load.Collections[r.Collection].Path, r.ID, r.Version, versions[r.ID]))
		}
	}
	for range min(10, len(records)) {
		r := records[rand.IntN(len(records))]
		response := f.balancer.Do(ctx, o.Get(r).Call)
		if _, version, err := load.Written(response.Body); response.Err != nil || err != nil || version < r.Version {
			missing = append(missing, fmt.Sprintf("acknowledged, and not to be read by its id: %s/%s version %d: %d %.200s",
				load.Collections[r.Collection].Path, r.ID, r.Version, response.Status, response.Body))
		}
	}
	return missing, nil
}

// readAll notes the version of each record of a collection.
func (f *fixture) readAll(ctx context.Context, o *load.Organization, c load.Collection, versions map[string]int) error {
	response := f.balancer.Do(ctx, load.Call{Method: http.MethodGet, Path: c.Path, Key: o.Key(), Accept: "application/x-ndjson"})
	if response.Err != nil || response.Status != http.StatusOK {
		return fmt.Errorf("%d %s %w", response.Status, response.Code(), response.Err)
	}
	lines := bufio.NewScanner(bytes.NewReader(response.Body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			ID      string
			Version int
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		versions[r.ID] = r.Version
	}
	return lines.Err()
}
