package console

import (
	"io"
	"strings"
	"time"

	"ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
)

// A page waits for a place while there is none, and looks so often.
const (
	placeWait     = 2 * time.Second
	placeInterval = 100 * time.Millisecond
	longestPage   = 15 * time.Minute // of an export
)

// inPlace makes a page of somebody who is signed in, in one of the places that the organization has for requests in progress, or for
// streams where it is a file: pages and requests with keys burden the same services. The place is the gateway's, which counts those of all.
// The page is made without where the gateway does not say, and where it is one of those that must always work.
func (req *pageRequest) inPlace(do action) error {
	if req.user == nil {
		return do(req)
	}
	stream := strings.HasSuffix(req.r.Pattern, ".csv")
	for began := time.Now(); ; {
		var made error
		entered := false
		ctx := req.services.onBehalfOf(req.ctx(), req.principal())
		err := gateway.TakePlace.Read(ctx, req.services.client.Patient(longestPage), gateway.PlaceRequest{Stream: stream},
			func(io.Reader) error {
				entered = true
				made = do(req)
				return nil
			})
		e := faultOf(err)
		switch {
		case entered:
			return made
		case e == nil || e.Kind != fault.KindRateLimited || worksWithoutUsers[req.r.Pattern]:
			return do(req)
		case stream || time.Since(began) > placeWait:
			return e
		}
		select {
		case <-req.ctx().Done():
			return req.ctx().Err()
		case <-time.After(placeInterval):
		}
	}
}
