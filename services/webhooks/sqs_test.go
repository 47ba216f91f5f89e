package webhooks

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ams.internal/libs/localport"
	"ams.internal/libs/testwait"
	"ams.internal/libs/tool"
)

// queueServer is goaws, a server that is compatible with Amazon SQS, with a FIFO queue.
type queueServer struct {
	t       testing.TB
	base    string // http://127.0.0.1:port
	config  string
	binary  string
	command *exec.Cmd
}

// goawsVersion is the one that `make goaws` builds.
const goawsVersion = "0.4.5"

const queueName = "assets.fifo"

func startQueueServer(t testing.TB) *queueServer {
	t.Helper()
	binary, err := tool.Find("goaws", goawsVersion)
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(localport.ForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	s := &queueServer{t: t, base: "http://127.0.0.1:" + port, binary: binary, config: filepath.Join(t.TempDir(), "goaws.yaml")}
	config := "Local:\n  Host: 127.0.0.1\n  Port: " + port +
		"\n  Region: ca-central-1\n  AccountId: \"123456789012\"\n  EnableDuplicates: true\n" +
		"  QueueAttributeDefaults:\n    VisibilityTimeout: 30\n    ReceiveMessageWaitTimeSeconds: 0\n    MaximumMessageSize: 1048576\n" +
		"  Queues:\n    - Name: " + queueName + "\n"
	if err := os.WriteFile(s.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run()
	t.Cleanup(s.kill)
	return s
}

func (s *queueServer) url() string { return s.base + "/123456789012/" + queueName }

func (s *queueServer) run() {
	s.t.Helper()
	s.command = exec.Command(s.binary, "-config", s.config)
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	testwait.For(s.t, 20*time.Second, "goaws listens", func() bool {
		connection, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	})
}

func (s *queueServer) kill() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// queued is a message as a consumer receives it.
type queued struct {
	Body       string
	Receipt    string `xml:"ReceiptHandle"`
	Attributes []struct {
		Name  string
		Value struct{ StringValue string }
	} `xml:"MessageAttribute"`
}

func (q queued) attribute(name string) string {
	for _, a := range q.Attributes {
		if a.Name == name {
			return a.Value.StringValue
		}
	}
	return ""
}

// receive takes the messages that can be had out of the queue.
func (s *queueServer) receive() []queued {
	s.t.Helper()
	var answer struct {
		Messages []queued `xml:"ReceiveMessageResult>Message"`
	}
	s.ask(url.Values{"Action": {"ReceiveMessage"}, "MaxNumberOfMessages": {"10"}, "MessageAttributeName.1": {"All"}}, &answer)
	for _, m := range answer.Messages {
		s.ask(url.Values{"Action": {"DeleteMessage"}, "ReceiptHandle": {m.Receipt}}, nil)
	}
	return answer.Messages
}

func (s *queueServer) ask(form url.Values, answer any) {
	s.t.Helper()
	response, err := http.PostForm(s.url(), form)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("goaws answered %d %s, %v", response.StatusCode, body, err)
	}
	if answer != nil {
		if err := xml.Unmarshal(body, answer); err != nil {
			s.t.Fatal(err)
		}
	}
}

var queueKeys = fields{"AWS-Access-Key-Id": "AKIATESTONLY", "AWS-Secret-Access-Key": "a/secret+of/a/test"}

// Events are messages in a queue: signed, each record's in their order, also over a time in which the queue is away.
func TestEventsGoIntoAQueue(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	server := startQueueServer(t)
	endpoint := f.Create(t, endpointsPath,
		fields{"url": server.url(), "destination": "sqs", "event_types": []string{"asset.*"}, "headers": queueKeys})
	if text := fmt.Sprint(endpoint["headers"]); strings.Contains(text, "AKIA") || strings.Contains(text, "secret+of") {
		t.Errorf("the keys are shown: %s", text)
	}
	verify, err := standardwebhooks.NewWebhook(endpoint["secret"].(string))
	if err != nil {
		t.Fatal(err)
	}
	records := []string{newID(), newID(), newID()}
	send := func(from, to int) {
		for version := from; version <= to; version++ {
			for _, record := range records {
				f.relay(t, f.event(record, version))
			}
		}
	}
	versions := map[string][]float64{}
	collect := func(n int) {
		t.Helper()
		testwait.For(t, 60*time.Second, fmt.Sprint(n, " messages"), func() bool {
			for _, m := range server.receive() {
				header := http.Header{}
				for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
					header.Set(name, m.attribute(name))
				}
				if err := verify.VerifyIgnoringTimestamp([]byte(m.Body), header); err != nil {
					t.Errorf("a message is not signed: %v", err)
				}
				if m.attribute("webhook-event-type") != "asset.updated" || m.attribute("content-type") != "application/json" ||
					m.attribute("aws-access-key-id") != "" {
					t.Errorf("attributes %v", m.Attributes)
				}
				var body struct {
					Data struct {
						Object struct {
							ID      string
							Version float64
						}
					}
				}
				if err := json.Unmarshal([]byte(m.Body), &body); err != nil {
					t.Fatal(err)
				}
				versions[body.Data.Object.ID] = append(versions[body.Data.Object.ID], body.Data.Object.Version)
			}
			total := 0
			for _, seen := range versions {
				total += len(seen)
			}
			return total == n
		})
	}
	send(1, 2)
	collect(6)
	server.kill()
	send(3, 3)
	testwait.For(t, 30*time.Second, "calls fail while the queue is away", func() bool {
		return f.getEndpoint(t, endpoint["id"].(string))["consecutive_failures"].(float64) > 0
	})
	server.run()
	f.advance(time.Hour)
	collect(9)
	for record, seen := range versions {
		if !slices.IsSorted(seen) || len(seen) != 3 {
			t.Errorf("record %s came as %v", record, seen)
		}
	}
	deliveries, _ := f.List(t, pathOf(endpoint)+"/deliveries?per_page=1")
	shown := f.Must(t, 200, "GET", "/v1/webhook-deliveries/"+deliveries[0]["id"].(string), nil)
	if strings.Contains(string(shown.Body), "AKIATESTONLY") || strings.Contains(string(shown.Body), "a/secret") {
		t.Errorf("an attempt shows what it was signed with: %s", shown.Body)
	}
}

