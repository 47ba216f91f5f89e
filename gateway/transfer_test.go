package gateway

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// serveContent puts a documents service behind the gateways that are started afterwards. Gateways ask it for its document as well.
func (w *fixture) serveContent(handler http.HandlerFunc) {
	w.serve("documents", func(out http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			handler(out, r)
		} else {
			http.NotFound(out, r)
		}
	})
}

// keeper is a documents service that reads what it is sent, and says how it ended.
type keeper struct {
	seen atomic.Int64 // bytes of all uploads so far
	ends chan error   // of each upload; nil: it came whole
}

func (w *fixture) keeper() *keeper {
	k := &keeper{ends: make(chan error, 100)}
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		hash, size := sha256.New(), int64(0)
		for piece := make([]byte, 32<<10); ; {
			n, err := r.Body.Read(piece)
			size += int64(n)
			k.seen.Add(int64(n))
			hash.Write(piece[:n])
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				k.ends <- err
				break
			}
		}
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(out, `{"size_bytes":%d,"sha256":%q}`, size, hex.EncodeToString(hash.Sum(nil)))
	})
	return k
}

// end gives how the next upload ended.
func (k *keeper) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-k.ends:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the service still reads")
		return nil
	}
}

// content is so many bytes that are made while they are read.
func content(size int64) io.Reader {
	return io.LimitReader(endless{}, size)
}

type endless struct{}

func (endless) Read(piece []byte) (int, error) {
	for i := range piece {
		piece[i] = byte(i * 7)
	}
	return len(piece), nil
}

// sendContent sends a request with a body of any length; -1 is one in chunks.
func sendContent(t testing.TB, method, url, key string, body io.Reader, length int64, headers ...string) (*fullResponse, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, io.NopCloser(body))
	if err != nil {
		t.Fatal(err)
	}
	if request.ContentLength = length; length == 0 {
		request.Body = http.NoBody
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/octet-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	return &fullResponse{response, read}, err
}

const revisions = "/v1/documents/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11/revisions"

// uploadPaths are all ways in which content comes.
var uploadPaths = []struct{ method, path, mediaType string }{
	{"POST", "/v1/documents", `multipart/form-data; boundary="x"`}, {"POST", revisions, "image/jpeg"},
	{"POST", "/v1/uploads", "application/offset+octet-stream"},
	{"PATCH", "/v1/uploads/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12", "application/offset+octet-stream"},
}

// 300 MB, and 16 times 20 MB at once: each comes as it was sent, and the process, which here is sender, gateway and service, needs no more
// memory for it than a few buffers.
func TestUploadsOfAnySizeTakeConstantMemory(t *testing.T) {
	w := newFixture(t)
	w.keeper()
	g := w.start()
	var keys []string
	for range 4 {
		key, _ := w.key(newKey{})
		keys = append(keys, key)
	}
	sum := func(size int64) string {
		hash := sha256.New()
		_, _ = io.Copy(hash, content(size))
		return hex.EncodeToString(hash.Sum(nil))
	}
	upload := func(i int, size, length int64, want string) {
		at := uploadPaths[i%len(uploadPaths)]
		a, err := sendContent(t, at.method, g.url+at.path, keys[i%len(keys)], content(size), length, "Content-Type", at.mediaType)
		if err != nil || a.StatusCode != 201 || a.json(t)["sha256"] != want {
			t.Errorf("%s %s: %v, %v", at.method, at.path, err, a)
		}
	}
	// What other tests of the process hold is collected as soon as it grows by a tenth, so that the heap in use is what is needed.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most, done, watching := uint64(0), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watching)
		for {
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse)
			}
		}
	}()
	const large, small = 300 << 20, 20 << 20
	upload(0, large, large, sum(large))
	upload(1, large, -1, sum(large))
	var work sync.WaitGroup
	want := sum(small)
	for i := range 16 {
		work.Go(func() { upload(i, small, small, want) })
	}
	work.Wait()
	close(done)
	<-watching
	if grown := int64(most) - int64(before.HeapInuse); grown > 40<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	} else {
		t.Logf("the heap grew by %d MB at most", grown>>20)
	}
}

