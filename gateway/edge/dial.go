package edge

import (
	"runtime"
	"syscall"
	"time"
)

const (
	// acknowledgeTimeout is how long what was sent to an instance may stay unacknowledged. A machine that lost power, or a
	// region that is cut off, would otherwise block a request on an old connection as long as a slow response may take. How
	// long the instance needs does not count: its kernel acknowledges what arrived.
	acknowledgeTimeout = 2 * time.Second
	// tcpUserTimeout is Linux' TCP_USER_TIMEOUT, which package syscall does not name.
	tcpUserTimeout = 0x12
)

// limitUnacknowledged is a net.Dialer's Control: it ends a connection whose other side acknowledges nothing.
func limitUnacknowledged(_, _ string, connection syscall.RawConn) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	var refused error
	err := connection.Control(func(socket uintptr) {
		refused = syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, tcpUserTimeout, int(acknowledgeTimeout.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return refused
}