func TestWhatAQueueCannotBeCalledWith(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct {
		change fields
		field  string
		says   string
	}{
		"no queue": {fields{"url": "http://127.0.0.1:9/hooks"}, "url", "must be the URL of a queue"},
		"no keys":  {fields{"headers": fields{}}, "headers", "must have AWS-Access-Key-Id"},
		"a header more": {fields{"headers": fields{"AWS-Access-Key-Id": "a", "AWS-Secret-Access-Key": "b", "X-Tenant": "7"}}, "headers.X-Tenant",
			"leave it out"},
		"no destination": {fields{"destination": "kafka"}, "destination", "https, sqs"},
	} {
		answer := f.Do(t, "POST", endpointsPath, f.endpointBody(1, fields{"url": "http://127.0.0.1:9/123456789012/assets", "destination": "sqs", "headers": queueKeys}, test.change))
		if answer.Status != 400 || !slices.Contains(answer.Fields(), test.field) || !strings.Contains(string(answer.Body), test.says) {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
}

// A call to a queue of AWS is signed for its region.
func TestACallToAQueueIsSignedForItsRegion(t *testing.T) {
	s := &sender{now: time.Now}
	to := target{url: "https://sqs.ca-central-1.amazonaws.com/123456789012/assets.fifo", shape: shape{toSQS, formatAMS, "full"},
		headers: map[string]string{accessKeyID: "AKIATESTONLY", secretAccessKey: "a secret"}}
	request, err := s.queueRequest(t.Context(), to, message{id: "e-1", recordID: "r-1"}, []byte(`{}`), http.Header{"Webhook-Id": {"e-1"}})
	if err != nil {
		t.Fatal(err)
	}
	if by := request.Header.Get("Authorization"); !strings.HasPrefix(by, "AWS4-HMAC-SHA256 Credential=AKIATESTONLY/") ||
		!strings.Contains(by, "/ca-central-1/sqs/aws4_request") {
		t.Errorf("signed by %s", by)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		t.Fatal(err)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("MessageGroupId") != "r-1" || form.Get("MessageDeduplicationId") != "e-1" ||
		form.Get("MessageAttribute.1.Name") != "webhook-id" {
		t.Errorf("sent %s, %v", body, err)
	}
	if shown := maskedHeaders(request.Header, to); shown["Authorization"] != masked {
		t.Errorf("an attempt shows %v", shown)
	}
}

func TestTheRegionIsInTheNamesOfTheServersOfQueues(t *testing.T) {
	for host, region := range map[string]string{
		"sqs.ca-central-1.amazonaws.com":   "ca-central-1",
		"sqs-fips.us-west-2.amazonaws.com": "us-west-2", "sqs.cn-north-1.amazonaws.com.cn": "cn-north-1",
		"sqs.ca-central-1.api.aws": "ca-central-1", "ca-west-1.queue.amazonaws.com": "ca-west-1", "queue.amazonaws.com": "us-east-1",
		"vpce-0a1b-2c3d.sqs.ca-central-1.vpce.amazonaws.com": "ca-central-1", "queues.example.ca": "us-east-1",
	} {
		if got := regionOf(host); got != region {
			t.Errorf("calls to %s are signed for %s, want %s", host, got, region)
		}
	}
}
