package spool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ams.internal/libs/principal"
)

// pattern is n bytes of which no two neighbouring kilobytes are equal.
func pattern(n int) []byte {
	made := make([]byte, n)
	for i := range made {
		made[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return made
}

// inFolder makes spools use an empty folder of the test.
func inFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	return folder
}

// openFiles lists the files of the folder that this process has open, by name or without.
func openFiles(t *testing.T, folder string) (open []string) {
	t.Helper()
	descriptors, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil && strings.HasPrefix(target, folder) {
			open = append(open, target)
		}
	}
	return open
}

func TestWhatIsWrittenIsReadWhileItIsWritten(t *testing.T) {
	inFolder(t)
	for _, size := range []int{0, 1, inMemory, inMemory + 1, 5 << 20} {
		want := pattern(size)
		s := Run(t.Context(), func(_ context.Context, w io.Writer) error {
			for rest := want; len(rest) > 0; {
				n := min(len(rest), 1+len(rest)%70_000)
				if _, err := w.Write(rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		})
		got, err := io.ReadAll(s)
		s.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d read, %v", size, len(got), err)
		}
	}
}

func TestTheFirstByteIsThereBeforeTheLastIsWritten(t *testing.T) {
	inFolder(t)
	first := make(chan struct{})
	s := Run(t.Context(), func(_ context.Context, w io.Writer) error {
		_, err := w.Write([]byte("a"))
		<-first
		return err
	})
	defer s.Close()
	if n, err := s.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	close(first)
	if n, err := s.Read(make([]byte, 10)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%d, %v", n, err)
	}
}

func TestAWriterNeverWaitsForItsReaderAndNothingIsLeftOfItsFile(t *testing.T) {
	folder := inFolder(t)
	s, want := New(t.Context()), pattern(3<<20)
	for rest := want; len(rest) > 0; rest = rest[1<<15:] {
		if _, err := s.Write(rest[:1<<15]); err != nil {
			t.Fatal(err)
		}
	}
	s.End(nil)
	if s.Len() != int64(len(want)) || s.memory.Len() > inMemory || len(openFiles(t, folder)) != 1 {
		t.Errorf("%d bytes wait, %d in memory, in %v", s.Len(), s.memory.Len(), openFiles(t, folder))
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 0 {
		t.Errorf("the file has a name while it is used: %v %v", names, err)
	}
	if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	s.Close()
	if open := openFiles(t, folder); len(open) != 0 {
		t.Errorf("still open: %v", open)
	}
}

func TestAReaderThatCatchesUpFreesTheDisk(t *testing.T) {
	inFolder(t)
	s := New(t.Context())
	defer s.Close()
	s.share.of = &space{perSpool: 1 << 20, perOrganization: 1 << 20, perProcess: 1 << 20, by: map[string]int64{}}
	for range 10 { // ten times what the file may hold together
		if _, err := s.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(s, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if about, err := s.file.Stat(); err != nil || about.Size() != 0 {
			t.Errorf("the file has %d bytes, %v", about.Size(), err)
		}
	}
}

func TestAWriterTooFarAheadIsRefused(t *testing.T) {
	inFolder(t)
	s := Run(t.Context(), func(_ context.Context, w io.Writer) error {
		w.(*Spool).share.of = &space{perSpool: 1 << 20, perOrganization: 2 << 20, perProcess: 4 << 20, by: map[string]int64{}}
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return err
			}
		}
	})
	<-s.done()
	got, err := io.ReadAll(s)
	s.Close()
	if !errors.Is(err, ErrFull) || len(got) < 1<<20 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// done is closed when the writer has ended.
func (s *Spool) done() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		s.mutex.Lock()
		for s.ended == nil {
			s.changed.Wait()
		}
		s.mutex.Unlock()
		close(ended)
	}()
	return ended
}

// An organization whose callers are slow takes half of the room at most; what is closed is free again.
func TestTheRoomIsShared(t *testing.T) {
	inFolder(t)
	room := &space{perSpool: 1 << 20, perOrganization: 2 << 20, perProcess: 4 << 20, by: map[string]int64{}}
	open := func(organization string) *Spool {
		s := New(principal.Into(t.Context(), principal.Principal{OrganizationID: organization}))
		s.share.of = room
		return s
	}
	fill := func(s *Spool) error {
		_, err := s.Write(make([]byte, 1<<20))
		return err
	}
	var all []*Spool
	for _, c := range []struct {
		organization string
		fits         bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", true}, {"b", false}, {"c", false}} {
		s := open(c.organization)
		all = append(all, s)
		if err := fill(s); (err == nil) != c.fits || err != nil && !errors.Is(err, ErrFull) {
			t.Errorf("organization %s with %v taken: %v", c.organization, room.by, err)
		}
	}
	all[0].Close()
	if err := fill(all[6]); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
	for _, s := range all {
		s.Close()
		s.Close() // again does nothing
	}
	if room.all != 0 || len(room.by) != 0 {
		t.Errorf("%d bytes are still taken, of %v", room.all, room.by)
	}
}

func TestAnErrorOrAPanicOfTheWriterReachesTheReaderBehindTheBytes(t *testing.T) {
	broken := errors.New("the connection broke")
	for _, fail := range []func() error{func() error { return broken }, func() error { panic(broken) }} {
		s := Run(t.Context(), func(_ context.Context, w io.Writer) error {
			if _, err := w.Write([]byte("half")); err != nil {
				return err
			}
			return fail()
		})
		got, err := io.ReadAll(s)
		s.Close()
		if string(got) != "half" || err == nil || !strings.Contains(err.Error(), "the connection broke") {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestAReaderThatLeavesEndsTheWriter(t *testing.T) {
	folder := inFolder(t)
	waiting, ended := make(chan struct{}), make(chan error, 2)
	writes := Run(t.Context(), func(_ context.Context, w io.Writer) error {
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 1<<16))
		}
		ended <- err
		return err
	})
	waits := Run(t.Context(), func(ctx context.Context, _ io.Writer) error {
		close(waiting)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	<-waiting
	if _, err := io.ReadFull(writes, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	writes.Close()
	waits.Close()
	if len(ended) != 2 || len(openFiles(t, folder)) != 0 { // Close has waited for both
		t.Errorf("%d writers have ended; open are %v", len(ended), openFiles(t, folder))
	}
	if _, err := writes.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a closed spool gives %v", err)
	}
}

func TestWithoutATemporaryFolderTheWriterIsToldSo(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	s := New(t.Context())
	defer s.Close()
	if _, err := s.Write(make([]byte, inMemory+1)); err == nil || !strings.Contains(err.Error(), "spool: ") {
		t.Errorf("said %v", err)
	}
}
