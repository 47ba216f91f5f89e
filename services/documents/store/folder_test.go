package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/services/documents/store"
)

// asChild makes this test binary a process of a test: what it does, and in which folder.
const asChild = "AMS_TEST_STORE_CHILD"

func TestMain(m *testing.M) {
	what, folder, child := strings.Cut(os.Getenv(asChild), ":")
	switch {
	case !child:
		os.Exit(m.Run())
	case what == "write":
		writeForEver(folder)
	case what == "full":
		if err := fill(folder); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// again prepares this test binary as a process of a test.
func again(what, folder string) *exec.Cmd {
	command := exec.Command("/proc/self/exe")
	command.Env = append(os.Environ(), asChild+"="+what+":"+folder)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command
}

// crashBody is the content of every object that writeForEver makes.
func crashBody() []byte { return random(store.MinPartSize + 100_000) }

// writeForEver puts objects, and uploads them in parts, until it is killed. It prints the key of each when it is acknowledged.
func writeForEver(folder string) {
	ctx, body := context.Background(), crashBody()
	s, err := store.New(ctx, store.Config{Store: folder})
	for i := 0; err == nil; i++ {
		key := fmt.Sprintf("%s/%d-%d", organization, os.Getpid(), i)
		if i%2 == 0 {
			err = s.Put(ctx, key, bytes.NewReader(body), int64(len(body)))
		} else {
			var upload string
			var first, last store.Part
			if upload, err = s.Begin(ctx, key); err == nil {
				if first, err = s.PutPart(ctx, key, upload, 1, body[:store.MinPartSize]); err == nil {
					if last, err = s.PutPart(ctx, key, upload, 2, body[store.MinPartSize:]); err == nil {
						err = s.Complete(ctx, key, upload, []store.Part{first, last})
					}
				}
			}
		}
		fmt.Println(key)
	}
	panic(err)
}

// acknowledgements are the lines of a writer; first is closed with the first of them.
type acknowledgements struct {
	text  bytes.Buffer
	first chan struct{}
}

func (a *acknowledgements) Write(p []byte) (int, error) {
	if a.text.Len() == 0 {
		close(a.first)
	}
	return a.text.Write(p)
}

// TestAFolderWhoseWriterIsKilled: what was acknowledged is there, nothing is there in part, and what is left over is an upload.
func TestAFolderWhoseWriterIsKilled(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var acknowledged []string
	for i := range 12 {
		output := acknowledgements{first: make(chan struct{})}
		writer := again("write", folder)
		writer.Stdout = &output
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		select { // a slow machine needs a while to begin
		case <-output.first:
		case <-time.After(time.Minute):
			_ = writer.Process.Kill()
			t.Fatal("no object was written within a minute")
		}
		time.Sleep(time.Duration(37*i) * time.Millisecond)
		_ = writer.Process.Kill()
		_ = writer.Wait()
		lines := strings.Split(output.text.String(), "\n")
		acknowledged = append(acknowledged, lines[:len(lines)-1]...)
	}
	s, body := open(t, store.Config{Store: folder}), crashBody()
	there := map[string]bool{}
	if err := s.List(t.Context(), "", func(o store.Object) error {
		there[o.Key] = true
		same(t, get(t, s, o.Key, 0, -1), body)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, key := range acknowledged {
		if !there[key] {
			t.Errorf("%s is lost", key)
		}
	}
	left := 0
	if err := s.ListUploads(t.Context(), func(u store.Upload) error {
		left++
		return s.Abort(t.Context(), u.Key, u.ID)
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d acknowledged, %d there, %d uploads left", len(acknowledged), len(there), left)
	if err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(path, filepath.Join(folder, "objects")+"/") {
			t.Errorf("%s is left", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAFullFolder: what does not fit on a disk of 12 MiB is ErrFull, and nothing of it stays.
func TestAFullFolder(t *testing.T) {
	t.Parallel()
	child := again("full", t.TempDir())
	child.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS // a file system that concerns nobody else
	if os.Getuid() != 0 {
		child.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if output, err := child.CombinedOutput(); err != nil {
		t.Fatalf("run as root, or where users may make namespaces: %v: %s", err, output)
	}
}

func fill(folder string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount /: %w", err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=12m"); err != nil {
		return fmt.Errorf("mount %s: %w", folder, err)
	}
	ctx, body, key := context.Background(), random(store.MinPartSize), organization+"/full"
	s, err := store.New(ctx, store.Config{Store: folder})
	if err != nil {
		return err
	}
	upload, err := s.Begin(ctx, key)
	if err != nil {
		return err
	}
	first, err := s.PutPart(ctx, key, upload, 1, body)
	if err != nil {
		return err
	}
	second, err := s.PutPart(ctx, key, upload, 2, body)
	if err != nil {
		return err
	}
	if _, err := s.PutPart(ctx, key, upload, 3, body); !errors.Is(err, store.ErrFull) {
		return fmt.Errorf("part: %w", err)
	}
	if err := s.Put(ctx, organization+"/other", bytes.NewReader(body), int64(len(body))); !errors.Is(err, store.ErrFull) {
		return fmt.Errorf("put: %w", err)
	}
	if err := s.Complete(ctx, key, upload, []store.Part{first, second}); !errors.Is(err, store.ErrFull) {
		return fmt.Errorf("complete: %w", err)
	}
	if err := s.Abort(ctx, key, upload); err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return err
	}
	if used := int64(disk.Blocks-disk.Bfree) * disk.Bsize; used > 100_000 {
		return fmt.Errorf("%d bytes are left", used)
	}
	return s.Put(ctx, key, bytes.NewReader(body), int64(len(body)))
}

// TestNothingLeadsOutOfAFolder: a symbolic link that somebody made is not followed.
func TestNothingLeadsOutOfAFolder(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, store.Config{Store: folder})
	if err := os.Symlink(outside, filepath.Join(folder, "objects", organization)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), organization+"/secret", 0, -1); err == nil {
		t.Error("what is outside was opened")
	}
	if _, err := s.Stat(t.Context(), organization+"/secret"); err == nil {
		t.Error("what is outside was found")
	}
	if err := s.Put(t.Context(), organization+"/new", strings.NewReader("x"), 1); err == nil {
		t.Error("something was written outside")
	}
	if err := s.Delete(t.Context(), organization+"/secret"); err == nil {
		t.Error("what is outside was deleted")
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}

// TestAFolderThatIsAway: one that was moved, or another file system in its place, is no empty store.
func TestAFolderThatIsAway(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "documents")
	s := open(t, store.Config{Store: folder})
	put(t, s, organization+"/kept", []byte("kept"))
	if err := os.Rename(folder, folder+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("moved: %v", err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("another in its place: %v", err)
	}
	if err := errors.Join(os.Remove(folder), os.Rename(folder+".moved", folder), s.Check(t.Context())); err != nil {
		t.Error(err)
	}
	same(t, get(t, s, organization+"/kept", 0, -1), []byte("kept"))

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.New(t.Context(), store.Config{Store: file}); err == nil || !strings.Contains(err.Error(), "AMS_DOCUMENTS_STORE") {
		t.Errorf("a file as folder: %v", err)
	}
}
