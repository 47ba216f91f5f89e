package ams

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// MaxRows is the most rows that a bulk call takes.
const MaxRows = 1000

// What a bulk create does with a row whose record is there already, found by external_id, else by its natural key.
const (
	ConflictError  = "error"
	ConflictSkip   = "skip"
	ConflictUpdate = "update"
)

// BulkOptions say how the rows of a bulk call belong together. The zero value is the service's default: all rows or none, and a row whose
// record is there already is an error.
type BulkOptions struct {
	EachOnItsOwn bool   // atomic=false: good rows are written, and bad ones said in the result
	OnConflict   string // of a create: ConflictError, ConflictSkip or ConflictUpdate
}

// BulkResult is what became of the rows.
type BulkResult[R any] struct {
	Data    []R       `json:"data"` // the records as they are now
	Results []BulkRow `json:"results"`
	Summary struct {
		Created   int `json:"created"`
		Updated   int `json:"updated"`
		Unchanged int `json:"unchanged"` // as the row says already
		Skipped   int `json:"skipped"`
		Deleted   int `json:"deleted"`
		Failed    int `json:"failed"`
	} `json:"summary"`
}

// BulkRow is what became of one row: created, updated, unchanged, skipped, deleted or failed.
type BulkRow struct {
	Index  int          `json:"index"` // from 0
	Status string       `json:"status"`
	ID     string       `json:"id"`
	Error  string       `json:"error"`
	Code   string       `json:"code"`
	Field  string       `json:"field"`
	Value  any          `json:"value"`
	Fields []FieldError `json:"fields"`
}

// Key names a record by our id or by yours.
type Key struct {
	ID         string `json:"id,omitempty"`
	ExternalID string `json:"external_id,omitempty"`
}

// PatchRow is a row of BulkUpdate: a record, and what changes of it.
type PatchRow[P any] struct {
	Key
	Patch P
}

// MarshalJSON puts key and patch into one object, as the service reads them.
func (r PatchRow[P]) MarshalJSON() ([]byte, error) {
	key, err := json.Marshal(r.Key)
	if err != nil {
		return nil, err
	}
	patch, err := json.Marshal(r.Patch)
	if err != nil {
		return nil, err
	}
	patch = bytes.TrimSpace(patch)
	switch {
	case len(patch) < 2 || patch[0] != '{':
		return nil, errors.New("a patch is a JSON object")
	case len(key) == 2:
		return patch, nil
	case len(bytes.TrimSpace(patch[1:len(patch)-1])) == 0:
		return key, nil
	}
	return append(append(key[:len(key)-1], ','), patch[1:]...), nil
}

// BulkCreate makes up to MaxRows records in one call.
func (c *Collection[R, W, P]) BulkCreate(ctx context.Context, rows []W, options BulkOptions) (*BulkResult[R], error) {
	return c.BulkCreateRows(ctx, rows, options)
}

// BulkCreateRows is BulkCreate for rows that name other records by your own ids, such as []AssetBulkCreateRow with SiteExternalID, or for
// raw JSON: rows is a list of what marshals to an object.
func (c *Collection[R, W, P]) BulkCreateRows(ctx context.Context, rows any, options BulkOptions) (*BulkResult[R], error) {
	return c.bulk(ctx, http.MethodPost, rows, options)
}

// BulkUpdate changes up to MaxRows records in one call.
func (c *Collection[R, W, P]) BulkUpdate(ctx context.Context, rows []PatchRow[P], options BulkOptions) (*BulkResult[R], error) {
	return c.bulk(ctx, http.MethodPatch, rows, options)
}

// BulkUpdateRows is BulkUpdate for rows such as []AssetBulkPatchRow, which name other records by your own ids, or for raw JSON.
func (c *Collection[R, W, P]) BulkUpdateRows(ctx context.Context, rows any, options BulkOptions) (*BulkResult[R], error) {
	return c.bulk(ctx, http.MethodPatch, rows, options)
}

// BulkDelete removes up to MaxRows records in one call.
func (c *Collection[R, W, P]) BulkDelete(ctx context.Context, keys []Key, options BulkOptions) (*BulkResult[R], error) {
	return c.bulk(ctx, http.MethodDelete, keys, options)
}

func (c *Collection[R, W, P]) bulk(ctx context.Context, method string, rows any, options BulkOptions) (*BulkResult[R], error) {
	query := url.Values{}
	if options.EachOnItsOwn {
		query.Set("atomic", "false")
	}
	if options.OnConflict != "" {
		query.Set("on_conflict", options.OnConflict)
	}
	result := &BulkResult[R]{}
	err := c.client.Request(ctx, Request{Method: method, Path: c.path + "/bulk", Query: query, Body: map[string]any{"data": rows}}, result)
	if err != nil {
		return nil, err
	}
	return result, nil
}
