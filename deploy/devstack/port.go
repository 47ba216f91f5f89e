package devstack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ams.internal/libs/localport"
)

// ports are reserved for this program's life, each on all hosts of this machine.
type ports struct {
	mu       sync.Mutex
	releases []func()
}

// choose reserves a port on a host of this machine and writes its address to at.
func (p *ports) choose(at *string, host string) (err error) {
	*at, err = p.free(host)
	return err
}

func (p *ports) free(host string) (string, error) {
	address, release, err := localport.Reserve(host)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.releases = append(p.releases, release)
	return address, nil
}

func (p *ports) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, release := range p.releases {
		release()
	}
	p.releases = nil
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
