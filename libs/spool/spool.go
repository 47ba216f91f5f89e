// Package spool buffers bytes between a writer and a reader of different speeds: a little in memory, the rest in a temporary file.
// So a writer (a database that holds a connection for it) never waits for a reader (a caller far away).
package spool

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

const inMemory = 256 << 10

// ErrFull is the error of a writer whose reader is too far behind, or whose organization has too much waiting.
var ErrFull = &fault.Error{Kind: fault.KindRateLimited, Code: "too_much_waiting", RetryAfter: 10 * time.Second,
	Message: "Too much of what this organization has asked for waits to be read; read those responses to their end first."}

// Spool has one writer and one reader, which may read while the writer writes.
type Spool struct {
	memory        bytes.Buffer // comes before what is in the file
	file          *os.File     // nil until memory is full; it has no name, so nothing is left of it when the process ends
	written, read int64        // of the file
	share         share
	ended         error // what the reader gets after the last byte
	closed        bool

	mutex   sync.Mutex
	changed sync.Cond
	stop    func() // of Run: ends the writer and waits for it
}

// New makes an empty spool for the organization of ctx. Its writer ends it with End, its reader with Close.
func New(ctx context.Context) *Spool {
	s := &Spool{share: share{of: disk, organization: principal.From(ctx).OrganizationID}, stop: func() {}}
	s.changed.L = &s.mutex
	return s
}

// Run calls write in a goroutine of its own, and gives what it writes. Its error, or its panic, is the reader's error after the
// last byte. Close cancels its context, makes its writes fail, and returns when write has.
func Run(ctx context.Context, write func(ctx context.Context, w io.Writer) error) *Spool {
	s, done := New(ctx), make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	s.stop = func() {
		cancel()
		<-done
	}
	go func() {
		defer close(done)
		var err error
		defer func() {
			if caught := recover(); caught != nil {
				err = fmt.Errorf("panic: %v\n%s", caught, debug.Stack())
			}
			s.End(err)
		}()
		err = write(ctx, s)
	}()
	return s
}

// Write never waits for the reader. It fails when the reader has closed the spool, and when the file would become too large.
func (s *Spool) Write(piece []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.closed:
		return 0, io.ErrClosedPipe
	case s.written == 0 && s.memory.Len()+len(piece) <= inMemory:
		s.memory.Write(piece)
	case !s.share.take(int64(len(piece))):
		return 0, ErrFull
	default:
		if err := s.spill(piece); err != nil {
			return 0, err
		}
	}
	s.changed.Signal()
	return len(piece), nil
}

func (s *Spool) spill(piece []byte) error {
	if s.file == nil {
		file, err := os.CreateTemp("", "ams-spool-")
		if err != nil {
			return fmt.Errorf("spool: %w", err)
		}
		s.file = file
		if err := os.Remove(file.Name()); err != nil {
			return fmt.Errorf("spool: %w", err)
		}
	}
	n, err := s.file.WriteAt(piece, s.written)
	s.written += int64(n)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

// End says that nothing more is written. The reader gets err after the last byte, or io.EOF for nil.
func (s *Spool) End(err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended = err; err == nil {
		s.ended = io.EOF
	}
	s.changed.Signal()
}

// Read waits until something is written.
func (s *Spool) Read(piece []byte) (n int, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for {
		switch {
		case s.closed:
			return 0, io.ErrClosedPipe
		case s.memory.Len() > 0:
			return s.memory.Read(piece)
		case s.read < s.written:
			n, err = s.file.ReadAt(piece[:min(int64(len(piece)), s.written-s.read)], s.read)
			if s.read += int64(n); s.read == s.written && err == nil { // caught up: memory will do again
				s.read, s.written, err = 0, 0, s.file.Truncate(0)
				s.share.giveBack()
			}
			return n, err
		case s.ended != nil:
			return 0, s.ended
		}
		s.changed.Wait()
	}
}

// Len is how many bytes wait for the reader.
func (s *Spool) Len() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return int64(s.memory.Len()) + s.written - s.read
}

// Close frees memory and file. A writer that goes on writing gets an error.
func (s *Spool) Close() {
	s.mutex.Lock()
	if s.closed = true; s.file != nil {
		_ = s.file.Close() // nobody needs what is in it
	}
	s.memory, s.file = bytes.Buffer{}, nil
	s.share.giveBack()
	s.mutex.Unlock()
	s.stop()
}
