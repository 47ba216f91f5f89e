package postgrestest

import (
	"net/url"
	"os"
	"syscall"
	"testing"

	"ams.internal/libs/localport"
	"ams.internal/libs/pgbouncer"
)

// Pooler is a PgBouncer of a test, in transaction mode.
type Pooler struct {
	URL     string // of the database through it, as Open takes it
	t       testing.TB
	pooler  pgbouncer.Pooler
	process *os.Process
	stop    func()
}

// StartPooler starts a PgBouncer before the database at address, a URL of one role, until the test ends. Settings (name = value) win
// over those of libs/pgbouncer.
func StartPooler(t testing.TB, address string, settings ...string) *Pooler {
	t.Helper()
	database, err := url.Parse(address)
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	password, _ := database.User.Password()
	p := &Pooler{t: t, pooler: pgbouncer.Pooler{
		Folder: t.TempDir(), Address: localport.ForTest(t), Server: database.Host, Settings: settings,
		Users: map[string]string{database.User.Username(): password, pgbouncer.Operator: password},
	}}
	query := database.Query()
	query.Set("session_hosts", database.Host)
	database.RawQuery, database.Host = query.Encode(), p.pooler.Address
	p.URL = database.String()
	p.Start()
	t.Cleanup(func() { p.stop() })
	return p
}

// Start starts it again after Kill.
func (p *Pooler) Start() {
	p.t.Helper()
	var err error
	if p.process, p.stop, err = p.pooler.Start(p.t.Context()); err != nil {
		p.t.Fatalf("postgrestest: %v", err)
	}
}

// Kill ends it as a crash does.
func (p *Pooler) Kill() { p.stop() }

// Hang stops it without ending it: its connections stand, and nothing is answered.
func (p *Pooler) Hang() { p.signal(syscall.SIGSTOP) }

// Resume ends Hang.
func (p *Pooler) Resume() { p.signal(syscall.SIGCONT) }

func (p *Pooler) signal(signal os.Signal) {
	p.t.Helper()
	if err := p.process.Signal(signal); err != nil {
		p.t.Fatalf("postgrestest: signal PgBouncer: %v", err)
	}
}
