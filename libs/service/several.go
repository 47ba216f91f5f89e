package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/caarlos0/env/v11"

	"ams.internal/libs/discovery"
)

// One process runs one program, as in production, or several: `ams serve all` is the whole product for a small machine and for development.
// Each program keeps what it has alone: its listener, its role and pool, its directory, its principal checks, its background work and
// its log lines. They share what belongs to a process:
//
//   - the signals: the gateway drains first, then all others;
//   - tracer and meter providers, with the resource "ams": OpenTelemetry has one resource for a process;
//   - the garbage collector, and the return of memory to the system;
//   - the fate: one that cannot serve ends the process, as it ends its own.

const (
	// front is the program that callers reach. Where it shares a process, AMS_LISTEN is its address; the others have free ports of this
	// machine.
	front = "gateway"
	// processName is the name of a process with several programs, in telemetry and in its own log lines.
	processName = "ams"
	// sharedConnections is how many connections each of all programs has to a database at most, unless AMS_DATABASE_CONNECTIONS says so: all
	// of them together stay below the hundred that PostgreSQL has by default.
	sharedConnections = "4"
)

// target is a program with its configuration.
type target struct {
	Program
	settings Settings
	config   Config
}

// serve serves the programs until a signal ends the process.
func serve(programs []Program, everything bool, environ []string) error {
	targets, err := configure(programs, everything, environ)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if len(targets) == 1 {
		t := targets[0]
		s, err := New(ctx, t.Name, t.config, t.Migrations)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.checkSchema(ctx); err != nil {
			return err
		}
		listeners, err := t.build(s, t.settings)
		if err != nil {
			return err
		}
		return s.Serve(ctx, listeners...)
	}
	return serveTogether(ctx, targets)
}

