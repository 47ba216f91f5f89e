package gateway

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// fullResponse is a response, read whole.
type fullResponse struct {
	*http.Response
	body []byte
}

func (a *fullResponse) json(t testing.TB) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(a.body, &members); err != nil {
		t.Fatalf("%d %q is not JSON: %v", a.StatusCode, a.body, err)
	}
	return members
}

// client keeps no connections between tests and follows nothing.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
	Timeout:       30 * time.Second,
}

func try(method, url, key string, headers ...string) (*fullResponse, error) {
	var body io.Reader
	if method == http.MethodPost || method == http.MethodPatch {
		body = strings.NewReader(`{"name":"x"}`)
	}
	request, err := http.NewRequest(method, url, body)
	if err != nil {
		return nil, err
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	return &fullResponse{response, read}, err
}

func call(t testing.TB, method, url, key string, headers ...string) *fullResponse {
	t.Helper()
	a, err := try(method, url, key, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return a
}

// echo is a service that responds with what it got.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-RateLimit-Remaining", "999999") // a gateway that lets this through lies
	w.Header().Set("X-Ams-Inside", "secret")
	_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "path": r.URL.EscapedPath(), "query": r.URL.RawQuery,
		"header": r.Header, "body": string(body)})
}

// dial connects to a gateway, until the test ends or somebody gives up.
func dial(t testing.TB, g *running) *net.TCPConn {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
	return connection.(*net.TCPConn)
}

// raw sends bytes as they are and reads what comes back.
func raw(t testing.TB, g *running, request string) *fullResponse {
	t.Helper()
	connection := dial(t, g)
	defer func() { _ = connection.Close() }()
	go func() { _, _ = io.WriteString(connection, request) }() // the server may respond before it has read all
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatalf("read the response: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the body: %v", err)
	}
	return &fullResponse{response, body}
}

// send is call with a body.
func send(t testing.TB, method, url, bearer, body string) *fullResponse {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &fullResponse{response, read}
}

// perform sends a request and reads the whole response.
func perform(t testing.TB, request *http.Request) *fullResponse {
	t.Helper()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &fullResponse{response, read}
}

// assertHeaders checks what every response carries, whatever it says.
func assertHeaders(t testing.TB, a *fullResponse) {
	t.Helper()
	for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Served-Region"} {
		if len(a.Header.Values(name)) != 1 || a.Header.Get(name) == "" {
			t.Errorf("%d has %s: %q, wanted once", a.StatusCode, name, a.Header.Values(name))
		}
	}
	limit, _ := strconv.Atoi(a.Header.Get("X-RateLimit-Limit"))
	remaining, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining"))
	if err != nil || remaining < 0 || remaining > limit {
		t.Errorf("remaining is %q of %d", a.Header.Get("X-RateLimit-Remaining"), limit)
	}
	reset, _ := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64)
	if ahead := time.Until(time.Unix(reset, 0)); ahead < -time.Minute || // a request may end after the minute that it began in
		ahead > 61*time.Second || reset%60 != 0 {
		t.Errorf("reset is %d, %s ahead", reset, ahead)
	}
	for name := range a.Header {
		if strings.HasPrefix(name, "X-Ams-") {
			t.Errorf("the response shows %s", name)
		}
	}
}

// assertError checks an error's body.
func assertError(t testing.TB, a *fullResponse, status int, code string) map[string]any {
	t.Helper()
	assertHeaders(t, a)
	if a.StatusCode != status {
		t.Fatalf("got %d %s, wanted %d %s", a.StatusCode, a.body, status, code)
	}
	if contentType := a.Header.Get("Content-Type"); contentType != "application/json" {
		t.Errorf("content type %q", contentType)
	}
	body := a.json(t)
	if sentence, _ := body["error"].(string); sentence == "" || body["code"] != code {
		t.Errorf("body %s, wanted code %s", a.body, code)
	}
	if body["request_id"] != a.Header.Get("X-Request-Id") {
		t.Errorf("request_id %v, header %s", body["request_id"], a.Header.Get("X-Request-Id"))
	}
	if status == 401 && !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("401 without WWW-Authenticate: Bearer")
	}
	if retry, _ := strconv.Atoi(a.Header.Get("Retry-After")); (status == 429 || status == 503) != (retry >= 1) {
		t.Errorf("%d with Retry-After %q", status, a.Header.Get("Retry-After"))
	}
	if status == 400 && code == "method_not_allowed" && a.Header.Get("Allow") == "" {
		t.Error("no Allow")
	}
	return body
}

// withinOneMinute waits for a new minute when the present one has less than need left: what is counted in a window must
// not be spread over two.
func withinOneMinute(need time.Duration) {
	now := time.Now()
	if left := now.Truncate(time.Minute).Add(time.Minute).Sub(now); left < need {
		time.Sleep(left + 50*time.Millisecond)
	}
}

// The log of requests has neither the token of a link nor the number of a receipt, nor who called by one.
func TestTheLogDoesNotNameStrangersAndTheirLinks(t *testing.T) {
	w := newFixture(t)
	w.serve("requests", func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusNotFound) })
	g := w.start(func(c *Config) { c.TrustedProxies = []string{"127.0.0.0/8"} })
	for _, path := range []string{"/r/link-token-x", "/r/link-token-x/receipts/R-000123", "/public/link-token-x",
		"/open311/link-token-x/requests.json"} {
		call(t, "GET", g.url+path, "", "X-Forwarded-For", "198.51.100.77")
	}
	call(t, "GET", g.url+"/v1/assets", "", "X-Forwarded-For", "198.51.100.78")
	testwait.For(t, 10*time.Second, "all is logged", func() bool { return strings.Contains(g.logs.String(), "198.51.100.78") })
	log := g.logs.String()
	for _, secret := range []string{"link-token-x", "R-000123", "198.51.100.77"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %s:\n%s", secret, log)
		}
	}
	if !strings.Contains(log, "/open311/…") {
		t.Errorf("the requests themselves are not logged:\n%s", log)
	}
}
