// Package devstack runs the whole product on one machine without containers: PostgreSQL, Redis, Consul, clamd, the services and
// the gateways, as children of the program that uses this package. It starts them in order of need, waits until each
// really responds, restarts one that dies, and takes all of them down with itself, however it ends.
//
// It needs Linux: the kernel is asked to end the children with their parent.
package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ams.internal/deploy/demo"
	"ams.internal/libs/postgres"
)

// Stack is a running one.
type Stack struct {
	options  Options
	logs     string
	lock     *os.File
	ports    ports
	secrets  secrets
	regions  []*region
	progress *progress

	cells        []*cell // the first one too
	poolerAddr   string  // before the first; empty: none
	replicaHosts string  // of standbys of the first
	nodes        []*node // with Options.Standby
	redisAddr    string
	scannerURL   string
	discovery    string

	organizations []demo.Organization

	mu        sync.Mutex
	tiers     [4][]*process // in the order in which they are stopped: gateways, services, Patroni, infrastructure
	described bool          // stack.json is there
	done      chan struct{} // closed when the stack stops
	stopOnce  sync.Once
}

const (
	gatewayTier = iota
	serviceTier
	databaseTier // what needs Consul to end in order
	infrastructureTier
)

// drain is how long a program may finish what it does when the stack stops; the programs themselves take 20 s at most.
const drain = 25 * time.Second

