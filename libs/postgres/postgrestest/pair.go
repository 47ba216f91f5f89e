package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/localport"
	"ams.internal/libs/postgres"
)

// Pair is a primary and its standby, real servers of the test's own that end with it: the standby is a copy of the primary (pg_basebackup)
// that follows by streaming replication.
type Pair struct {
	Primary, Standby *Node
	schema           string
}

// Node is one of the two.
type Node struct {
	Address  string // host:port
	AdminURL string // as the administrator, in the database of the test

	data, binaries string
	as             account
}

// pairDatabase is the database of the test.
const pairDatabase = "ams"

// NewPair makes both, with a service's schema, migrated.
func NewPair(t testing.TB, schema string, migrations fs.FS) *Pair {
	t.Helper()
	p := &Pair{schema: schema}
	if err := p.make(t, migrations); err != nil {
		t.Fatalf("postgrestest: make a primary and a standby: %v", err)
	}
	return p
}

func (p *Pair) make(t testing.TB, migrations fs.FS) error {
	binaries, err := binaries()
	if err != nil {
		return err
	}
	as, err := serverAccount()
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "ams-pair-") //nolint:usetesting // the test's own folder may be out of reach of the account
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := as.own(home); err != nil {
		return err
	}
	if p.Primary, err = newNode(t, filepath.Join(home, "primary"), binaries, as); err != nil {
		return err
	}
	if err := makeCluster(home, p.Primary.data, binaries, as); err != nil {
		return err
	}
	if err := p.Primary.start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	admin := address(p.Primary.AdminURL, "postgres", "")
	if err := postgres.Bootstrap(ctx, admin, postgres.Setup{
		Database: pairDatabase, OwnerPassword: password, Services: map[string]string{p.schema: password},
	}); err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, address(admin, pairDatabase, postgres.Owner), p.schema, migrations, io.Discard); err != nil {
		return err
	}
	if p.Standby, err = newNode(t, filepath.Join(home, "standby"), binaries, as); err != nil {
		return err
	}
	from := address(p.Primary.AdminURL, "", "") + "&application_name=standby"
	if err := command(as, filepath.Join(binaries, "pg_basebackup"), "-d", from, "-D", p.Standby.data, "-R", "-X", "stream", "-c", "fast",
		"--no-sync"); err != nil {
		return err
	}
	return p.Standby.start()
}

func newNode(t testing.TB, data, binaries string, as account) (*Node, error) {
	at, release, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return nil, err
	}
	n := &Node{Address: at, data: data, binaries: binaries, as: as,
		AdminURL: fmt.Sprintf("postgres://postgres:%s@%s/%s?sslmode=disable", password, at, pairDatabase)}
	t.Cleanup(func() {
		_ = n.control("-m", "immediate", "-W", "stop") // it may have been stopped by the test
		release()
	})
	return n, nil
}

func (n *Node) start() error {
	_, port, err := net.SplitHostPort(n.Address)
	if err != nil {
		return err
	}
	return n.control("-w", "-l", filepath.Join(n.data, "server.log"), "-o", "-c listen_addresses=127.0.0.1 -c port="+port+
		" -c unix_socket_directories= -c shared_buffers=32MB -c fsync=off -c wal_level=replica -c hot_standby=on -c wal_keep_size=256MB "+
		"-c max_standby_streaming_delay=0 -c wal_receiver_status_interval=1s", "start")
}

func (n *Node) control(arguments ...string) error {
	return command(n.as, filepath.Join(n.binaries, "pg_ctl"), append([]string{"-D", n.data}, arguments...)...)
}

// Kill ends the server as a machine that loses power does.
func (n *Node) Kill(t testing.TB) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(n.data, "postmaster.pid"))
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	var pid int
	if _, err := fmt.Sscan(string(content), &pid); err != nil {
		t.Fatalf("postgrestest: postmaster.pid: %v", err)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
	for _, each := range append([]string{strconv.Itoa(pid)}, strings.Fields(string(children))...) {
		number, err := strconv.Atoi(each)
		if err == nil {
			err = syscall.Kill(number, syscall.SIGKILL)
		}
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatalf("postgrestest: %v", err)
		}
	}
}

// Promote makes a primary of a standby.
func (n *Node) Promote(t testing.TB) {
	t.Helper()
	if err := n.control("-w", "promote"); err != nil {
		t.Fatalf("postgrestest: %v", err)
	}
}

// Exec carries out a statement as the administrator.
func (n *Node) Exec(t testing.TB, statement string, arguments ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := as(ctx, n.AdminURL, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement, arguments...)
		return err
	}); err != nil {
		t.Fatalf("postgrestest: %s: %v", statement, err)
	}
}

// URL is the address of some nodes for the service: hosts in this order, and further parameters.
func (p *Pair) URL(parameters string, nodes ...*Node) string {
	return p.url(postgres.Role(p.schema), parameters, nodes)
}

// OwnerURL is the same for the owning role.
func (p *Pair) OwnerURL(parameters string, nodes ...*Node) string {
	return p.url(postgres.Owner, parameters, nodes)
}

func (p *Pair) url(role, parameters string, nodes []*Node) string {
	var hosts []string
	for _, n := range nodes {
		hosts = append(hosts, n.Address)
	}
	return "postgres://" + url.UserPassword(role, password).String() + "@" + strings.Join(hosts, ",") + "/" + pairDatabase +
		"?sslmode=disable" + parameters
}

// Open opens an address as the service does, and closes it when the test ends.
func (p *Pair) Open(t testing.TB, address string) *postgres.DB {
	t.Helper()
	return open(t, address)
}
