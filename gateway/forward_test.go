package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ams.internal/gateway/edge"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
)

func TestWhatServicesAreSent(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	w.serve("mcp", echo)
	g := w.start()
	organization := newID()
	key, id := w.key(newKey{organization: organization, scopes: []string{"assets:read", "users:read"}})
	forged, err := principal.NewSigner("a secret that an attacker made up, 32 characters")
	if err != nil {
		t.Fatal(err)
	}
	a := call(t, "GET", g.url+"/v1/assets?page=2&forceFunctionRegion=ca-central-1&q=a%26b", key,
		"X-Ams-Principal", forged.Sign(principal.Principal{OrganizationID: "victim"}), "X-Ams-Anything", "1", "X-Organization-Id", "victim",
		"Cookie", "session=1", "Forwarded", "for=1.2.3.4", "X-Forwarded-For", "1.2.3.4", "X-Forwarded-Host", "evil.example", "X-Real-Ip",
		"1.2.3.4",
		"X-Http-Method-Override", "DELETE", "Te", "trailers", "Connection", "X-Secret-Hop", "X-Secret-Hop", "1", "X-Region", "ca-central-1",
		"X-Request-Id", "caller-7", "Idempotency-Key", "k1", "If-None-Match", `"3"`, "Accept-Encoding", "gzip, br", "Accept", "text/csv",
		"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if a.StatusCode != 200 || a.Header.Get("X-Request-Id") != "caller-7" {
		t.Fatalf("%d %v %s", a.StatusCode, a.Header, a.body)
	}
	assertHeaders(t, a)
	if a.Header.Get("X-RateLimit-Remaining") == "999999" {
		t.Error("a service's own figures of the limit came through")
	}
	seen := a.json(t)
	if seen["query"] != "page=2&q=a%26b" || strings.Contains(string(a.body), key) {
		t.Errorf("query %q", seen["query"])
	}
	header := http.Header{}
	for name, values := range seen["header"].(map[string]any) {
		for _, value := range values.([]any) {
			header.Add(name, value.(string))
		}
	}
	for _, name := range []string{"Authorization", "Cookie", "Forwarded", "X-Forwarded-Host", "X-Real-Ip", "X-Http-Method-Override", "Te",
		"X-Secret-Hop", "X-Region", "X-Ams-Anything"} {
		if header.Get(name) != "" {
			t.Errorf("the service saw %s: %s", name, header.Get(name))
		}
	}
	for name, want := range map[string]string{"X-Forwarded-For": "127.0.0.1", "X-Request-Id": "caller-7", "Idempotency-Key": "k1",
		"If-None-Match": `"3"`, "Accept-Encoding": "gzip, br", "Accept": "text/csv"} {
		if header.Get(name) != want {
			t.Errorf("%s is %q, wanted %q", name, header.Get(name), want)
		}
	}
	signer, err := principal.NewSigner(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	p, err := signer.Verify(header.Get(principal.Header))
	if err != nil {
		t.Fatal(err)
	}
	if p.OrganizationID != organization || p.Actor.ID != id || p.Actor.Type != "api_key" || p.Actor.Name != "Power BI" ||
		p.Currency != "CAD" ||
		len(p.Scopes) != 2 || len(p.Features) != 7 || p.Region != "ca-central-1" || p.RequestID != "caller-7" || p.Origin != "api" ||
		p.Address != "127.0.0.1" || p.StorageLimit != 1<<40 {
		t.Errorf("principal %+v", p)
	}
	// One trace from the caller to the service, with a span of the gateway's between.
	trace := header.Get("Traceparent")
	if !strings.HasPrefix(trace, "00-0af7651916cd43dd8448eb211c80319c-") || strings.Contains(trace, "b7ad6b7169203331") ||
		!strings.HasSuffix(trace, "-01") {
		t.Errorf("traceparent %q", trace)
	}

	// An import says so itself, and is recognized by its id alone.
	a = call(t, "GET", g.url+"/v1/assets", key, "Import-Id", "019A3C5E-7d1b-7c3a-9f59-3b8f0a4c2e11")
	p, err = signer.Verify(a.json(t)["header"].(map[string]any)[principal.Header].([]any)[0].(string))
	if err != nil || p.Origin != "import" || strings.Contains(string(a.body), "Import-Id") {
		t.Errorf("an import's principal is %+v, %v: %s", p, err, a.body)
	}

	// Who knows its callers by itself gets what they sent, but no principal.
	a = call(t, "GET", g.url+"/mcp", key, "X-Ams-Principal", "forged", "Cookie", "session=1")
	if !strings.Contains(string(a.body), key) || !strings.Contains(string(a.body), "session=1") || strings.Contains(string(a.body), "forged") {
		t.Errorf("mcp saw %s", a.body)
	}
	if strings.Contains(g.logs.String(), key) {
		t.Error("the log shows the key")
	}
}

func TestARequestIDThatIsNoTokenIsReplaced(t *testing.T) {
	w := newFixture(t)
	g := w.start()
	for _, id := range []string{"a b", strings.Repeat("x", 129), `"><script>`, keys.Generate(keys.Live)} {
		if got := call(t, "GET", g.url+"/v1/assets", "", "X-Request-Id", id).Header.Get("X-Request-Id"); got == id || len(got) != 36 {
			t.Errorf("%q became %q", id, got)
		}
	}
}

func TestResponsesOfServices(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(w http.ResponseWriter, r *http.Request) {
		status, contentType := 0, "application/json"
		_, _ = fmt.Sscanf(r.URL.RawQuery, "%d", &status)
		if strings.HasSuffix(r.URL.RawQuery, "html") {
			contentType = "text/html"
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Etag", `"7"`)
		w.Header().Set("Location", "/v1/assets/x")
		w.WriteHeader(status)
		if status != 204 && status != 304 {
			_, _ = io.WriteString(w, `{"error":"as the service says","code":"said"}`)
		}
	})
	g := w.start()
	key, _ := w.key(newKey{})
	for query, want := range map[string]int{"200": 200, "201": 201, "204": 204, "304": 304, "400": 400, "403": 403, "404": 404, "409": 409,
		"429": 429, "500": 500, "503": 503,
		"202": 500, "206": 500, "301": 500, "401": 500, "405": 500, "410": 500, "418": 500, "422": 500, "501": 500, "502": 500, "504": 500,
		"404html": 404, "500html": 500, "503html": 503, "400html": 500, "200html": 200} {
		a := call(t, "GET", g.url+"/v1/assets?"+query, key)
		assertHeaders(t, a)
		if a.StatusCode != want {
			t.Errorf("a service's %s became %d, wanted %d", query, a.StatusCode, want)
		}
		if a.StatusCode >= 400 && (a.Header.Get("Content-Type") != "application/json" || a.json(t)["error"] == "") {
			t.Errorf("%s: %s", query, a.body)
		}
		if a.Header.Get("Set-Cookie") != "" || a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", query, a.Header)
		}
		if want < 400 && (a.Header.Get("Etag") != `"7"` || a.Header.Get("Location") != "/v1/assets/x") {
			t.Errorf("%s lost headers: %v", query, a.Header)
		}
	}
	head := call(t, "HEAD", g.url+"/v1/assets?200", key)
	if head.StatusCode != 200 || len(head.body) != 0 || head.Header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d %q %v", head.StatusCode, head.body, head.Header)
	}
	assertHeaders(t, head)
}

