package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"ams.internal/libs/telemetry"
)

// How long the server may take. A caller hears after callTimeout that the store is unavailable, or after probeAfter and probe: 2 seconds,
// less a little for the way.
const (
	connect     = time.Second
	callTimeout = 1700 * time.Millisecond // of a call that carries little, with its repetitions
	probeAfter  = 250 * time.Millisecond  // of a call that may take longer, the server is probed
	probe       = 1450 * time.Millisecond // is how long a probe may take
	probeAgain  = time.Second
	longest     = 10 * time.Minute // of a call on a server that says so: 5 GiB are put together, or listed in a slow folder
	silence     = 15 * time.Second // between two pieces of what is read
	completing  = 10 * time.Second // until what another call puts together is there
)

// bucket is a store in a bucket of an S3 server.
type bucket struct {
	client    *s3.Client
	name      string
	region    string   // that requests are signed for
	regions   []string // that it may be in
	confirmed atomic.Bool
}

func openBucket(ctx context.Context, c Config) (*bucket, error) {
	var provider aws.CredentialsProvider = credentials.NewStaticCredentialsProvider(c.S3AccessKey, c.S3SecretKey, "")
	if c.S3AccessKey == "" { // those of the machine or container
		found, err := config.LoadDefaultConfig(ctx, config.WithRegion(c.S3Region))
		if err != nil {
			return nil, fmt.Errorf("credentials for S3: %w", err)
		}
		provider = found.Credentials
	}
	options := s3.Options{
		Region:      c.S3Region,
		Credentials: provider,
		HTTPClient: &http.Client{Transport: telemetry.Transport(&http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: connect}).DialContext,
			TLSHandshakeTimeout:   connect,
			ExpectContinueTimeout: connect,
			IdleConnTimeout:       30 * time.Second,
			MaxIdleConnsPerHost:   64,
			DisableCompression:    true,
		})},
		Retryer:                    retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = 200 * time.Millisecond }),
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired, // not every server knows more
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}
	if c.S3Endpoint != "" {
		options.BaseEndpoint, options.UsePathStyle = &c.S3Endpoint, true
	}
	b := &bucket{client: s3.New(options), name: strings.TrimPrefix(c.Store, "s3://"), region: c.S3Region, regions: c.Regions}
	if err := b.confirm(ctx); err != nil && !errors.Is(err, ErrUnavailable) {
		return nil, err
	}
	return b, nil // one that is away now is confirmed when it is there, before anything else
}

// confirm holds that the bucket is there, and in a region that it may be in.
func (b *bucket) confirm(ctx context.Context) error {
	if b.confirmed.Load() {
		return nil
	}
	region, err := b.locate(ctx)
	if status := status(err); err != nil && (status == 0 || status >= http.StatusInternalServerError) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err != nil {
		return fmt.Errorf("AMS_DOCUMENTS_STORE: bucket %q: %w", b.name, err)
	}
	if !slices.Contains(b.regions, region) {
		return fmt.Errorf("AMS_DOCUMENTS_STORE: bucket %q is in %s, and AMS_DOCUMENTS_REGIONS has %s only: move it, or add its region there",
			b.name, region, strings.Join(b.regions, ", "))
	}
	if region != b.region {
		return fmt.Errorf("AMS_DOCUMENTS_STORE: bucket %q is in %s: set AMS_DOCUMENTS_S3_REGION, which is %s, to that", b.name, region, b.region)
	}
	b.confirmed.Store(true)
	return nil
}

// locate asks the server for the region of the bucket, which also a refusal names.
func (b *bucket) locate(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	head, err := b.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.name})
	if err != nil {
		var refused *smithyhttp.ResponseError
		if status(err) != 0 && errors.As(err, &refused) {
			if region := refused.Response.Header.Get("X-Amz-Bucket-Region"); region != "" && region != b.region {
				return region, nil
			}
		}
		return "", err
	}
	if head.BucketRegion != nil {
		return *head.BucketRegion, nil
	}
	location, err := b.client.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: &b.name})
	if err != nil {
		return "", err
	}
	if location.LocationConstraint == "" { // of the oldest region
		return "us-east-1", nil
	}
	return string(location.LocationConstraint), nil
}

// quick makes a call that the server answers at once, or is away.
func (b *bucket) quick(ctx context.Context, call func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := b.unconfirmed(limited)
	if err == nil {
		err = call(limited)
	}
	return refusal(ctx, err)
}

// lasting makes a call that may take long on a server that responds: while it lasts, the server is probed.
func (b *bucket) lasting(ctx context.Context, call func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	err := b.unconfirmed(limited)
	if err == nil {
		go func() {
			for pause := probeAfter; ; pause = probeAgain {
				select {
				case <-limited.Done():
					return
				case <-time.After(pause):
				}
				probeCtx, stop := context.WithTimeout(limited, probe)
				_, err := b.client.HeadBucket(probeCtx, &s3.HeadBucketInput{Bucket: &b.name})
				stop()
				if err != nil && status(err) == 0 {
					cancel()
					return
				}
			}
		}()
		err = call(limited)
	}
	return refusal(ctx, err)
}

