package leader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ams.internal/libs/postgres"
)

// interval is the time between two attempts of a candidate to take the lock, where the election gives none. Candidates poll rather
// than wait: a statement that waits holds a snapshot, which keeps Postgres from removing dead rows.
const interval = 500 * time.Millisecond

// wakeInterval is the least time between two notifications of a leader by a process.
const wakeInterval = 20 * time.Millisecond

// Election is one piece of work of a service, in the cell of Run's context. Every instance stands for it.
type Election struct {
	Name string // of the lock: "outbox relay"
	Work string // what the leader does, for the log: "hands on the events of its service"
	DB   *postgres.DB
	Log  *slog.Logger

	// Interval is the time between two attempts of a candidate to take the lock; 0: half a second.
	Interval time.Duration

	// Wake wakes the leader, of this process or of another: what is sent to it where this instance does not lead is handed on. It has
	// room for one, and may be nil.
	Wake chan struct{}

	// Grace is how long a leader may finish what it has begun when Run's context has ended.
	Grace time.Duration
}

// Lock is what a leader holds.
type Lock struct {
	session *session
	key     int64
}

// Confirm asks the database whether the lock is held still. A leader whose statements are sent by other connections does so where it
// matters that nobody else has led between them and what follows: the server may have been replaced, and this process not have noticed
// yet.
func (l *Lock) Confirm(ctx context.Context) error {
	err := l.session.run(ctx, ping)
	if err != nil && l.session.lost.Err() != nil {
		return lost(l.session)
	}
	return err
}

func lost(s *session) error { return fmt.Errorf("%w: %w", ErrConnectionLost, context.Cause(s.lost)) }

// Run stands for election until ctx ends. lead is called while this instance has the lock. Its context ends at once when the connection
// that holds the lock is lost, for another instance may lead from that moment on, and a Grace after ctx.
func (e Election) Run(ctx context.Context, lead func(ctx context.Context, lock *Lock) error) {
	for ctx.Err() == nil {
		switch err := e.stand(ctx, lead); {
		case ctx.Err() != nil:
		case errors.Is(err, ErrConnectionLost):
			e.Log.WarnContext(ctx, "a leader's connection to the database is lost; it is made anew, or another instance takes over",
				"lock", e.Name, "error", err)
		case err != nil: // readiness reports a database that is down
			e.Log.DebugContext(ctx, "a lock cannot be asked for", "lock", e.Name, "error", err)
		}
		Sleep(ctx, interval, nil)
	}
}

// stand waits for the lock, and leads until the connection is lost or ctx ends.
func (e Election) stand(ctx context.Context, lead func(ctx context.Context, lock *Lock) error) error {
	key, err := e.key(ctx)
	if err != nil {
		return err
	}
	s, err := join(ctx, e.DB)
	if err != nil {
		return err
	}
	defer s.leave()
	for {
		leads, err := s.take(ctx, key)
		switch {
		case err != nil:
			return err
		case leads:
			e.Log.InfoContext(ctx, "this instance "+e.Work)
			return e.lead(ctx, &Lock{s, key}, lead)
		}
		if err := e.wait(ctx, s, key); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// wait waits until the next attempt to take the lock, and wakes the leader meanwhile whenever this process is to.
func (e Election) wait(ctx context.Context, s *session, key int64) error {
	next := time.NewTimer(cmp.Or(e.Interval, interval))
	defer next.Stop()
	for {
		select {
		case <-next.C:
			return nil
		case <-ctx.Done():
			return nil
		case <-e.Wake:
			if err := s.notify(ctx, key); err != nil {
				return err
			}
			Sleep(ctx, wakeInterval, nil) // what follows at once is handed on together
		}
	}
}

// key is the number of the lock. The service's own role is asked: the session may be that of another program, with another schema.
func (e Election) key(ctx context.Context) (key int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	err = e.DB.Pool().QueryRow(ctx, "SELECT "+Key, e.Name).Scan(&key)
	return key, err
}

// lead leads, and lets go of the lock.
func (e Election) lead(ctx context.Context, lock *Lock, lead func(ctx context.Context, lock *Lock) error) error {
	held, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(lock.session.lost, func() { end(lost(lock.session)) })()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(e.Grace, func() { end(context.Cause(ctx)) }) })()
	defer lock.session.release(lock.key)
	if e.Wake != nil {
		defer lock.session.listen(ctx, lock.key, e.Wake)()
	}
	err := lead(held, lock)
	if cause := context.Cause(held); errors.Is(cause, ErrConnectionLost) {
		return cause
	}
	return err
}
