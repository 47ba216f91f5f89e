package scan

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"ams.internal/libs/clamd"
	"ams.internal/libs/localport"
	"ams.internal/services/documents/scan/scantest"
)

// noise are bytes that do not pack and mean nothing.
func noise(size int) []byte {
	content := make([]byte, size)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(content)
	return content
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	file, err := w.Create("readme.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

func must(t *testing.T) func([]byte, error) []byte {
	return func(content []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
}

func TestVerdictsOfARealScanner(t *testing.T) {
	scanner := New(scantest.Start(t).URL)
	infected := Verdict{Infected, clamd.SignatureName}
	for name, c := range map[string]struct {
		content []byte
		want    Verdict
	}{
		"text":                           {[]byte("Replace the filter every spring."), Verdict{State: Clean}},
		"10 MiB of noise":                {noise(10 << 20), Verdict{State: Clean}},
		"one byte":                       {[]byte{0}, Verdict{State: Clean}},
		"exactly one piece":              {noise(pieceSize), Verdict{State: Clean}},
		"ZIP":                            {zipped(t, []byte("Replace the filter every spring.")), Verdict{State: Clean}},
		"packed a few times":             {must(t)(packed(5)), Verdict{State: Clean}},
		"EICAR":                          {clamd.EICAR(), infected},
		"EICAR in a ZIP":                 {zipped(t, clamd.EICAR()), infected},
		"EICAR in a ZIP in a ZIP":        {zipped(t, zipped(t, clamd.EICAR())), infected},
		"EICAR in the middle of 10 MiB":  {bytes.Join([][]byte{noise(5 << 20), noise(5 << 20)}, clamd.EICAR()), infected},
		"EICAR over the edge of a piece": {bytes.Join([][]byte{noise(pieceSize - 30), noise(100)}, clamd.EICAR()), infected},
		"encrypted ZIP":                  {must(t)(locked()), Verdict{Unscannable, "Heuristics.Encrypted.Zip"}},
		"packed too often":               {must(t)(packed(packedTimes)), Verdict{Unscannable, "Heuristics.Limits.Exceeded.MaxRecursion"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := scanner.Scan(t.Context(), iotest.HalfReader(bytes.NewReader(c.content)), int64(len(c.content)))
			if err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestContentOverTheLimitsOfAScannerIsUnscannable(t *testing.T) {
	scanner := New(scantest.Start(t, "MaxFileSize 1M", "StreamMaxLength 4M").URL)
	for _, c := range []struct {
		size int
		want Verdict
	}{
		{1 << 19, Verdict{State: Clean}},
		{2 << 20, Verdict{Unscannable, "Heuristics.Limits.Exceeded.MaxFileSize"}},
		{10 << 20, Verdict{Unscannable, "larger than the scanner's StreamMaxLength"}},
	} {
		got, err := scanner.Scan(t.Context(), bytes.NewReader(noise(c.size)), int64(c.size))
		if err != nil || got != c.want {
			t.Errorf("%d bytes: %+v, %v; want %+v", c.size, got, err, c.want)
		}
	}
}

// mustNotBeRead is a body that nobody may read.
type mustNotBeRead struct{ t *testing.T }

func (b mustNotBeRead) Read([]byte) (int, error) {
	b.t.Error("the body was read")
	return 0, io.EOF
}

func TestContentOf2GiBIsUnscannableWithoutAsking(t *testing.T) {
	nobody := New("tcp://" + localport.ForTest(t))
	got, err := nobody.Scan(t.Context(), mustNotBeRead{t}, 2<<30)
	if want := (Verdict{Unscannable, "larger than the 2147483647 bytes that can be scanned"}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := nobody.Scan(t.Context(), mustNotBeRead{t}, 2<<30-1); !errors.Is(err, ErrUnavailable) {
		t.Errorf("one byte less: %v", err)
	}
}

func TestManyScanAtTheSameTime(t *testing.T) {
	scanner := New(scantest.Start(t).URL)
	var all sync.WaitGroup
	for i := range 30 { // three times its threads
		all.Go(func() {
			content, want := noise(1<<20), Verdict{State: Clean}
			if i%2 == 1 {
				content, want = append(content, clamd.EICAR()...), Verdict{Infected, clamd.SignatureName}
			}
			if got, err := scanner.Scan(t.Context(), bytes.NewReader(content), int64(len(content))); err != nil || got != want {
				t.Errorf("%d: %+v, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

// TestProbeFindsTheSettingThatIsMissing gives clamd the limits that are hardest to exceed.
func TestProbeFindsTheSettingThatIsMissing(t *testing.T) {
	for _, c := range []struct {
		settings []string
		missing  string
	}{
		{nil, ""},
		{[]string{"MaxRecursion 100", "MaxFiles 0"}, ""},
		{[]string{"AlertExceedsMax no"}, "AlertExceedsMax yes"},
		{[]string{"AlertEncrypted no"}, "AlertEncrypted yes"},
	} {
		err := New(scantest.Start(t, c.settings...).URL).Probe(t.Context())
		switch {
		case c.missing == "" && err != nil:
			t.Errorf("%q: %v", c.settings, err)
		case c.missing != "" && (!errors.Is(err, ErrOverlooks) || !strings.Contains(err.Error(), c.missing)):
			t.Errorf("%q: %v", c.settings, err)
		}
	}
}

func TestAScannerThatWasAwayIsUsedAgain(t *testing.T) {
	server := scantest.Start(t)
	scanner := New(server.URL)
	server.Stop()
	for what, ask := range map[string]func() error{
		"a scan": func() error { _, err := scanner.Scan(t.Context(), mustNotBeRead{t}, 1); return err },
		"a ping": func() error { return scanner.Ping(t.Context()) },
		"a look at the version": func() error {
			_, err := scanner.Version(t.Context())
			return err
		},
		"a probe": func() error { return scanner.Probe(t.Context()) },
	} {
		began := time.Now()
		if err := ask(); !errors.Is(err, ErrUnavailable) || time.Since(began) > 5*time.Second {
			t.Errorf("%s: %v after %s", what, err, time.Since(began))
		}
	}
	server.Restart()
	if err := scanner.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	if version, err := scanner.Version(t.Context()); err != nil || !strings.HasPrefix(version, "ClamAV 1.") {
		t.Errorf("version %q, %v", version, err)
	}
}

// TestAScannerThatEndsInTheMiddle kills clamd when it has a part of the content.
func TestAScannerThatEndsInTheMiddle(t *testing.T) {
	server := scantest.Start(t)
	content := noise(8 << 20)
	body := io.MultiReader(bytes.NewReader(content[:4<<20]), onRead(server.Stop), bytes.NewReader(content[4<<20:]))
	if got, err := New(server.URL).Scan(t.Context(), body, int64(len(content))); !errors.Is(err, ErrUnavailable) {
		t.Errorf("%+v, %v", got, err)
	}
}

// onRead is empty, and does something when it is reached.
type onRead func()

func (do onRead) Read([]byte) (int, error) {
	do()
	return 0, io.EOF
}

func TestOverAUnixSocket(t *testing.T) {
	folder, err := os.MkdirTemp("", "clamd") //nolint:usetesting // a test's own folder has a path too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket := filepath.Join(folder, "socket")
	scantest.Start(t, "LocalSocket "+socket)
	eicar := clamd.EICAR()
	got, err := New("unix://"+socket).Scan(t.Context(), bytes.NewReader(eicar), int64(len(eicar)))
	if err != nil || got.State != Infected {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestContentThatIsNotWhatItWasSaidToBeGetsNoVerdict(t *testing.T) {
	scanner := New(scantest.Start(t).URL)
	broken := errors.New("the store is away")
	for name, c := range map[string]struct {
		body io.Reader
		size int64
		is   error
	}{
		"cut short":      {bytes.NewReader(noise(1000)), 1001, nil},
		"too long":       {bytes.NewReader(noise(1000)), 999, nil},
		"empty":          {bytes.NewReader(nil), 1, nil},
		"cannot be read": {io.MultiReader(bytes.NewReader(noise(1000)), iotest.ErrReader(broken)), 2000, broken},
	} {
		got, err := scanner.Scan(t.Context(), c.body, c.size)
		if err == nil || errors.Is(err, ErrUnavailable) || got.State != "" || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// impostor is what listens where a scanner should, and gives the answer to all connections once it has read something; it never closes one
// before the test is over.
func impostor(t *testing.T, answer string) *Scanner {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { connection.Close() })
			go func() {
				buffer := make([]byte, 64<<10)
				for answered := false; ; answered = true {
					if _, err := connection.Read(buffer); err != nil {
						return
					}
					if !answered && answer != "" {
						connection.Write([]byte(answer))
					}
				}
			}()
		}
	}()
	return New("tcp://" + listener.Addr().String())
}

func TestNonsenseIsNoVerdict(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 400 Bad Request\r\n\r\n\x00", "\x00", "stream: \x00", "stream: OK!\x00", "OK FOUNDER\x00",
		"stream: Can't allocate memory ERROR\x00", strings.Repeat("x", 2*longestReply), "PONG\x00",
	} {
		scanner := impostor(t, answer)
		if got, err := scanner.Scan(t.Context(), strings.NewReader("content"), 7); !errors.Is(err, ErrUnavailable) || got.State != "" {
			t.Errorf("%.40q: %+v, %v", answer, got, err)
		}
		if version, err := scanner.Version(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%.40q is taken for version %q, %v", answer, version, err)
		}
	}
	if err := impostor(t, "WRONG\x00").Ping(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("ping: %v", err)
	}
}

func TestAScannerThatHangsIsGivenUp(t *testing.T) {
	scanner := impostor(t, "")
	scanner.idle = 100 * time.Millisecond
	if _, err := scanner.Scan(t.Context(), bytes.NewReader(noise(1<<20)), 1<<20); !errors.Is(err, ErrUnavailable) {
		t.Errorf("one that never answers: %v", err)
	}
	// With 10 s of silence, the caller's time is over first.
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := New("tcp://"+scanner.address).Scan(ctx, strings.NewReader("content"), 7)
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one whose caller has no time: %v", err)
	}
	// One that takes no bytes: nobody accepts, the kernel's buffers become full.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	full := New("tcp://" + listener.Addr().String())
	full.idle = 100 * time.Millisecond
	if _, err := full.Scan(t.Context(), bytes.NewReader(noise(64<<20)), 64<<20); !errors.Is(err, ErrUnavailable) {
		t.Errorf("one that takes nothing: %v", err)
	}
}

// TestALongScanIsWaitedFor shows a scanner less silence than its scan takes: it answers pings meanwhile.
func TestALongScanIsWaitedFor(t *testing.T) {
	scanner := New(scantest.Start(t).URL)
	scanner.idle = 150 * time.Millisecond // 32 MiB take some 0.7 s
	content := append(noise(32<<20), clamd.EICAR()...)
	got, err := scanner.Scan(t.Context(), bytes.NewReader(content), int64(len(content)))
	if err != nil || got.State != Infected {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAddresses(t *testing.T) {
	for address, valid := range map[string]bool{
		"tcp://clamd:3310": true, "tcp://127.0.0.1:3310": true, "tcp://[::1]:3310": true, "unix:///run/clamav/clamd.ctl": true,
		"": false, "clamd:3310": false, "tcp://clamd": false, "tcp://:3310": false, "tcp://clamd:3310/x": false, "unix://clamd.ctl": false,
		"http://clamd:3310": false, "tcp://clamd:port": false,
	} {
		if err := CheckAddress(address); (err == nil) != valid {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestTheDeployedScannerIsConfiguredAsTheTestedOne reads the configuration of the clamd of docker-compose.yml and k8s.
func TestTheDeployedScannerIsConfiguredAsTheTestedOne(t *testing.T) {
	deployed, err := os.ReadFile("../../../k8s/base/clamd/clamd.conf")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(deployed), "\n")
	for _, setting := range clamd.Settings {
		if !slices.Contains(lines, setting) {
			t.Errorf("it has no %q", setting)
		}
	}
	// clamd takes it, but for the places that a test has of its own.
	ours := slices.DeleteFunc(lines, func(line string) bool {
		return line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "TCP") || strings.Contains(line, "Directory")
	})
	if err := New(scantest.Start(t, ours...).URL).Probe(t.Context()); err != nil {
		t.Error(err)
	}
}
