package edge

import (
	"runtime"
	"syscall"
	"time"
)

const (
	// unheard is how long what was sent to an instance may stay without a sign that its machine got it. A machine that lost
	// power, or a region that is cut off, would otherwise keep a request waiting on an old connection as long as a slow
	// answer may take. How long the instance thinks does not count: its kernel acknowledges what it got.
	unheard = 2 * time.Second
	// tcpUserTimeout is Linux' TCP_USER_TIMEOUT, which package syscall does not name.
	tcpUserTimeout = 0x12
)

// giveUp is a net.Dialer's Control: it makes a connection end when the other side is unheard of.
func giveUp(_, _ string, connection syscall.RawConn) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	var refused error
	err := connection.Control(func(socket uintptr) {
		refused = syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, tcpUserTimeout, int(unheard.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return refused
}
