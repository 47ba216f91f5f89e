//go:build night

package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/deploy/devstack/testtools"
	"ams.internal/libs/localport"
	"ams.internal/libs/testwait"
)

// timeout is how long anything may take to show: nothing here measures speed.
const timeout = 2 * time.Minute

const root = "../../../.."

// fixture is the product with what watches it, all of it real: the stack, Consul with the settings of docker-compose.yml,
// the collector with its configuration, and Prometheus with its configuration and the rules. Only addresses, intervals and
// the time that an alert must hold are others. What the collector would send to Jaeger goes nowhere.
type fixture struct {
	stack      *devstack.Stack
	prometheus string // base URL
	base, key  string // of the API, for a key that may do everything
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	folder := t.TempDir()
	at := map[string]string{}
	for _, name := range []string{"otlp", "metrics", "collector", "jaeger", "consul", "prometheus"} {
		at[name] = localport.ForTest(t)
	}
	testtools.Run(t, folder, "collector", testtools.Tool(t, "collector"), "--config="+collectorConfiguration(t, folder, at))
	runConsul(t, folder, at["consul"])
	testtools.Run(t, folder, "prometheus", "prometheus", "--config.file="+prometheusConfiguration(t, folder, at),
		"--storage.tsdb.path="+filepath.Join(folder, "prometheus"), "--web.listen-address="+at["prometheus"])

	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	testwait.For(t, timeout, "the collector", func() bool { return responds("http://" + at["collector"] + "/metrics") })
	testwait.For(t, timeout, "Consul", func() bool { return responds("http://" + at["consul"] + "/v1/status/leader") })
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	s, err := devstack.Start(ctx, devstack.Options{
		Folder: filepath.Join(folder, "stack"), Binaries: binaries, Gateways: 2, Instances: 2,
		Discovery: "consul", ConsulAddr: at["consul"], Prepared: true, Demo: demo.Organizations,
		Environment: []string{"AMS_OTLP_ENDPOINT=http://" + at["otlp"], "AMS_TRACE_RATIO=1", "OTEL_METRIC_EXPORT_INTERVAL=500",
			"GOMEMLIMIT=440MiB"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	d := s.Description()
	f := &fixture{stack: s, prometheus: "http://" + at["prometheus"], base: d.BaseURL}
	for _, organization := range d.Organizations {
		if organization.Plan == "enterprise" {
			f.key = organization.Keys["full"]
		}
	}
	testwait.For(t, timeout, "Prometheus", func() bool { return responds(f.prometheus + "/-/ready") })
	return f
}

// collectorConfiguration is Compose's with our addresses.
func collectorConfiguration(t *testing.T, folder string, at map[string]string) string {
	t.Helper()
	return rewritten(t, "../../../ops/compose/collector.yaml", filepath.Join(folder, "collector.yaml"),
		"0.0.0.0:4318", at["otlp"], "0.0.0.0:8889", at["metrics"], "host: 0.0.0.0, port: 8888",
		"host: 127.0.0.1, port: "+port(t, at["collector"]),
		// Compose's five minutes are long here
		"endpoint: jaeger:4317",
		"endpoint: "+at["jaeger"]+"\n    retry_on_failure: {initial_interval: 1s, max_interval: 1s, max_elapsed_time: 2s}")
}

// prometheusConfiguration is Compose's with our addresses and a second for everything; so are the rules.
func prometheusConfiguration(t *testing.T, folder string, at map[string]string) string {
	t.Helper()
	text, err := os.ReadFile("../../../ops/monitoring/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	quick := regexp.MustCompile(`(?m)^( +for:) \w+$`).ReplaceAll(text, []byte("$1 1s"))
	if err := os.WriteFile(filepath.Join(folder, "alerts.yaml"), quick, 0o600); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(folder, "consul_token") // this Consul asks for none
	if err := os.WriteFile(token, []byte("5b1f2a1e-6a2c-4c0e-9a57-0d3f4e7b1c2d"), 0o600); err != nil {
		t.Fatal(err)
	}
	return rewritten(t, "../../../ops/compose/prometheus.yaml", filepath.Join(folder, "prometheus.yaml"),
		"scrape_interval: 15s", "scrape_interval: 1s", "evaluation_interval: 15s", "evaluation_interval: 1s",
		"../monitoring/alerts.yaml", "alerts.yaml", "/run/secrets/consul_token", token, "collector:8889", at["metrics"], "collector:8888",
		at["collector"], "consul:8500", at["consul"], "127.0.0.1:9090", at["prometheus"])
}

// rewritten copies a file with replacements, each of which must be needed.
func rewritten(t *testing.T, from, to string, replacements ...string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(string(text), replacements[i]) {
			t.Fatalf("%s has no %q any more", from, replacements[i])
		}
	}
	if err := os.WriteFile(to, []byte(strings.NewReplacer(replacements...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// runConsul starts Consul with the telemetry that docker-compose.yml gives it.
func runConsul(t *testing.T, folder, address string) {
	t.Helper()
	compose, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	settings := regexp.MustCompile(`'-hcl=(telemetry \{.*?\})'`).FindSubmatch(compose)
	if settings == nil {
		t.Fatal("docker-compose.yml gives Consul no telemetry")
	}
	arguments := []string{"agent", "-dev", "-datacenter=" + devstack.Region, "-hcl=" + string(settings[1]),
		"-dns-port=-1", "-grpc-port=-1", "-grpc-tls-port=-1", "-http-port=" + port(t, address)}
	for _, use := range []string{"server-port", "serf-lan-port", "serf-wan-port"} {
		arguments = append(arguments, "-"+use+"="+port(t, localport.ForTest(t)))
	}
	testtools.Run(t, folder, "consul", devstack.ConsulProgram(), arguments...)
}

func port(t *testing.T, address string) string {
	t.Helper()
	_, number, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func responds(address string) bool {
	response, err := http.Get(address)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// call makes a request to the API and gives the status and what came.
func (f *fixture) call(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	var sent any
	if body != "" {
		sent = json.RawMessage(body)
	}
	response, err := apiclient.Send(http.DefaultClient, f.key, method, f.base+path, sent)
	if err != nil {
		t.Fatal(err)
	}
	return response.Status, string(response.Body)
}

// get gives what Prometheus' API gives under "data".
func (f *fixture) get(path string, query url.Values, into any) error {
	response, err := http.Get(f.prometheus + path + "?" + query.Encode())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	decoded := struct {
		Status, Error string
		Data          any
	}{Data: into}
	if err := json.NewDecoder(response.Body).Decode(&decoded); err != nil {
		return err
	}
	if decoded.Status != "success" {
		return fmt.Errorf("Prometheus: %s", decoded.Error)
	}
	return nil
}

// signal sends a signal to every instance of a program of the stack.
func (f *fixture) signal(t *testing.T, program string, signal syscall.Signal) {
	t.Helper()
	sent := 0
	for name, pid := range f.stack.Description().PIDs {
		if name == program || regexp.MustCompile("^"+program+`-\d+$`).MatchString(name) {
			if err := syscall.Kill(pid, signal); err != nil {
				t.Fatal(err)
			}
			sent++
		}
	}
	if sent == 0 {
		t.Fatalf("the stack has no %s", program)
	}
}
