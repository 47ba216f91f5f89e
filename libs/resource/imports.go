package resource

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/transport"
)

// Import is what has come of an import into a collection: what the importer says of it, and the object of its event.
type Import struct {
	ImportID  string  `json:"import_id" required:"true" format:"uuid" doc:"The import's id, made by the importer: the same as in the Import-Id header of its calls." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	FileName  *string `json:"file_name" maxLength:"255" doc:"Name of the file that was imported." example:"assets.csv"`
	Created   int     `json:"created" default:"0" minimum:"0" doc:"Records that were created."`
	Updated   int     `json:"updated" default:"0" minimum:"0" doc:"Records that were there and were updated."`
	Unchanged int     `json:"unchanged" default:"0" minimum:"0" doc:"Records that were there and stayed as they were."`
	Rejected  int     `json:"rejected" default:"0" minimum:"0" doc:"Records that were refused."`
}

// mountImports serves the word of an importer that it is done. The calls that wrote the records had their own events; this
// one is for who waits for all of them.
func (c *collection[T]) mountImports() {
	if c.Parent != "" {
		return
	}
	many := strings.ReplaceAll(c.Collection, "_", " ")
	transport.Post(c.registry.API, transport.Operation{
		Path: c.row.Path + "/imports", ID: "complete_" + c.Collection + "_import", Scope: c.row.Scope + ":write", Feature: c.row.Feature,
		Summary:     "Say that an import of " + many + " is complete",
		Description: "Writes the event import.completed and nothing else. amsctl import sends it when it is done; who imports by other means may, too.",
	}, c.completeImport)
}

func (c *collection[T]) completeImport(ctx context.Context, in Import) (Import, error) {
	in.ImportID = strings.ToLower(in.ImportID)
	object, err := json.Marshal(in)
	if err != nil {
		return in, err
	}
	err = c.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return outbox.Add(ctx, tx, []outbox.Event{{Type: "import.completed", Collection: c.Collection, RecordID: in.ImportID, Version: 1, Object: object}})
	})
	return in, c.explain(err)
}
