// Package scan has clamd (ClamAV 1.4) scan contents for malware.
//
// The protocol is that of clamd(8): a command behind "z" ends with a null byte, as does the reply; INSTREAM is followed by pieces of
// content, each behind its length in four bytes, the most significant first, and by a piece of length 0.
package scan

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"ams.internal/libs/transaction"
)

// State is what a scan finds.
type State string

// Infected content holds what a signature describes. Unscannable content could not be looked into in full: it is encrypted, or over the
// limits of the scanner.
const (
	Clean       State = "clean"
	Infected    State = "infected"
	Unscannable State = "unscannable"
)

// Verdict is the result of a scan. Detail is the name of the signature, or why content is unscannable; empty of what is clean.
type Verdict struct {
	State  State
	Detail string
}

// ErrUnavailable is wrapped by the errors of a scanner that cannot be reached, does not answer, or cannot scan at the moment. The content
// has no verdict then: try again.
var ErrUnavailable = errors.New("the malware scanner is not available")

// ErrOverlooks is wrapped by the error of Probe about a scanner that calls clean what it has not looked into.
var ErrOverlooks = errors.New("the malware scanner says OK to what it has not looked into")

// LargestContent is the most that clamd looks into, in bytes, whatever its configuration says.
const LargestContent = 1<<31 - 1

// What is sent to clamd in one piece, in bytes.
const pieceSize = 256 << 10

// The longest reply of clamd that is read; the longest names of signatures are far shorter.
const longestReply = 4 << 10

// Scanner is a clamd. It may be used by many at the same time; each scan takes a thread of clamd (MaxThreads, 10 unless configured), and
// further ones wait for theirs.
type Scanner struct {
	network, address string
	connect, idle    time.Duration
}

// CheckAddress says whether New takes an address: tcp://host:port, or unix:///path.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err == nil {
		switch {
		case u.Scheme == "tcp" && u.Hostname() != "" && u.Port() != "" && u.Path == "":
			return nil
		case u.Scheme == "unix" && u.Host == "" && strings.HasPrefix(u.Path, "/"):
			return nil
		}
	}
	return errors.New("give tcp://host:port or unix:///path")
}

// New gives the clamd at an address that CheckAddress takes. It is not called yet.
func New(address string) *Scanner {
	network, rest, _ := strings.Cut(address, "://")
	return &Scanner{network: network, address: rest, connect: time.Second, idle: 10 * time.Second}
}

// Scan has size bytes of body scanned, and reads the body once, in order. Content over LargestContent is unscannable without asking.
// Connecting takes a second at most. A scanner that neither takes a piece of the body nor answers for 10 s is unavailable; the scan as a
// whole ends with ctx. An error that does not wrap ErrUnavailable is one of the body: it cannot be read, or does not have size bytes.
func (s *Scanner) Scan(ctx context.Context, body io.Reader, size int64) (Verdict, error) {
	if size > LargestContent {
		return Verdict{Unscannable, fmt.Sprintf("larger than the %d bytes that can be scanned", int64(LargestContent))}, nil
	}
	c, err := s.open(ctx)
	if err != nil {
		return Verdict{}, err
	}
	defer c.close()
	sendErr := c.send([]byte("zINSTREAM\x00"))
	if sendErr == nil {
		var bodyErr error
		if sendErr, bodyErr = c.stream(body, size); bodyErr != nil {
			return Verdict{}, bodyErr
		}
	}
	// clamd says why it takes no more, and closes the connection: the reply is there when a piece cannot be sent.
	reply, err := c.scanned(ctx)
	if err != nil {
		return Verdict{}, s.unavailable(ctx, errors.Join(sendErr, err))
	}
	return s.verdict(ctx, reply)
}

// verdict reads the reply to INSTREAM: "stream: OK", "stream: NAME FOUND", or a sentence that ends with ERROR.
func (s *Scanner) verdict(ctx context.Context, reply string) (Verdict, error) {
	result := strings.TrimPrefix(reply, "stream: ")
	name, found := strings.CutSuffix(result, " FOUND")
	switch {
	case result == "OK":
		return Verdict{State: Clean}, nil
	case found && (strings.HasPrefix(name, limitsExceeded) || strings.HasPrefix(name, encrypted)):
		return Verdict{Unscannable, name}, nil
	case found:
		return Verdict{Infected, name}, nil
	case strings.HasPrefix(result, "INSTREAM size limit exceeded"): // its StreamMaxLength
		return Verdict{Unscannable, "larger than the scanner's StreamMaxLength"}, nil
	}
	return Verdict{}, s.unavailable(ctx, fmt.Errorf("it answered %q", reply))
}

