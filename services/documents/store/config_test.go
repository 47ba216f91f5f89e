package store_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ams.internal/libs/s3test"
	"ams.internal/libs/service"
	"ams.internal/services/documents/store"
	"ams.internal/services/documents/store/storetest"
)

// TestConfiguration reads the variables as a program does.
func TestConfiguration(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hidden\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := service.Load[store.Config]([]string{"AMS_DOCUMENTS_STORE=s3://b", "AMS_DOCUMENTS_S3_ACCESS_KEY=a",
		"AMS_DOCUMENTS_S3_SECRET_KEY_FILE=" + secret})
	if err != nil {
		t.Fatal(err)
	}
	if config.S3SecretKey != "hidden" || config.S3Region != "ca-central-1" || strings.Join(config.Regions, " ") != "ca-central-1 ca-west-1" {
		t.Errorf("%+v", config)
	}
	for environ, want := range map[string]string{
		"":                                  "AMS_DOCUMENTS_STORE is not set",
		"AMS_DOCUMENTS_STORE=s3://":         "AMS_DOCUMENTS_STORE has no bucket",
		"AMS_DOCUMENTS_STORE=s3://b/folder": "AMS_DOCUMENTS_STORE has no bucket",
		"AMS_DOCUMENTS_STORE=s3://b AMS_DOCUMENTS_S3_ACCESS_KEY=a":        "AMS_DOCUMENTS_S3_SECRET_KEY belong together",
		"AMS_DOCUMENTS_STORE=s3://b AMS_DOCUMENTS_S3_SECRET_KEY=hidden":   "AMS_DOCUMENTS_S3_SECRET_KEY belong together",
		"AMS_DOCUMENTS_STORE=s3://b AMS_DOCUMENTS_S3_ENDPOINT=store:7070": "AMS_DOCUMENTS_S3_ENDPOINT is",
	} {
		_, err := service.Load[store.Config](strings.Fields(environ))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v", environ, err)
		}
	}
}

// TestABucketThatIsRefused: the error says what to change, and not the secret.
func TestABucketThatIsRefused(t *testing.T) {
	canada, american := s3test.Start(t, "ca-west-1"), s3test.Start(t, "us-east-1")
	for name, c := range map[string]struct {
		server *s3test.Server
		change func(*store.Config)
		want   []string
	}{
		"in another country": {american, func(*store.Config) {},
			[]string{"ams-documents", "us-east-1", "AMS_DOCUMENTS_REGIONS", "ca-central-1, ca-west-1"}},
		"in a region that was taken away": {canada, func(c *store.Config) { c.Regions = []string{"ca-central-1"} },
			[]string{"ams-documents", "ca-west-1", "AMS_DOCUMENTS_REGIONS"}},
		"that is not there": {canada, func(c *store.Config) { c.Store = "s3://nothing" }, []string{`"nothing"`, "AMS_DOCUMENTS_STORE"}},
		"of somebody else":  {canada, func(c *store.Config) { c.S3AccessKey = "somebody" }, []string{"ams-documents", "AMS_DOCUMENTS_STORE"}},
		"with a wrong key": {canada, func(c *store.Config) { c.S3SecretKey = "not that secret" },
			[]string{"ams-documents", "AMS_DOCUMENTS_STORE"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := storetest.Config(c.server)
			c.change(&config)
			_, err := store.New(t.Context(), config)
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, without %q", err, want)
				}
			}
			if strings.Contains(err.Error(), config.S3SecretKey) {
				t.Errorf("it shows the secret: %v", err)
			}
		})
	}
	open(t, storetest.Config(canada))
}

// TestTheRegionOfABucket is what the server says, wherever it says it.
func TestTheRegionOfABucket(t *testing.T) {
	server := s3test.Start(t, "ca-central-1")
	p, endpoint := before(t, server)
	config := storetest.Config(server)
	config.S3Endpoint = endpoint

	p.does(func(w http.ResponseWriter, r *http.Request, server http.Handler) { // not with the bucket, so it is asked for
		server.ServeHTTP(&without{w, "X-Amz-Bucket-Region"}, r)
	})
	open(t, config)
	config.Regions = []string{"ca-west-1"}
	if _, err := store.New(t.Context(), config); err == nil || !strings.Contains(err.Error(), "is in ca-central-1") {
		t.Errorf("its location is not allowed: %v", err)
	}

	config.Regions = []string{"ca-central-1", "ca-west-1"}
	for region, want := range map[string]string{"eu-central-1": "AMS_DOCUMENTS_REGIONS", "ca-west-1": "set AMS_DOCUMENTS_S3_REGION"} {
		p.does(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { // as Amazon's server answers for a bucket elsewhere
			w.Header().Set("X-Amz-Bucket-Region", region)
			w.WriteHeader(http.StatusMovedPermanently)
		})
		if _, err := store.New(t.Context(), config); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), region) {
			t.Errorf("moved to %s: %v", region, err)
		}
	}
}

type without struct {
	http.ResponseWriter
	header string
}

func (w *without) WriteHeader(status int) {
	w.Header().Del(w.header)
	w.ResponseWriter.WriteHeader(status)
}