func TestBodiesAndResponsesAreStreamed(t *testing.T) {
	w := newFixture(t)
	received := make(chan string, 10)
	w.serve("assets", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" {
			return // its OpenAPI part is read
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		piece := make([]byte, 100)
		n, err := r.Body.Read(piece)
		if err != nil {
			t.Errorf("read: %v", err)
		}
		received <- string(piece[:n])
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		rest, _ := io.ReadAll(r.Body)
		_, _ = w.Write(rest)
	})
	g := w.start()
	key, _ := w.key(newKey{})
	out, in := io.Pipe()
	request, err := http.NewRequest("POST", g.url+"/v1/assets", out)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	go func() { _, _ = io.WriteString(in, "hello") }()
	responses := make(chan *http.Response, 1)
	go func() {
		response, err := client.Do(request)
		if err != nil {
			t.Error(err)
		}
		responses <- response
	}()
	if got := <-received; got != "hello" {
		t.Errorf("the service saw %q while the body was still being sent", got)
	}
	_ = in.Close()
	response := <-responses
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || line != "first\n" {
		t.Errorf("%q %v", line, err)
	}
	_ = response.Body.Close()
}

func TestAResponseThatBreaksOffNeverLooksWhole(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, "{}\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	g := w.start()
	key, _ := w.key(newKey{})
	if a, err := try("GET", g.url+"/v1/assets", key); err == nil {
		t.Errorf("the response looks whole: %d %q", a.StatusCode, a.body)
	}
}

