// Package picture reads untrusted pictures: their size, when and where they were taken, and thumbnails.
//
// Every byte of a picture is read in a child process that can do nothing but that: see confine. Read starts it; main must call Child first.
package picture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// The thumbnails: pixels of the longer side.
const (
	SmallSide = 256
	LargeSide = 1024
)

// MaxPixels is how many pixels a picture may have for thumbnails to be made.
const MaxPixels = 100_000_000

// The limits of a child, and how many run at once in this process.
const (
	maxChildren = 2
	maxMemory   = 512 << 20        // bytes, beside what the program has before it reads
	maxCPU      = 20 * time.Second // of all its threads
	maxWait     = 2 * time.Minute  // by the clock, for the original to arrive and be read
	maxOutput   = 8 << 20          // bytes of what it says
)

// Result is what a picture says of itself, and its thumbnails.
type Result struct {
	Width, Height       int        // pixels as shown: with the orientation applied; 0 when not known
	TakenAt             *time.Time // nil when not said, or nonsense
	Latitude, Longitude *float64   // degrees (WGS 84), north and east positive; both or neither
	Small, Large        []byte     // JPEG without metadata, at most SmallSide and LargeSide pixels on the longer side; nil when there are none
	Decoded             bool       // whether every pixel was read, so that there are thumbnails
}

// ErrUnreadable is the error of a picture that is broken, or that needs more than the limits: another attempt would end alike. The sentence
// says which. The result then has what was found before.
var ErrUnreadable = errors.New("the picture cannot be read")

// children has a place for each child that may run.
var children = make(chan struct{}, maxChildren)

// Read reads a picture of a media type as mediatype.Detect names it; of one that is no picture it says nothing. zone is where a time
// without an offset was taken; what is after now is nonsense. Of a picture of more than MaxPixels no more than the header is read.
// Errors besides ErrUnreadable are of the original's reader, the context or this machine: another attempt may succeed. A reader that blocks
// may be left in its call when Read returns; closing it ends that.
func Read(ctx context.Context, original io.Reader, mediaType string, zone *time.Location, now time.Time) (Result, error) {
	if formats[mediaType].config == nil {
		return Result{}, nil
	}
	select {
	case children <- struct{}{}:
		defer func() { <-children }()
	case <-ctx.Done():
		return Result{}, fmt.Errorf("wait for a child that reads pictures: %w", ctx.Err())
	}
	return readIn(ctx, original, zone, now, "picture", mediaType)
}

// readIn starts this program again with arguments, gives it the original and reads its answer.
func readIn(ctx context.Context, original io.Reader, zone *time.Location, now time.Time, arguments ...string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	child := exec.CommandContext(ctx, "/proc/self/exe", arguments...)
	output, complaint := &limited{room: maxOutput}, &limited{room: 8 << 10, drop: true}
	child.Env = []string{} // no secrets
	child.Dir = "/"
	child.Stdout, child.Stderr = output, complaint // pipes, as its input: no file of ours is inherited
	child.WaitDelay = time.Second
	in, err := child.StdinPipe()
	if err != nil {
		return Result{}, fmt.Errorf("make a pipe to a child that reads pictures: %w", err)
	}
	if err := child.Start(); err != nil {
		return Result{}, fmt.Errorf("start a child that reads pictures: %w", err)
	}
	fed := feed(in, original)
	_ = child.Wait() // what its state does not say, its answer does
	var failed error
	select {
	case failed = <-fed:
	case <-time.After(child.WaitDelay):
	}

	result, err := believe(output.bytes, zone, now)
	switch {
	case ctx.Err() != nil:
		return result, fmt.Errorf("read a picture: %w", context.Cause(ctx))
	case failed != nil:
		return result, fmt.Errorf("read the original: %w", failed)
	case !child.ProcessState.Success():
		return result, reason(child.ProcessState.Sys().(syscall.WaitStatus), child.ProcessState.UserTime()+child.ProcessState.SystemTime(),
			string(complaint.bytes))
	}
	return result, err
}

// believe is the result of an answer, as far as it goes, less what cannot be: a child may have been taken over by what it read.
func believe(output []byte, zone *time.Location, now time.Time) (Result, error) {
	var metadata metadata
	var thumbnails thumbnails
	decoder := json.NewDecoder(bytes.NewReader(output))
	if err := decoder.Decode(&metadata); err != nil {
		return Result{}, fmt.Errorf("%w: its reader said nothing: %w", ErrUnreadable, err)
	}
	result := metadata.result(zone, now)
	if err := decoder.Decode(&thumbnails); err != nil {
		return result, fmt.Errorf("%w: its reader said nothing of the pixels: %w", ErrUnreadable, err)
	}
	if thumbnails.Problem != "" {
		return result, fmt.Errorf("%w: %s", ErrUnreadable, thumbnails.Problem)
	}
	jpeg := func(b []byte) bool { return bytes.HasPrefix(b, []byte("\xff\xd8\xff")) }
	if jpeg(thumbnails.Small) && jpeg(thumbnails.Large) {
		result.Small, result.Large, result.Decoded = thumbnails.Small, thumbnails.Large, true
	}
	return result, nil
}

// reason is the error of a child that ended by itself or by a limit.
func reason(status syscall.WaitStatus, used time.Duration, complaint string) error {
	complaint = strings.TrimSpace(complaint)
	line, _, _ := strings.Cut(complaint, "\n")
	switch {
	case status.Signaled() && status.Signal() == syscall.SIGKILL && used >= maxCPU-time.Second/2:
		return fmt.Errorf("%w: it needs more than %s of a processor", ErrUnreadable, maxCPU)
	case strings.Contains(complaint, "out of memory"), strings.Contains(complaint, "cannot allocate memory"):
		return fmt.Errorf("%w: it needs more than %d MiB of memory", ErrUnreadable, maxMemory>>20)
	case strings.HasPrefix(complaint, "SIGSEGV"): // the runtime's own code, which does not look at every allocation
		return fmt.Errorf("%w: its reader broke, most likely for want of memory: it may have %d MiB", ErrUnreadable, maxMemory>>20)
	case status.Signaled() && status.Signal() == syscall.SIGKILL: // by somebody, or for want of memory of the machine
		return errors.New("the child that reads pictures was killed")
	case status.Signaled():
		return fmt.Errorf("%w: its reader ended by the signal %s: %s", ErrUnreadable, status.Signal(), line)
	default:
		return fmt.Errorf("%w: its reader ended with status %d: %s", ErrUnreadable, status.ExitStatus(), line)
	}
}

// feed copies the original to a child until either ends, and says with what error the original could not be read; the child sees an end of
// the file alike.
func feed(child io.WriteCloser, original io.Reader) <-chan error {
	fed := make(chan error, 1)
	go func() {
		defer child.Close()
		for buffer := make([]byte, 64<<10); ; {
			n, err := original.Read(buffer)
			if _, broken := child.Write(buffer[:n]); broken != nil || err == io.EOF {
				fed <- nil // it has read what it needs
				return
			}
			if err != nil {
				fed <- err
				return
			}
		}
	}()
	return fed
}

// limited is a buffer of limited room. What does not fit is an error, or dropped.
type limited struct {
	bytes []byte // not a bytes.Buffer within, whose ReadFrom knows no limit
	room  int
	drop  bool
}

func (l *limited) Write(p []byte) (int, error) {
	fits := min(len(p), l.room-len(l.bytes))
	l.bytes = append(l.bytes, p[:fits]...)
	if fits < len(p) && !l.drop {
		return fits, io.ErrShortWrite
	}
	return len(p), nil
}
