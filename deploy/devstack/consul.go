package devstack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/hashicorp/consul/api"
)

// consulAddresses are where the Consul of a region listens.
type consulAddresses struct {
	http             string // for programs; another's when Consul is given from outside, empty without Consul
	server, lan, wan string // for other servers
}

// consulProcess is the one Consul server of a region in its development mode, which elects itself in half a second instead
// of two. It keeps its catalogue in memory: what was registered the last time is lost, and whoever runs registers again. The
// servers of all regions join each other, whichever of them is started again. One that keeps its data is a server of the usual kind. With a
// management token there is access control: it has to be kept, and the tokens of the first region hold in all of them.
func consulProcess(program, folder, logs string, r *region, all []*region, keeps bool, management string) (*process, error) {
	name := r.prefix + "consul"
	data := filepath.Join(folder, name)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	ports := map[string]int{"dns": -1, "grpc": -1, "grpc_tls": -1, "https": -1}
	for use, address := range map[string]string{"http": r.consul.http, "server": r.consul.server, "serf_lan": r.consul.lan,
		"serf_wan": r.consul.wan} {
		ports[use] = portOf(address)
	}
	others := []string{}
	for _, other := range all {
		if other != r {
			others = append(others, other.consul.wan)
		}
	}
	configuration := filepath.Join(folder, name+".json")
	settings := map[string]any{
		"node_name": "ams", "datacenter": r.name, "primary_datacenter": all[0].name, "retry_join_wan": others, "retry_interval_wan": "1s",
		"bind_addr": hostPart(r.consul.server), "client_addr": hostPart(r.consul.http), "ports": ports,
		// Every program holds one connection for each service it calls, and all come from one address: beyond 200, Consul's own
		// limit, whoever asks last would find no instance.
		"limits":      map[string]any{"http_max_conns_per_client": 10_000},
		"performance": map[string]any{"raft_multiplier": 1}, "connect": map[string]any{"enabled": false},
		"disable_update_check": true, "log_level": "INFO",
		"session_ttl_min": "5s", // Patroni's sessions; Consul ends them after twice as long
	}
	if management != "" {
		tokens := map[string]string{"agent": management, "initial_management": management}
		if r != all[0] {
			tokens = map[string]string{"agent": management, "replication": management}
		}
		settings["acl"] = map[string]any{"enabled": true, "default_policy": "deny", "enable_token_replication": true, "tokens": tokens}
	}
	if err := writeAtomically(configuration, settings); err != nil {
		return nil, err
	}
	arguments := []string{"agent", "-dev", "-config-file", configuration}
	if keeps { // who the primary is must outlive it
		arguments = []string{"agent", "-server", "-bootstrap-expect=1", "-data-dir", filepath.Join(data, "data"), "-config-file", configuration}
	}
	return &process{
		name: name, program: program, arguments: arguments,
		environment: os.Environ(), directory: data, address: r.consul.http,
		ready:      func(ctx context.Context) error { return consulResponds(ctx, r.consul.http, management) },
		stopSignal: syscall.SIGTERM, deathSignal: syscall.SIGKILL,
		logPath: filepath.Join(logs, name+".log"),
	}, nil
}

func hostPart(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}

func portOf(address string) int {
	_, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)
	return number
}

// knowsRegions looks whether a Consul it knows as many datacenters as there are regions.
func knowsRegions(ctx context.Context, address string, regions int) error {
	var known []string
	if err := getJSON(ctx, "http://"+address+"/v1/catalog/datacenters", &known); err != nil {
		return err
	}
	if len(known) < regions {
		return fmt.Errorf("Consul at %s knows only %v", address, known)
	}
	return nil
}

// consulResponds reads Consul's own health: it responds once a leader is elected and the catalogue is served.
func consulResponds(ctx context.Context, address, token string) error {
	settings := api.DefaultConfig()
	settings.Address, settings.Token = address, token
	client, err := api.NewClient(settings)
	if err != nil {
		return err
	}
	members, _, err := client.Health().Service("consul", "", true, (&api.QueryOptions{}).WithContext(ctx))
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return fmt.Errorf("Consul at %s has no healthy server", address)
	}
	return nil
}

// httpResponds expects 200.
func httpResponds(ctx context.Context, address string) error { return getJSON(ctx, address, nil) }

func getJSON(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(response.Body, 500)) // why a program is not ready, if it reports that
		return fmt.Errorf("%s answered %s %s", address, response.Status, bytes.TrimSpace(reason))
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
