// Package s3test starts a real S3 server, versitygw, for tests.
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
	"ams.internal/libs/tool"
)

// Version is the versitygw that `make versitygw` builds.
const Version = "1.8.0"

// Bucket is the bucket that a server has from its start.
const Bucket = "ams-documents"

// Server is one S3 server.
type Server struct {
	Endpoint             string // http://host:port; the same over restarts
	Region               string
	AccessKey, SecretKey string
	Folder               string // the bucket: the object a/b is the file a/b

	t       testing.TB // nil of Open
	binary  string
	address string
	output  *bytes.Buffer
	command *exec.Cmd
}

// Start runs an S3 server of a region, such as ca-central-1, until the test ends, with its objects in the test's folder. It fails the test
// where versitygw is not built.
func Start(t testing.TB, region string) *Server {
	t.Helper()
	s, err := Open(t.TempDir(), region)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	s.t = t
	return s
}

// Open runs an S3 server of a region for a program that is no test, with its bucket in a folder. Stop ends it.
func Open(folder, region string) (*Server, error) {
	program, err := tool.Find("versitygw", Version)
	if err != nil {
		return nil, err
	}
	address, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return nil, err
	}
	s := &Server{Endpoint: "http://" + address, Region: region, AccessKey: "s3test", SecretKey: "a secret of a test",
		Folder: filepath.Join(folder, Bucket), binary: program, address: address}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, err
	}
	return s, s.Run()
}

// Environment has the documents service keep bytes in the server.
func (s *Server) Environment() []string {
	return []string{"AMS_DOCUMENTS_STORE=s3://" + Bucket, "AMS_DOCUMENTS_S3_ENDPOINT=" + s.Endpoint, "AMS_DOCUMENTS_S3_REGION=" + s.Region,
		"AMS_DOCUMENTS_S3_ACCESS_KEY=" + s.AccessKey, "AMS_DOCUMENTS_S3_SECRET_KEY=" + s.SecretKey}
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

// StartAgain is Run in a test.
func (s *Server) StartAgain() {
	s.t.Helper()
	if err := s.Run(); err != nil {
		s.t.Fatal(err)
	}
}

// Run starts a server that was stopped, at the same address and with the same objects.
func (s *Server) Run() error {
	s.output = &bytes.Buffer{}
	s.command = exec.Command(s.binary, "--quiet", "--health", "/health", "--port", s.address, "--region", s.Region, "posix",
		filepath.Dir(s.Folder))
	s.command.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+s.AccessKey, "ROOT_SECRET_ACCESS_KEY="+s.SecretKey)
	s.command.Stdout, s.command.Stderr = s.output, s.output
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // no orphan when the test is killed
	if err := s.command.Start(); err != nil {
		s.command = nil
		return fmt.Errorf("versitygw: %w", err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := s.healthy()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			s.Stop()
			return fmt.Errorf("versitygw did not become healthy within 30 s: %w\n%s", err, s.output)
		}
	}
}

// Freeze makes the server silent: it takes connections, and says nothing. Thaw ends it.
func (s *Server) Freeze() {
	s.t.Helper()
	s.mustSignal(syscall.SIGSTOP)
	testwait.For(s.t, 5*time.Second, "the S3 server is stopped", func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
		return err == nil && bytes.Contains(status, []byte("State:\tT"))
	})
}

// Thaw ends Freeze.
func (s *Server) Thaw() { s.mustSignal(syscall.SIGCONT) }

func (s *Server) mustSignal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// Signal sends the server a signal.
func (s *Server) Signal(signal syscall.Signal) error {
	if err := s.command.Process.Signal(signal); err != nil {
		return fmt.Errorf("versitygw: %w", err)
	}
	return nil
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