// An upload that never ends reaches the service all the same, and takes neither more of the memory than others nor two minutes.
func TestAnUploadIsPassedOnWhileItArrives(t *testing.T) {
	w := newFixture(t)
	k := w.keeper()
	g := w.start()
	key, _ := w.key(newKey{})
	ctx, hangUp := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "POST", g.url+revisions, endless{})
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	gone := make(chan error, 1)
	go func() {
		_, err := (&http.Transport{}).RoundTrip(request)
		gone <- err
	}()
	testwait.For(t, 20*time.Second, "the service has the first 50 MB", func() bool { return k.seen.Load() > 50<<20 })
	hangUp()
	if err := k.end(t); err == nil {
		t.Error("an upload whose sender left came to a clean end")
	}
	if err := <-gone; err == nil {
		t.Error("who left was answered")
	}
}

func TestACutUploadIsNeverWhole(t *testing.T) {
	w := newFixture(t)
	k := w.keeper()
	g := w.start()
	key, _ := w.key(newKey{})
	for name, body := range map[string]string{
		"by length": "Content-Length: 200000\r\n\r\n" + strings.Repeat("x", 100_000),
		"in chunks": "Transfer-Encoding: chunked\r\n\r\n186a0\r\n" + strings.Repeat("x", 100_000) + "\r\n",
	} {
		for _, at := range uploadPaths {
			connection := dial(t, g)
			_, _ = io.WriteString(connection, at.method+" "+at.path+" HTTP/1.1\r\nHost: x\r\nContent-Type: "+at.mediaType+
				"\r\nAuthorization: Bearer "+key+"\r\n"+body)
			testwait.For(t, 10*time.Second, "the service has what was sent", func() bool { return k.seen.Swap(0) > 0 })
			_ = connection.Close()
			if err := k.end(t); err == nil {
				t.Errorf("%s, %s %s: it came to a clean end", name, at.method, at.path)
			}
		}
	}
}

// Who says nothing for 15 seconds, or sends less than 64 KiB a second over 30, is ended; the service is not left with a short body.
func TestTheSenderOfAnUploadMustKeepThePace(t *testing.T) {
	w := newFixture(t)
	k := w.keeper()
	g := w.start()
	key, _ := w.key(newKey{})
	t.Parallel() // from here on: it takes as long as the windows
	for name, row := range map[string]struct {
		piece int // bytes in each half second
		after time.Duration
	}{
		"silent": {0, 15 * time.Second}, "slow": {30 << 10, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection := dial(t, g)
			begin := time.Now()
			_, _ = io.WriteString(connection,
				"POST "+revisions+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+"\r\nContent-Length: 100000000\r\n\r\nx")
			go func() {
				for row.piece > 0 {
					time.Sleep(time.Second / 2)
					if _, err := connection.Write(make([]byte, row.piece)); err != nil {
						return
					}
				}
			}()
			_ = connection.SetDeadline(begin.Add(row.after + time.Minute))
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			assertError(t, &fullResponse{response, body}, 400, "body_incomplete")
			if took := time.Since(begin); took < row.after-time.Second { // how much later depends on the machine
				t.Errorf("ended after %s", took)
			}
			if err := k.end(t); err == nil {
				t.Error("the service was given a short body for a whole one")
			}
			_ = connection.Close()
		})
	}
}

// Somebody who sends twice the least is let go on, though it takes longer than the window.
func TestASenderWhoKeepsThePaceIsLetGoOn(t *testing.T) {
	w := newFixture(t)
	w.keeper()
	g := w.start()
	key, _ := w.key(newKey{})
	t.Parallel() // from here on: it takes longer than the window
	slowly, sent := &slowReader{rate: 128 << 10, left: 35 * 128 << 10}, int64(35*128<<10)
	a, err := sendContent(t, "POST", g.url+revisions, key, slowly, sent)
	if err != nil || a.StatusCode != 201 || a.json(t)["size_bytes"] != float64(sent) {
		t.Errorf("at 128 KiB a second: %v %v", a, err)
	}
}

type slowReader struct{ rate, left int }

