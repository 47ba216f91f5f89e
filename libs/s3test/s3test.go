// Package s3test starts a real S3 server, versitygw, for a test.
package s3test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/localport"
	"ams.internal/libs/testwait"
)

// Version is the versitygw that `make versitygw` builds.
const Version = "1.8.0"

// Bucket is the bucket that a server has from its start.
const Bucket = "ams-documents"

// Server is one S3 server, with its objects in the test's folder.
type Server struct {
	Endpoint             string // http://host:port; the same over restarts
	Region               string
	AccessKey, SecretKey string
	Folder               string // the bucket: the object a/b is the file a/b

	t       testing.TB
	binary  string
	address string
	output  *bytes.Buffer
	command *exec.Cmd
}

// Start runs an S3 server of a region, such as ca-central-1, until the test ends. It fails the test where versitygw is not built.
func Start(t testing.TB, region string) *Server {
	t.Helper()
	s := &Server{Region: region, AccessKey: "s3test", SecretKey: "a secret of a test", t: t, binary: binary(t), address: localport.ForTest(t)}
	s.Endpoint = "http://" + s.address
	s.Folder = filepath.Join(t.TempDir(), Bucket)
	if err := os.Mkdir(s.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	s.StartAgain()
	return s
}

// Stop kills the server. Its objects remain.
func (s *Server) Stop() {
	if s.command == nil {
		return
	}
	_ = s.command.Process.Kill() // fails only if it has ended
	_ = s.command.Wait()         // says that it was killed
	s.command = nil
}

// StartAgain starts a server that was stopped, at the same address and with the same objects.
func (s *Server) StartAgain() {
	s.t.Helper()
	s.output = &bytes.Buffer{}
	s.command = exec.Command(s.binary, "--quiet", "--health", "/health", "--port", s.address, "--region", s.Region, "posix", filepath.Dir(s.Folder))
	s.command.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+s.AccessKey, "ROOT_SECRET_ACCESS_KEY="+s.SecretKey)
	s.command.Stdout, s.command.Stderr = s.output, s.output
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // no orphan when the test is killed
	if err := s.command.Start(); err != nil {
		s.t.Fatalf("versitygw: %v", err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := s.healthy()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.Stop()
			s.t.Fatalf("versitygw did not become healthy within 30 s: %v\n%s", err, s.output)
		}
	}
}

// Freeze makes the server silent: it takes connections, and says nothing. Thaw ends it.
func (s *Server) Freeze() {
	s.t.Helper()
	s.signal(syscall.SIGSTOP)
	testwait.For(s.t, 5*time.Second, "the S3 server is stopped", func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
		return err == nil && bytes.Contains(status, []byte("State:\tT"))
	})
}

// Thaw ends Freeze.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.command.Process.Signal(signal); err != nil {
		s.t.Fatalf("versitygw: %v", err)
	}
}

func (s *Server) healthy() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Endpoint+"/health", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}

// binary finds versitygw in PATH, else where `make versitygw` puts it.
func binary(t testing.TB) string {
	t.Helper()
	if found, err := exec.LookPath("versitygw"); err == nil {
		return found
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatalf("versitygw is not in PATH, and there is no cache folder to look in: %v", err)
	}
	path := filepath.Join(cache, "ams", "versitygw-"+Version)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("versitygw is neither in PATH nor at %s: `make versitygw` builds it (once, about a minute and a half)", path)
	}
	return path
}