// Start starts a stack and returns when it can be used. The stack runs until Stop, also after ctx has ended; ctx ends
// only the starting.
func Start(ctx context.Context, options Options) (*Stack, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(options.Folder, 0o711); err != nil {
		return nil, err
	}
	lock, err := lockFolder(options.Folder)
	if err != nil {
		return nil, err
	}
	s := &Stack{
		options: options, lock: lock, progress: newProgress(options.Out), done: make(chan struct{}),
		logs: filepath.Join(options.Folder, "logs"),
	}
	if err := s.bringUp(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// bringUp is the order of need: the infrastructure, the schemas, our programs, the data, the description.
func (s *Stack) bringUp(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	if err := s.startInfrastructure(ctx); err != nil {
		return err
	}
	if !s.options.InfrastructureOnly {
		if err := s.startPrograms(ctx); err != nil {
			return err
		}
		if err := s.addCells(ctx); err != nil {
			return err
		}
		if err := s.fill(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.described = true
	s.mu.Unlock()
	return s.describe()
}

// prepare decides everything that must be known before the first process starts.
func (s *Stack) prepare(ctx context.Context) error {
	// What a launcher that was killed left here no longer describes anything.
	if err := os.Remove(s.descriptionPath()); err != nil && !os.IsNotExist(err) {
		return err
	}
	previous := s.logs + "-previous"
	if err := os.RemoveAll(previous); err != nil {
		return err
	}
	if err := os.Rename(s.logs, previous); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Mkdir(s.logs, 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(secretsPath(s.options.Folder)); s.options.Prepared && os.IsNotExist(err) {
		if err := copyPrepared(ctx, s.options.Folder, s.options.Binaries, s.options.Demo); err != nil {
			return err
		}
	}
	roles := []string{postgres.Owner}
	for _, program := range withSchema {
		roles = append(roles, postgres.Role(program))
	}
	var err error
	if s.secrets, err = loadSecrets(s.options.Folder, roles); err != nil {
		return err
	}
	if s.options.DatabaseURL != "" {
		u, err := url.Parse(s.options.DatabaseURL)
		if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
			return errors.New("AMS_DATABASE_URL must look like postgres://user:password@host:5432/postgres")
		}
	}
	for _, name := range cellNames[:s.options.Cells] {
		s.cells = append(s.cells, &cell{name: name})
	}
	if s.options.DatabaseURL != "" {
		if s.cells[0].adminURL, s.replicaHosts, err = takeReplicas(s.options.DatabaseURL); err != nil {
			return err
		}
		for i, address := range s.options.FurtherCells {
			s.cells[i+1].adminURL = address
		}
	}
	return s.chooseAddresses()
}

// startPrograms starts the services before the gateways, which then know every service from their first moment.
func (s *Stack) startPrograms(ctx context.Context) error {
	if s.options.Together {
		return s.runAll(ctx, gatewayTier, []*process{s.wholeProcess()})
	}
	if err := s.startServices(ctx); err != nil {
		return err
	}
	return s.runAll(ctx, gatewayTier, s.gatewayProcesses())
}

// startsAtOnce is how many programs begin at the same time: what each asks of the database at its start, thirty at once ask too
// much of a machine that is slow.
const startsAtOnce = 8

func (s *Stack) runAll(ctx context.Context, tier int, all []*process) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(startsAtOnce)
	for _, p := range all {
		group.Go(func() error {
			if err := s.run(ctx, tier, p); err != nil {
				return err
			}
			s.progress.logf("%s is ready on %s", p.name, p.address)
			return nil
		})
	}
	return group.Wait()
}

// fill makes the demonstration organizations and their data, once.
func (s *Stack) fill(ctx context.Context) error {
	var err error
	s.organizations, err = demo.Seed(ctx, demo.Target{
		BaseURL: s.baseURL(), AdminURL: "http://" + s.home().adminListeners[0], AdminToken: s.secrets.Admin,
		CredentialsPath: filepath.Join(s.options.Folder, "demo.json"), Volume: s.options.Demo, Logf: s.progress.logf,
	})
	if err != nil {
		return fmt.Errorf("writing the demonstration data: %w", err)
	}
	if err := s.awaitRoutes(ctx); err != nil {
		return err
	}
	return s.awaitDocuments(ctx)
}

// run starts p, waits until it is ready and keeps it running.
func (s *Stack) run(ctx context.Context, tier int, p *process) error {
	p.stopping, p.stopped = make(chan struct{}), make(chan struct{})
	s.mu.Lock()
	s.tiers[tier] = append(s.tiers[tier], p)
	s.mu.Unlock()
	if err := p.start(ctx); err != nil {
		close(p.stopped)
		return err
	}
	go watchLog(p, s.options.Verbose, s.progress.line, s.done)
	go p.supervise(s.progress.logf, func() {
		if err := s.describe(); err != nil {
			s.progress.logf("%s could not be written: %v", FileName, err)
		}
	})
	return nil
}

// Stop takes everything down: gateways first, then services, then what they stand on. Running requests are finished.
func (s *Stack) Stop() {
	s.stopOnce.Do(func() {
		close(s.done)
		s.mu.Lock()
		s.described = false
		os.Remove(s.descriptionPath())
		tiers := s.tiers
		s.mu.Unlock()
		for _, tier := range tiers {
			var waiting sync.WaitGroup
			for _, p := range tier {
				waiting.Go(func() { p.stop(drain) })
			}
			waiting.Wait()
			for _, p := range tier {
				<-p.stopped
			}
		}
		s.ports.release()
		s.lock.Close()
	})
}

// Kill ends every process at once, for a person who does not want to wait for Stop any longer.
func (s *Stack) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tier := range s.tiers {
		for _, p := range tier {
			p.finish()
			p.kill()
		}
	}
}

// describe writes stack.json, while the stack is ready.
func (s *Stack) describe() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.described {
		return nil
	}
	return writeAtomically(s.descriptionPath(), s.description())
}

// Description says where everything of this stack is.
func (s *Stack) Description() Description {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.description()
}

func (s *Stack) description() Description {
	d := Description{
		BaseURL: s.baseURL(), MCPURL: s.baseURL() + "/mcp", SettingsURL: s.baseURL() + "/settings",
		Regions: s.options.Regions, RegionGateways: map[string][]string{},
		PostgresURL: s.cells[0].adminDatabaseURL(), Cells: map[string]Cell{}, ReplicaHosts: s.pairAddresses(), RedisAddr: s.redisAddr,
		ConsulAddr: s.home().consul.http, ScannerURL: s.scannerURL,
		AdminURL: "http://" + s.home().adminListeners[0], AdminToken: s.secrets.Admin,
		PIDs: map[string]int{}, Organizations: s.organizations,
	}
	if s.options.AccessControl {
		d.ConsulToken = s.secrets.Management
	}
	for _, c := range s.cells {
		d.Cells[c.name] = Cell{c.adminDatabaseURL()}
	}
	for _, r := range s.regions {
		for _, address := range r.gateways {
			d.RegionGateways[r.name] = append(d.RegionGateways[r.name], "http://"+address)
		}
		d.Gateways = append(d.Gateways, d.RegionGateways[r.name]...)
	}
	for _, tier := range s.tiers {
		for _, p := range tier {
			if p.holding() == nil {
				d.PIDs[p.name] = p.pid()
			}
		}
	}
	for _, n := range s.nodes {
		if pid := n.pid(); pid != 0 {
			d.PIDs[n.name] = pid
		}
	}
	return d
}

func (s *Stack) descriptionPath() string { return filepath.Join(s.options.Folder, FileName) }

// Folder is where everything that the stack writes lies.
func (s *Stack) Folder() string { return s.options.Folder }
