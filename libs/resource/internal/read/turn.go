package read

import (
	"context"
	"time"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/principal"
)

// What adds up all records of a collection ($apply, totals) takes the database long where there are many. A process does a few at once, in
// turn of the organizations, and two of one at most: else it would have all connections, and who reads one record would wait.
const (
	aggregations      = 4
	aggregationsOfOne = 2
	aggregationsWait  = 4 * time.Second
)

var aggregationTurns = fairqueue.New(aggregations).AtMost(aggregationsOfOne)

func inTurn(ctx context.Context, work func() error) error {
	return aggregationTurns.InTurnOnly(ctx, principal.From(ctx).OrganizationID, aggregationsWait,
		"Many sums over whole collections are being made at the moment; send this again in a few seconds.", work)
}
