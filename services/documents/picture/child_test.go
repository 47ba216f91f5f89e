package picture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ams.internal/libs/testwait"
)

// TestMain: this test binary is the child too, as the service's binary is; "taken" is a child that somebody has taken over.
func TestMain(m *testing.M) {
	Child()
	if len(os.Args) == 3 && os.Args[1] == "taken" {
		takenOver(os.Args[2])
	}
	os.Exit(m.Run())
}

// takenOver does in a child what a child must not.
func takenOver(how string) {
	l := limits{maxMemory, maxCPU}
	if how == "spin" {
		l.cpu = time.Second
	}
	if err := confine(l); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch how {
	case "look":
		json.NewEncoder(os.Stdout).Encode(attempts())
	case "spin":
		for i := 0; ; i++ {
			_ = i
		}
	case "eat":
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte{1}, 16<<20))
			fmt.Fprintln(os.Stderr, len(all)*16)
		}
	case "panic":
		panic("on purpose")
	case "chatter":
		for {
			os.Stdout.Write(make([]byte, 1<<20))
		}
	case "lie":
		fmt.Println(`{"width":10,"height":10,"taken":"1970-01-01T00:00:00Z","latitude":1e6,"longitude":5}`)
		fmt.Println(`{"small":"PHNjcmlwdD4=","large":"PHNjcmlwdD4="}`)
	}
	os.Exit(0)
}

// descriptors are those that are open, but the event queue of the Go runtime, which is of no type.
func descriptors() (open []int) {
	for fd := range 4096 {
		var about unix.Stat_t
		if err := unix.Fstat(fd, &about); err == nil && about.Mode&unix.S_IFMT != 0 {
			open = append(open, fd)
		}
	}
	return open
}

type attempted struct {
	Environment []string
	Descriptors []int
	Outcomes    map[string]string
}

func attempts() attempted {
	outcome := func(err error) string {
		if err == nil {
			return "done"
		}
		var no syscall.Errno
		if errors.As(err, &no) {
			return unix.ErrnoName(no)
		}
		return err.Error()
	}
	socket := func(family, kind int) string { _, err := unix.Socket(family, kind, 0); return outcome(err) }
	a := attempted{os.Environ(), descriptors(), map[string]string{
		"socket of IPv4":     socket(unix.AF_INET, unix.SOCK_STREAM),
		"socket of IPv6":     socket(unix.AF_INET6, unix.SOCK_DGRAM),
		"socket of Unix":     socket(unix.AF_UNIX, unix.SOCK_STREAM),
		"socket of netlink":  socket(unix.AF_NETLINK, unix.SOCK_RAW),
		"kill the parent":    outcome(unix.Kill(os.Getppid(), unix.SIGKILL)),
		"raise a limit":      outcome(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100, Max: 100})),
		"start a program":    outcome(unix.Exec("/proc/self/exe", []string{"a"}, nil)),
		"remove a file":      outcome(unix.Unlink("/tmp/nothing")),
		"a space of its own": outcome(unix.Unshare(unix.CLONE_NEWUSER)),
	}}
	for what, flags := range map[string]int{"open to read": unix.O_RDONLY, "open to write": unix.O_WRONLY | unix.O_CREAT} {
		_, err := unix.Open("/etc/hostname", flags, 0o600)
		a.Outcomes[what] = outcome(err)
	}
	_, err := unix.PidfdOpen(os.Getppid(), 0)
	a.Outcomes["look at the parent"] = outcome(err)
	_, _, no := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	a.Outcomes["a process of its own"] = outcome(no)
	_, _, no = unix.RawSyscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
	a.Outcomes["a queue of system calls"] = outcome(no)
	return a
}

