package documents

import (
	"context"
	"os"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/libs/s3test"
)

// startWithS3 starts a stack whose documents are kept in a bucket of an S3 server, until the test ends.
func startWithS3(t *testing.T) devstack.Description {
	t.Helper()
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	server := s3test.Start(t, "ca-central-1")
	folder, err := os.MkdirTemp("", "ams-test-") //nolint:usetesting // PostgreSQL runs as somebody else, whom t.TempDir() keeps out
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	stack, err := devstack.Start(ctx, devstack.Options{
		Folder: folder, Binaries: binaries, Gateways: 2, Instances: 1, Discovery: "consul", Prepared: true, Demo: demo.Organizations,
		Environment: server.Environment(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stack.Stop()
		if t.Failed() {
			stack.ShowFailedRequests(os.Stderr)
		}
		if err := devstack.Drop(folder); err != nil {
			t.Error(err)
		}
	})
	return stack.Description()
}
