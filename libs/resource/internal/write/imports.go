package write

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
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

// CompleteImport notes that an importer is done. The calls that wrote the records had their own events; this one is for
// who waits for all of them.
func (c *Resource) CompleteImport(ctx context.Context, in Import) (Import, error) {
	in.ImportID = strings.ToLower(in.ImportID)
	object, err := json.Marshal(in)
	if err != nil {
		return in, err
	}
	err = c.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return outbox.Add(ctx, tx, []outbox.Event{
			{Type: "import.completed", Collection: c.Row.Name, RecordID: in.ImportID, Version: 1, Object: object},
		})
	})
	return in, c.Explain(err)
}