func (s *slowReader) Read(piece []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(100 * time.Millisecond)
	n := min(len(piece), s.rate/10, s.left)
	s.left -= n
	return n, nil
}

// A service that waits for its store reads nothing for a while: that is no reason to end the upload.
func TestAServiceMayReadLater(t *testing.T) {
	w := newFixture(t)
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		first := make([]byte, 1)
		_, _ = io.ReadFull(r.Body, first)
		time.Sleep(5 * time.Second)
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			t.Error(err)
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(out, `{"size_bytes":%d}`, n+1)
	})
	g := w.start()
	t.Parallel() // what follows waits, and uses no processor
	key, _ := w.key(newKey{})
	const size = 40 << 20 // more than buffers of connections hold
	a, err := sendContent(t, "POST", g.url+revisions, key, content(size), size)
	if err != nil || a.StatusCode != 200 || a.json(t)["size_bytes"] != float64(size) {
		t.Errorf("%v %v", a, err)
	}
}

// storageFull refuses an upload after it has read some of it.
func (w *fixture) storageFull(after int64) {
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, after)
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(out, `{"error":"There is no room.","code":"storage_full"}`)
	})
}

// Neither who sends all before they read, nor who waits in the middle, loses a refusal or waits for its end.
func TestARefusalInTheMiddleOfAnUploadArrives(t *testing.T) {
	for _, after := range []int64{0, 1 << 20} {
		w := newFixture(t)
		w.storageFull(after)
		g := w.start()
		key, _ := w.key(newKey{})
		narrow, _ := w.key(newKey{scopes: []string{"documents:read"}})
		head := func(key string, size int) string {
			return "POST " + revisions + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\nContent-Length: " +
				strconv.Itoa(size) + "\r\n\r\n"
		}
		for code, request := range map[string]string{
			"storage_full": head(key, 30<<20), "scope_missing": head(narrow, 30<<20), "key_missing": head("", 30<<20),
			"body_too_large": head(key, 5<<30+1<<20+1),
		} {
			connection := dial(t, g)
			_ = connection.SetDeadline(time.Now().Add(20 * time.Second))
			_, _ = io.WriteString(connection, request)
			if _, err := io.Copy(connection, content(30<<20)); err != nil {
				t.Errorf("%s after %d bytes: the connection was closed on the sender: %v", code, after, err)
			}
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatalf("%s after %d bytes: %v", code, after, err)
			}
			body, _ := io.ReadAll(response.Body)
			if got := (&fullResponse{response, body}).json(t)["code"]; got != code || !response.Close {
				t.Errorf("after %d bytes: %v instead of %s, and the connection stays: %v", after, got, code, !response.Close)
			}
			_ = connection.Close()
		}

		// Who goes on sending, or waits, has the whole of it at once.
		for code, request := range map[string]string{"storage_full": head(key, 30<<20), "scope_missing": head(narrow, 30<<20)} {
			connection := dial(t, g)
			_ = connection.SetDeadline(time.Now().Add(4 * time.Second)) // less than the gateway goes on reading
			_, _ = io.WriteString(connection, request)
			_, _ = io.Copy(connection, content(after))
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatalf("%s, who waits after %d bytes: %v", code, after, err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Errorf("%s, who waits after %d bytes: %v", code, after, err)
			}
			if got := (&fullResponse{response, body}).json(t)["code"]; got != code {
				t.Errorf("%s, who waits after %d bytes: %s", code, after, body)
			}
			_ = connection.Close()
		}
	}
}

