package edge

import (
	"context"
	"net"
	"runtime"
	"syscall"
	"time"
)

const (
	// acknowledgeTimeout is how long what was sent to an instance may stay unacknowledged. A machine that lost power, or a
	// region that is cut off, would otherwise block a request on an old connection as long as a slow response may take. How
	// long the instance needs does not count: its kernel acknowledges what arrived.
	acknowledgeTimeout = 2 * time.Second
	// acceptTimeout is the same for uploads. There, what a service does not read because it waits for its store counts too: the kernel that
	// has no room for more accepts nothing.
	acceptTimeout = time.Minute
	// tcpUserTimeout is Linux' TCP_USER_TIMEOUT, which package syscall does not name.
	tcpUserTimeout = 0x12
)

// dialer connects to instances. A connection ends whose other side acknowledges nothing for so long.
func dialer(timeout time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	limit := func(_, _ string, connection syscall.RawConn) error { return limitUnacknowledged(connection, timeout) }
	return (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second, Control: limit}).DialContext
}

func limitUnacknowledged(connection syscall.RawConn, timeout time.Duration) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	var refused error
	err := connection.Control(func(socket uintptr) {
		refused = syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, tcpUserTimeout, int(timeout.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return refused
}
