package devstack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// cluster is a private PostgreSQL: its programs, its account, its data.
type cluster struct {
	name      string              // of its process: postgres, and behind it the cell where that is not the first
	programs  string              // folder of initdb and postgres; Debian keeps it outside PATH
	major     string              // "15": data of one major version is of no use to another
	account   *syscall.Credential // PostgreSQL refuses to run as root
	folder    string              // the data
	elsewhere bool                // the data could not be kept in the stack's folder
}

// findCluster says how a PostgreSQL will run for the stack in folder, without starting anything. suffix is that of its process and its
// data: "-" and the cell, where that is not the first.
func findCluster(folder, suffix string) (*cluster, error) {
	c := &cluster{name: "postgres" + suffix}
	var err error
	if c.programs, err = postgresPrograms(); err != nil {
		return nil, err
	}
	version, err := exec.Command(filepath.Join(c.programs, "postgres"), "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("asking PostgreSQL for its version: %w", err)
	}
	fields := strings.Fields(string(version)) // postgres (PostgreSQL) 15.18 (Debian …)
	if len(fields) < 3 {
		return nil, fmt.Errorf("PostgreSQL's version is not understood: %s", version)
	}
	c.major, _, _ = strings.Cut(fields[2], ".")
	if number, err := strconv.Atoi(c.major); err != nil || number < 15 {
		return nil, fmt.Errorf("PostgreSQL 15 or later is needed; %s has %s", c.programs, fields[2])
	}
	c.folder = filepath.Join(folder, "postgres-"+c.major+suffix)
	if os.Getuid() != 0 {
		return c, nil
	}
	return c, c.useAccount(folder, suffix)
}

// useAccount lets PostgreSQL run as the account "postgres" for a launcher that is root, and keeps the data where
// that account can reach it: below /root, for one, it cannot.
func (c *cluster) useAccount(folder, suffix string) error {
	account, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("PostgreSQL refuses to run as root and the account \"postgres\" is missing (Debian's package makes it): %w", err)
	}
	uid, _ := strconv.ParseUint(account.Uid, 10, 32)
	gid, _ := strconv.ParseUint(account.Gid, 10, 32)
	c.account = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	if err := os.Chmod(folder, 0o711); err != nil { // the folder is ours to open; what is above it is not
		return err
	}
	try := exec.Command("/bin/sh", "-c", `cd "$1"`, "sh", folder)
	try.Dir = "/"
	try.SysProcAttr = &syscall.SysProcAttr{Credential: c.account}
	if try.Run() == nil {
		return nil
	}
	home := account.HomeDir
	if _, err := os.Stat(home); err != nil {
		home = "/var/lib"
	}
	link := c.folder
	c.elsewhere = true
	c.folder = filepath.Join(home, fmt.Sprintf("ams-%x-%s", sha256.Sum256([]byte(folder)), c.major)[:16]+"-"+c.major+suffix)
	if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) {
		return os.Symlink(c.folder, link) // so that Drop finds it
	}
	return nil
}

// create makes the cluster unless it is there. A half-made one is never taken for a whole one.
func (c *cluster) create(ctx context.Context, password, logPath string) (created bool, err error) {
	if _, err := os.Stat(filepath.Join(c.folder, "PG_VERSION")); err == nil {
		return false, nil
	}
	making := c.folder + ".making"
	if err := os.RemoveAll(making); err != nil {
		return false, err
	}
	if err := os.Mkdir(making, 0o700); err != nil {
		return false, err
	}
	passwordFile, err := os.CreateTemp("", "ams-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(passwordFile.Name())
	if _, err := passwordFile.WriteString(password + "\n"); err != nil {
		return false, errors.Join(err, passwordFile.Close())
	}
	if err := passwordFile.Close(); err != nil {
		return false, err
	}
	if c.account != nil {
		for _, path := range []string{making, passwordFile.Name()} {
			if err := os.Chown(path, int(c.account.Uid), int(c.account.Gid)); err != nil {
				return false, err
			}
		}
	}
	err = runOnce(ctx, c.account, logPath, os.Environ(), filepath.Join(c.programs, "initdb"), "--pgdata="+making,
		"--username=postgres", "--pwfile="+passwordFile.Name(), "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8")
	if err != nil {
		return false, err
	}
	return true, os.Rename(making, c.folder)
}

// awaitPredecessor waits for a PostgreSQL that a killed launcher left behind: it is told to stop by the kernel and
// needs a moment to write everything down.
func (c *cluster) awaitPredecessor(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		content, err := os.ReadFile(filepath.Join(c.folder, "postmaster.pid"))
		if err != nil {
			return nil
		}
		number, _, _ := strings.Cut(string(content), "\n")
		command, err := os.ReadFile("/proc/" + strings.TrimSpace(number) + "/cmdline")
		if err != nil || !strings.Contains(string(command), c.folder) {
			return nil // it ended, or its number belongs to something else: PostgreSQL sees to the file itself
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("an older PostgreSQL (process %s) still runs in %s and does not end", number, c.folder)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// serverSettings are those of every PostgreSQL of a stack.
var serverSettings = []string{
	"unix_socket_directories=", "shared_buffers=256MB", "work_mem=16MB", "maintenance_work_mem=256MB",
	"effective_cache_size=1GB", "random_page_cost=1.1", "jit=off",
	"wal_buffers=16MB", "max_wal_size=2GB", "checkpoint_timeout=15min", // fsync and synchronous_commit stay on
	"timezone=UTC", "log_timezone=UTC", "log_checkpoints=off", "log_lock_waits=on",
}

func (c *cluster) process(address, logs, password string, connections int) *process {
	_, port, _ := net.SplitHostPort(address)
	arguments := []string{"-D", c.folder, "-p", port}
	own := []string{"listen_addresses=127.0.0.1", "cluster_name=ams" + strings.TrimPrefix(c.name, "postgres"),
		fmt.Sprintf("max_connections=%d", connections)}
	for _, setting := range slices.Concat(own, serverSettings) {
		arguments = append(arguments, "-c", setting)
	}
	return &process{
		name: c.name, program: filepath.Join(c.programs, "postgres"), arguments: arguments, environment: os.Environ(),
		directory: c.folder, account: c.account, address: address,
		ready:      func(ctx context.Context) error { return postgresResponds(ctx, postgresURL(address, password)) },
		stopSignal: syscall.SIGINT, // "fast": ends connections, writes a checkpoint
		// The same when the launcher is killed: every backend ends, and the next start needs no recovery.
		deathSignal: syscall.SIGINT,
		logPath:     filepath.Join(logs, c.name+".log"),
	}
}

// postgresURL is the administrating role's, of our own PostgreSQL.
func postgresURL(address, password string) string {
	return (&url.URL{Scheme: "postgres", User: url.UserPassword("postgres", password), Host: address, Path: "/postgres",
		RawQuery: "sslmode=disable"}).String()
}

// postgresResponds logs in and makes a query: a server that is recovering takes connections but not that.
func postgresResponds(ctx context.Context, address string) error {
	connection, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	return connection.Ping(ctx)
}

// postgresPrograms finds the newest PostgreSQL server on this machine.
func postgresPrograms() (string, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(folders, func(a, b string) int { return majorOf(b) - majorOf(a) })
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		if executable(filepath.Join(folder, "postgres")) && executable(filepath.Join(folder, "initdb")) {
			return folder, nil
		}
	}
	return "", errors.New("PostgreSQL is not installed: run deploy/install.sh, or give one in AMS_DATABASE_URL")
}

// majorOf reads 15 from /usr/lib/postgresql/15/bin.
func majorOf(folder string) int {
	number, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return number
}
