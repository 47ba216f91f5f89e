package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/telemetry"
)

// Listener is one address that the process serves.
type Listener struct {
	Name      string // the Consul service name; empty: not registered
	Address   string // host:port
	Advertise string // where others reach it, as host:port or host; empty: where it listens
	Handler   http.Handler
	Meta      map[string]string // added to protocol, version and region in Consul

	// OnDrain, where not nil, is called in the drain, after the listener is closed. It ends long polls: the drain waits for them.
	OnDrain func()

	// Configure, where not nil, may change the server and wrap its socket, before it serves.
	Configure func(server *http.Server, socket net.Listener) net.Listener
}

// server is a listener with its HTTP server.
type server struct {
	Listener
	listener *drainListener
	socket   net.Listener // the drain listener, or its wrapper from Configure
	server   *http.Server
}

// Serve serves until ctx ends or SIGTERM or SIGINT comes, and then drains. /readyz turns 503, the instances are deregistered,
// new connections are refused, open connections end with their next response, running requests have AMS_DRAIN_TIMEOUT to
// finish, and the background work ends. A second signal ends the drain. The error says why the process could not serve, or
// that requests were cut off.
//
// Every listener serves /livez and /readyz. A handler sets its own deadlines with http.ResponseController: only headers (5 s)
// and idle connections (120 s) are limited here.
func (s *Service) Serve(ctx context.Context, listeners ...Listener) error {
	until := untilSignal(ctx)
	defer until.stop()
	defer runProcess(s.Garbage)()
	return s.serve(until, newReadiness(s.conditions), listeners)
}

// until says how long a process serves.
type until struct {
	begin context.Context // ends when the drain shall begin
	drain context.Context // ends when the drain shall end at once
	end   func()          // begins the drain
	stop  func()          // frees what it took
}

// untilSignal ends with ctx or with SIGTERM or SIGINT; a second signal ends the drain.
func untilSignal(ctx context.Context) until {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	begin, end := context.WithCancel(ctx)
	drain, endDrain := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		select {
		case <-signals:
			end()
		case <-drain.Done():
			return
		}
		select {
		case <-signals:
			slog.Warn("second signal: ending at once")
			endDrain()
		case <-drain.Done():
		}
	}()
	return until{begin: begin, drain: drain, end: end, stop: func() {
		signal.Stop(signals)
		end()
		endDrain()
	}}
}

// serve serves until begin ends, and then drains.
func (s *Service) serve(until until, ready *readiness, listeners []Listener) error {
	ctx := until.begin
	defer ready.registerMetrics(s.Name)()
	var all []*server
	defer func() {
		for _, each := range all {
			_ = each.server.Close() // closed by the drain already, unless that was cut off
			_ = each.socket.Close()
		}
	}()
	failed := make(chan error, len(listeners))
	for _, listener := range listeners {
		each, err := s.listen(ctx, listener, ready)
		if err != nil {
			return err
		}
		all = append(all, each)
		s.Log.Info("listening", "name", listener.Name, "address", each.socket.Addr().String())
	}
	leases, err := s.register(ctx, all)
	if err != nil {
		return err
	}
	for _, each := range all {
		go func() { failed <- each.server.Serve(each.socket) }()
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx)) // the background work ends after the last request
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { ready.watch(background, s.logReadiness, func() { s.markReady(leases) }) })
	for _, task := range s.background {
		work.Go(func() { s.runTask(background, task) })
	}

	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return s.drain(until.drain, all, leases, ready, func() { stop(); work.Wait() })
}

func (s *Service) listen(ctx context.Context, listener Listener, ready *readiness) (*server, error) {
	socket, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listener.Address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	draining := newDrainListener(socket.(*net.TCPListener))
	result := &server{Listener: listener, listener: draining, socket: draining, server: &http.Server{
		Handler:           ready.probes(telemetry.Handler(listener.Handler)),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
		ConnState:         draining.connStateChanged,
	}}
	if listener.Configure != nil {
		result.socket = listener.Configure(result.server, draining)
	}
	return result, nil
}

// register registers the listeners in Consul, critical until the process is ready for the first time. A database that fails
// later changes nothing there: it fails for every instance, and an empty catalogue would hide the reason from callers.
func (s *Service) register(ctx context.Context, all []*server) ([]*discovery.Lease, error) {
	var leases []*discovery.Lease
	for _, each := range all {
		if each.Name == "" {
			continue
		}
		meta := map[string]string{"protocol": "http", "version": s.Version, "region": s.Config.Region}
		for key, value := range each.Meta {
			meta[key] = value
		}
		address, err := advertised(each.Advertise, each.socket.Addr().String(), s.Config.ConsulAddr)
		if err != nil {
			return nil, err
		}
		if s.Config.Discovery == string(discovery.Static) {
			continue // others have the address from their configuration
		}
		lease, err := s.Directory.Register(ctx, each.Name, address, meta)
		if err != nil {
			return nil, err
		}
		leases = append(leases, lease)
	}
	return leases, nil
}

