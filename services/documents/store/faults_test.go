package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/s3test"
	"ams.internal/services/documents/store"
	"ams.internal/services/documents/store/storetest"
)

// fault responds in the place of an S3 server, or hands the request to it.
type fault func(w http.ResponseWriter, r *http.Request, server http.Handler)

// proxy stands before an S3 server, and does it harm.
type proxy struct {
	server http.Handler
	fault  atomic.Pointer[fault]
	sent   atomic.Int64 // bytes in the bodies of responses
}

// startProxy gives a store that calls an S3 server through a proxy.
func startProxy(t *testing.T) (*proxy, store.Store) {
	t.Helper()
	server, config := storetest.Start(t)
	p, endpoint := before(t, server)
	config.S3Endpoint = endpoint
	return p, open(t, config)
}

func before(t *testing.T, server *s3test.Server) (p *proxy, endpoint string) {
	t.Helper()
	target, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p = &proxy{server: &httputil.ReverseProxy{
		// the host, which is signed, stays
		Rewrite:      func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}}
	listening := httptest.NewServer(p)
	t.Cleanup(listening.Close)
	return p, listening.URL
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w = &counting{w, &p.sent}
	if f := p.fault.Load(); f != nil {
		(*f)(w, r, p.server)
		return
	}
	p.server.ServeHTTP(w, r)
}

func (p *proxy) does(f fault) { p.fault.Store(&f) }

func (p *proxy) works() { p.fault.Store(nil) }

type counting struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c *counting) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

// says gives a fault that responds with an error of S3.
func says(status int, code string) fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>…</Message></Error>", code)
	}
}

// slack is what a machine with other work may add to the two seconds in which a call hears that the store is away.
const slack = 3 * time.Second

// every makes each call of a store once, all at the same time, and gives their errors. There are an object key, and an upload with a part.
func every(t *testing.T, s store.Store, key, upload string, written store.Part) map[string]error {
	t.Helper()
	errs := map[string]error{}
	var mutex sync.Mutex
	var all sync.WaitGroup
	call := func(name string, call func() error) {
		all.Go(func() {
			begin := time.Now()
			err := call()
			if took := time.Since(begin); took > 2*time.Second+slack {
				t.Errorf("%s took %s: %v", name, took, err)
			}
			mutex.Lock()
			defer mutex.Unlock()
			errs[name] = err
		})
	}
	body := random(store.PartSize)
	call("put", func() error {
		return s.Put(t.Context(), organization+"/put-while-away", bytes.NewReader(body), store.PartSize)
	})
	call("open", func() error {
		opened, err := s.Open(t.Context(), key, 1, 2)
		if err == nil {
			err = opened.Close()
		}
		return err
	})
	call("stat", func() error { _, err := s.Stat(t.Context(), key); return err })
	call("delete", func() error { return s.Delete(t.Context(), organization+"/other") })
	call("list", func() error { return s.List(t.Context(), "", func(store.Object) error { return nil }) })
	call("begin", func() error { _, err := s.Begin(t.Context(), key); return err })
	call("part", func() error { _, err := s.PutPart(t.Context(), key, upload, 2, body); return err })
	call("complete", func() error { return s.Complete(t.Context(), key, upload, []store.Part{written}) })
	call("abort", func() error { return s.Abort(t.Context(), organization+"/other", upload) })
	call("uploads", func() error { return s.ListUploads(t.Context(), func(store.Upload) error { return nil }) })
	call("check", func() error { return s.Check(t.Context()) })
	all.Wait()
	return errs
}

// TestAStoreThatIsAway: every call hears so within two seconds, and all is as before when the store is back.
func TestAStoreThatIsAway(t *testing.T) {
	for name, away := range map[string]func(*s3test.Server, *proxy) (back func()){
		"stopped":             func(server *s3test.Server, _ *proxy) func() { server.Stop(); return server.StartAgain },
		"silent":              func(server *s3test.Server, _ *proxy) func() { server.Freeze(); return server.Thaw },
		"server error":        func(_ *s3test.Server, p *proxy) func() { p.does(says(500, "InternalError")); return p.works },
		"asks to slow down":   func(_ *s3test.Server, p *proxy) func() { p.does(says(503, "SlowDown")); return p.works },
		"key was withdrawn":   func(_ *s3test.Server, p *proxy) func() { p.does(says(403, "InvalidAccessKeyId")); return p.works },
		"bucket has gone":     func(_ *s3test.Server, p *proxy) func() { p.does(noBucket); return p.works },
		"something else":      func(_ *s3test.Server, p *proxy) func() { p.does(says(400, "Unheard")); return p.works },
		"hangs up":            func(_ *s3test.Server, p *proxy) func() { p.does(hangUp); return p.works },
		"speaks another HTTP": func(_ *s3test.Server, p *proxy) func() { p.does(says(502, "<html>")); return p.works },
	} {
		t.Run(name, func(t *testing.T) {
			server, config := storetest.Start(t)
			p, endpoint := before(t, server)
			if name != "stopped" && name != "silent" {
				config.S3Endpoint = endpoint
			}
			s := open(t, config)
			key := organization + "/away"
			upload := begin(t, s, key)
			written := part(t, s, key, upload, 1, []byte("kept"))
			back := away(server, p)
			for call, err := range every(t, s, key, upload, written) {
				if !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("%s: %v", call, err)
				}
				if err != nil && strings.Contains(err.Error(), config.S3SecretKey) {
					t.Errorf("%s shows the secret: %v", call, err)
				}
			}
			back()
			if err := s.Complete(t.Context(), key, upload, []store.Part{written}); err != nil {
				t.Fatal(err)
			}
			same(t, get(t, s, key, 0, -1), []byte("kept"))
		})
	}
}