// TestAChildCanDoNothingButCompute: as the service's own user or, where the test runs as root, as an unprivileged one.
func TestAChildCanDoNothingButCompute(t *testing.T) {
	t.Setenv("AMS_SECRET", "must not be inherited")
	file, err := os.Open("/etc/hostname")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	child := exec.CommandContext(t.Context(), "/proc/self/exe", "taken", "look")
	child.Env, child.Dir, child.Stdin, child.Stderr = []string{}, "/", strings.NewReader(""), os.Stderr
	child.ExtraFiles = []*os.File{file}
	if os.Geteuid() == 0 {
		child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	}
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got attempted
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if len(got.Environment) != 0 {
		t.Errorf("environment: %q", got.Environment)
	}
	if fmt.Sprint(got.Descriptors) != "[0 1 2]" {
		t.Errorf("open: %v", got.Descriptors)
	}
	if len(got.Outcomes) != 14 {
		t.Errorf("%d attempts", len(got.Outcomes))
	}
	for what, outcome := range got.Outcomes {
		if outcome != "EPERM" {
			t.Errorf("%s: %s", what, outcome)
		}
	}
}

// TestTheChildOfReadIsConfined looks at a child that waits for its picture, from outside.
func TestTheChildOfReadIsConfined(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Read(ctx, blocking{ctx}, "image/jpeg", time.UTC, now)
		done <- err
	}()
	pid := oneChild(t)
	status := ""
	testwait.For(t, 20*time.Second, "it is confined", func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		status = string(b)
		return err == nil && strings.Contains(status, "Seccomp:\t2\n")
	})
	if !strings.Contains(status, "NoNewPrivs:\t1\n") {
		t.Error(status)
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if err != nil {
		t.Fatal(err)
	}
	limit := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if len(line) > 46 {
			limit[strings.TrimSpace(line[:26])] = strings.Join(strings.Fields(line[26:46+20]), " ")
		}
	}
	for name, want := range map[string]string{"Max cpu time": "20 20", "Max open files": "0 0", "Max file size": "0 0",
		"Max core file size": "0 0"} {
		if limit[name] != want {
			t.Errorf("%s: %q, want %q", name, limit[name], want)
		}
	}
	soft, _, _ := strings.Cut(limit["Max data size"], " ")
	if data, err := strconv.Atoi(soft); err != nil || data < maxMemory || (!raceEnabled && data > maxMemory+128<<20) {
		t.Errorf("Max data size: %q", limit["Max data size"])
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// oneChild is the process id of a child of this process, as soon as there is one.
func oneChild(t *testing.T) (pid int) {
	t.Helper()
	testwait.For(t, 20*time.Second, "there is a child", func() bool {
		all := childProcesses(t)
		if len(all) > 0 {
			pid = all[0]
		}
		return len(all) > 0
	})
	return pid
}

func childProcesses(t *testing.T) (pids []int) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Fatal("no lists of children", err)
	}
	for _, list := range lists {
		b, _ := os.ReadFile(list) // a thread may have ended
		for _, field := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func TestWhatEndsAChildIsSaid(t *testing.T) {
	for _, c := range []struct {
		how, want  string
		unreadable bool
	}{
		// the race detector counts memory before the runtime does
		{"eat", map[bool]string{false: "512 MiB", true: "status 66"}[raceEnabled], true},
		{"panic", "ended with status 2: panic: on purpose", true},
		{"chatter", "", true},
		{"nothing", "said nothing", true},
	} {
		t.Run(c.how, func(t *testing.T) {
			r, err := readIn(t.Context(), strings.NewReader(""), time.UTC, now, "taken", c.how)
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrUnreadable) != c.unreadable || r.Decoded || r.Small != nil {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestAChildEndsAtItsLimits: memory and processor time are taken from it by the kernel, whatever runs in it.
func TestAChildEndsAtItsLimits(t *testing.T) {
	for _, how := range []string{"eat", "spin"} {
		child := exec.CommandContext(t.Context(), "/proc/self/exe", "taken", how)
		var complaint bytes.Buffer
		child.Env, child.Stderr = []string{}, &complaint
		err := child.Run()
		state := child.ProcessState
		switch used := state.UserTime() + state.SystemTime(); {
		case err == nil:
			t.Errorf("%s: it ended by itself", how)
		case how == "spin" && (state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL || used < 500*time.Millisecond ||
			used > 3*time.Second):
			t.Errorf("%s: %v after %s", how, state, used)
		case how == "eat":
			all := strings.Split(strings.Split(complaint.String(), "\nruntime")[0], "\n")
			last := 0
			for _, line := range all {
				if n, err := strconv.Atoi(line); err == nil {
					last = n
				}
			}
			t.Logf("it had %d MiB", last)
			if last > 512 || (!raceEnabled && last < 400) {
				t.Errorf("it had %d MiB when it ended: %s", last, state)
			}
		}
	}
	killed := reason(syscall.WaitStatus(syscall.SIGKILL), maxCPU, "")
	if !errors.Is(killed, ErrUnreadable) || !strings.Contains(killed.Error(), "needs more than 20s of a processor") {
		t.Error(killed)
	}
}

func TestAChildIsNotBelieved(t *testing.T) {
	r, err := readIn(t.Context(), strings.NewReader(""), time.UTC, now, "taken", "lie")
	if err != nil || r.Width != 10 || r.TakenAt != nil || r.Latitude != nil || r.Longitude != nil || r.Small != nil ||
		r.Large != nil || r.Decoded {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestPicturesThatNeedMoreMemoryAreUnreadable(t *testing.T) {
	deep := append(headerPNG(9900, 9900, 16, 6), chunkPNG("IDAT", []byte("\x78\x9c\x63\x00\x00"))...)
	r, err := byChild(t, deep, "image/png")
	if !errors.Is(err, ErrUnreadable) || !raceEnabled && !strings.Contains(err.Error(), "512 MiB") || r.Width != 9900 || r.Decoded {
		t.Errorf("%d × %d: %v", r.Width, r.Height, err)
	}
	reader(byChild).must(t, jpegOf(t, quarters(8, 8)), "image/jpeg") // the parent lives, and reads on
}

func TestAKilledChildIsNoFaultOfThePicture(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	release := make(chan struct{})
	go func() {
		_, err := Read(ctx, io.MultiReader(strings.NewReader("\xff\xd8"), until{release}), "image/jpeg", time.UTC, now)
		done <- err
	}()
	if err := syscall.Kill(oneChild(t), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-done; err == nil || errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
	reader(byChild).must(t, jpegOf(t, quarters(8, 8)), "image/jpeg")
}

func TestAChildThatHangsEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	start := time.Now()
	r, err := Read(ctx, blocking{t.Context()}, "image/jpeg", time.UTC, now)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnreadable) || r.Decoded {
		t.Errorf("%+v, %v", r, err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("after %s", took)
	}
	testwait.For(t, 10*time.Second, "no child is left", func() bool { return len(childProcesses(t)) == 0 })
}

func TestAnOriginalThatCannotBeReadIsNoFaultOfThePicture(t *testing.T) {
	half := io.MultiReader(bytes.NewReader(jpegOf(t, quarters(300, 200))[:700]), failing{})
	if _, err := Read(t.Context(), half, "image/jpeg", time.UTC, now); err == nil || errors.Is(err, ErrUnreadable) ||
		!strings.Contains(err.Error(), "the store is away") {
		t.Error(err)
	}
}

func TestTwoChildrenAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 5)
	for range 5 {
		go func() {
			_, err := Read(ctx, blocking{ctx}, "image/png", time.UTC, now)
			ended <- err
		}()
	}
	testwait.For(t, 20*time.Second, "two children run", func() bool { return len(childProcesses(t)) == 2 })
	for range 20 {
		time.Sleep(10 * time.Millisecond)
		if n := len(childProcesses(t)); n > 2 {
			t.Fatalf("%d children run", n)
		}
	}
	cancel()
	for range 5 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// until gives nothing until it is closed, and then the end.
type until struct{ closed chan struct{} }

func (u until) Read([]byte) (int, error) {
	<-u.closed
	return 0, io.EOF
}