// A write is sent once: it is tried on another instance only when no instance has seen it.
func TestWritesAreNeverSentTwice(t *testing.T) {
	w := newFixture(t)
	var writes, reads atomic.Int64
	breaking := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/v1/assets":
			return // its OpenAPI part is read
		case r.Method == "GET":
			reads.Add(1)
		default:
			writes.Add(1)
		}
		panic(http.ErrAbortHandler) // after it was read, before it responded
	}
	w.serve("assets", breaking)
	w.serve("assets", breaking)
	g := w.start()
	key, _ := w.key(newKey{})
	a := call(t, "POST", g.url+"/v1/assets", key)
	assertError(t, a, 503, "service_unavailable")
	if writes.Load() != 1 || !strings.Contains(string(a.body), "may or may not") {
		t.Errorf("%d instances saw the write; %s", writes.Load(), a.body)
	}
	assertError(t, call(t, "GET", g.url+"/v1/assets", key), 503, "service_unavailable")
	if reads.Load() < 2 {
		t.Errorf("%d instances saw the read", reads.Load())
	}
}

func TestAPanicIsA500(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	var limiter *ratelimit.Limiter
	g := w.startBuilt(func(s *service.Service, config Config) (built gateway, err error) {
		if built, err = build(s, config); err != nil {
			return built, err
		}
		limiter, err = ratelimit.New(config.RedisAddr, config.RedisTimeout, config.KeyInFlight, s.Log)
		broken := *s
		broken.Signer = nil // a request falls over it when it is to be forwarded
		built.edge = edge.New(&broken, config.edge(), keys.NewLookup(s.DB.Pool(), s.Log), limiter, nil, nil)
		built.listeners[0].Handler = built.edge.Handler()
		return built, err
	})
	organization := newID()
	key, id := w.key(newKey{organization: organization})
	a := call(t, "GET", g.url+"/v1/assets", key)
	assertError(t, a, 500, "internal")
	if !strings.Contains(g.logs.String(), `"msg":"panic"`) || strings.Contains(string(a.body), "nil") {
		t.Errorf("%s", a.body)
	}
	var work sync.WaitGroup
	for range 30 {
		work.Go(func() { _, _ = try("GET", g.url+"/v1/assets", key) })
	}
	work.Wait()
	k := &keys.Key{ID: id, Organization: organization, RateLimit: 1000, Ceilings: keys.Ceilings{RequestsPerMinute: 1000,
		RequestsInFlight: limiter.MaxInFlight(), Streams: 1, LongPolls: 1}}
	for range limiter.MaxInFlight() { // the places of the key and its organization were given back
		if _, decision := limiter.Admit(t.Context(), k, ratelimit.Plain); decision != ratelimit.Admitted {
			t.Fatalf("places are still held: %d", decision)
		}
	}
}

// Who waits for events does not hold up the end of a gateway, and gets a response all the same: with what there is.
func TestALongPollEndsWithAResponseWhenTheGatewayDrains(t *testing.T) {
	w := newFixture(t)
	waiting, given := make(chan struct{}), make(chan struct{})
	w.serve("webhooks", func(out http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/v1/events": // the document
		case r.URL.Query().Has("wait"):
			close(waiting)
			<-r.Context().Done()
			close(given)
		default:
			out.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(out, `{"data":[],"next":"`+r.URL.Query().Get("after")+`","has_more":false}`)
		}
	})
	g := w.start()
	key, _ := w.key(newKey{})
	responses := make(chan *fullResponse, 1)
	go func() { responses <- call(t, "GET", g.url+"/v1/events?wait=30&after=here", key) }()
	<-waiting
	g.stop() // reports an error when the drain had to cut somebody off
	a := <-responses
	if a.StatusCode != 200 || a.json(t)["next"] != "here" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	<-given
}
