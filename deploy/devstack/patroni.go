package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// A stack with a standby has two nodes, each a PostgreSQL under its Patroni; both Patroni processes keep who is the primary in the stack's
// Consul. docs/operations/fail-over.md says what happens when one of them ends, deploy/devstack/patroni_test.go tries it.

// patroniSettings is how fast a primary that has ended is replaced, in seconds. Patroni wants loop_wait + 2 × retry_timeout to be ttl at
// most. Its session in Consul ends ttl after it was last renewed (Consul doubles what Patroni asks for, which is half of it), then the
// standby is promoted: within 20 s of the primary's end in all.
const (
	patroniTTL          = 10
	patroniLoopWait     = 2
	patroniRetryTimeout = 3
	// primaryStart is how long a PostgreSQL that crashed under a living Patroni may take to recover, before the standby takes over.
	primaryStart = 10
)

// node is one PostgreSQL with its Patroni.
type node struct {
	name      string // "postgres-1", for Patroni; its process is "patroni-1"
	cluster   cluster
	address   string // of PostgreSQL
	control   string // of Patroni's HTTP interface
	configure string // Patroni's configuration
}

func (n *node) process() string { return "patroni-" + n.name[len("postgres-"):] }

// startPair starts both nodes of a cell and waits until one is the primary and the other one its synchronous standby.
func (s *Stack) startPair(ctx context.Context, c *cell) error {
	program, err := exec.LookPath("patroni")
	if err != nil {
		return errors.New("Patroni is not installed: run deploy/install.sh, or start without STANDBY")
	}
	if s.home().consul.http == "" {
		return errors.New("a standby needs Consul, where Patroni keeps who is the primary: build it with \"make consul\", " +
			"and leave out AMS_DISCOVERY=static")
	}
	base, err := findCluster(s.options.Folder, "-pair")
	if err != nil {
		return err
	}
	if err := base.makeFolder(); err != nil {
		return err
	}
	for number := range 2 {
		n, err := s.newNode(base, number+1)
		if err != nil {
			return err
		}
		s.nodes = append(s.nodes, n)
	}
	group, starting := errgroup.WithContext(ctx)
	for _, n := range s.nodes {
		if err := n.cluster.awaitPredecessor(ctx); err != nil {
			return err
		}
		group.Go(func() error { return s.run(starting, databaseTier, s.patroniProcess(program, n)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := s.AwaitStandby(ctx); err != nil {
		return err
	}
	hosts := s.nodes[0].address + "," + s.nodes[1].address
	c.adminURL = postgresURL(hosts, s.secrets.Superuser) + "&target_session_attrs=read-write"
	s.replicaHosts = hosts
	primary, err := s.Primary(ctx)
	if err != nil {
		return err
	}
	s.progress.logf("PostgreSQL %s is ready on %s, under Patroni; %s is the primary", base.major, hosts, primary)
	return nil
}

// makeFolder makes the folder of both nodes, for PostgreSQL's account alone.
func (c *cluster) makeFolder() error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return err
	}
	return c.own(c.folder)
}

func (c *cluster) own(path string) error {
	if c.account == nil {
		return nil
	}
	return os.Chown(path, int(c.account.Uid), int(c.account.Gid))
}

func (s *Stack) newNode(base *cluster, number int) (*node, error) {
	n := &node{name: fmt.Sprintf("postgres-%d", number), cluster: *base,
		configure: filepath.Join(base.folder, fmt.Sprintf("patroni-%d.json", number))}
	n.cluster.folder = filepath.Join(base.folder, fmt.Sprintf("node-%d", number))
	for _, at := range []*string{&n.address, &n.control} {
		if err := s.ports.choose(at, "127.0.0.1"); err != nil {
			return nil, err
		}
	}
	if err := writeAtomically(n.configure, s.patroniConfiguration(n, base.folder)); err != nil { // JSON is YAML
		return nil, err
	}
	return n, base.own(n.configure)
}

// patroniConfiguration follows https://patroni.readthedocs.io/en/rest-3_0/patroni_configuration.html. What stands in bootstrap is read once,
// when the pair is made, and kept in Consul.
func (s *Stack) patroniConfiguration(n *node, folder string) map[string]any {
	return map[string]any{
		"scope": "ams", "namespace": "/ams-patroni/", "name": n.name,
		"restapi": map[string]any{"listen": n.control, "connect_address": n.control},
		"consul":  s.consulOfPatroni(),
		"bootstrap": map[string]any{
			"dcs": map[string]any{
				"ttl": patroniTTL, "loop_wait": patroniLoopWait, "retry_timeout": patroniRetryTimeout, "primary_start_timeout": primaryStart,
				// A commit waits for the standby; while there is none, Patroni lets the primary go on alone (not strict), and does not
				// promote a standby that was not synchronous.
				"synchronous_mode": true,
				// Without Consul the primary stays what it is as long as it reaches the standby.
				"failsafe_mode": true,
				"postgresql": map[string]any{
					"use_pg_rewind": true, "use_slots": true,
					"parameters": map[string]any{
						"max_connections": max(600, s.connections()), "wal_keep_size": "512MB",
						// A long read at the standby keeps its rows at the primary, rather than being cancelled.
						"hot_standby_feedback": "on", "max_standby_streaming_delay": "5s",
					},
				},
			},
			"initdb": []any{map[string]any{"encoding": "UTF8"}, map[string]any{"locale": "C.UTF-8"}, "data-checksums"},
			"pg_hba": []string{"host replication replicator 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256"},
		},
		"postgresql": map[string]any{
			"listen": n.address, "connect_address": n.address, "data_dir": n.cluster.folder, "bin_dir": n.cluster.programs,
			"pgpass": filepath.Join(folder, "pgpass-"+n.name),
			"authentication": map[string]any{
				"superuser":   map[string]any{"username": "postgres", "password": s.secrets.Superuser},
				"replication": map[string]any{"username": "replicator", "password": s.secrets.Replication},
			},
			"parameters": serverParameters(),
			// A copy begins with a checkpoint, which would take minutes not to be in the way of anything.
			"basebackup": map[string]any{"checkpoint": "fast"},
		},
	}
}

func (s *Stack) consulOfPatroni() map[string]any {
	consul := map[string]any{"host": s.home().consul.http}
	if s.options.AccessControl {
		consul["token"] = s.secrets.Management
	}
	return consul
}

// serverParameters are the settings that each PostgreSQL of a stack has, as Patroni takes them.
func serverParameters() map[string]string {
	parameters := map[string]string{}
	for _, setting := range serverSettings {
		name, value, _ := strings.Cut(setting, "=")
		parameters[name] = value
	}
	return parameters
}

func (s *Stack) patroniProcess(program string, n *node) *process {
	return &process{
		name: n.process(), program: program, arguments: []string{n.configure}, environment: os.Environ(),
		directory: filepath.Dir(n.configure), account: n.cluster.account, address: n.control,
		// 200 once its PostgreSQL is a running primary or a standby that follows.
		ready:      func(ctx context.Context) error { return httpResponds(ctx, "http://"+n.control+"/health") },
		stopSignal: syscall.SIGTERM, deathSignal: syscall.SIGTERM, // it stops its PostgreSQL, which is no child of it
		killed:  n.kill,
		logPath: filepath.Join(s.logs, n.process()+".log"),
	}
}

// pid is the number of the node's PostgreSQL; 0 where it does not run.
func (n *node) pid() int {
	content, err := os.ReadFile(filepath.Join(n.cluster.folder, "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(content), "\n")
	number, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0
	}
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", number))
	if err != nil || !strings.Contains(string(command), n.cluster.folder) { // it ended, and its number may be another's
		return 0
	}
	return number
}

// kill ends the node's PostgreSQL with all its processes, as a machine that loses power does.
func (n *node) kill() {
	number := n.pid()
	if number == 0 {
		return
	}
	for _, pid := range Family(number) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have just ended
	}
}

// member is a node as Patroni sees it.
type member struct {
	Name, Role, State string
}

// members asks one Patroni after the other, until one answers.
func (s *Stack) members(ctx context.Context) ([]member, error) {
	var cluster struct{ Members []member }
	var failures []error
	for _, n := range s.nodes {
		err := getJSON(ctx, "http://"+n.control+"/cluster", &cluster)
		if err == nil {
			return cluster.Members, nil
		}
		failures = append(failures, err)
	}
	return nil, fmt.Errorf("no Patroni answers: %w", errors.Join(failures...))
}

// Primary is the name of the process whose PostgreSQL is the primary: "patroni-1".
func (s *Stack) Primary(ctx context.Context) (string, error) {
	members, err := s.members(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(members, func(m member) bool { return m.Role == "leader" && m.State == "running" })
	if i < 0 {
		return "", fmt.Errorf("there is no primary: %v", members)
	}
	return "patroni-" + members[i].Name[len("postgres-"):], nil
}

// standbyTimeout is how long a standby may take to follow: it may have to be copied from the primary first.
const standbyTimeout = 3 * time.Minute

// AwaitStandby waits until there are a primary and its synchronous standby.
func (s *Stack) AwaitStandby(ctx context.Context) error {
	return awaitFor(ctx, standbyTimeout, "Patroni", func(ctx context.Context) error {
		members, err := s.members(ctx)
		if err != nil {
			return err
		}
		if _, err := s.Primary(ctx); err != nil {
			return err
		}
		if !slices.ContainsFunc(members, func(m member) bool {
			return m.Role == "sync_standby" && (m.State == "running" || m.State == "streaming")
		}) {
			return fmt.Errorf("there is no synchronous standby: %v", members)
		}
		return nil
	})
}

// Patronictl runs a command of Patroni's own tool, as people do, and gives what it says.
func (s *Stack) Patronictl(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "patronictl", append([]string{"-c", s.nodes[0].configure}, arguments...)...)
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("patronictl %s: %w: %s", strings.Join(arguments, " "), err, output)
	}
	return string(output), nil
}

// DropNode removes the data of a node whose process is halted, as if its machine were lost.
func (s *Stack) DropNode(name string) error {
	i := slices.IndexFunc(s.nodes, func(n *node) bool { return n.process() == name })
	if i < 0 || s.nodes[i].pid() != 0 {
		return fmt.Errorf("%s is no node that is halted", name)
	}
	return os.RemoveAll(s.nodes[i].cluster.folder)
}

// pairAddresses are the hosts of PostgreSQL, for a description.
func (s *Stack) pairAddresses() (hosts []string) {
	if s.replicaHosts == "" {
		return nil
	}
	return strings.Split(s.replicaHosts, ",")
}

// takeReplicas takes the standbys out of a database address that was given: programs get them, PostgreSQL's own tools do not know them.
func takeReplicas(address string) (rest, hosts string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", errors.New("AMS_DATABASE_URL cannot be read")
	}
	query := u.Query()
	hosts = query.Get("replica_hosts")
	query.Del("replica_hosts")
	u.RawQuery = query.Encode()
	return u.String(), hosts, nil
}
