package parquet

import (
	"context"
	"time"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/principal"
)

// A file in the making holds some 15 MB, and 25 MB of a million rows. So a process makes a few at once, in turn of the organizations, and
// whoever comes next waits a little: a file is made as fast as the database gives its rows, whatever the speed of its reader.
const (
	atOnce = 8
	wait   = 20 * time.Second
)

var turns = fairqueue.New(atOnce)

// InTurn makes a file when it is the turn of the caller's organization.
func InTurn(ctx context.Context, work func() error) error {
	return turns.InTurn(ctx, principal.From(ctx).OrganizationID, wait,
		"Many Parquet files are being made at the moment. Try again, or ask for text/csv or application/x-ndjson.", work)
}
