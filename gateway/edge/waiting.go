package edge

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// waitParameter is how long a caller of a route that waits wants to wait.
const waitParameter = "wait"

// sendWaiting sends a request whose response may be waited for on purpose. A gateway that drains does not keep its
// callers waiting, and does not refuse them: it sends the request again without the wait, and they get what there is by now,
// with the cursor to go on from.
func sendWaiting(ctx, draining context.Context, s *sender, c *call) (*http.Response, error) {
	if draining.Err() == nil {
		waiting, end := context.WithCancel(ctx)
		stop := context.AfterFunc(draining, end) // until the response begins
		response, err := s.send(waiting, c)
		undisturbed := stop()
		if undisturbed || c.r.Context().Err() != nil {
			return response, err
		}
		c.cancel()
		if err == nil {
			_ = response.Body.Close() // it began too late to come whole
		}
	}
	c.query = withoutWait(c.query)
	return s.send(ctx, c)
}

func withoutWait(query string) string {
	var rest []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err != nil || decoded != waitParameter {
			rest = append(rest, pair)
		}
	}
	return strings.Join(rest, "&")
}
