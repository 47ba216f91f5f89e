package write

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// upsertAttempts is how often a record is looked for that somebody else makes, or takes away, at the same time.
const upsertAttempts = 4

// UpsertOne serves PUT on a record by its external id: what a bulk call with on_conflict=update does of one row. It answers 201 when the
// record was created, 200 when it was there.
func (c *Resource) UpsertOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	externalID, err := read.ExternalID(c.Table, r)
	if err != nil {
		return nil, err
	}
	parent, err := read.ParentOf(ctx, c.Table, r)
	if err != nil {
		return nil, err
	}
	b, err := c.upsert(unguarded(ctx), r, parent, externalID)
	for attempt := 1; attempt < upsertAttempts && (clash(err) != nil || isTaken(err)); attempt++ {
		b, err = c.upsert(ctx, r, parent, externalID) // by now it may be there; else to name what clashes
	}
	if err != nil {
		return nil, c.Explain(err)
	}
	if b.status[0] != "created" {
		return c.response(ctx, b.changes[0], http.StatusOK), nil
	}
	response := c.response(ctx, b.changes[0], http.StatusCreated)
	collection, _, _ := strings.Cut(r.URL.EscapedPath(), transport.ByExternalID)
	response.SetHeader("Location", collection+"/"+b.changes[0].ID)
	return response, nil
}

// isTaken says whether a record is in the way: by its external id, or by a rule of the collection's own, and it may
// be the one that is meant.
func isTaken(err error) bool {
	var refused *fault.Error
	return errors.As(err, &refused) && refused.Code == "already_exists"
}

// upsert creates or updates the record once.
func (c *Resource) upsert(ctx context.Context, r *transport.Request, parent, externalID string) (*bulk, error) {
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	given, has := body["external_id"]
	if text, _ := given.(string); has && normal(text) != normal(externalID) {
		return nil, fault.InvalidFields(fault.Field{Field: "external_id", Message: "must be the one in the path, or be left out"})
	} else if !has {
		body["external_id"] = externalID
	}
	b := &bulk{Resource: c, parent: parent, alone: true, atomic: true, onConflict: "update", earlier: map[string]int{}}
	b.take([]any{body})
	return b, c.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := b.resolveReferences(ctx); err != nil {
			return err
		}
		held, err := b.match(ctx, tx)
		if err != nil {
			return err
		}
		if err := c.precondition(r, externalID, held[b.keyOf(body)]); err != nil {
			return err
		}
		if err := b.createOrUpdate(ctx, tx, held); err != nil {
			return err
		}
		if b.collectFailures(); b.failures[0] != nil {
			return b.failures[0]
		}
		return nil
	})
}

// precondition holds a request against the record that is there; before is nil for none.
func (c *Resource) precondition(r *transport.Request, externalID string, before table.Values) error {
	match, noneMatch := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	switch {
	case before == nil && match != "":
		return fault.Conflict("version_mismatch", "external_id", externalID,
			"There is no %s with the external_id %q, so it is at no version; leave If-Match out to create it.", c.One(), externalID)
	case before == nil:
		return nil
	}
	version := c.Text(before, "version")
	if match != "" && !read.MatchesVersion(match, version) {
		return versionMismatch(version, match)
	}
	if noneMatch != "" && read.MatchesVersion(noneMatch, version) {
		taken := fault.Conflict("already_exists", "external_id", externalID,
			"There already is %s with external_id %q, and If-None-Match says to leave it as it is.", catalogue.A(c.One()), externalID)
		taken.ExistingID = c.Text(before, "id")
		return taken.WithHeader("ETag", `"`+version+`"`)
	}
	return nil
}
