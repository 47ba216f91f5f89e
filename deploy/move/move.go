// Package move moves an organization, with its sandboxes, from the database of one cell to that of another, while it and all others work.
//
// Rows are copied in one snapshot; the keys of what is written meanwhile are noted by triggers, and those rows copied again. When few are
// left, writes of the organization pause for a moment, and the gateway is told the other cell. Until then a move can be taken back, from
// then on it can be finished; running it again after a kill does the one or the other.
package move

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/principal"
)

const (
	// quick is how long catching up may take in the pause.
	quick = 500 * time.Millisecond
	// rounds bounds how often it is caught up before the pause; when the organization writes as fast as it is copied, the pause decides.
	rounds = 10
	// pauseLock is how long writes wait for those that are under way.
	pauseLock = 1500 * time.Millisecond
	// pauseTime is when a pause is given up, and tried again later. A statement that begins before ends within half as long.
	pauseTime = 2 * time.Second
	// pauses is how often a pause is tried.
	pauses = 10
	// switchTime bounds the one call to the gateway, and cellQueryTime the query for the cell after one that failed.
	switchTime    = 2 * time.Second
	cellQueryTime = 10 * time.Second
	// takeBackTime bounds the end of a move that failed.
	takeBackTime = 10 * time.Minute
)

// Move is one move.
type Move struct {
	Cells         []Cell
	To            string   // a cell's name
	Organizations []string // the organization, then its sandboxes
	Services      []string // whose schemas must all be in the databases
	Room          int64    // bytes that the database of the cell may have at most; 0: as many as the disk

	// CellOf asks the gateway for the organization's cell, and Switch has it name another, unless it is not from any more.
	CellOf func(ctx context.Context) (string, error)
	Switch func(ctx context.Context, from, to string) error

	Report func(Step)         // what was done, or nil
	At     func(phase string) // is called where a phase begins, for tests; or nil

	linger         time.Duration // how long the former cell is read after the switch
	source, target *place
	deadline       time.Time // of a pause
	result         Result
}

// Step is something that a move has done.
type Step struct {
	Phase string `json:"phase"`
	What  string `json:"what,omitempty"`
	Rows  int64  `json:"rows,omitempty"`
}