// configure reads the configuration of each program from its part of the environment.
func configure(programs []Program, everything bool, environ []string) ([]target, error) {
	var targets []target
	var problems []Problem
	for _, p := range programs {
		settings, err := p.load(p.environment(environ, len(programs) > 1, everything))
		if invalid := (*ConfigError)(nil); errors.As(err, &invalid) {
			for _, problem := range invalid.Problems {
				if !slices.Contains(problems, problem) { // what is wrong for all is said once
					problems = append(problems, problem)
				}
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		targets = append(targets, target{p, settings, settings.Common()})
	}
	if len(problems) == 0 {
		problems = together(targets)
	}
	if len(problems) > 0 {
		return nil, &ConfigError{problems}
	}
	return targets, nil
}

// environment is a program's part of the environment: AMS_ASSETS_X is AMS_X of assets, unless assets has a variable of that whole name.
func (p Program) environment(environ []string, several, everything bool) []string {
	given := env.ToMap(environ)
	own := map[string]bool{}
	for _, d := range declarations(reflect.TypeOf(p.settings)) {
		own[d.name], own[d.name+"_FILE"] = true, true
	}
	part := slices.Clone(environ)
	set := func(name, value string) { part = append(part, name+"="+value) }
	if several && p.Name != front {
		set("AMS_LISTEN", "")
		if !everything {
			set("AMS_LISTEN", given["AMS_LISTEN"])
		}
	}
	if everything {
		set("AMS_DISCOVERY", cmp.Or(given["AMS_DISCOVERY"], string(discovery.Process)))
		set("AMS_DATABASE_CONNECTIONS", cmp.Or(given["AMS_DATABASE_CONNECTIONS"], sharedConnections))
	}
	prefix := "AMS_" + strings.ToUpper(p.Name) + "_"
	for name, value := range given {
		rest, mine := strings.CutPrefix(name, prefix)
		if !mine || own[name] || !own["AMS_"+rest] || value == "" {
			continue
		}
		set("AMS_"+rest, value)
		if plain, isFile := strings.CutSuffix(rest, "_FILE"); isFile { // it comes before what is for all
			set("AMS_"+plain, "")
		} else {
			set("AMS_"+rest+"_FILE", "")
		}
	}
	return part
}

// together are the problems of configurations that are each right.
func together(targets []target) []Problem {
	var problems []Problem
	addresses, roles := map[string]string{}, map[string]string{}
	for _, t := range targets {
		variable := "AMS_" + strings.ToUpper(t.Name) + "_"
		if _, port, err := net.SplitHostPort(t.config.Listen); err == nil && port != "0" {
			if other, taken := addresses[t.config.Listen]; taken {
				problems = append(problems, Problem{variable + "LISTEN", fmt.Sprintf(
					"is needed: %s and %s would both listen on %s", other, t.Name, t.config.Listen)})
			}
			addresses[t.config.Listen] = t.Name
		}
		if address, err := url.Parse(t.config.DatabaseURL); err == nil && t.Migrations != nil && address.User != nil {
			role := address.User.Username()
			if other, taken := roles[role]; taken {
				problems = append(problems, Problem{variable + "DATABASE_URL", fmt.Sprintf(
					"is needed: %s and %s would both be the role %s, and each has a role and a schema of its own", other, t.Name, role)})
			}
			roles[role] = t.Name
		}
	}
	return problems
}

// serveTogether serves several programs in this process.
func serveTogether(ctx context.Context, targets []target) error {
	shared := targets[0].config
	stopTelemetry, err := startTelemetry(ctx, processName, shared)
	if err != nil {
		return err
	}
	defer stopTelemetry()
	catalogue := discovery.NewCatalogue()
	services := make([]*Service, len(targets))
	listeners := make([][]Listener, len(targets))
	for i, t := range targets {
		if services[i], err = open(ctx, t.Name, t.config, t.Migrations, catalogue); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		defer services[i].Close()
	}
	if err := eachAtOnce(services, func(s *Service) error { return s.checkSchema(ctx) }); err != nil {
		return err
	}
	for i, t := range targets {
		if listeners[i], err = t.build(services[i], t.settings); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return serveAll(ctx, services, listeners)
}

// serveAll serves until a signal comes or one of the programs ends. The front drains before the others: what it has begun needs them.
func serveAll(ctx context.Context, services []*Service, listeners [][]Listener) error {
	until := untilSignal(ctx)
	defer until.stop()
	frontEnded, endOthers := context.WithCancel(context.WithoutCancel(ctx))
	defer endOthers()
	defer runProcess(0)()

	ready := make([]*readiness, len(services))
	var others []*readiness
	hasFront := false
	for i, s := range services {
		if s.Name == front {
			hasFront = true
			s.Require("other programs", func(context.Context) error { return firstMissing(others) })
		}
		ready[i] = newReadiness(s.conditions)
		if s.Name != front {
			others = append(others, ready[i])
		}
	}
	failures := make([]error, len(services))
	var serving sync.WaitGroup
	for i, s := range services {
		serving.Go(func() {
			end := until
			if hasFront && s.Name != front {
				end.begin = frontEnded
			}
			err := s.serve(end, ready[i], listeners[i])
			if err != nil {
				failures[i] = fmt.Errorf("%s: %w", s.Name, err)
				until.end()
			}
			if err != nil || s.Name == front { // nobody goes on without it
				endOthers()
			}
		})
	}
	serving.Wait()
	return errors.Join(failures...)
}

// firstMissing says what keeps the first of them from serving.
func firstMissing(all []*readiness) error {
	for _, r := range all {
		if missing := r.missing.Load(); missing != nil {
			return errors.New(*missing)
		}
	}
	return nil
}

func eachAtOnce(services []*Service, do func(*Service) error) error {
	failures := make([]error, len(services))
	var doing sync.WaitGroup
	for i, s := range services {
		doing.Go(func() { failures[i] = do(s) })
	}
	doing.Wait()
	return cmp.Or(failures...)
}
