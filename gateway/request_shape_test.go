package gateway

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

func TestAURLHasAtMost16KB(t *testing.T) {
	w := newFixture(t)
	w.serve("assets", echo)
	g := w.start()
	key, _ := w.key(newKey{})
	const path = "/v1/assets?name="
	if a := call(t, "GET", g.url+path+strings.Repeat("x", 16<<10-len(path)), key); a.StatusCode != 200 {
		t.Errorf("16 kB: %d %.300s", a.StatusCode, a.body)
	}
	tooLong := []string{path + strings.Repeat("x", 16<<10-len(path)+1), "/v1/" + strings.Repeat("y", 17<<10),
		"/" + strings.Repeat("z", 40<<10)}
	for _, long := range tooLong {
		a := call(t, "GET", g.url+long, key)
		assertError(t, a, 400, "url_too_long")
		says(t, a, "ask in several requests")
	}
	if strings.Contains(g.logs.String(), strings.Repeat("y", 2000)) {
		t.Error("the log has the whole path")
	}
}

func TestARequestWithTwoLengthsIsRefusedAndItsConnectionClosed(t *testing.T) {
	w := newFixture(t)
	var reached atomic.Int64
	w.serve("assets", func(out http.ResponseWriter, r *http.Request) { reached.Add(1); echo(out, r) })
	g := w.start()
	key, _ := w.key(newKey{})
	head := "POST /v1/assets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + key + "\r\n"
	const chunked, counted = "Transfer-Encoding: chunked\r\n", "Content-Length: 2\r\n"
	const body = "\r\n2\r\n{}\r\n0\r\n\r\n"
	smuggled := "GET /v1/assets?smuggled HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\n\r\n"
	for name, request := range map[string]string{
		"length first":        head + counted + chunked + body + smuggled,
		"encoding first":      head + chunked + counted + body + smuggled,
		"lower case":          head + strings.ToLower(counted+chunked) + body + smuggled,
		"upper case":          head + strings.ToUpper(counted) + "TRANSFER-ENCODING: chunked\r\n" + body + smuggled,
		"line feeds alone":    strings.ReplaceAll(head+counted+chunked, "\r\n", "\n") + body + smuggled,
		"others between":      head + counted + "X-A: " + strings.Repeat("a", 5000) + "\r\n" + chunked + body + smuggled,
		"the second of two":   smuggled + head + counted + chunked + body,
		"as a probe":          "GET /livez HTTP/1.1\r\nHost: x\r\n" + counted + chunked + body + smuggled,
		"an encoding unknown": head + "Transfer-Encoding: identity\r\n" + counted + "\r\n{}" + smuggled,
	} {
		for _, size := range []int{1 << 20, 7} { // in one piece, and in small ones
			before := reached.Load()
			statuses, whole := pieces(t, g, request, size)
			if name == "as a probe" {
				if fmt.Sprint(statuses) != "[200]" || reached.Load() != before {
					t.Errorf("%s, %d bytes at a time: %v", name, size, statuses)
				}
				continue
			}
			allowed := int64(0)
			if name == "the second of two" && size == 7 {
				allowed = 1 // it had its answer before the second came
			}
			if statuses[len(statuses)-1] != 400 || int64(len(statuses)) > 1+allowed || reached.Load() > before+allowed {
				t.Errorf("%s, %d bytes at a time: %v, the service got %d: %s", name, size, statuses, reached.Load()-before, whole)
			}
			if name != "an encoding unknown" && !strings.Contains(whole, "ambiguous_length") {
				t.Errorf("%s, %d bytes at a time: %s", name, size, whole)
			}
		}
	}
	for name, request := range map[string]string{
		"chunked alone": head + chunked + body + smuggled, "a length alone": head + counted + "\r\n{}" + smuggled,
		"one each, of two requests": head + counted + "\r\n{}" + head + chunked + body,
	} {
		for _, size := range []int{1 << 20, 7} {
			if statuses, whole := pieces(t, g, request, size); fmt.Sprint(statuses) != "[200 200]" {
				t.Errorf("%s, %d bytes at a time: %v %s", name, size, statuses, whole)
			}
		}
	}
}

// pieces sends bytes, some at a time, and gives the statuses of all responses and what came back.
func pieces(t *testing.T, g *running, request string, size int) (statuses []int, whole string) {
	t.Helper()
	connection := dial(t, g)
	defer func() { _ = connection.Close() }()
	go func() {
		for rest := request; rest != ""; {
			piece := rest[:min(size, len(rest))]
			rest = rest[len(piece):]
			if _, err := io.WriteString(connection, piece); err != nil {
				return // closed by the gateway
			}
		}
		_ = connection.CloseWrite()
	}()
	read, _ := io.ReadAll(connection) // a reset is an end as well
	for part := range strings.SplitSeq(string(read), "HTTP/1.1 ") {
		if status, err := strconv.Atoi(part[:min(3, len(part))]); err == nil {
			statuses = append(statuses, status)
		}
	}
	if len(statuses) == 0 {
		t.Fatalf("no response to %.200q: %q", request, read)
	}
	return statuses, string(read)
}
