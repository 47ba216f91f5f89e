package devstack

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/discovery"
	"ams.internal/libs/postgres"
)

func (s *Stack) startInfrastructure(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.startRedis(ctx) })
	if s.options.Standby { // Patroni stands on Consul
		group.Go(func() error {
			if err := s.startConsul(ctx); err != nil {
				return err
			}
			return s.startPostgres(ctx)
		})
	} else {
		group.Go(func() error { return s.startPostgres(ctx) })
		group.Go(func() error { return s.startConsul(ctx) })
	}
	group.Go(func() error { return s.startScanner(ctx) })
	return group.Wait()
}

func (s *Stack) startPostgres(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range s.cells {
		group.Go(func() error { return s.startCell(ctx, c) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if !s.options.InfrastructureOnly {
		s.progress.logf("Schemas are up to date: %s", strings.Join(withSchema, ", "))
	}
	return nil
}

// startCell starts the PostgreSQL of a cell, and makes roles and schemas there. A standby and a pooler are of the first cell.
func (s *Stack) startCell(ctx context.Context, c *cell) error {
	if c.adminURL != "" {
		if err := awaitOutside(ctx, "AMS_DATABASE_URL",
			func(ctx context.Context) error { return postgresResponds(ctx, c.adminURL) }); err != nil {
			return err
		}
		s.progress.logf("PostgreSQL of AMS_DATABASE_URL answers")
	} else if s.options.Standby && c == s.cells[0] {
		if err := s.startPair(ctx, c); err != nil {
			return err
		}
	} else if err := s.startCluster(ctx, c); err != nil {
		return err
	}
	setup := postgres.Setup{Database: database, OwnerPassword: s.secrets.Roles[postgres.Owner], Services: map[string]string{}}
	for _, program := range c.programs() {
		setup.Services[program] = s.secrets.Roles[postgres.Role(program)]
	}
	if err := postgres.Bootstrap(ctx, c.adminURL, setup); err != nil {
		return fmt.Errorf("making the database and its roles: %w", err)
	}
	if c == s.cells[0] {
		if err := s.startPooler(ctx); err != nil {
			return err
		}
	}
	if s.options.InfrastructureOnly {
		return nil
	}
	return s.migrate(ctx, c)
}

// connections is how many PostgreSQL allows: what every program may open (8 unless it is told otherwise, and a few that hold
// the locks of relays and workers), and room for those who look in.
func (s *Stack) connections() int {
	return max(300, 60+12*(len(s.options.Regions)*(len(services)*s.options.Instances+s.options.Gateways)))
}

func (s *Stack) startCluster(ctx context.Context, c *cell) error {
	suffix := ""
	if c != s.cells[0] {
		suffix = "-" + c.name
	}
	cluster, err := findCluster(s.options.Folder, suffix)
	if err != nil {
		return err
	}
	if cluster.elsewhere {
		s.progress.logf("PostgreSQL's account cannot reach %s, so its data is in %s", s.options.Folder, cluster.folder)
	}
	address, err := s.ports.free("127.0.0.1")
	if err != nil {
		return err
	}
	created, err := cluster.create(ctx, s.secrets.Superuser, filepath.Join(s.logs, "initdb-"+c.name+".log"))
	if err != nil {
		return fmt.Errorf("making the database cluster: %w", err)
	}
	if created {
		s.progress.logf("PostgreSQL %s: made a new database cluster in %s", cluster.major, cluster.folder)
	}
	if err := cluster.awaitPredecessor(ctx); err != nil {
		return err
	}
	if err := s.run(ctx, infrastructureTier, cluster.process(address, s.logs, s.secrets.Superuser, s.connections())); err != nil {
		return err
	}
	c.adminURL = postgresURL(address, s.secrets.Superuser)
	s.progress.logf("PostgreSQL %s of the cell %s is ready on %s", cluster.major, c.name, address)
	return nil
}

func (s *Stack) startRedis(ctx context.Context) error {
	if s.redisAddr = s.options.RedisAddr; s.redisAddr != "" {
		err := awaitOutside(ctx, "AMS_REDIS_ADDR", func(ctx context.Context) error { return redisResponds(ctx, hostOf(s.redisAddr)) })
		if err == nil {
			s.progress.logf("Redis of AMS_REDIS_ADDR answers")
		}
		return err
	}
	address, err := s.ports.free("127.0.0.1")
	if err != nil {
		return err
	}
	p, err := redisProcess(s.options.Folder, s.logs, address)
	if err != nil {
		return err
	}
	if err := s.run(ctx, infrastructureTier, p); err != nil {
		return err
	}
	s.redisAddr = address
	s.progress.logf("Redis is ready on %s", address)
	return nil
}

func (s *Stack) startConsul(ctx context.Context) error {
	if s.options.Together {
		s.discovery = "process"
		return nil
	}
	s.discovery = "consul"
	if given := s.options.ConsulAddr; given != "" && s.options.Discovery != "static" {
		s.home().consul.http = given
		err := awaitOutside(ctx, "AMS_CONSUL_ADDR", func(ctx context.Context) error { return consulResponds(ctx, given, "") })
		if err == nil {
			s.progress.logf("Consul of AMS_CONSUL_ADDR answers")
		}
		return err
	}
	program := ConsulProgram()
	if s.options.Discovery == "static" || s.options.Discovery == "" && program == "" {
		s.discovery, s.home().consul.http = "static", ""
		s.progress.logf("Without Consul: the programs find each other by a fixed list of addresses")
		return nil
	}
	if program == "" {
		return errors.New("Consul is neither in PATH nor in the cache folder: build it with \"make consul\", or give one in AMS_CONSUL_ADDR")
	}
	management := ""
	if s.options.AccessControl {
		management = s.secrets.Management
	}
	group, starting := errgroup.WithContext(ctx)
	for _, r := range s.regions {
		group.Go(func() error {
			p, err := consulProcess(program, s.options.Folder, s.logs, r, s.regions, s.options.Standby || s.options.AccessControl, management)
			if err != nil {
				return err
			}
			if err := s.run(starting, infrastructureTier, p); err != nil {
				return err
			}
			s.progress.logf("Consul of %s is ready on %s", r.name, p.address)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := s.awaitRegions(ctx); err != nil || !s.options.AccessControl {
		return err
	}
	tokens, err := discovery.NewTokens(s.home().consul.http, management, s.secrets.Tokens)
	if err != nil {
		return err
	}
	_, err = tokens.Prepare(ctx, s.options.Out)
	return err
}

// awaitRegions waits until each Consul knows those of the other regions, so that the programs know all regions from their
// first moment.
func (s *Stack) awaitRegions(ctx context.Context) error {
	for _, r := range s.regions {
		what := "the Consul of " + r.name
		err := await(ctx, what, func(ctx context.Context) error { return knowsRegions(ctx, r.consul.http, len(s.regions)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitOutside gives something that others run half a minute to respond.
func awaitOutside(ctx context.Context, setting string, ready func(context.Context) error) error {
	return await(ctx, "what "+setting+" names", ready)
}

// await gives something half a minute to be as it should.
func await(ctx context.Context, what string, ready func(context.Context) error) error {
	return awaitFor(ctx, 30*time.Second, what, ready)
}

func awaitFor(ctx context.Context, timeout time.Duration, what string, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		attempt, cancelAttempt := context.WithTimeout(ctx, 5*time.Second)
		err := ready(attempt)
		cancelAttempt()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w", what, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
