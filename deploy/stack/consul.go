package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// consulProcess is a single Consul server in its development mode, which elects itself in half a second instead of
// two. It keeps its catalogue in memory: whoever was in it the last time is gone, and whoever runs registers again.
func consulProcess(program, folder, logs string, ports *ports) (*process, error) {
	data := filepath.Join(folder, "consul")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	numbers := map[string]int{"dns": -1, "grpc": -1, "grpc_tls": -1, "https": -1}
	var address string
	for _, use := range []string{"http", "server", "serf_lan", "serf_wan"} {
		free, err := ports.free()
		if err != nil {
			return nil, err
		}
		_, port, _ := net.SplitHostPort(free)
		numbers[use], _ = strconv.Atoi(port)
		if use == "http" {
			address = free
		}
	}
	configuration := filepath.Join(folder, "consul.json")
	err := writeAtomically(configuration, map[string]any{
		"node_name": "ams", "datacenter": Region, "primary_datacenter": Region, "bind_addr": "127.0.0.1", "client_addr": "127.0.0.1", "ports": numbers,
		"performance": map[string]any{"raft_multiplier": 1}, "connect": map[string]any{"enabled": false},
		"disable_update_check": true, "log_level": "INFO",
	})
	if err != nil {
		return nil, err
	}
	return &process{
		name: "consul", program: program, arguments: []string{"agent", "-dev", "-config-file", configuration},
		environment: os.Environ(), directory: data, address: address,
		ready:      func(ctx context.Context) error { return consulAnswers(ctx, address) },
		stopSignal: syscall.SIGTERM, deathSignal: syscall.SIGKILL,
		logPath: filepath.Join(logs, "consul.log"),
	}, nil
}

// consulAnswers asks Consul about its own health: it answers once a leader is elected and the catalogue is served.
func consulAnswers(ctx context.Context, address string) error {
	var members []struct{}
	if err := getJSON(ctx, "http://"+address+"/v1/health/service/consul?passing", &members); err != nil {
		return err
	}
	if len(members) == 0 {
		return fmt.Errorf("Consul at %s has no healthy server", address)
	}
	return nil
}

// httpAnswers expects 200.
func httpAnswers(ctx context.Context, address string) error { return getJSON(ctx, address, nil) }

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
		return fmt.Errorf("%s answered %s", address, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