func noBucket(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	says(404, "NoSuchBucket")(w, r, nil)
}

func hangUp(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// TestAStoreThatIsAwayAtTheStart: its bucket is looked at when it is there, before anything is written to it.
func TestAStoreThatIsAwayAtTheStart(t *testing.T) {
	server, config := storetest.Start(t)
	server.Stop()
	s := open(t, config)
	if err := s.Check(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("check: %v", err)
	}
	server.StartAgain()
	put(t, s, organization+"/first", []byte("first"))

	server.Stop()
	config.Regions = []string{"ca-west-1"}
	refused := open(t, config)
	server.StartAgain()
	err := refused.Put(t.Context(), organization+"/second", strings.NewReader("x"), 1)
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "AMS_DOCUMENTS_REGIONS") {
		t.Errorf("put into a bucket elsewhere: %v", err)
	}
	if err := refused.Check(t.Context()); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "AMS_DOCUMENTS_REGIONS") {
		t.Errorf("check of a bucket elsewhere: %v", err)
	}
	if _, err := s.Stat(t.Context(), organization+"/second"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it was put: %v", err)
	}
}

// TestAStoreThatIsSlow: one that is there has the time it needs.
func TestAStoreThatIsSlow(t *testing.T) {
	t.Parallel()
	p, s := startProxy(t)
	p.does(func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.Method == http.MethodPut || r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
			time.Sleep(4 * time.Second)
		}
		server.ServeHTTP(w, r)
	})
	key := organization + "/slow"
	upload := begin(t, s, key)
	if err := s.Complete(t.Context(), key, upload, []store.Part{part(t, s, key, upload, 1, random(store.PartSize))}); err != nil {
		t.Error(err)
	}
}

// TestAFullStore: what does not fit is an error of its own, and nothing of it stays.
func TestAFullStore(t *testing.T) {
	t.Parallel()
	for _, full := range []fault{says(507, "NoSpaceLeftOnDevice"), says(507, "XMinioStorageFull"), says(403, "QuotaExceeded")} {
		p, s := startProxy(t)
		key := organization + "/full"
		upload := begin(t, s, key)
		written := part(t, s, key, upload, 1, []byte("x"))
		p.does(func(w http.ResponseWriter, r *http.Request, server http.Handler) {
			if r.Method == http.MethodPut || r.Method == http.MethodPost {
				full(w, r, server)
				return
			}
			server.ServeHTTP(w, r)
		})
		for call, err := range every(t, s, key, upload, written) {
			switch call {
			case "put", "part", "complete", "begin":
				if !errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnavailable) {
					t.Errorf("%s: %v", call, err)
				}
			case "open", "stat":
				if !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s: %v", call, err)
				}
			default:
				if err != nil {
					t.Errorf("%s: %v", call, err)
				}
			}
		}
	}
}

// TestABodyThatIsCut: half of an object is never one.
func TestABodyThatIsCut(t *testing.T) {
	t.Parallel()
	p, s := startProxy(t)
	key, body := organization+"/cut", random(store.PartSize)
	put(t, s, key, body)
	t.Run("on its way from the store", func(t *testing.T) {
		p.does(func(w http.ResponseWriter, r *http.Request, server http.Handler) {
			server.ServeHTTP(&cutting{w, 1 << 20}, r)
		})
		opened, err := s.Open(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(opened)
		if !errors.Is(err, store.ErrUnavailable) || len(got) >= len(body) || !bytes.HasPrefix(body, got) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		_ = opened.Close()
		p.works()
	})
	t.Run("on its way to the store", func(t *testing.T) {
		fresh := organization + "/cut-off"
		upload := begin(t, s, fresh)
		p.does(func(w http.ResponseWriter, r *http.Request, server http.Handler) {
			if r.Method == http.MethodPut {
				r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, 1<<20), failing{io.ErrClosedPipe}))
			}
			server.ServeHTTP(w, r)
		})
		for range 10 {
			if err := s.Put(t.Context(), fresh, bytes.NewReader(body), store.PartSize); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("put: %v", err)
			}
			if _, err := s.PutPart(t.Context(), fresh, upload, 1, body); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("part: %v", err)
			}
		}
		p.works()
		time.Sleep(100 * time.Millisecond) // what the server may do with what has come
		if object, err := s.Stat(t.Context(), fresh); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a part of a body was kept: %+v %v", object, err)
		}
		if err := s.Complete(t.Context(), fresh, upload, []store.Part{part(t, s, fresh, upload, 1, body)}); err != nil {
			t.Error(err)
		}
		same(t, get(t, s, fresh, 0, -1), body)
	})
}

