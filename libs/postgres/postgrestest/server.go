package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/localport"
)

var serverURL = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("AMS_TEST_DATABASE_URL"); given != "" {
		return given, nil
	}
	return startServer()
})

// lockedFiles are the files that this process has locked until it ends. An unreferenced file would be closed and unlocked.
var lockedFiles []*os.File

// server gives the address of the administrator's database.
func server(ctx context.Context) (string, error) {
	admin, err := serverURL()
	if err != nil {
		return "", fmt.Errorf("start a Postgres server for tests: %w", err)
	}
	return admin, ctx.Err()
}

// startServer starts the machine's private test server unless it runs. Every test process holds a shared lock on the file
// "users" until it ends; a watcher stops the server when it can take that lock exclusively.
func startServer() (string, error) {
	binaries, err := binaries()
	if err != nil {
		return "", err
	}
	major := filepath.Base(filepath.Dir(binaries)) // /usr/lib/postgresql/15/bin
	as, err := serverAccount()
	if err != nil {
		return "", err
	}
	home := filepath.Join(Folder(), fmt.Sprintf("ams-postgrestest-%s-%d", major, os.Getuid()))
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", err
	}
	if err := as.own(home); err != nil {
		return "", err
	}
	users, err := lockFile(filepath.Join(home, "users"), as, syscall.LOCK_SH)
	if err != nil {
		return "", err
	}
	lockedFiles = append(lockedFiles, users)
	starting, err := lockFile(filepath.Join(home, "starting"), as, syscall.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer func() { _ = starting.Close() }()

	data := filepath.Join(home, "data")
	if replaced(data, filepath.Join(binaries, "postgres")) {
		if err := command(as, filepath.Join(binaries, "pg_ctl"), "-D", data, "-w", "-m", "fast", "stop"); err != nil {
			return "", err
		}
	}
	if admin, err := running(data); err == nil {
		return admin, nil
	}
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err != nil {
		if err := makeCluster(home, data, binaries, as); err != nil {
			return "", err
		}
	}
	address, release, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return "", err
	}
	defer release() // the server holds it by then
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	// The data need not survive a crash of the machine, so nothing waits for the disk.
	options := fmt.Sprintf("-c listen_addresses=127.0.0.1 -c port=%s -c unix_socket_directories= "+
		"-c max_connections=300 -c shared_buffers=64MB -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off", port)
	if err := command(as, filepath.Join(binaries, "pg_ctl"), "-D", data, "-l", filepath.Join(data, "server.log"), "-w", "-o", options,
		"start"); err != nil {
		return "", err
	}
	admin, err := running(data)
	if err != nil {
		return "", err
	}
	if err := dropLeftovers(admin); err != nil {
		return "", err
	}
	return admin, stopWhenUnused(home, data, binaries, as)
}

// binaries finds the folder of pg_ctl and initdb, which Debian keeps outside PATH.
func binaries() (string, error) {
	if path, err := exec.LookPath("pg_ctl"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_ctl")
	if err != nil || len(found) == 0 {
		return "", errors.New("Postgres is not installed (apt-get install postgresql), and AMS_TEST_DATABASE_URL is not set")
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

func version(path string) int {
	number, _ := strconv.Atoi(strings.Split(path, "/")[4]) // a folder that is no number sorts first
	return number
}

// account is the system user that Postgres runs as: it refuses to run as root. The zero account is the user of the test.
type account struct{ credential *syscall.Credential }

func serverAccount() (account, error) {
	if os.Getuid() != 0 {
		return account{}, nil
	}
	found, err := user.Lookup("postgres")
	if err != nil {
		return account{}, fmt.Errorf("Postgres does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return account{}, err
	}
	return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// own makes the account the owner of a file.
func (a account) own(path string) error {
	if a.credential == nil {
		return nil
	}
	return os.Chown(path, int(a.credential.Uid), int(a.credential.Gid))
}

func makeCluster(home, data, binaries string, as account) error {
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	secret := filepath.Join(home, "password")
	if err := os.WriteFile(secret, []byte(password+"\n"), 0o600); err != nil {
		return err
	}
	if err := errors.Join(as.own(data), as.own(secret)); err != nil {
		return err
	}
	return command(as, filepath.Join(binaries, "initdb"), "-D", data, "-U", "postgres", "--pwfile", secret,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync")
}

// running gives the administrator's address of the server in data, or an error when none responds.
func running(data string) (string, error) {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(content), "\n")
	if len(lines) < 4 {
		return "", errors.New("postmaster.pid is not complete")
	}
	admin := fmt.Sprintf("postgres://postgres:%s@127.0.0.1:%s/postgres?sslmode=disable", password, lines[3])
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return admin, as(ctx, admin, func(conn *pgx.Conn) error { return conn.Ping(ctx) })
}

// replaced is true when the server in data runs a program that is no longer the one on the disk. An upgrade of the Debian package
// does that: the server accepts connections, but can no longer load its libraries.
func replaced(data, program string) bool {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return false
	}
	pid, _, _ := strings.Cut(string(content), "\n")
	link := filepath.Join("/proc", pid, "exe")
	path, err := os.Readlink(link)
	if err != nil || !strings.HasPrefix(filepath.Base(path), filepath.Base(program)) { // it has ended, and another process may have its number
		return false
	}
	runs, err := os.Stat(link) // the file itself, also when it has no name any more
	if err != nil {
		return false
	}
	installed, err := os.Stat(program)
	return err == nil && !os.SameFile(runs, installed)
}

// dropLeftovers removes databases of tests that were killed. The server was just started: nobody uses them.
func dropLeftovers(admin string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return as(ctx, admin, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE datname ~ '^(test|making|template)_'`)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quoted(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

// stopWhenUnused starts a process that stops the server after no test process has used it for 30 seconds.
func stopWhenUnused(home, data, binaries string, as account) error {
	script := `while sleep 30; do [ -f "$2/postmaster.pid" ] || exit 0; flock -n -x "$1" "$3" -D "$2" -m fast stop && exit 0; done`
	watcher := exec.Command("sh", "-c", script, "sh", filepath.Join(home, "users"), data, filepath.Join(binaries, "pg_ctl"))
	watcher.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: as.credential}
	watcher.Dir = "/"
	return watcher.Start()
}

// lockFile waits for a lock that lasts until the file is closed or the process ends.
func lockFile(path string, as account, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the path is made here
	if err != nil {
		return nil, err
	}
	if err := as.own(path); err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), how); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return file, nil
}

func command(as account, name string, args ...string) error {
	// The server must not hold the test's pipes open, so the output goes to a file.
	output, err := os.CreateTemp("", "ams-postgrestest-*.log")
	if err != nil {
		return err
	}
	defer os.Remove(output.Name())
	defer output.Close()
	run := exec.Command(name, args...)
	run.Stdout, run.Stderr, run.Dir = output, output, "/"
	run.SysProcAttr = &syscall.SysProcAttr{Credential: as.credential, Setsid: true}
	if err := run.Run(); err != nil {
		log, _ := os.ReadFile(output.Name())
		return fmt.Errorf("%s: %w: %s", filepath.Base(name), err, log)
	}
	return nil
}
