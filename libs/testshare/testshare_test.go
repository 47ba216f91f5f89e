package testshare

import (
	"os"
	"slices"
	"sync"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// own keeps what a test shares apart from what the package does.
func own(t *testing.T) {
	t.Helper()
	before := lives.all
	lives.all = nil
	t.Cleanup(func() { lives.all = before })
}

func TestAllTestsAreGivenTheSame(t *testing.T) {
	own(t)
	made := 0
	shared := Once(func(testing.TB) *int { made++; return &made })
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if shared(t) != &made {
				t.Error("somebody was given another one")
			}
		})
	}
	group.Wait()
	if made != 1 || !closeAll() {
		t.Errorf("it was made %d times", made)
	}
}

func TestWhatIsSharedEndsAfterTheTests(t *testing.T) {
	own(t)
	var ended []string
	var folder string
	first := Once(func(t testing.TB) testing.TB {
		t.Cleanup(func() { ended = append(ended, "first") })
		t.Cleanup(func() { ended = append(ended, "after it") })
		folder = t.TempDir()
		return t
	})
	second := Once(func(t testing.TB) testing.TB {
		t.Cleanup(func() { ended = append(ended, "second") })
		return t
	})
	var life testing.TB
	t.Run("a test", func(t *testing.T) { life = first(t); second(t) })
	if _, err := os.Stat(folder); err != nil || len(ended) > 0 || life.Context().Err() != nil {
		t.Errorf("it ended with the test that made it: %v, %v", ended, err)
	}
	if !closeAll() {
		t.Error("something failed")
	}
	inOrder := slices.Equal(ended, []string{"second", "after it", "first"})
	if _, err := os.Stat(folder); !os.IsNotExist(err) || !inOrder || life.Context().Err() == nil {
		t.Errorf("after the tests: %v, %v", ended, err)
	}
}

func TestAFailureOfWhatIsSharedFailsThePackage(t *testing.T) {
	own(t)
	life := Once(func(t testing.TB) testing.TB { return t })(t)
	life.Error("this line is from a test of testshare")
	if closeAll() {
		t.Error("the package passes")
	}
}

// failing is a test whose failure is looked at.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()    {}
func (f *failing) Log(...any) {}
func (f *failing) Fail()      { f.failed = true }
func (f *failing) FailNow()   { f.failed = true; panic(f) }
func (f *failing) Fatal(...any) {
	f.FailNow()
}

func TestWhatCouldNotBeMadeFailsEveryTestThatWantsIt(t *testing.T) {
	own(t)
	shared := Once(func(t testing.TB) int {
		t.Fatal("impossible")
		return 1
	})
	for range 2 {
		test := &failing{TB: t}
		func() {
			defer func() { _ = recover() }()
			shared(test)
		}()
		if !test.failed {
			t.Error("a test goes on without it")
		}
	}
}