// Result is what has come of a move.
type Result struct {
	Organization string   `json:"organization_id"`
	Sandboxes    []string `json:"sandboxes"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	Rows         int64    `json:"rows"`           // that were copied
	Compared     int64    `json:"rows_compared"`  // by their checksums, in one snapshot
	Again        int64    `json:"rows_again"`     // keys of what was written meanwhile
	Seconds      float64  `json:"seconds"`        // until the organization lives in the other cell
	Paused       float64  `json:"seconds_paused"` // in which it took no writes
	Deleted      int64    `json:"rows_deleted"`   // in the cell that it came from
	Finished     bool     `json:"finished"`       // an earlier move had switched, and this one only finished it
}

// ErrAlreadyInCell says that there is nothing to do.
var ErrAlreadyInCell = errors.New("the organization lives in that cell already")

// errLate says that a pause took too long.
var errLate = errors.New("the organization writes too much at the moment")

// Run moves the organization, or finishes an earlier move. When it fails before the switch, nothing has changed.
func (m *Move) Run(ctx context.Context) (Result, error) {
	if err := m.check(); err != nil {
		return Result{}, err
	}
	if m.linger == 0 {
		m.linger = principal.Lifetime
	}
	m.result = Result{Organization: m.Organizations[0], Sandboxes: append([]string{}, m.Organizations[1:]...), To: m.To}
	from, err := m.CellOf(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("ask for the organization's cell: %w", err)
	}
	places, err := m.connect(ctx, from)
	defer func() {
		for _, p := range places {
			p.close()
		}
	}()
	if err != nil {
		return Result{}, err
	}
	m.target = places[m.To]
	for _, p := range places {
		if err := p.tryLock(ctx, m.Organizations); err != nil {
			return Result{}, err
		}
	}
	for _, p := range places {
		if states, err := p.states(ctx, m.Organizations); err != nil || slices.Contains(states, suspended) || slices.Contains(states, deleting) {
			return Result{}, cmp.Or(err, ErrSuspended)
		}
	}
	if again, err := m.CellOf(ctx); err != nil || again != from { // another move has ended just now
		return Result{}, errors.Join(err, errors.New("the organization's cell has changed just now: try again"))
	}
	if from == m.To {
		return m.finishEarlier(ctx, places)
	}
	m.source, m.result.From = places[from], from
	if err := m.admit(ctx); err != nil {
		return Result{}, err
	}
	for name, p := range places { // a killed move to yet another cell
		if marked, err := p.marked(ctx, m.Organizations); err != nil || marked && name != from && name != m.To {
			if err == nil {
				err = m.leave(ctx, p)
			}
			if err != nil {
				return Result{}, err
			}
		}
	}
	return m.move(ctx)
}

func (m *Move) check() error {
	if !slices.ContainsFunc(m.Cells, func(c Cell) bool { return c.Name == m.To }) {
		return fmt.Errorf("there is no cell %s: there are %s", m.To, strings.Join(m.cellNames(), ", "))
	}
	return checkIDs(m.Organizations)
}

func checkIDs(organizations []string) error {
	for _, organization := range organizations {
		if uuid.Validate(organization) != nil || len(organization) != 36 {
			return fmt.Errorf("%q is no id of an organization", organization)
		}
	}
	return nil
}

func (m *Move) cellNames() []string {
	names := make([]string, len(m.Cells))
	for i, c := range m.Cells {
		names[i] = c.Name
	}
	return names
}

// connect opens the two databases, and those of further cells that answer: an earlier move may have left something there.
func (m *Move) connect(ctx context.Context, from string) (map[string]*place, error) {
	places := map[string]*place{}
	for _, cell := range m.Cells {
		p, err := connect(ctx, cell)
		if err == nil {
			places[cell.Name] = p
			err = p.readTables(ctx)
		}
		switch {
		case err == nil:
		case cell.Name == from || cell.Name == m.To:
			return places, err
		default:
			if p != nil {
				p.close()
				delete(places, cell.Name)
			}
			m.report("connect", "the cell "+cell.Name+" is left out: "+err.Error(), 0)
		}
	}
	if places[from] == nil {
		return places, fmt.Errorf("the organization is in the cell %s, whose owner's address was not given", from)
	}
	return places, nil
}

func (m *Move) move(ctx context.Context) (Result, error) {
	begin := time.Now()
	switched, err := m.bring(ctx)
	if !switched {
		m.report("take back", "", 0)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackTime)
		defer cancel()
		if back := m.takeBack(ending); back != nil {
			return Result{}, errors.Join(diskFull(m.To, err),
				fmt.Errorf("the organization lives in the cell %s as before, but traces of the move are left: "+
					"run the command again: %w", m.source.name, back))
		}
		return Result{}, fmt.Errorf("nothing was moved: %w", diskFull(m.To, err))
	}
	m.result.Seconds = time.Since(begin).Seconds()
	if err == nil {
		m.phase("leave")
		err = m.leave(ctx, m.source)
	}
	if err != nil {
		err = fmt.Errorf("the organization lives in the cell %s now, but traces of the move are left: run the command again: %w", m.To, err)
	}
	return m.result, err
}

// bring copies the organization and switches to the other cell; switched says that it lives there.
func (m *Move) bring(ctx context.Context) (switched bool, err error) {
	m.phase("prepare")
	if err := m.clear(ctx, m.source, false); err != nil { // of an earlier move
		return false, err
	}
	if err := m.target.setState(ctx, m.target.work, m.Organizations, "absent"); err != nil {
		return false, err
	}
	if _, err := m.deleteRows(ctx, m.target); err != nil {
		return false, err
	}
	if err := m.source.setState(ctx, m.source.work, m.Organizations, "moving"); err != nil {
		return false, err
	}
	old, err := m.source.transactions(ctx) // which do not know that the organization is on the move
	if err != nil {
		return false, err
	}
	m.phase("note")
	if err := m.source.noteChanges(ctx, m.Organizations); err != nil {
		return false, err
	}
	m.phase("copy")
	if err := m.copyAll(ctx); err != nil {
		return false, err
	}
	m.phase("catch up")
	if err := m.follow(ctx); err != nil {
		return false, err
	}
	m.phase("compare")
	if _, err := m.catchUpCounted(ctx, true); err != nil {
		return false, err
	}
	if err := m.raiseSequences(ctx); err != nil {
		return false, err
	}
	if err := m.source.waitFor(ctx, old); err != nil {
		return false, err
	}
	if err := m.follow(ctx); err != nil {
		return false, err
	}
	if err := m.target.setState(ctx, m.target.work, m.Organizations, "reading"); err != nil {
		return false, err
	}
	for range pauses {
		m.phase("pause")
		switched, err = m.pause(ctx)
		if !errors.Is(err, errLate) {
			return switched, err
		}
		m.report("pause", "writes go on, it is tried again: "+err.Error(), 0)
		if err := pause(ctx, 2*time.Second); err != nil {
			return false, err
		}
		if err := m.follow(ctx); err != nil {
			return false, err
		}
	}
	return switched, err
}

// follow catches up until that is quick.
func (m *Move) follow(ctx context.Context) error {
	for range rounds {
		begin := time.Now()
		if _, err := m.catchUpCounted(ctx, false); err != nil || time.Since(begin) < quick {
			return err
		}
	}
	return nil
}

func (m *Move) catchUpCounted(ctx context.Context, compareAll bool) (int64, error) {
	keys, err := m.catchUp(ctx, compareAll)
	m.result.Again += keys
	if err == nil && keys > 0 {
		m.report("catch up", "", keys)
	}
	return keys, err
}

// pause pauses the organization's writes, copies what is left, and switches. The lock ends with this process, and the pause with it.
func (m *Move) pause(ctx context.Context) (switched bool, err error) {
	begin := time.Now()
	m.deadline = begin.Add(pauseTime)
	defer func() { m.deadline = time.Time{} }()
	for _, p := range []*place{m.source, m.target} {
		if _, err := p.work.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d", (pauseTime/2).Milliseconds())); err != nil {
			return false, err
		}
	}
	unlock, err := m.lockWrites(ctx)
	defer unlock()
	if err != nil {
		return false, err
	}
	m.phase("last changes")
	if _, err = m.catchUpCounted(ctx, false); err == nil {
		err = m.raiseSequences(ctx)
	}
	if err == nil && m.late() {
		err = errLate
	}
	for _, p := range []*place{m.source, m.target} {
		if _, err := p.work.Exec(ctx, "SET statement_timeout = 0"); err != nil {
			return false, err
		}
	}
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) && pgErr.Code == "57014" {
		return false, fmt.Errorf("%w: %w", errLate, err)
	}
	if err != nil {
		return false, err
	}
	// From here on it is read only, also if this process is killed: nobody may write to the former cell after the switch.
	if err := m.source.setState(ctx, m.source.work, m.Organizations, "leaving"); err != nil {
		return false, err
	}
	m.phase("switch")
	if switched, err = m.switchTo(ctx); !switched || err != nil {
		return switched, err
	}
	m.phase("open")
	if err := m.target.setState(ctx, m.target.work, m.Organizations, ""); err != nil {
		return true, err
	}
	m.result.Paused = time.Since(begin).Seconds()
	m.report("switched", fmt.Sprintf("writes paused for %.1f s", m.result.Paused), 0)
	return true, m.source.setState(ctx, m.source.work, m.Organizations, "reading")
}

// switchTo has the gateway name the other cell. Where the response is lost, a query finds out which cell it names.
func (m *Move) switchTo(ctx context.Context) (switched bool, err error) {
	limited, cancel := context.WithTimeout(ctx, switchTime)
	defer cancel()
	if err = m.Switch(limited, m.source.name, m.To); err == nil {
		return true, nil
	}
	querying, cancel := context.WithTimeout(context.WithoutCancel(ctx), cellQueryTime)
	defer cancel()
	now, queryErr := m.CellOf(querying)
	switch {
	case queryErr != nil:
		return true, fmt.Errorf("it is not known whether the gateway has switched, and the organization is read only until this command is run "+
			"again: %w", errors.Join(err, queryErr))
	case now == m.To:
		return true, nil
	}
	return false, fmt.Errorf("the gateway does not switch: %w", err)
}

func (m *Move) late() bool { return !m.deadline.IsZero() && time.Now().After(m.deadline) }

// lockWrites waits for writes that are under way and keeps others off until unlock is called.
func (m *Move) lockWrites(ctx context.Context) (unlock func(), err error) {
	conn, locked := m.source.locks, []string{}
	function := pgx.Identifier{m.source.tables[0].schema, "moving_lock"}.Sanitize()
	unlock = func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		for _, organization := range locked {
			if _, err := conn.Exec(ending, "SELECT pg_advisory_unlock("+function+"($1))", organization); err != nil {
				_ = conn.Close(ending) // which unlocks
			}
		}
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", pauseLock.Milliseconds())); err != nil {
		return unlock, err
	}
	for _, organization := range m.Organizations {
		_, err := conn.Exec(ctx, "SELECT pg_advisory_lock("+function+"($1))", organization)
		if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) && pgErr.Code == "55P03" {
			return unlock, fmt.Errorf("%w: a write takes longer than %s", errLate, pauseLock)
		}
		if err != nil {
			return unlock, err
		}
		locked = append(locked, organization)
	}
	return unlock, nil
}

func (m *Move) phase(name string) {
	m.report(name, "", 0)
	if m.At != nil {
		m.At(name)
	}
}

func (m *Move) report(phase, what string, rows int64) {
	if m.Report != nil {
		m.Report(Step{phase, what, rows})
	}
}
