package reference

import (
	"context"
	"time"
)

const (
	// EmptyingDeadline is how long a service may take for one Empty.
	EmptyingDeadline = 25 * time.Second
	// emptyingTimeout is how long a caller waits for it: long enough to hear that it took too long.
	emptyingTimeout = 30 * time.Second
)

// Emptied is what a service did to empty a sandbox.
type Emptied struct {
	Deleted int64 `json:"deleted" doc:"Rows that this call deleted, but for those that go with others."`
	Done    bool  `json:"done" doc:"Nothing is left. Else the caller asks again."`
}

// Empty has a service delete records of the caller's organization, which must be a sandbox: as many as it can in a few seconds. It is
// asked again until nothing is left. A service that is unavailable is a 503.
func (c *Client) Empty(ctx context.Context, service string) (done Emptied, err error) {
	err = c.Patient(emptyingTimeout).Post(ctx, service, "/internal/empty", struct{}{}, &done)
	return done, err
}