// Who asks whether to send is told so by the service, or refused without having sent anything.
func TestExpectContinueIsTheServicesToAnswer(t *testing.T) {
	w := newFixture(t)
	var asked atomic.Int64
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		out.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Has("full") {
			out.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(out, `{"error":"There is no room.","code":"storage_full"}`)
			return
		}
		time.Sleep(300 * time.Millisecond)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(out, `{"size_bytes":%d}`, len(body))
	})
	g := w.start()
	key, _ := w.key(newKey{})
	ask := func(query string) (net.Conn, *bufio.Reader) {
		connection := dial(t, g)
		_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(connection, "POST "+revisions+query+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+
			"\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
		return connection, bufio.NewReader(connection)
	}
	begin := time.Now()
	connection, reader := ask("")
	first, err := reader.ReadString('\n')
	if err != nil || !strings.HasPrefix(first, "HTTP/1.1 100 ") || time.Since(begin) < 250*time.Millisecond {
		t.Errorf("%q %v after %s: told before the service was", first, err, time.Since(begin))
	}
	_, _ = reader.ReadString('\n')
	_, _ = io.WriteString(connection, "0123456789")
	response, err := http.ReadResponse(reader, nil)
	if err != nil || response.StatusCode != 200 {
		t.Errorf("%v %v", response, err)
	}
	_ = connection.Close()

	begin = time.Now()
	connection, reader = ask("?full")
	response, err = http.ReadResponse(reader, nil)
	if err != nil || response.StatusCode != http.StatusForbidden || time.Since(begin) > 2*time.Second || asked.Load() != 2 {
		t.Errorf("%v %v after %s", response, err, time.Since(begin))
	}
	_ = connection.Close()
}

// An upload that an instance has seen is not sent to another one; one that no instance has seen is.
func TestAnUploadIsSentOnce(t *testing.T) {
	w := newFixture(t)
	var tried atomic.Int64
	breaking := func(http.ResponseWriter, *http.Request) {
		tried.Add(1)
		panic(http.ErrAbortHandler)
	}
	w.serveContent(breaking)
	w.serveContent(breaking)
	g := w.start()
	key, _ := w.key(newKey{})
	a, err := sendContent(t, "POST", g.url+revisions, key, content(1<<20), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	assertError(t, a, 503, "service_unavailable")
	says(t, a, "may or may not have been done")
	if tried.Load() != 1 {
		t.Errorf("it was sent %d times", tried.Load())
	}

	w = newFixture(t)
	k := w.keeper()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.services["documents"] = append(w.services["documents"], gone.Addr().String())
	_ = gone.Close()
	g = w.start()
	key, _ = w.key(newKey{})
	for range 4 {
		if a, err := sendContent(t, "POST", g.url+revisions, key, content(1<<20), 1<<20); err != nil || a.StatusCode != 201 || k.end(t) != nil {
			t.Errorf("with an instance that is gone: %v %v", a, err)
		}
	}
}

const contentPath = "/v1/documents/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11/content"

func TestACutDownloadIsNeverWhole(t *testing.T) {
	w := newFixture(t)
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "application/octet-stream")
		if r.URL.Path == contentPath {
			out.Header().Set("Content-Length", "10000000")
		}
		_, _ = io.CopyN(out, endless{}, 5_000_000)
		panic(http.ErrAbortHandler)
	})
	g := w.start()
	key, _ := w.key(newKey{})
	for _, path := range []string{contentPath, "/v1/documents/archive"} {
		a, err := try("GET", g.url+path, key)
		if err == nil || a == nil || a.StatusCode != 200 || len(a.body) == 0 {
			t.Errorf("%s: a response that broke off looks whole", path)
		}
	}
}