// unconfirmed is the error of a bucket that could not be confirmed yet: no call is made before.
func (b *bucket) unconfirmed(ctx context.Context) error {
	err := b.confirm(ctx)
	if err != nil && !errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// status is that of the server's response, 0 where there was none.
func status(err error) int {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.Response != nil {
		return response.HTTPStatusCode()
	}
	return 0
}

// refusal translates what the server reported into the errors of a store. ctx is the caller's.
func refusal(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrExists) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var code string
	if reported := smithy.APIError(nil); errors.As(err, &reported) {
		code = reported.ErrorCode()
	}
	switch status := status(err); {
	case code == "NoSuchBucket":
	case status == http.StatusNotFound, code == "NoSuchUpload", code == "InvalidPart":
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case status == http.StatusPreconditionFailed:
		return fmt.Errorf("%w: %w", ErrExists, err)
	case status == http.StatusRequestedRangeNotSatisfiable:
		return fmt.Errorf("%w: %w", errRange, err)
	case status == http.StatusInsufficientStorage, code == "QuotaExceeded", code == "NoSpaceLeftOnDevice", code == "XMinioStorageFull":
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

func (b *bucket) Put(ctx context.Context, key string, body io.Reader, size int64) error {
	if err := errors.Join(check(ctx, key), checkSize(size)); err != nil {
		return err
	}
	// Requests are signed with the sum of their bodies: of one without, versitygw keeps what has come when the connection ends.
	whole, ok := body.(*bytes.Reader)
	if !ok || int64(whole.Len()) != size {
		source, buffer := &source{ctx: ctx, reader: body, left: size}, make([]byte, size)
		if _, err := io.ReadFull(source, buffer); err != nil {
			return source.cause(err)
		}
		whole = bytes.NewReader(buffer)
	}
	return b.lasting(ctx, func(ctx context.Context) error {
		_, err := b.client.PutObject(ctx,
			&s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: whole, ContentLength: &size, IfNoneMatch: aws.String("*")},
			// Not repeated: whether the first of two wrote the object could not be told.
			func(o *s3.Options) { o.Retryer = aws.NopRetryer{} })
		return err
	})
}

func (b *bucket) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	input := &s3.GetObjectInput{Bucket: &b.name, Key: &key}
	switch {
	case length >= 0:
		input.Range = aws.String(fmt.Sprintf("bytes=%d-%d", from, from+length-1))
	case from > 0:
		input.Range = aws.String(fmt.Sprintf("bytes=%d-", from))
	}
	reading, cancel := context.WithCancel(ctx)
	deadline := time.AfterFunc(callTimeout, cancel)
	err := b.unconfirmed(reading)
	var output *s3.GetObjectOutput
	if err == nil {
		output, err = b.client.GetObject(reading, input)
	}
	if !deadline.Stop() && err == nil { // the context has ended just now
		_ = output.Body.Close()
		err = context.DeadlineExceeded
	}
	if err == nil && input.Range != nil && !strings.HasPrefix(aws.ToString(output.ContentRange), fmt.Sprintf("bytes %d-", from)) {
		_ = output.Body.Close()
		err = fmt.Errorf("%s was asked for, and %q came", *input.Range, aws.ToString(output.ContentRange))
	}
	if err != nil {
		cancel()
		return nil, refusal(ctx, err)
	}
	return &download{ctx: ctx, body: output.Body, cancel: cancel, silence: time.AfterFunc(silence, cancel)}, nil
}

// download is the body of a response. The server may be silent for a while; the caller may take any time between two reads.
type download struct {
	ctx     context.Context // the caller's
	body    io.ReadCloser
	cancel  context.CancelFunc
	silence *time.Timer
}

// Read implements io.Reader.
func (d *download) Read(p []byte) (int, error) {
	d.silence.Reset(silence)
	n, err := d.body.Read(p)
	d.silence.Stop()
	if err != nil && err != io.EOF { //nolint:errorlint // a reader gives it as it is
		err = refusal(d.ctx, err)
	}
	return n, err
}

// Close implements io.Closer.
func (d *download) Close() error {
	d.silence.Stop()
	d.cancel()
	return d.body.Close()
}

func (b *bucket) Stat(ctx context.Context, key string) (Object, error) {
	if err := check(ctx, key); err != nil {
		return Object{}, err
	}
	var output *s3.HeadObjectOutput
	err := b.quick(ctx, func(ctx context.Context) (err error) {
		output, err = b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
		return err
	})
	if errors.Is(err, ErrNotFound) { // this response has no body to say whether it is the bucket that is not there
		if failed := b.Check(ctx); failed != nil {
			err = failed
		}
	}
	if err != nil {
		return Object{}, err
	}
	return Object{key, aws.ToInt64(output.ContentLength), aws.ToTime(output.LastModified)}, nil
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	return none(b.quick(ctx, func(ctx context.Context) error {
		_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
		return err
	}))
}

