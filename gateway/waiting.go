package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// waitParameter is how long a caller of a route that waits wants to wait.
const waitParameter = "wait"

// sendWaiting sends a request whose answer may be waited for on purpose. A gateway that is about to end does not keep its
// callers waiting, and does not refuse them: it asks again without the wait, and they get what there is by now, with the
// cursor to go on from.
func (g *gateway) sendWaiting(ctx context.Context, c *call) (*http.Response, error) {
	if g.ending.Err() == nil {
		waiting, end := context.WithCancel(ctx)
		keep := context.AfterFunc(g.ending, end) // until the answer begins
		response, err := g.send(waiting, c)
		kept := keep()
		if kept || c.r.Context().Err() != nil {
			return response, err
		}
		c.cancel()
		if err == nil {
			_ = response.Body.Close() // it began too late to come whole
		}
	}
	c.query = withoutWait(c.query)
	return g.send(ctx, c)
}

func withoutWait(query string) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err != nil || decoded != waitParameter {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}
