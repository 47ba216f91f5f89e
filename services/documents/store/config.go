package store

import (
	"context"
	"fmt"
	"strings"

	"ams.internal/libs/service"
)

// Config says where the bytes are kept. A program's configuration embeds it.
type Config struct {
	Store       string   `env:"AMS_DOCUMENTS_STORE" required:"true" example:"s3://ams-documents" doc:"Where the bytes of documents are kept: s3:// and a bucket, or the path of a folder, for one machine."`
	S3Endpoint  string   `env:"AMS_DOCUMENTS_S3_ENDPOINT" format:"url" example:"http://127.0.0.1:7070" doc:"The S3 server, where it is not Amazon's."`
	S3Region    string   `env:"AMS_DOCUMENTS_S3_REGION" envDefault:"ca-central-1" doc:"The region of the bucket, by which requests are signed."`
	S3AccessKey string   `env:"AMS_DOCUMENTS_S3_ACCESS_KEY" secret:"true" doc:"The access key id for the bucket."`
	S3SecretKey string   `env:"AMS_DOCUMENTS_S3_SECRET_KEY" secret:"true" doc:"The secret of AMS_DOCUMENTS_S3_ACCESS_KEY."`
	Regions     []string `env:"AMS_DOCUMENTS_REGIONS" envDefault:"ca-central-1,ca-west-1" doc:"Regions in which documents may be kept, separated by commas. A bucket elsewhere is refused."`
}

// Check implements service.Validator.
func (c Config) Check() []service.Problem {
	var problems []service.Problem
	if (c.S3AccessKey == "") != (c.S3SecretKey == "") {
		problems = append(problems, service.Problem{Variable: "AMS_DOCUMENTS_S3_ACCESS_KEY",
			Message: "and AMS_DOCUMENTS_S3_SECRET_KEY belong together: set both"})
	}
	if bucket, s3 := strings.CutPrefix(c.Store, "s3://"); s3 && (bucket == "" || strings.Contains(bucket, "/")) {
		problems = append(problems, service.Problem{Variable: "AMS_DOCUMENTS_STORE", Message: "has no bucket: give s3:// and its name alone"})
	}
	return problems
}

// New opens the store that is configured. The error names the variable of a folder that cannot be used, or of a bucket that is refused. An
// S3 server that does not answer is no error: its bucket is looked at when it does, before anything is read or written.
func New(ctx context.Context, c Config) (Store, error) {
	if strings.HasPrefix(c.Store, "s3://") {
		return openBucket(ctx, c)
	}
	f, err := openFolder(c.Store)
	if err != nil {
		return nil, fmt.Errorf("AMS_DOCUMENTS_STORE: %w", err)
	}
	return f, nil
}
