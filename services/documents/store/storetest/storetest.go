// Package storetest gives tests a store in a real S3 server.
package storetest

import (
	"testing"

	"ams.internal/libs/s3test"
	"ams.internal/services/documents/store"
)

// Start runs an S3 server until the test ends, and configures a store in its bucket.
func Start(t testing.TB) (*s3test.Server, store.Config) {
	t.Helper()
	server := s3test.Start(t, "ca-central-1")
	return server, Config(server)
}

// Config configures a store in the bucket of a server.
func Config(server *s3test.Server) store.Config {
	return store.Config{Store: "s3://" + s3test.Bucket, S3Endpoint: server.Endpoint, S3Region: server.Region,
		S3AccessKey: server.AccessKey, S3SecretKey: server.SecretKey, Regions: []string{"ca-central-1", "ca-west-1"}}
}
