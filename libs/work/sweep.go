package work

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

const (
	// maxRetry is after how long a round is repeated at the latest in which an organization failed or was being moved.
	maxRetry = 5 * time.Minute
	// progressInterval is the time between two lines of the log about a round that takes long.
	progressInterval = time.Minute
	// candidateInterval is how often an instance that does not lead tries to: rounds are minutes apart.
	candidateInterval = 5 * time.Second
)

// Sweep does something for every organization of a cell, again and again. Of all instances, one does. What is done for an organization must
// bear being repeated: after a kill, the next leader begins a new round.
type Sweep struct {
	Name string // of its lock, its trace and its lines of the log: "time_events"
	DB   *postgres.DB
	Log  *slog.Logger

	// Organizations gives all organizations of the cell, each as the principal on whose behalf the work is done.
	Organizations func(ctx context.Context) ([]principal.Principal, error)
	// Start is how long a leader waits until its first round: a process that was started has other things to do.
	Start time.Duration
	// Interval is the time between two rounds.
	Interval time.Duration
	// Do does the work for the organization of ctx.
	Do func(ctx context.Context) error
}

// Run sweeps in the cell of ctx until ctx ends, while this instance leads.
func (s Sweep) Run(ctx context.Context) {
	election := leader.Election{Name: s.Name, Work: "does the background work " + s.Name, DB: s.DB, Log: s.Log, Interval: candidateInterval}
	election.Run(ctx, func(ctx context.Context, _ *leader.Lock) error {
		for next := s.Start; ; {
			if leader.Sleep(ctx, next, nil); ctx.Err() != nil {
				return nil //nolint:nilerr // the context ended
			}
			next = s.Interval
			if err := telemetry.Work(ctx, s.Name, s.Once); err != nil && ctx.Err() == nil {
				next = min(s.Interval, maxRetry)
				level := slog.LevelWarn
				if postgres.IsMoving(err) {
					level = slog.LevelInfo
				}
				s.Log.Log(ctx, level, "background work failed; it is tried again", "work", s.Name, "after", next.String(), "error", err)
			}
		}
	})
}

// Once makes one round. Its error says how many organizations it has left out, with the first reason; a move is one only where nothing
// failed.
func (s Sweep) Once(ctx context.Context) error {
	all, err := s.Organizations(ctx)
	if err != nil {
		return fmt.Errorf("list organizations: %w", err)
	}
	var first error
	left, logged := 0, time.Now()
	for n, p := range all {
		err := s.Do(principal.Into(ctx, p))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if record(ctx, s.Name, err); err != nil {
			if left++; first == nil || postgres.IsMoving(first) && !postgres.IsMoving(err) {
				first = fmt.Errorf("organization %s: %w", p.OrganizationID, err)
			}
		}
		if time.Since(logged) >= progressInterval {
			logged = time.Now()
			s.Log.InfoContext(ctx, "background work goes on", "work", s.Name, "organizations", n+1, "of", len(all))
		}
	}
	if first != nil {
		return fmt.Errorf("%d of %d organizations: %w", left, len(all), first)
	}
	return nil
}
