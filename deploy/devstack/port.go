package devstack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Ports are chosen below the range that the kernel takes for outgoing connections (32768 and up), so that a process
// which is started again finds its port free.
const firstPort, lastPort = 15000, 32000

// ports are reserved for this program's life among all launchers of this account on this machine, each on all hosts.
type ports struct {
	mu    sync.Mutex
	locks []*os.File
}

// choose reserves a port on a host of this machine and writes its address to at.
func (p *ports) choose(at *string, host string) (err error) {
	*at, err = p.free(host)
	return err
}

func (p *ports) free(host string) (string, error) {
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("ams-ports-%d", os.Getuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for range 1000 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		lock, err := os.OpenFile(filepath.Join(folder, strconv.Itoa(port)), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return "", err
		}
		address := net.JoinHostPort(host, strconv.Itoa(port))
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || !bindable(address) {
			lock.Close()
			continue
		}
		p.locks = append(p.locks, lock)
		return address, nil
	}
	return "", fmt.Errorf("no free port found between %d and %d on %s", firstPort, lastPort, host)
}

func (p *ports) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, lock := range p.locks {
		lock.Close() // the file stays: removing one that somebody else has just opened would give its port to two
	}
	p.locks = nil
}

// bindable says whether nobody listens on address, with TCP or UDP.
func bindable(address string) bool {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	listener.Close()
	packets, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	packets.Close()
	return true
}

// errNotOurs says that another program listens where our process should.
var errNotOurs = errors.New("another program listens there")

// ownedBy checks that the process pid itself listens on address: a response of another program is not readiness.
func ownedBy(pid int, address string) error {
	inodes, err := listeningInodes(address)
	if err != nil || len(inodes) == 0 {
		return fmt.Errorf("nobody listens on %s yet", address)
	}
	descriptors, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return err
	}
	for _, descriptor := range descriptors {
		target, err := os.Readlink(descriptor)
		if err == nil && inodes[target] {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", address, errNotOurs)
}

// listeningInodes gives the sockets that listen on an IPv4 address, as /proc/<pid>/fd names them.
func listeningInodes(address string) (map[string]bool, error) {
	wanted, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	octets := wanted.Addr().As4()
	// The kernel prints the address as a native-endian word: 127.0.0.1:8080 is 0100007F:1F90 on x86 and ARM.
	exact := fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(octets[:]), wanted.Port())
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return nil, err
	}
	inodes := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		const listening = "0A"
		if len(fields) > 9 && fields[1] == exact && fields[3] == listening {
			inodes["socket:["+fields[9]+"]"] = true
		}
	}
	return inodes, nil
}