// advertised is the address in Consul: the configured one, with the listener's port where it has none.
func advertised(configured, listening, consul string) (string, error) {
	if configured == "" {
		return listening, nil
	}
	host, port, err := net.SplitHostPort(configured)
	if err != nil {
		host = configured
		if _, port, err = net.SplitHostPort(listening); err != nil {
			return "", fmt.Errorf("address of the listener: %w", err)
		}
	}
	if own := localAddress(host, consul); own != "" {
		host = own
	}
	return net.JoinHostPort(host, port), nil
}

// localAddress gives the address of this machine that a name resolves to, or nothing where it resolves elsewhere. Containers of
// one service share a name, and a call to the name may reach one that is shutting down: so each is advertised by its own
// address. Of several networks it is the one that Consul is on.
func localAddress(name, consul string) string {
	if net.ParseIP(name) != nil {
		return ""
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	addresses, err := net.LookupHost(name) //nolint:noctx,gosec // the operator names it; once, at the start
	if err != nil {
		return ""
	}
	here := slices.DeleteFunc(addresses, func(address string) bool {
		return !slices.ContainsFunc(interfaces, func(each net.Addr) bool {
			own, is := each.(*net.IPNet)
			return is && own.IP.String() == address
		})
	})
	if len(here) == 0 {
		return ""
	}
	if probe, err := net.Dial("udp", consul); err == nil { //nolint:noctx,gosec // sends nothing: it reads the routing table
		defer probe.Close()
		if from, _, err := net.SplitHostPort(probe.LocalAddr().String()); err == nil && slices.Contains(here, from) {
			return from
		}
	}
	return here[0]
}

func (s *Service) markReady(leases []*discovery.Lease) {
	for _, lease := range leases {
		lease.SetReady(true)
	}
	s.Log.Info("ready")
}

func (s *Service) logReadiness(missing string) {
	if missing != "" {
		s.Log.Warn("not ready", "reason", missing)
	} else {
		s.Log.Info("ready again")
	}
}

// runTask runs background work until ctx ends. A panic ends neither the process nor the work.
func (s *Service) runTask(ctx context.Context, t task) {
	for ctx.Err() == nil {
		if s.runTaskOnce(ctx, t) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (s *Service) runTaskOnce(ctx context.Context, t task) (returned bool) {
	defer func() {
		if reason := recover(); reason != nil {
			s.Log.Error("background work panicked; it begins again", "work", t.name, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
		}
	}()
	t.run(ctx)
	return true
}

// drain shuts the process down in the order in which no caller sees an error.
func (s *Service) drain(ctx context.Context, all []*server, leases []*discovery.Lease, ready *readiness, stopBackground func()) error {
	s.Log.Info("draining", "timeout", s.Config.DrainTimeout.String())
	ready.draining.Store(true)
	limited, cancel := context.WithTimeout(ctx, s.Config.DrainTimeout)
	defer cancel()
	s.deregister(limited, leases)
	var closing sync.WaitGroup
	aborted := make(chan error, len(all))
	for _, each := range all {
		closing.Go(func() {
			_ = each.listener.Close()
			if each.OnDrain != nil {
				each.OnDrain()
			}
			each.listener.waitForConnections(limited)
			if err := each.server.Shutdown(limited); err != nil {
				aborted <- err
				_ = each.server.Close() // cancels the contexts of what still runs
			}
		})
	}
	closing.Wait()
	close(aborted)

	backgroundStopped := make(chan struct{})
	go func() {
		stopBackground()
		close(backgroundStopped)
	}()
	select {
	case <-backgroundStopped:
	case <-time.After(2 * time.Second):
		s.Log.Warn("background work did not end in time")
	}
	if err := <-aborted; err != nil {
		return errors.New("requests were still running when the drain ended, and were cut off")
	}
	s.Log.Info("drained")
	return nil
}

// deregister removes the process from Consul and waits until the watchers have seen it.
func (s *Service) deregister(ctx context.Context, leases []*discovery.Lease) {
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var leaving sync.WaitGroup
	for _, lease := range leases {
		leaving.Go(func() {
			if err := lease.Deregister(limited); err != nil {
				s.Log.Warn("Consul could not be told that this instance leaves; it will notice in three seconds", "error", err)
			}
		})
	}
	leaving.Wait()
	delay := s.Config.DrainDelay
	for _, lease := range leases {
		delay = max(delay, lease.WatchersReturn())
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
}
