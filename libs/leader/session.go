package leader

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/postgres"
)

const (
	// statementTimeout is the time for one statement of a session. A server that takes longer is taken for lost: so is one that has
	// vanished.
	statementTimeout = 10 * time.Second
	// checkInterval is how long a session says nothing until the server is asked whether it is there: the end of a connection is noticed at
	// once, but a machine that has vanished says nothing.
	checkInterval = 5 * time.Second
	// releaseTimeout is how long a lock is let go of until the whole session is.
	releaseTimeout = time.Second
)

var (
	errUnused      = errors.New("leader: no election needs the session any more")
	errNotReleased = errors.New("leader: a lock could not be let go of in time")
)

// session is a connection that holds the locks of all elections of this process at one database. The role of whichever program opened it
// holds them: a lock needs no permission.
type session struct {
	address   string
	elections int // that use it; guarded by the mutex of sessions

	opened  chan struct{} // closed when the next two are there
	conn    *pgx.Conn     // serve's alone
	failure error         // why there is no connection

	lost  context.Context // ends with the connection
	end   context.CancelCauseFunc
	ended chan struct{} // closed when serve has ended

	statements chan statement

	mu    sync.Mutex
	held  map[int64]bool           // by key; the server gives a lock twice to one session
	woken map[string]chan struct{} // by channel: leaders that other processes wake
}

// statement is something that is done with the connection. Its error ends the session.
type statement func(ctx context.Context, conn *pgx.Conn) error

// sessions are those of this process, by address.
var sessions = struct {
	mu   sync.Mutex
	open map[string]*session
}{open: map[string]*session{}}

// join gives the session at the database of ctx's cell, which it opens where there is none. The caller leaves it.
func join(ctx context.Context, db *postgres.DB) (*session, error) {
	address, err := db.SessionAddress(ctx)
	if err != nil {
		return nil, err
	}
	for {
		s, isNew := enter(address)
		if isNew {
			s.connect(ctx, db)
		}
		select {
		case <-s.opened:
		case <-ctx.Done():
			s.leave()
			return nil, ctx.Err()
		}
		if s.failure == nil {
			return s, nil
		}
		s.leave()
		if isNew {
			return nil, s.failure
		} // else that other program may have another reason: this one tries itself
	}
}

func enter(address string) (s *session, isNew bool) {
	sessions.mu.Lock()
	defer sessions.mu.Unlock()
	if s = sessions.open[address]; s == nil {
		isNew = true
		s = &session{address: address, opened: make(chan struct{}), ended: make(chan struct{}), statements: make(chan statement),
			held: map[int64]bool{}, woken: map[string]chan struct{}{}}
		s.lost, s.end = context.WithCancelCause(context.Background())
		sessions.open[address] = s
	}
	s.elections++
	return s, isNew
}

func (s *session) connect(ctx context.Context, db *postgres.DB) {
	defer close(s.opened)
	if s.conn, s.failure = db.Connect(ctx); s.failure != nil {
		close(s.ended)
		s.stop(s.failure)
		return
	}
	go s.serve()
}

// leave ends a use. The last one closes the connection.
func (s *session) leave() {
	sessions.mu.Lock()
	s.elections--
	last := s.elections == 0
	if last { // under the mutex: nobody joins one that is being closed
		s.remove()
	}
	sessions.mu.Unlock()
	if last {
		s.end(errUnused)
		<-s.ended
	}
}

// stop ends the session, and with it all who lead by it. Whoever stands next opens another one.
func (s *session) stop(cause error) {
	sessions.mu.Lock()
	s.remove()
	sessions.mu.Unlock()
	s.end(cause)
}

// remove is called under the mutex.
func (s *session) remove() {
	if sessions.open[s.address] == s {
		delete(sessions.open, s.address)
	}
}

// serve carries out statements until the connection is lost or nobody needs it.
func (s *session) serve() {
	defer close(s.ended)
	defer postgres.Disconnect(s.conn)
	for s.lost.Err() == nil {
		do, err := s.next()
		if err == nil && do != nil {
			ctx, cancel := context.WithTimeout(s.lost, statementTimeout)
			err = do(ctx, s.conn)
			cancel()
		}
		if err != nil {
			s.stop(err)
		}
	}
}

