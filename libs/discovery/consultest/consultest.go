// Package consultest starts a real Consul for a test.
package consultest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/localport"
	"ams.internal/libs/tool"
)

// Version is the Consul that `make consul` builds.
const Version = "1.19.2"

// Agent is one Consul server, a datacenter of its own, with its data in the test's folder.
type Agent struct {
	Addr       string // host:port of the HTTP interface; the same over restarts
	Datacenter string
	Management string // a token that may do everything; empty without access control

	t        testing.TB
	binary   string
	data     string
	settings map[string]any
	config   string
	output   *bytes.Buffer
	command  *exec.Cmd
	wan      string
}

// Option alters the agent that Start makes.
type Option func(*Agent, map[string]any)

// Datacenter names the datacenter; without it the agent is ca-central-1.
func Datacenter(name string) Option {
	return func(a *Agent, config map[string]any) {
		a.Datacenter = name
		config["datacenter"] = name
	}
}

// Join connects the datacenter with that of another agent.
func Join(other *Agent) Option {
	return func(_ *Agent, config map[string]any) {
		config["retry_join_wan"] = []string{other.wan}
		config["retry_interval_wan"] = "500ms"
	}
}

// Management is the token that may do everything where AccessControl is an option.
const Management = "5b1f2a1e-6a2c-4c0e-9a57-0d3f4e7b1c2d"

// AccessControl has the agent refuse whoever has no token ("deny"), or take tokens and whoever has none ("allow").
func AccessControl(otherwise string) Option {
	return func(a *Agent, config map[string]any) {
		a.Management = Management
		tokens := map[string]string{"agent": Management, "initial_management": Management}
		if a.Datacenter != config["primary_datacenter"] {
			tokens = map[string]string{"agent": Management, "replication": Management}
		}
		config["acl"] = map[string]any{"enabled": true, "default_policy": otherwise, "enable_token_replication": true, "tokens": tokens}
	}
}

// Start runs Consul until the test ends. It fails the test where there is no Consul.
func Start(t testing.TB, options ...Option) *Agent {
	t.Helper()
	var ports [4]int
	for i := range ports {
		ports[i] = int(netip.MustParseAddrPort(localport.ForTest(t)).Port())
	}
	a := &Agent{Datacenter: "ca-central-1", t: t, binary: binary(t), data: filepath.Join(t.TempDir(), "consul")}
	a.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
	a.wan = net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[3]))
	config := map[string]any{
		"server": true, "bootstrap_expect": 1,
		"datacenter": a.Datacenter, "primary_datacenter": "ca-central-1",
		"data_dir": a.data, "bind_addr": "127.0.0.1", "client_addr": "127.0.0.1",
		"ports": map[string]int{"http": ports[0], "server": ports[1], "serf_lan": ports[2], "serf_wan": ports[3],
			"dns": -1, "grpc": -1, "grpc_tls": -1},
		"performance":          map[string]int{"raft_multiplier": 1},
		"connect":              map[string]bool{"enabled": false},
		"disable_update_check": true, "log_level": "WARN",
		"node_name": "node-" + strconv.Itoa(ports[0]),
	}
	a.config, a.settings = filepath.Join(filepath.Dir(a.data), "consul.json"), config
	t.Cleanup(a.Stop)
	a.Reconfigure(options...)
	return a
}

// Reconfigure starts the agent, or starts it again at the same address and with the same data, with further options.
func (a *Agent) Reconfigure(options ...Option) {
	a.t.Helper()
	a.Stop()
	for _, option := range options {
		option(a, a.settings)
	}
	written, err := json.Marshal(a.settings)
	if err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(a.config, written, 0o600); err != nil {
		a.t.Fatal(err)
	}
	a.start()
}

// Stop kills the agent. Its data remain.
func (a *Agent) Stop() {
	if a.command == nil {
		return
	}
	_ = a.command.Process.Kill() // fails only if it has ended
	_ = a.command.Wait()         // says that it was killed
	a.command = nil
}

// Restart stops the agent and starts it at the same address; wiped: with an empty catalogue.
func (a *Agent) Restart(wiped bool) {
	a.t.Helper()
	a.Stop()
	if wiped {
		if err := os.RemoveAll(a.data); err != nil {
			a.t.Fatal(err)
		}
	}
	a.start()
}

func (a *Agent) start() {
	a.t.Helper()
	a.output = &bytes.Buffer{}
	a.command = exec.Command(a.binary, "agent", "-config-file="+a.config)
	a.command.Stdout, a.command.Stderr = a.output, a.output
	a.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // no orphan when the test is killed
	if err := a.command.Start(); err != nil {
		a.t.Fatalf("consul: %v", err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := a.healthy()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			a.Stop()
			a.t.Fatalf("consul did not become healthy within 30 s: %v\n%s", err, a.output)
		}
	}
}

// healthy is nil when the agent has a leader and is in the catalogue itself.
func (a *Agent) healthy() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+a.Addr+"/v1/health/service/consul?passing", nil)
	if err != nil {
		return err
	}
	if a.Management != "" {
		request.Header.Set("X-Consul-Token", a.Management)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || strings.TrimSpace(string(body)) == "[]" {
		return fmt.Errorf("status %d: %s", response.StatusCode, body)
	}
	return nil
}

// binary finds Consul.
func binary(t testing.TB) string {
	t.Helper()
	found, err := tool.Find("consul", Version)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
