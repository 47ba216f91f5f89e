// Package regions tests the whole product as two regions on one machine: two Consul datacenters that are joined, each with
// its own gateway and services, and the data in one of them. It runs in a network of its own, so that a region can be cut
// off from the other.
package regions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
)

const (
	canada = "ca-central-1" // has the data
	states = "us-east-1"
)

// What iptables can tell apart: everything of the states listens on an address of its own, and the Consul servers reach each
// other on addresses where nothing else is.
const (
	statesHost   = "127.0.0.12"
	canadaConsul = "127.0.0.11"
)

// product is the stack of all tests here; spans is where its programs report their part in every request.
var (
	product *devstack.Stack
	spans   *collector
)

func TestMain(m *testing.M) {
	if os.Getenv(inside) == "" {
		os.Exit(inOwnNetwork())
	}
	os.Exit(run(m))
}

// inside tells the test binary that it is in a network of its own.
const inside = "AMS_TEST_NETWORK"

// inOwnNetwork runs this test binary once more, where a rule about packets concerns nobody else. It gives the exit code.
func inOwnNetwork() int {
	if _, err := devstack.BuildPrograms(); err != nil { // here is a way to the outside, there is none
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	again := exec.Command("/proc/self/exe", os.Args[1:]...)
	again.Env = append(os.Environ(), inside+"=own", "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin") // ip and iptables are there
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 { // a user of one's own is needed then, who is oneself and may do with that network what one likes
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		again.SysProcAttr.AmbientCaps = []uintptr{networkAdministration}
	}
	if err := devstack.StartChild(again); err != nil {
		fmt.Fprintln(os.Stderr, "These tests cut a region off, in a network of their own. Run them as root, or where users may make namespaces:",
			err)
		return 1
	}
	var failed *exec.ExitError
	switch err := again.Wait(); {
	case errors.As(err, &failed):
		return max(1, failed.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// networkAdministration is Linux' CAP_NET_ADMIN.
const networkAdministration = 12

func run(m *testing.M) int {
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "ip link set lo up: %v %s\n", err, out)
		return 1
	}
	var err error
	if spans, err = collect(); err == nil {
		product, err = start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the stack for the tests did not start:", err)
		return 1
	}
	defer func() {
		product.Stop()
		if err := devstack.Drop(product.Folder()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return m.Run()
}

// start starts one of everything in each region. All traces are recorded: they say who took part in a request.
func start() (*devstack.Stack, error) {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "ams-test-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return devstack.Start(ctx, devstack.Options{
		Folder: folder, Binaries: binaries, Regions: []string{canada, states}, Discovery: "consul", Prepared: true, Demo: demo.Organizations,
		Environment: []string{"AMS_OTLP_ENDPOINT=" + spans.address, "AMS_TRACE_RATIO=1"},
	})
}
