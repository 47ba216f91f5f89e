//go:build night

package observability

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/devstack/testtools"
	"ams.internal/libs/localport"
	"ams.internal/libs/testwait"
)

// timeout is how long anything may take to show: nothing here measures speed.
const timeout = 90 * time.Second

// jaeger is a real Jaeger, as people run it next to the product.
type jaeger struct {
	receives string // base URL for OTLP/HTTP
	queries  string // base URL of its API
}

// startJaeger starts one with ports of its own; it ends with the test.
func startJaeger(t *testing.T) *jaeger {
	t.Helper()
	receives, queries := localport.ForTest(t), localport.ForTest(t)
	testtools.Run(t, t.TempDir(), "jaeger", testtools.Tool(t, "jaeger"),
		"--collector.otlp.http.host-port="+receives, "--query.http-server.host-port="+queries,
		"--collector.otlp.grpc.host-port=127.0.0.1:0", "--collector.grpc-server.host-port=127.0.0.1:0",
		"--collector.http-server.host-port=127.0.0.1:0",
		"--query.grpc-server.host-port="+localport.ForTest(t), "--admin.http.host-port=127.0.0.1:0", "--http-server.host-port=127.0.0.1:0",
		"--processor.jaeger-binary.server-host-port=127.0.0.1:0", "--processor.jaeger-compact.server-host-port=127.0.0.1:0",
		"--processor.zipkin-compact.server-host-port=127.0.0.1:0")
	j := &jaeger{"http://" + receives, "http://" + queries}
	testwait.ForSuccess(t, timeout, "Jaeger answers", func() error {
		_, err := j.get("/api/services", nil)
		return err
	})
	return j
}

// spanOf is a span as Jaeger shows it.
type spanOf struct {
	TraceID    string `json:"traceID"`
	SpanID     string `json:"spanID"`
	Name       string `json:"operationName"`
	ProcessID  string `json:"processID"`
	References []struct {
		Type   string `json:"refType"`
		SpanID string `json:"spanID"`
	} `json:"references"`
	Tags []tag `json:"tags"`

	process string
}

type tag struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

func (s spanOf) tag(key string) string {
	for _, tag := range s.Tags {
		if tag.Key == key {
			return fmt.Sprint(tag.Value)
		}
	}
	return ""
}

func (s spanOf) parent() string {
	for _, reference := range s.References {
		if reference.Type == "CHILD_OF" {
			return reference.SpanID
		}
	}
	return ""
}

func (s spanOf) failed() bool { return s.tag("otel.status_code") == "ERROR" }

func (s spanOf) String() string {
	return fmt.Sprintf("%s %q (%s below %s) %v", s.process, s.Name, s.SpanID, s.parent(), s.Tags)
}

// trace is the spans of one, as Jaeger shows them.
type trace []spanOf

// find gives the span of a process with a name.
func (t trace) find(process, name string) (spanOf, bool) {
	for _, span := range t {
		if span.process == process && span.Name == name {
			return span, true
		}
	}
	return spanOf{}, false
}

// below gives the spans whose parent is one.
func (t trace) below(parent spanOf) (all trace) {
	for _, span := range t {
		if span.parent() == parent.SpanID {
			all = append(all, span)
		}
	}
	return all
}

// orphan gives a span whose parent has not arrived.
func (t trace) orphan() (spanOf, bool) {
	arrived := map[string]bool{"": true}
	for _, span := range t {
		arrived[span.SpanID] = true
	}
	for _, span := range t {
		if !arrived[span.parent()] {
			return span, true
		}
	}
	return spanOf{}, false
}

func (t trace) String() string {
	var text strings.Builder
	for _, span := range t {
		fmt.Fprintf(&text, "\n  %s", span)
	}
	return text.String()
}

// of gives the traces of a request, by the id that its response had.
func (j *jaeger) of(process, request string) ([]trace, error) {
	tags, err := json.Marshal(map[string]string{"ams.request_id": request})
	if err != nil {
		return nil, err
	}
	return j.traces(url.Values{"service": {process}, "tags": {string(tags)}, "limit": {"20"}, "lookback": {"1h"}})
}

// everything gives what Jaeger has of all processes, as it shows it.
func (j *jaeger) everything() (string, error) {
	body, err := j.get("/api/services", nil)
	if err != nil {
		return "", err
	}
	var known struct {
		Data []string `json:"data"`
	}
	if err := json.Unmarshal(body, &known); err != nil {
		return "", err
	}
	var all strings.Builder
	for _, service := range known.Data {
		body, err := j.get("/api/traces", url.Values{"service": {service}, "limit": {"5000"}, "lookback": {"1h"}})
		if err != nil {
			return "", err
		}
		all.Write(body)
	}
	return all.String(), nil
}

func (j *jaeger) traces(query url.Values) ([]trace, error) {
	body, err := j.get("/api/traces", query)
	if err != nil {
		return nil, err
	}
	var decoded struct {
		Data []struct {
			Spans     trace `json:"spans"`
			Processes map[string]struct {
				ServiceName string `json:"serviceName"`
			} `json:"processes"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &decoded); err != nil {
		return nil, err
	}
	var all []trace
	for _, each := range decoded.Data {
		for i := range each.Spans {
			each.Spans[i].process = each.Processes[each.Spans[i].ProcessID].ServiceName
		}
		all = append(all, each.Spans)
	}
	return all, nil
}

func (j *jaeger) get(path string, query url.Values) ([]byte, error) {
	response, err := http.Get(j.queries + path + "?" + query.Encode())
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("Jaeger answered %d: %.200s", response.StatusCode, body)
	}
	return body, err
}
