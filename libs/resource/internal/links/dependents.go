package links

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
)

// RejectReferredTo objects to changes whose records others still refer to, in this service and in all others: to
// deletes, or to the retirement of records that are still being worked on.
func RejectReferredTo(ctx context.Context, tx pgx.Tx, t *table.Table, changes []*change.Change, active bool) error {
	if len(changes) == 0 {
		return nil
	}
	byID, query := map[string]*change.Change{}, reference.DependentsQuery{Open: active}
	for _, c := range changes {
		byID[c.ID] = c
		query.IDs = append(query.IDs, c.ID)
	}
	all, err := dependents(ctx, t.Set, tx, t.Row.Name, query)
	if err != nil {
		return err
	}
	elsewhere, err := lockLeaving(ctx, tx, t, query)
	if err != nil {
		return err
	}
	all = append(all, elsewhere...)
	counts := map[string]map[string]int{}
	for _, dependents := range all {
		if counts[dependents.ID] == nil {
			counts[dependents.ID] = map[string]int{}
		}
		for collection, count := range dependents.Counts {
			counts[dependents.ID][collection] += count
		}
	}
	for id, counts := range counts {
		byID[id].Reject(stillInUse(t, id, counts, active))
	}
	return nil
}

func stillInUse(t *table.Table, id string, counts map[string]int, active bool) *fault.Error {
	var parts []string
	for collection, count := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", count, strings.ReplaceAll(collection, "_", " ")))
	}
	slices.Sort(parts)
	sentence := "The %s is still used by %s; move or delete those first."
	if active {
		sentence = "The %s still has %s open; complete or cancel those first."
	}
	return fault.StillInUse("id", id, counts, sentence, t.Row.Singular, strings.Join(parts, ", "))
}
