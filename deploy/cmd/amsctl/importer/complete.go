package importer

import (
	"context"
	"net/http"
	"path/filepath"

	ams "ams.internal/clients/go"
)

// complete tells the service that all of the file is in, which tells those who wait for it. Parts of records have no
// collection of their own that an import could be of.
func (r *running) complete(ctx context.Context) error {
	if r.collection.Parent != "" {
		return nil
	}
	counts := r.state.Counts
	return r.client.Request(ctx, ams.Request{
		Method: http.MethodPost, Path: r.collection.Path + "/imports", IdempotencyKey: r.state.Run + CompleteSuffix, Header: r.importID(),
		Body: map[string]any{
			"import_id": r.state.ImportID, "file_name": filepath.Base(r.File),
			"created": counts.Created, "updated": counts.Updated, "unchanged": counts.Unchanged, "rejected": counts.Rejected,
		},
	}, nil)
}

// importID names the import that a call is part of.
func (r *running) importID() http.Header { return http.Header{"Import-Id": {r.state.ImportID}} }
