package reference

import (
	"context"
	"time"

	"ams.internal/libs/fault"
)

// IndexTimeout is how long a caller waits for the owner of a collection: long enough to hear that it took too long.
const IndexTimeout = time.Minute

// OperateIndex is how the owner of a collection carries out an IndexQuery.
var OperateIndex = Contract[IndexQuery, IndexState]{Path: "/index", Deadline: 55 * time.Second, Timeout: IndexTimeout}

// IndexQuery asks the owner of a collection to look after what finds its records by words, codes and fields of few values: the index, as
// the caller's organization has it.
type IndexQuery struct {
	Collection string `json:"collection" required:"true" maxLength:"100" doc:"By its name in the catalogue."`
	Action     string `json:"action" required:"true" enum:"verify,rebuild,fold" doc:"Compare with the records, make anew, bring up to date."`
}

// IndexState is how the index is after an IndexQuery.
type IndexState struct {
	Collection string `json:"collection"`
	Records    int64  `json:"records" doc:"That the organization has."`
	Pending    int64  `json:"pending" doc:"Records that were written since they were folded; lists take them from their rows."`
	Problem    string `json:"problem" doc:"What is wrong with it; empty where nothing was found."`
}

// Index sends a query to the owner of its collection. A collection that there is not is a 400, one that no index is kept of a 404 with the
// code not_indexed, an owner that is unavailable, or takes longer than a minute, a 503.
func (c *Client) Index(ctx context.Context, query IndexQuery) (IndexState, error) {
	row, found := c.Catalogue.Find(query.Collection)
	if !found {
		return IndexState{}, fault.InvalidFields(fault.Field{Field: "collection",
			Message: "must be the name of a collection, such as assets or work_orders"})
	}
	return OperateIndex.Of(row.Service).Call(ctx, c, query)
}
