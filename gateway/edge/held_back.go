package edge

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

const (
	heldBackShare = 0.05 // of an organization's requests in a minute: more is often
	heldBackMost  = 100  // in a minute: more is often, whatever the share
)

// heldBack knows which organizations run into their ceilings often on this gateway. Figures have no organization among their
// attributes: one says how many there are, and the log which.
type heldBack struct {
	log   *slog.Logger
	often metric.Int64Gauge // organizations, in the last whole minute

	mu     sync.Mutex
	counts map[string]*heldCount // by organization, of the present minute
}

type heldCount struct{ requests, refused int }

func newHeldBack(log *slog.Logger) *heldBack {
	h := &heldBack{log: log, counts: map[string]*heldCount{}}
	var err error
	h.often, err = otel.Meter("ams.internal/gateway").Int64Gauge("ams.gateway.organizations.held_back", metric.WithUnit("{organization}"),
		metric.WithDescription("Organizations of whose requests their ceilings refused more than one in twenty, or more than 100, "+
			"in the last minute."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return h
}

// count counts a request of an organization. What a ceiling of its key refuses is not held against the organization.
func (h *heldBack) count(organization string, made decision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.of(organization)
	c.requests++
	if made.identity == "organization" {
		c.refused++
	}
}

// refusedBehind counts a request, counted already, that a service refused because of the organization's other requests there.
func (h *heldBack) refusedBehind(organization string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of(organization).refused++
}

func (h *heldBack) of(organization string) *heldCount {
	c := h.counts[organization]
	if c == nil {
		c = &heldCount{}
		h.counts[organization] = c
	}
	return c
}

// run checks the counts every minute until ctx ends.
func (h *heldBack) run(ctx context.Context) {
	h.often.Record(ctx, 0)
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			h.check(ctx)
		}
	}
}

// check logs which organizations were held back often since the last check.
func (h *heldBack) check(ctx context.Context) {
	h.mu.Lock()
	counts := h.counts
	h.counts = map[string]*heldCount{}
	h.mu.Unlock()
	often := int64(0)
	for organization, c := range counts {
		if c.refused <= heldBackMost && float64(c.refused) <= heldBackShare*float64(c.requests) {
			continue
		}
		often++
		h.log.WarnContext(ctx, "an organization was held back by its ceilings", "organization_id", organization, "requests", c.requests,
			"refused", c.refused)
	}
	h.often.Record(ctx, often)
}