// next waits for a statement. The blocking read is what notices the end of the connection, and that a leader is woken.
func (s *session) next() (statement, error) {
	reading, stop := context.WithTimeout(s.lost, checkInterval)
	defer stop()
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var of *pgconn.Notification
		if of, err = s.conn.WaitForNotification(reading); err == nil {
			s.wake(of.Channel)
		}
	}()
	select {
	case do := <-s.statements:
		stop()
		<-ended // the connection may be used again; one that is lost says so to the statement
		return do, nil
	case <-ended:
		switch {
		case err == nil || s.lost.Err() != nil:
			return nil, nil
		case reading.Err() != nil:
			return ping, nil
		}
		return nil, fmt.Errorf("read: %w", err)
	}
}

func ping(ctx context.Context, conn *pgx.Conn) error { return conn.Ping(ctx) }

// send hands a statement to serve. It does not wait until that is carried out.
func (s *session) send(ctx context.Context, do statement) error {
	select {
	case s.statements <- do:
		return nil
	case <-s.lost.Done():
		return context.Cause(s.lost)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run carries out a statement.
func (s *session) run(ctx context.Context, do statement) error {
	done := make(chan struct{})
	if err := s.send(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		err := do(ctx, conn)
		if err == nil {
			close(done)
		}
		return err
	}); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-s.lost.Done():
		return context.Cause(s.lost)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// channelOf is the channel of the database by which the leader with the lock of a key is woken. The session that holds the lock listens: it
// goes past a pooler, which would not carry notifications.
func channelOf(key int64) string { return fmt.Sprintf("leader_%x", uint64(key)) } //nolint:gosec // its bits are a name

// listen has a leader woken by other processes until unlisten is called.
func (s *session) listen(ctx context.Context, key int64, woken chan struct{}) (unlisten func()) {
	channel := channelOf(key)
	s.mu.Lock()
	s.woken[channel] = woken
	s.mu.Unlock()
	s.wake(channel)                                          // what was committed before this
	execute := func(ctx context.Context, statement string) { // a connection that is lost is noticed anyway
		_ = s.run(ctx, func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, statement)
			return err
		})
	}
	execute(ctx, "LISTEN "+channel)
	return func() {
		s.mu.Lock()
		delete(s.woken, channel)
		s.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
		defer cancel()
		execute(ctx, "UNLISTEN "+channel)
	}
}

// notify wakes the leader with the lock of a key, by a transaction of its own: within that of a change, every commit would wait for
// those of the others (the server writes notifications in the order of commits). It need not outlast a crash, after which everything
// is read anew.
func (s *session) notify(ctx context.Context, key int64) error {
	return s.run(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET synchronous_commit = off; NOTIFY "+channelOf(key))
		return err
	})
}

func (s *session) wake(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if woken := s.woken[channel]; woken != nil {
		select {
		case woken <- struct{}{}:
		default: // it was woken already
		}
	}
}

// take tries to take a lock.
func (s *session) take(ctx context.Context, key int64) (leads bool, err error) {
	if !s.claim(key) {
		return false, context.Cause(s.lost) // nil while there is a connection
	}
	taken := make(chan bool)
	if err := s.send(ctx, func(doing context.Context, conn *pgx.Conn) error {
		var locked bool
		if err := conn.QueryRow(doing, "SELECT pg_try_advisory_lock($1)", key).Scan(&locked); err != nil {
			return err
		}
		if !locked {
			s.forget(key)
		}
		select {
		case taken <- locked:
			return nil
		case <-ctx.Done(): // nobody waits for it
		case <-doing.Done():
		}
		if !locked {
			return nil
		}
		return s.unlock(doing, conn, key)
	}); err != nil {
		s.forget(key)
		return false, err
	}
	select {
	case leads = <-taken:
		return leads, nil
	case <-s.lost.Done():
		return false, context.Cause(s.lost)
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// release lets go of a lock; if that is not possible, of all.
func (s *session) release(key int64) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	if s.run(ctx, func(ctx context.Context, conn *pgx.Conn) error { return s.unlock(ctx, conn, key) }) != nil {
		s.stop(errNotReleased)
	}
}

func (s *session) unlock(ctx context.Context, conn *pgx.Conn, key int64) error {
	var was bool
	if err := conn.QueryRow(ctx, "SELECT pg_advisory_unlock($1)", key).Scan(&was); err != nil {
		return err
	}
	if !was {
		return fmt.Errorf("the lock %d was not held", key)
	}
	s.forget(key)
	return nil
}

// claim says whether nobody else in this process has a lock or asks for it.
func (s *session) claim(key int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := !s.held[key]
	s.held[key] = true
	return free
}

func (s *session) forget(key int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, key)
}