func (b *bucket) List(ctx context.Context, prefix string, f func(Object) error) error {
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix})
	for pages.HasMorePages() {
		var page *s3.ListObjectsV2Output
		if err := b.lasting(ctx, func(ctx context.Context) (err error) {
			page, err = pages.NextPage(ctx)
			return err
		}); err != nil {
			return err
		}
		for _, object := range page.Contents {
			key := aws.ToString(object.Key)
			if checkKey(key) != nil { // nothing of ours
				continue
			}
			if err := f(Object{key, aws.ToInt64(object.Size), aws.ToTime(object.LastModified)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bucket) Begin(ctx context.Context, key string) (string, error) {
	if err := check(ctx, key); err != nil {
		return "", err
	}
	var output *s3.CreateMultipartUploadOutput
	err := b.quick(ctx, func(ctx context.Context) (err error) {
		output, err = b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &b.name, Key: &key})
		return err
	})
	if err != nil {
		return "", err
	}
	return aws.ToString(output.UploadId), nil
}

func (b *bucket) PutPart(ctx context.Context, key, upload string, number int, body []byte) (Part, error) {
	if err := errors.Join(check(ctx, key), checkUpload(upload), checkPart(number, int64(len(body)))); err != nil {
		return Part{}, err
	}
	var output *s3.UploadPartOutput
	err := b.lasting(ctx, func(ctx context.Context) (err error) {
		output, err = b.client.UploadPart(ctx, &s3.UploadPartInput{Bucket: &b.name, Key: &key, UploadId: &upload,
			PartNumber: aws.Int32(int32(number)), Body: bytes.NewReader(body), ContentLength: aws.Int64(int64(len(body)))})
		return err
	})
	if err != nil {
		return Part{}, err
	}
	return Part{number, int64(len(body)), aws.ToString(output.ETag)}, nil
}

// SyncPart has nothing to do: what a server has answered stays.
func (b *bucket) SyncPart(context.Context, string, string, Part) error { return nil }

func (b *bucket) Complete(ctx context.Context, key, upload string, parts []Part) error {
	size, err := checkParts(parts)
	if err = errors.Join(check(ctx, key), err, checkUpload(upload)); err != nil {
		return err
	}
	completed := make([]types.CompletedPart, len(parts))
	for i, part := range parts {
		completed[i] = types.CompletedPart{PartNumber: aws.Int32(int32(part.Number)), ETag: &part.Tag}
	}
	err = b.lasting(ctx, func(ctx context.Context) error {
		_, err := b.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: &b.name, Key: &key, UploadId: &upload,
			IfNoneMatch: aws.String("*"), MultipartUpload: &types.CompletedMultipartUpload{Parts: completed}})
		return err
	})
	if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrExists) {
		return err
	}
	return b.completed(ctx, key, upload, size, err)
}

// completed looks for the object that Complete makes: servers differ in what they say of an upload that is complete already, and
// versitygw calls it a success while another call still puts the object together.
func (b *bucket) completed(ctx context.Context, key, upload string, size int64, reported error) error {
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		switch exists, err := completed(ctx, b, key, size); {
		case err != nil:
			return err
		case exists && reported != nil: // the upload may be there still
			return b.Abort(ctx, key, upload)
		case exists:
			return nil
		case errors.Is(reported, ErrNotFound):
			return reported
		case time.Since(begin) > completing:
			return fmt.Errorf("%w: it says that upload %s of %s is complete, and has no object", ErrUnavailable, upload, key)
		}
	}
}

func (b *bucket) Abort(ctx context.Context, key, upload string) error {
	if err := errors.Join(check(ctx, key), checkUpload(upload)); err != nil {
		return none(err)
	}
	return none(b.quick(ctx, func(ctx context.Context) error {
		_, err := b.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b.name, Key: &key, UploadId: &upload})
		return err
	}))
}

func (b *bucket) ListUploads(ctx context.Context, f func(Upload) error) error {
	pages := s3.NewListMultipartUploadsPaginator(b.client, &s3.ListMultipartUploadsInput{Bucket: &b.name})
	for pages.HasMorePages() {
		var page *s3.ListMultipartUploadsOutput
		if err := b.lasting(ctx, func(ctx context.Context) (err error) {
			page, err = pages.NextPage(ctx)
			return err
		}); err != nil {
			return err
		}
		for _, upload := range page.Uploads {
			key := aws.ToString(upload.Key)
			if checkKey(key) != nil {
				continue
			}
			if err := f(Upload{key, aws.ToString(upload.UploadId), aws.ToTime(upload.Initiated)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bucket) Check(ctx context.Context) error {
	return b.quick(ctx, func(ctx context.Context) error {
		_, err := b.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.name})
		if err != nil { // also that it is not there
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return nil
	})
}