// cutting ends the connection after a number of bytes.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(b)
}

// TestACompletionThatNobodyHeardOf is done at once or when it is repeated.
func TestACompletionThatNobodyHeardOf(t *testing.T) {
	t.Parallel()
	p, s := startProxy(t)
	key, body := organization+"/unheard", random(store.PartSize)
	upload := begin(t, s, key)
	written := part(t, s, key, upload, 1, body)
	p.does(func(_ http.ResponseWriter, r *http.Request, server http.Handler) {
		server.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
	if err := s.Complete(t.Context(), key, upload, []store.Part{written}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("complete: %v", err)
	}
	p.works()
	if err := s.Complete(t.Context(), key, upload, []store.Part{written}); err != nil {
		t.Error(err)
	}
	same(t, get(t, s, key, 0, -1), body)
	noUploads(t, s)
}

// TestACompletionWithoutAnObject: versitygw says so of an upload that it was putting together when it was killed.
func TestACompletionWithoutAnObject(t *testing.T) {
	t.Parallel()
	p, s := startProxy(t)
	key := organization + "/claimed"
	upload := begin(t, s, key)
	written := part(t, s, key, upload, 1, []byte("x"))
	p.does(func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, `<CompleteMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><ETag>"x"</ETag></CompleteMultipartUploadResult>`)
			return
		}
		server.ServeHTTP(w, r)
	})
	if err := s.Complete(t.Context(), key, upload, []store.Part{written}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("complete: %v", err)
	}
}

// TestSilenceWhileReading ends what is read after 15 seconds, and not the reader who takes his time.
func TestSilenceWhileReading(t *testing.T) {
	t.Parallel()
	server, config := storetest.Start(t)
	s := open(t, config)
	key := organization + "/silent"
	upload := begin(t, s, key)
	var parts []store.Part
	for number := 1; number <= 4; number++ {
		parts = append(parts, part(t, s, key, upload, number, random(store.PartSize)))
	}
	if err := s.Complete(t.Context(), key, upload, parts); err != nil {
		t.Fatal(err)
	}
	opened, err := s.Open(t.Context(), key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(opened, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(17 * time.Second)
	if _, err := io.ReadFull(opened, make([]byte, 1000)); err != nil {
		t.Errorf("a slow reader: %v", err)
	}
	server.Freeze()
	begin := time.Now()
	_, err = io.Copy(io.Discard, opened)
	if took := time.Since(begin); !errors.Is(err, store.ErrUnavailable) || took < 14*time.Second || took > 15*time.Second+slack {
		t.Errorf("a silent server: %v after %s", err, took)
	}
	server.Thaw()
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}

// TestOnlyTheRangeIsRead reads at the end of a large object: what is before does not come, and a part is not copied to be sent.
func TestOnlyTheRangeIsRead(t *testing.T) {
	p, s := startProxy(t)
	key, body := organization+"/large", random(store.PartSize)
	upload := begin(t, s, key)
	var parts []store.Part
	for number := 1; number <= 8; number++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parts = append(parts, part(t, s, key, upload, number, body))
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; number > 1 && grown > 2<<20 { // the proxy's and the test's as well
			t.Errorf("sending part %d took %d bytes of memory", number, grown)
		}
	}
	if err := s.Complete(t.Context(), key, upload, parts); err != nil {
		t.Fatal(err)
	}
	p.sent.Store(0)
	same(t, get(t, s, key, 7*store.PartSize+1000, 10), body[1000:1010])
	if sent := p.sent.Load(); sent != 10 {
		t.Errorf("for 10 bytes %d were sent", sent)
	}
	p.sent.Store(0)
	same(t, get(t, s, key, 8*store.PartSize-10, -1), body[store.PartSize-10:])
	if sent := p.sent.Load(); sent != 10 {
		t.Errorf("for the last 10 bytes %d were sent", sent)
	}
	p.does(func(w http.ResponseWriter, r *http.Request, server http.Handler) { // a server that does not know ranges
		r.Header.Del("Range")
		server.ServeHTTP(w, r)
	})
	if _, err := s.Open(t.Context(), key, 10, 10); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the whole instead of a range: %v", err)
	}
}

// TestACallerWhoGoesAwayWhileReading ends the request.
func TestACallerWhoGoesAwayWhileReading(t *testing.T) {
	_, config := storetest.Start(t)
	s := open(t, config)
	key := organization + "/left"
	put(t, s, key, random(store.PartSize))
	ctx, cancel := context.WithCancel(t.Context())
	opened, err := s.Open(ctx, key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, opened); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_ = opened.Close()
}