func TestPartsAndConditionsOfContentPassThrough(t *testing.T) {
	w := newFixture(t)
	whole, at := bytes.Repeat([]byte("0123456789"), 100), time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		header := out.Header()
		header.Set("Content-Type", "application/octet-stream")
		header.Set("ETag", `"abc"`)
		header.Set("Repr-Digest", "sha-256=:AAAA:")
		header.Set("Content-Disposition", `attachment; filename="a.bin"`)
		http.ServeContent(out, r, "", at, bytes.NewReader(whole))
	})
	w.serve("assets", func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			t.Error("a service without content is asked for a part")
		}
		out.WriteHeader(http.StatusPartialContent)
	})
	g := w.start()
	key, _ := w.key(newKey{})
	for _, row := range []struct {
		method, path string
		headers      []string
		status       int
		body, part   string
	}{
		{"GET", contentPath, nil, 200, string(whole), ""},
		{"GET", contentPath, []string{"Range", "bytes=0-0"}, 206, "0", "bytes 0-0/1000"},
		{"GET", contentPath, []string{"Range", "bytes=990-2000"}, 206, "0123456789", "bytes 990-999/1000"},
		{"GET", "/v1/documents/x/revisions/2/content", []string{"Range", "bytes=-1"}, 206, "9", "bytes 999-999/1000"},
		{"GET", "/v1/documents/x/thumbnail?size=256", []string{"Range", "bytes=1-2"}, 206, "12", "bytes 1-2/1000"},
		{"GET", contentPath, []string{"Range", "bytes=0-0", "If-Range", `"abc"`}, 206, "0", "bytes 0-0/1000"},
		{"GET", contentPath, []string{"Range", "bytes=0-0", "If-Range", `"old"`}, 200, string(whole), ""},
		{"GET", contentPath, []string{"If-None-Match", `"abc"`}, 304, "", ""},
		{"HEAD", contentPath, nil, 200, "", ""},
	} {
		a := call(t, row.method, g.url+row.path, key, row.headers...)
		if a.StatusCode != row.status || string(a.body) != row.body || a.Header.Get("Content-Range") != row.part ||
			a.Header.Get("ETag") != `"abc"` || a.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s %s %v: %d %v %.50q", row.method, row.path, row.headers, a.StatusCode, a.Header, a.body)
		}
		if row.method == "HEAD" && (a.Header.Get("Content-Length") != "1000" || a.Header.Get("Accept-Ranges") != "bytes" ||
			a.Header.Get("Repr-Digest") == "" || a.Header.Get("Content-Disposition") == "") {
			t.Errorf("HEAD: %v", a.Header)
		}
		assertHeaders(t, a)
	}
	assertError(t, call(t, "GET", g.url+"/v1/assets", key, "Range", "bytes=0-0"), 500, "internal")
	for _, path := range []string{"/v1/documents/x", "/v1/documents", "/v1/documents/x/links"} {
		if a := call(t, "GET", g.url+path, key, "Range", "bytes=0-0"); a.StatusCode != 200 {
			t.Errorf("%s is no content, and a part of it is asked for: %d", path, a.StatusCode)
		}
	}
}

// A document may be a message, or a recording of a connection: it is neither taken for a request nor for a response of the gateway.
func TestDocumentsThatLookLikeMessages(t *testing.T) {
	w := newFixture(t)
	const message = "HTTP/1.1 417 Expectation Failed\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n" +
		"Content-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	recording := strings.Repeat(message, 2000)
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			echo(out, r)
			return
		}
		out.Header().Set("Content-Type", "application/octet-stream")
		out.Header().Set("Content-Length", strconv.Itoa(10*len(message)))
		for range 10 {
			_, _ = io.WriteString(out, message)
			_ = http.NewResponseController(out).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	g := w.start()
	key, _ := w.key(newKey{})
	a := call(t, "GET", g.url+contentPath, key)
	if string(a.body) != strings.Repeat(message, 10) {
		t.Errorf("%d bytes came, another %d were sent", len(a.body), 10*len(message))
	}
	head := "POST " + revisions + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\n"
	next := "GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " + key + "\r\n\r\n"
	for name, request := range map[string]string{
		"by length": head + "Content-Length: " + strconv.Itoa(len(recording)) + "\r\n\r\n" + recording + next,
		"in chunks": head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n5;a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n", len(recording),
			recording) + next,
	} {
		for _, size := range []int{1 << 20, 1000} {
			statuses, whole := pieces(t, g, request, size)
			if len(statuses) < 2 || statuses[0] != 200 || statuses[len(statuses)-1] != 200 || strings.Contains(whole, "ambiguous_length") {
				t.Errorf("%s, %d bytes at a time: %v", name, size, statuses)
			}
		}
	}
	ambiguous := head + "Content-Length: 2\r\n\r\n{}" + head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	if _, whole := pieces(t, g, ambiguous, 1<<20); !strings.Contains(whole, "ambiguous_length") {
		t.Errorf("two lengths behind a body are not seen: %s", whole)
	}
}

