package resource

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/read"
)

// Create makes a record of a collection on behalf of a rule or a plain operation, by all rules of the collection: its body is read and
// checked like one that a caller sends, with references, BeforeWrite and AfterWrite, history and events. It is part of the transaction, and
// gives the record's id. parent is the parent's id of a collection below another, else empty. An error is what a caller would see: after it
// the transaction must be undone.
func (registry *Registry) Create(ctx context.Context, tx pgx.Tx, collection, parent string, body map[string]any) (id string, err error) {
	ids, err := registry.CreateAll(ctx, tx, collection, parent, []map[string]any{body}, func(int) string { return "" })
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// CreateAll is Create for several records. at gives what stands before the names of a body's fields in errors, such as "deficiencies[3].".
func (registry *Registry) CreateAll(ctx context.Context, tx pgx.Tx, collection, parent string, bodies []map[string]any,
	at func(i int) string) (ids []string, err error) {
	return registry.of(collection).CreateWithin(ctx, tx, parent, bodies, at)
}

// Patch merges a body into a record on behalf of a rule or a plain operation, by all rules of the collection, as Create makes one. A record
// that the organization does not have is a 404.
func (registry *Registry) Patch(ctx context.Context, tx pgx.Tx, collection, id string, body map[string]any) error {
	return registry.of(collection).PatchWithin(ctx, tx, strings.ToLower(id), body)
}

// Edit is Patch by a function on the record, for rules that set read-only fields as well. What edit changes is held against the transitions
// and the rules of the collection like what a caller sends.
func Edit[T any](ctx context.Context, tx pgx.Tx, registry *Registry, collection, id string, edit func(record *T)) error {
	return typedOf[T](registry, collection).EditWithin(ctx, tx, strings.ToLower(id), func(record any) { edit(record.(*T)) })
}

// Remove deletes records on behalf of a rule or a plain operation, by all rules of the collection, as DELETE does. parent is the parent's
// id of a collection below another, else empty. It gives what speaks against the deletion of which record, by id: then the transaction must
// be undone. Records that the organization does not have are left out.
func (registry *Registry) Remove(ctx context.Context, tx pgx.Tx, collection, parent string,
	ids []string) (refused map[string]*fault.Error, err error) {
	return registry.of(collection).RemoveWithin(ctx, tx, parent, ids)
}

// Erase deletes the rows of records for good, also of a collection with SoftDelete, whose DELETE leaves them: by the rules of the
// collection, with history (deleted) and events. It gives what speaks against the deletion of which record, by id, such as others that
// refer to it: those stay as they are, and the others may be committed. Records that the organization does not have are left out.
func (registry *Registry) Erase(ctx context.Context, tx pgx.Tx, collection string,
	ids []string) (refused map[string]*fault.Error, err error) {
	return registry.of(collection).EraseWithin(ctx, tx, ids)
}

// MatchesVersion says whether the If-Match of a request names a version of a record, for operations beside those of the resource.
func MatchesVersion(ifMatch []string, version int) bool {
	return read.MatchesVersion(strings.Join(ifMatch, ","), strconv.Itoa(version))
}
