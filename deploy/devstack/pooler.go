package devstack

import (
	"cmp"
	"context"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"ams.internal/libs/pgbouncer"
)

// startPooler starts a private PgBouncer before the PostgreSQL of the first cell, if one is asked for. The programs' connections go through
// it; those who hold a session, migrations and the administrating role go past it.
func (s *Stack) startPooler(ctx context.Context) error {
	if !s.options.Pooler {
		return nil
	}
	address, err := s.ports.free("127.0.0.1")
	if err != nil {
		return err
	}
	users := maps.Clone(s.secrets.Roles)
	users[pgbouncer.Operator] = newSecret()
	pooler := &pgbouncer.Pooler{Folder: filepath.Join(s.options.Folder, "pgbouncer"), Address: address, Server: s.databaseHost(), Users: users}
	if err := pooler.Configure(); err != nil {
		return err
	}
	program, arguments, err := pooler.Command()
	if err != nil {
		return err
	}
	err = s.run(ctx, infrastructureTier, &process{
		name: "pgbouncer", program: program, arguments: arguments, environment: os.Environ(), directory: pooler.Folder, address: address,
		ready: pooler.Responds, stopSignal: syscall.SIGTERM, deathSignal: syscall.SIGKILL,
		logPath: filepath.Join(s.logs, "pgbouncer.log"),
	})
	if err != nil {
		return err
	}
	s.poolerAddr = address
	s.progress.logf("PgBouncer is ready on %s", address)
	return nil
}

// databaseHost is where PostgreSQL listens, host:port.
func (s *Stack) databaseHost() string {
	u, err := url.Parse(s.cells[0].adminURL)
	if err != nil { // checked at the start
		panic(err)
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "5432"))
}

// throughPooler is an address of the database as a program uses it.
func (s *Stack) throughPooler(address string) string {
	u, err := url.Parse(address)
	if err != nil || s.poolerAddr == "" {
		return address
	}
	query := u.Query()
	query.Set("session_hosts", s.databaseHost())
	query.Set("sslmode", "disable") // the private PgBouncer has none, whatever it has with the server
	u.RawQuery, u.Host = query.Encode(), s.poolerAddr
	return u.String()
}
