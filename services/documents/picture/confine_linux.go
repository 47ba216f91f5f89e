package picture

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// limits are what a child may use.
type limits struct {
	memory uint64        // bytes of private memory, beside what the process has already
	cpu    time.Duration // of all its threads, in whole seconds
}

// allowed are the system calls that a Go program needs that computes, reads what is open and writes what is open. They hold on amd64 and
// arm64.
var allowed = []string{
	"read", "write", "close", "fstat", "fcntl", // of descriptors it has; there are no others to be had
	"mmap", "munmap", "mprotect", "madvise", "mremap", "mincore", "brk", // memory, up to the limit
	"futex", "sched_yield", "sched_getaffinity", "nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday", "restart_syscall",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill", "getpid", "gettid", "getrandom",
	"set_robust_list", "rseq", "exit", "exit_group", "epoll_pwait", "epoll_ctl",
}

// confine takes from the process, for good and without any privilege: memory and processor time beyond the limits; and every system call
// but those above, so that it opens no file and no socket, starts no program and signals no other process. Calls that are refused fail with
// EPERM.
//
// The limit of memory is RLIMIT_DATA, which counts private writable memory. RLIMIT_AS counts what the Go runtime reserves and never uses
// too, some hundreds of MiB that differ from release to release.
func confine(l limits) error {
	runtime.GOMAXPROCS(min(2, runtime.NumCPU())) // also ends the runtime's looking at the limits of its cgroup
	debug.SetMemoryLimit(int64(l.memory) * 3 / 4)
	if err := closeInherited(); err != nil {
		return err
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	fields := strings.Fields(string(statm)) // the sixth is data and stack, in pages [man 5 proc]
	if len(fields) < 6 {
		return fmt.Errorf("/proc/self/statm is %q", statm)
	}
	pages, err := strconv.ParseUint(fields[5], 10, 64)
	if err != nil {
		return err
	}
	// At the hard limit of processor time the kernel kills; the signal at the soft one is nothing to a Go program.
	seconds := uint64(l.cpu / time.Second)
	for _, limit := range []struct {
		of  int
		max uint64
	}{
		{unix.RLIMIT_CPU, seconds},
		{unix.RLIMIT_DATA, pages*uint64(os.Getpagesize()) + l.memory},
		{unix.RLIMIT_NOFILE, 0}, // no descriptor besides those it has
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_CORE, 0},
	} {
		if err := unix.Setrlimit(limit.of, &unix.Rlimit{Cur: limit.max, Max: limit.max}); err != nil {
			return fmt.Errorf("set limit %d: %w", limit.of, err)
		}
	}
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync, // all threads
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls: []seccomp.SyscallGroup{{
				Action: seccomp.ActionAllow,
				Names:  allowed,
				NamesWithCondtions: []seccomp.NameWithConditions{
					{Name: "clone", Conditions: []seccomp.Condition{{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}}},
					{Name: "prctl", Conditions: []seccomp.Condition{{Argument: 0, Operation: seccomp.Equal, Value: unix.PR_SET_VMA}}},
				},
			}, {
				// glibc then makes threads by clone, whose flags can be looked at.
				Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS),
				Names:  []string{"clone3"},
			}},
		},
	})
}

// closeInherited closes what the parent was started with and never knew of. The event queue of the Go runtime stays.
func closeInherited() error {
	links, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, link := range links {
		fd, err := strconv.Atoi(link.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if to, err := os.Readlink("/proc/self/fd/" + link.Name()); err != nil || to == "anon_inode:[eventpoll]" || to == "anon_inode:[eventfd]" {
			continue
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("close descriptor %d: %w", fd, err)
		}
	}
	return nil
}
