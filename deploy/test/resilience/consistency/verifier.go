package consistency

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// Verifier compares what organizations were told with what the product has, since a moment.
type Verifier struct {
	DB    *pgx.Conn // as the administrating role
	Since time.Time // by the database's clock
}

// Subject is an organization whose changes are compared.
type Subject struct {
	Organization string      // its id
	Client       *ams.Client // with a key that may read its feed
	Base         int64       // the sequence of its last event before the first change that counts
	Acknowledged []Change
	Receivers    []*Receiver
}

// Acknowledgements compares what was acknowledged with the history.
func (v Verifier) Acknowledgements(ctx context.Context, subjects []Subject) (*Comparison, error) {
	c := &Comparison{}
	for _, subject := range subjects {
		committed, err := history(ctx, v.DB, subject.Organization, v.Since)
		if err != nil {
			return nil, err
		}
		c.acknowledgements(subject.Acknowledged, committed)
	}
	return c, nil
}

// Events compares what was acknowledged with the history, the history with the feeds, and the feeds with what receivers got.
func (v Verifier) Events(ctx context.Context, subjects []Subject) (*Comparison, error) {
	c := &Comparison{}
	for _, subject := range subjects {
		committed, err := history(ctx, v.DB, subject.Organization, v.Since)
		if err != nil {
			return nil, err
		}
		c.acknowledgements(subject.Acknowledged, committed)
		events, err := Feed(ctx, subject.Client, subject.Base)
		if err != nil {
			return nil, err
		}
		c.feed(subject.Base, committed, events)
		for _, r := range subject.Receivers {
			c.deliveries(r, subject.Base, events)
		}
	}
	slices.Sort(c.Latencies)
	return c, nil
}

const (
	publishTimeout = 2 * time.Minute // for events to leave the outboxes once everything is back
	deliverTimeout = 4 * time.Minute // for everything to be delivered
	quiet          = 2 * time.Second // without an arrival: nothing is under way any more
)

// AwaitPublished waits until no event is in an outbox.
func AwaitPublished(ctx context.Context, db *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	for {
		outboxes, _, err := pending(ctx, db)
		if err == nil && outboxes == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s there are still %d events in the outboxes (%w)", publishTimeout, outboxes, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// AwaitDelivered waits until no event is in an outbox or to be delivered, and nothing has arrived for a while. It gives the moment
// since which that is so.
func AwaitDelivered(ctx context.Context, db *pgx.Conn, subjects []Subject) (since time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, deliverTimeout)
	defer cancel()
	since, received := time.Now(), -1
	for {
		outboxes, deliveries, err := pending(ctx, db)
		arrived := 0
		for _, subject := range subjects {
			for _, r := range subject.Receivers {
				arrived += r.count()
			}
		}
		if err != nil || outboxes+deliveries > 0 || arrived != received {
			since, received = time.Now(), arrived
		}
		if time.Since(since) >= quiet {
			return since, nil
		}
		select {
		case <-ctx.Done():
			return since, fmt.Errorf("after %s there are still %d events in the outboxes and %d deliveries to be made (%w)",
				deliverTimeout, outboxes, deliveries, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}
