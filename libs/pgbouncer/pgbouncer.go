// Package pgbouncer configures a private PgBouncer (a pooler of connections to PostgreSQL, Debian package pgbouncer,
// 1.18) for the launcher or a test: transaction mode, and the settings that the programs rely on, which other
// installations of the product use too.
package pgbouncer

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Settings are the part of a configuration that the programs rely on.
//
//go:embed pgbouncer.ini
var Settings string

// Operator is who may ask a private PgBouncer about itself.
const Operator = "operator"

// Pooler is a private PgBouncer.
type Pooler struct {
	Folder   string            // for its configuration, which has passwords
	Address  string            // where it listens, host:port
	Server   string            // the PostgreSQL behind it, host:port
	Users    map[string]string // roles and their passwords; of Operator too
	Settings []string          // name = value, over those of the package
}

// Configure writes the configuration.
func (p *Pooler) Configure() error {
	listenHost, listenPort, err := net.SplitHostPort(p.Address)
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(p.Server)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.Folder, 0o700); err != nil {
		return err
	}
	var users strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Users)) {
		fmt.Fprintf(&users, "\"%s\" \"%s\"\n", name, strings.ReplaceAll(p.Users[name], `"`, `""`))
	}
	lines := slices.Concat([]string{Settings,
		"listen_addr = " + listenHost, "listen_port = " + listenPort, "unix_socket_dir =", "auth_file = users.txt", "admin_users = " + Operator,
	}, p.Settings, []string{"[databases]", fmt.Sprintf("* = host=%s port=%s", host, port), ""})
	for name, content := range map[string]string{"users.txt": users.String(), "pooler.ini": strings.Join(lines, "\n")} {
		path := filepath.Join(p.Folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
		if err := p.own(path); err != nil {
			return err
		}
	}
	return p.own(p.Folder)
}

// account is whom PgBouncer runs as where this program is root, which it refuses: Debian's packages of PostgreSQL make it.
const account = "postgres"

// own gives a file to the account.
func (p *Pooler) own(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	out, err := exec.Command("chown", account+":", path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("chown %s: %w: %s", path, err, out)
	}
	return nil
}

// Command gives the program and its arguments. It is to be started in Folder, which is as far as it can see below /root. It is ended by the
// kernel when the thread ends that started it.
func (p *Pooler) Command() (program string, arguments []string, err error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} { // Debian's folder, which is not in the PATH of everybody
		if program, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		return "", nil, errors.New("PgBouncer is not installed: run deploy/install.sh")
	}
	arguments = []string{"--pdeathsig", "KILL", program, "pooler.ini"}
	if os.Getuid() == 0 {
		arguments = append([]string{"--reuid", account, "--regid", account, "--clear-groups"}, arguments...)
	}
	return "setpriv", arguments, nil
}

// Responds is nil when PgBouncer responds. It says nothing of the server behind it.
func (p *Pooler) Responds(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	address := url.URL{Scheme: "postgres", User: url.UserPassword(Operator, p.Users[Operator]), Host: p.Address, Path: "/pgbouncer",
		RawQuery: "sslmode=disable"}
	conn, err := pgconn.Connect(ctx, address.String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.Exec(ctx, "SHOW VERSION").Close()
}

// Start starts PgBouncer and waits until it responds. It runs until stop is called, or this program ends.
func (p *Pooler) Start(ctx context.Context) (running *os.Process, stop func(), err error) {
	if err := p.Configure(); err != nil {
		return nil, nil, err
	}
	program, arguments, err := p.Command()
	if err != nil {
		return nil, nil, err
	}
	log, err := os.OpenFile(filepath.Join(p.Folder, "pooler.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	command := exec.Command(program, arguments...) //nolint:gosec // setpriv
	command.Dir, command.Stdout, command.Stderr = p.Folder, log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ended := make(chan struct{})
	if err := startOnThread(command, ended); err != nil {
		return nil, nil, err
	}
	stop = func() {
		_ = command.Process.Kill()
		<-ended
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if err = p.Responds(ctx); err == nil {
			return command.Process, stop, nil
		}
		select {
		case <-ended:
			content, _ := os.ReadFile(log.Name())
			return nil, nil, fmt.Errorf("PgBouncer ended at its start: %s", content)
		case <-ctx.Done():
			stop()
			return nil, nil, fmt.Errorf("PgBouncer does not respond: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
