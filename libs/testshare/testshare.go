// Package testshare shares a fixture between the tests of a package, such as a service on its database: the first test that needs it
// makes it, and it is closed after the last test.
package testshare

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// Main runs the tests of a package, and then closes what they shared. Whoever uses Once calls it in TestMain.
func Main(m *testing.M) {
	running.Store(true)
	code := m.Run()
	if !closeAll() && code == 0 {
		code = 1
	}
	os.Exit(code)
}

var running atomic.Bool

// lives are those of everything that was made.
var lives struct {
	mu  sync.Mutex
	all []*life
}

// closeAll closes what was shared, the last first, and says whether all went well, also before.
func closeAll() bool {
	lives.mu.Lock()
	defer lives.mu.Unlock()
	well := true
	for _, l := range slices.Backward(lives.all) {
		l.close()
		well = well && !l.Failed()
	}
	return well
}

// Once gives a function that gives all tests the same T. What make starts ends with the package, for it is given a testing.TB that does:
// whatever takes one can be shared.
func Once[T any](make func(t testing.TB) T) func(t testing.TB) T {
	var (
		once   sync.Once
		shared T
		made   bool
	)
	return func(t testing.TB) T {
		t.Helper()
		if !running.Load() {
			t.Fatal("testshare: the package's tests share something that nobody closes: func TestMain(m *testing.M) { testshare.Main(m) }")
		}
		once.Do(func() {
			l := newLife(t)
			shared = make(l)
			l.maker.Store(nil)
			made = !l.Failed()
		})
		if !made {
			t.Fatal("testshare: what the tests share could not be made; the first test that wanted it says why")
		}
		return shared
	}
}

// life is the testing.TB of something shared. While it is made, it speaks for the test that makes it; later it prints, and the package
// fails.
type life struct {
	testing.TB // nil: what is not below has no meaning here

	maker   atomic.Pointer[testing.TB]
	context context.Context
	cancel  context.CancelFunc
	failed  atomic.Bool

	mu       sync.Mutex
	cleanups []func()
}

func newLife(maker testing.TB) *life {
	l := &life{}
	l.context, l.cancel = context.WithCancel(context.Background())
	l.maker.Store(&maker)
	lives.mu.Lock()
	lives.all = append(lives.all, l)
	lives.mu.Unlock()
	return l
}

func (l *life) close() {
	l.cancel()
	for {
		l.mu.Lock()
		if len(l.cleanups) == 0 {
			l.mu.Unlock()
			return
		}
		last := l.cleanups[len(l.cleanups)-1]
		l.cleanups = l.cleanups[:len(l.cleanups)-1]
		l.mu.Unlock()
		last()
	}
}

func (l *life) Cleanup(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cleanups = append(l.cleanups, do)
}

func (l *life) Context() context.Context { return l.context }
func (l *life) Failed() bool             { return l.failed.Load() }
func (l *life) Helper()                  {}
func (l *life) Name() string             { return "what the tests share" }
func (l *life) Output() io.Writer        { return os.Stderr }

func (l *life) TempDir() string {
	folder, err := os.MkdirTemp("", "ams-shared-") //nolint:usetesting // it outlives a test
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			l.Error(err)
		}
	})
	return folder
}

func (l *life) Log(args ...any)                 { l.log(fmt.Sprintln(args...)) }
func (l *life) Logf(format string, args ...any) { l.log(fmt.Sprintf(format, args...) + "\n") }

func (l *life) Error(args ...any)                 { l.Log(args...); l.Fail() }
func (l *life) Errorf(format string, args ...any) { l.Logf(format, args...); l.Fail() }

func (l *life) Fatal(args ...any)                 { l.Log(args...); l.FailNow() }
func (l *life) Fatalf(format string, args ...any) { l.Logf(format, args...); l.FailNow() }

func (l *life) Fail() {
	l.failed.Store(true)
	if maker := l.maker.Load(); maker != nil {
		(*maker).Fail()
	}
}

func (l *life) FailNow() {
	l.Fail()
	if maker := l.maker.Load(); maker != nil {
		(*maker).FailNow()
	}
	panic("testshare: what the tests share has failed")
}

func (l *life) log(text string) {
	if maker := l.maker.Load(); maker != nil {
		(*maker).Log(text)
		return
	}
	fmt.Fprint(os.Stderr, text)
}