// Names under which clamd reports what it could not look into.
const (
	limitsExceeded = "Heuristics.Limits.Exceeded"
	encrypted      = "Heuristics.Encrypted."
)

// Version names the program and the signatures that it has loaded, for example "ClamAV 1.4.6/27830/Sun Nov 22 10:24:08 2026". It changes
// with ClamAV's daily signatures, not with those that others made.
func (s *Scanner) Version(ctx context.Context) (string, error) {
	version, err := s.command(ctx, "VERSION")
	if err == nil && !strings.HasPrefix(version, "ClamAV ") {
		err = s.unavailable(ctx, fmt.Errorf("it answered %q to VERSION", version))
	}
	return version, err
}

// Ping is nil when clamd takes commands.
func (s *Scanner) Ping(ctx context.Context) error {
	reply, err := s.command(ctx, "PING")
	if err == nil && reply != "PONG" {
		err = s.unavailable(ctx, fmt.Errorf("it answered %q to PING", reply))
	}
	return err
}

func (s *Scanner) command(ctx context.Context, command string) (string, error) {
	c, err := s.open(ctx)
	if err != nil {
		return "", err
	}
	defer c.close()
	if err := c.send([]byte("z" + command + "\x00")); err != nil {
		return "", s.unavailable(ctx, err)
	}
	reply, err := c.reply()
	if err != nil {
		return "", s.unavailable(ctx, err)
	}
	return reply, nil
}

func (s *Scanner) unavailable(ctx context.Context, cause error) error {
	if ctx.Err() != nil { // which closed the connection
		cause = context.Cause(ctx)
	}
	return fmt.Errorf("%w (%s://%s): %w", ErrUnavailable, s.network, s.address, cause)
}

// connection is one with clamd, for one command. It is closed when the context ends.
type connection struct {
	net.Conn
	scanner *Scanner
	replies *bufio.Reader
	forget  func() bool
}

func (s *Scanner) open(ctx context.Context) (*connection, error) {
	transaction.MustNotRun(ctx, "ask the malware scanner")
	raw, err := (&net.Dialer{Timeout: s.connect}).DialContext(ctx, s.network, s.address)
	if err != nil {
		return nil, s.unavailable(ctx, err)
	}
	c := &connection{Conn: raw, scanner: s, replies: bufio.NewReader(io.LimitReader(raw, longestReply))}
	c.forget = context.AfterFunc(ctx, func() { _ = raw.Close() })
	return c, nil
}

func (c *connection) close() {
	c.forget()
	_ = c.Close()
}

func (c *connection) send(bytes []byte) error {
	if err := c.SetWriteDeadline(time.Now().Add(c.scanner.idle)); err != nil {
		return err
	}
	_, err := c.Write(bytes)
	return err
}

// stream sends the body in pieces, and the empty piece that ends it once all size bytes have been sent. What is wrong with the body is
// apart from what is wrong with the connection: content that was cut short must not get a verdict.
func (c *connection) stream(body io.Reader, size int64) (sendErr, bodyErr error) {
	piece := make([]byte, 4+pieceSize)
	for sent := int64(0); ; {
		n, err := body.Read(piece[4:])
		sent += int64(n)
		if sent > size {
			return nil, fmt.Errorf("the content to scan has more than its %d bytes", size)
		}
		if n > 0 {
			binary.BigEndian.PutUint32(piece, uint32(n))
			if err := c.send(piece[:4+n]); err != nil {
				return err, nil
			}
		}
		switch {
		case errors.Is(err, io.EOF) && sent < size:
			return nil, fmt.Errorf("the content to scan has %d bytes instead of %d", sent, size)
		case errors.Is(err, io.EOF):
			return c.send([]byte{0, 0, 0, 0}), nil
		case err != nil:
			return nil, fmt.Errorf("reading the content to scan: %w", err)
		}
	}
}

// scanned waits for the verdict. clamd is silent as long as it scans (MaxScanTime), but answers others meanwhile: one that does not answer
// a PING either is not scanning.
func (c *connection) scanned(ctx context.Context) (string, error) {
	for {
		reply, err := c.reply()
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() || ctx.Err() != nil {
			return reply, err
		}
		if err := c.scanner.Ping(ctx); err != nil {
			return "", err
		}
	}
}

// reply reads what clamd answers, without the null byte that ends it.
func (c *connection) reply() (string, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.scanner.idle)); err != nil {
		return "", err
	}
	reply, err := c.replies.ReadString(0)
	if err != nil {
		if reply != "" {
			err = fmt.Errorf("it answered %q, and then: %w", reply, err)
		}
		return "", err
	}
	return strings.TrimSuffix(reply, "\x00"), nil
}
