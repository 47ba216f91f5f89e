package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/spool"
	"ams.internal/libs/throughput"
	"ams.internal/libs/transaction"
)

var minimum = throughput.Minimum{BytesPerSecond: minSendRate, Window: sendWindow}

func TestACallerWhoReadsTooSlowlyIsFound(t *testing.T) {
	t.Parallel()
	type piece struct {
		bytes int
		spent time.Duration
	}
	second := time.Second
	for _, c := range []struct {
		name   string
		pieces []piece
		slow   bool
	}{
		{"fast", []piece{{1 << 20, second}, {1 << 20, 29 * second}}, false},
		{"exactly fast enough", []piece{{300_000, 10 * second}, {300_000, 20 * second}}, false},
		{"a little too slow", []piece{{300_000, 10 * second}, {299_000, 20 * second}}, true},
		{"slow, but not for long", []piece{{1, 29 * second}}, false},
		{"slow in the second window", []piece{{1 << 20, 30 * second}, {1000, 15 * second}, {1000, 15 * second}}, true},
		{"slow in a window with a fast beginning", []piece{{500_000, second}, {1000, 40 * second}}, true},
		{"little to send, which takes no time", []piece{{1, 0}, {1, 0}, {1, second}}, false},
	} {
		p := minimum
		var err error
		for _, sent := range c.pieces {
			if err = p.Took(sent.bytes, sent.spent); err != nil {
				break
			}
		}
		if (err != nil) != c.slow {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// serveOne serves what answer gives, at every path. ended gets what each request panicked with, or nil.
func serveOne(
	t *testing.T, slow throughput.Minimum, answer func(*http.Request) (context.Context, *Response),
) (served *httptest.Server, ended chan any) {
	t.Helper()
	ended = make(chan any, 10)
	api := New(nil, nil, slog.New(slog.DiscardHandler))
	api.throughput = slow
	served = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			caught := recover()
			if ended <- caught; caught != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		ctx, response := answer(r)
		if err := api.writeResponse(ctx, w, response); err != nil {
			api.writeError(ctx, err, w)
		}
	}))
	served.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	t.Cleanup(served.Close)
	return served, ended
}

// ask sends a request and reads nothing of the response.
func ask(t *testing.T, served *httptest.Server) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", served.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	if _, err := io.WriteString(connection, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return connection
}

const large = 24 << 20 // more than the buffers of a connection

func writeLarge(w io.Writer) error {
	for range large >> 16 {
		if _, err := w.Write(make([]byte, 1<<16)); err != nil {
			return err
		}
	}
	return nil
}

// A stream ends its work, and with it its transaction, although the caller has not read a byte.
func TestAStreamDoesNotWaitForItsCaller(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	served, _ := serveOne(t, minimum, func(r *http.Request) (context.Context, *Response) {
		return r.Context(), &Response{Stream: func(_ context.Context, w io.Writer) error {
			err := writeLarge(w)
			ended <- err
			return err
		}}
	})
	connection := ask(t, served)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); n != large || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestAStreamThatItsCallerDoesNotReadIsBrokenOff(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(*http.Request) (context.Context, *Response){
		"a stream": func(r *http.Request) (context.Context, *Response) {
			return r.Context(), &Response{Stream: func(_ context.Context, w io.Writer) error { return writeLarge(w) }}
		},
		"a large body": func(r *http.Request) (context.Context, *Response) {
			body := spool.New(r.Context())
			if err := writeLarge(body); err != nil {
				t.Error(err)
			}
			body.End(nil)
			return r.Context(), &Response{Spooled: body}
		},
	} {
		served, ended := serveOne(t, throughput.Minimum{BytesPerSecond: minSendRate, Window: 500 * time.Millisecond}, answer)
		connection := ask(t, served)
		if caught, _ := (<-ended).(error); !errors.Is(caught, http.ErrAbortHandler) {
			t.Errorf("%s: the request ended with %v", name, caught)
		}
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			continue // nothing of it came: a slow machine
		}
		n, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if n >= large || err == nil {
			t.Errorf("%s: %d bytes, %v: it looks whole", name, n, err)
		}
	}
}

func TestACallerWhoHangsUpEndsTheStream(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	served, _ := serveOne(t, minimum, func(r *http.Request) (context.Context, *Response) {
		return r.Context(), &Response{Stream: func(ctx context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "a beginning")
			<-ctx.Done()
			ended <- err
			return ctx.Err()
		}}
	})
	connection := ask(t, served)
	if _, err := io.ReadFull(connection, make([]byte, 20)); err != nil {
		t.Fatal(err)
	}
	connection.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAStreamIsNeverSentInATransaction(t *testing.T) {
	t.Parallel()
	served, said := serveOne(t, throughput.Minimum{Window: sendWindow}, func(r *http.Request) (context.Context, *Response) {
		return transaction.Mark(r.Context()), &Response{Stream: func(context.Context, io.Writer) error { return nil }}
	})
	ask(t, served)
	if text := fmt.Sprint(<-said); !strings.Contains(text, "write to a caller in a database transaction") {
		t.Errorf("said %s", text)
	}
}

func TestALargeBodyIsSentWholeWithItsLength(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte(`{"n":1}`), 100_000)
	served, _ := serveOne(t, minimum, func(r *http.Request) (context.Context, *Response) {
		body := spool.New(r.Context())
		if _, err := body.Write(want); err != nil {
			t.Error(err)
		}
		body.End(nil)
		return r.Context(), &Response{Spooled: body}
	})
	for _, method := range []string{"GET", "HEAD"} {
		request, err := http.NewRequestWithContext(t.Context(), method, served.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := served.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || method == "GET" && !bytes.Equal(got, want) || method == "HEAD" && len(got) != 0 ||
			response.Header.Get("Content-Length") != strconv.Itoa(len(want)) || response.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d bytes, %v, %v", method, len(got), response.Header, err)
		}
	}
}
