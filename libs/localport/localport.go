// Package localport finds free ports of this machine for the programs that a launcher or a test starts.
package localport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// Ports are chosen below the range that the kernel takes for outgoing connections (32768 and up), so that a process
// which is started again finds its port free.
const first, last = 15000, 32000

// held are the locked files of this program's reservations: one that nothing refers to would be closed. The files stay: removing
// one that somebody else has just opened would give its port to two.
var held sync.Map

// Reserve finds a port on a host of this machine that nobody listens on, with TCP or UDP, and reserves it on all hosts: no other
// Reserve of this account gives it until release is called or the program ends. address is host:port.
func Reserve(host string) (address string, release func(), err error) {
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("ams-ports-%d", os.Getuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", nil, err
	}
	for range 1000 {
		port := first + rand.IntN(last-first)
		lock, err := os.OpenFile(filepath.Join(folder, strconv.Itoa(port)), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return "", nil, err
		}
		address := net.JoinHostPort(host, strconv.Itoa(port))
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || !IsFree(address) {
			_ = lock.Close()
			continue
		}
		held.Store(lock, true)
		return address, func() { held.Delete(lock); _ = lock.Close() }, nil
	}
	return "", nil, fmt.Errorf("no free port found between %d and %d on %s", first, last, host)
}

// ForTest reserves a port on 127.0.0.1 until the test is over.
func ForTest(t testing.TB) (address string) {
	t.Helper()
	address, release, err := Reserve("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return address
}

// IsFree says whether nobody listens on address (host:port), with TCP or UDP.
func IsFree(address string) bool {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	_ = listener.Close()
	packets, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	_ = packets.Close()
	return true
}