func TestTusPassesThrough(t *testing.T) {
	w := newFixture(t)
	w.serveContent(func(out http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		header := out.Header()
		for _, name := range []string{"Upload-Length", "Upload-Metadata", "Upload-Checksum", "Tus-Resumable", "Upload-Offset"} {
			header.Set("X-Seen-"+name, r.Header.Get(name))
		}
		header.Set("Upload-Offset", strconv.FormatInt(n, 10))
		header.Set("Upload-Expires", "Tue, 24 Nov 2026 00:00:00 GMT")
		header.Set("Cache-Control", "no-store")
		switch r.Method {
		case http.MethodPost:
			header.Set("Location", "/v1/uploads/u1")
			out.WriteHeader(http.StatusCreated)
		case http.MethodHead:
			header.Set("Upload-Length", "5000000000")
		default:
			out.WriteHeader(http.StatusNoContent)
		}
	})
	g := w.start(func(c *Config) { c.Origins = []string{"https://gis.example.ca"} })
	writer, _ := w.key(newKey{scopes: []string{"documents:write"}})
	reader, _ := w.key(newKey{scopes: []string{"documents:read"}})
	sent := []string{"Tus-Resumable", "1.0.0", "Upload-Offset", "0", "Upload-Length", "10", "Upload-Metadata", "filename YQ==",
		"Upload-Checksum", "sha1 AAAA", "Origin", "https://gis.example.ca", "Content-Type", "application/offset+octet-stream"}
	for method, status := range map[string]int{"POST": 201, "PATCH": 204, "HEAD": 200, "DELETE": 204} {
		path := "/v1/uploads/u1"
		if method == "POST" {
			path = "/v1/uploads"
		}
		a := call(t, method, g.url+path, writer, sent...)
		if a.StatusCode != status || a.Header.Get("Tus-Resumable") != "1.0.0" || a.Header.Get("Upload-Expires") == "" ||
			a.Header.Get("X-Seen-Upload-Metadata") != "filename YQ==" || a.Header.Get("X-Seen-Upload-Checksum") != "sha1 AAAA" ||
			a.Header.Get("X-Seen-Tus-Resumable") != "1.0.0" || a.Header.Get("X-Seen-Upload-Offset") != "0" {
			t.Errorf("%s: %d %v", method, a.StatusCode, a.Header)
		}
		if exposed := a.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Upload-Offset") ||
			!strings.Contains(exposed, "Location") {
			t.Errorf("%s: a page may read %s", method, exposed)
		}
		if method == "HEAD" && a.Header.Get("Upload-Length") != "5000000000" || method == "PATCH" && a.Header.Get("Upload-Offset") != "12" {
			t.Errorf("%s: %v", method, a.Header)
		}
		a = call(t, method, g.url+path, reader, sent...)
		if a.StatusCode != 403 || a.Header.Get("Tus-Resumable") != "1.0.0" {
			t.Errorf("%s with a key that only reads: %d %v", method, a.StatusCode, a.Header)
		}
	}
	a := call(t, "POST", g.url+"/v1/uploads/u1", writer, "X-HTTP-Method-Override", "PATCH")
	if a.StatusCode != 201 {
		t.Errorf("the method was overridden: %d", a.StatusCode)
	}
	for _, path := range []string{"/v1/uploads", "/v1/uploads/u1"} {
		a := call(t, "OPTIONS", g.url+path, "", "Origin", "https://gis.example.ca", "Access-Control-Request-Method", "PATCH")
		for name, want := range map[string]string{"Tus-Version": "1.0.0", "Tus-Resumable": "1.0.0", "Tus-Max-Size": "5368709120",
			"Tus-Extension": "creation,creation-with-upload,expiration,checksum,termination", "Tus-Checksum-Algorithm": "sha1,sha256"} {
			if a.Header.Get(name) != want || a.StatusCode != 204 {
				t.Errorf("OPTIONS %s: %d, %s is %q", path, a.StatusCode, name, a.Header.Get(name))
			}
		}
		for _, name := range []string{"Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Metadata", "Upload-Checksum", "Content-Digest"} {
			if !strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), name) {
				t.Errorf("a page may not send %s", name)
			}
		}
	}
	if a := call(t, "OPTIONS", g.url+"/v1/documents", ""); a.Header.Get("Tus-Version") != "" {
		t.Error("there is no tus at /v1/documents")
	}
}
