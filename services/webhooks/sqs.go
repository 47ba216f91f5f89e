package webhooks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Where an endpoint's events go.
const (
	toHTTPS = "https"
	toSQS   = "sqs" // a queue of Amazon SQS, or of a server that is compatible with it
)

// The headers of an endpoint that sign its calls to SQS. They are sealed as all are, and are not sent.
const (
	accessKeyID     = "AWS-Access-Key-Id"
	secretAccessKey = "AWS-Secret-Access-Key" // #nosec G101 -- a name
)

var (
	queuePath = regexp.MustCompile(`^/[0-9]{1,20}/[A-Za-z0-9_-]{1,80}(\.fifo)?$`)
	// queueHost finds the region in the names that Amazon gives its servers: of the service, with FIPS 140, by IPv6, within a private
	// network, and the first ones.
	queueHost = regexp.MustCompile(`(?:^|\.)sqs(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws|api|vpce)\.|^([a-z0-9-]+)\.queue\.amazonaws\.`)
)

// checkQueue fails what a queue cannot be called with.
func (e *WebhookEndpoint) checkQueue(fail func(field, format string, args ...any)) {
	if e.Destination != toSQS {
		return
	}
	if address, err := url.Parse(e.URL); err == nil && !queuePath.MatchString(address.Path) {
		fail("url", "must be the URL of a queue, such as https://sqs.ca-central-1.amazonaws.com/123456789012/assets.fifo, where destination is sqs")
	}
	for _, name := range []string{accessKeyID, secretAccessKey} {
		if _, given := e.Headers[name]; !given {
			fail("headers", "must have %s where destination is sqs: the calls are signed with it", name)
		}
	}
	for name := range e.Headers {
		if !slices.Contains([]string{accessKeyID, secretAccessKey}, name) {
			fail("headers."+name, "cannot be sent into a queue: leave it out where destination is sqs")
		}
	}
}

// queueRequest is the call that puts a message into a queue (SendMessage of the query protocol of SQS, version 2012-11-05). The message is
// what a receiver would be sent; the headers that it would have are attributes. In a FIFO queue a record's events are a group, in which
// they keep their order, and an event that is sent twice within five minutes is there once.
func (s *sender) queueRequest(ctx context.Context, to target, m message, body []byte, attributes http.Header) (*http.Request, error) {
	address, err := url.Parse(to.url)
	if err != nil {
		return nil, err
	}
	form := url.Values{"Action": {"SendMessage"}, "Version": {"2012-11-05"}, "MessageBody": {string(body)}}
	var names []string
	for name := range attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		prefix := "MessageAttribute." + strconv.Itoa(i+1)
		form.Set(prefix+".Name", strings.ToLower(name))
		form.Set(prefix+".Value.DataType", "String")
		form.Set(prefix+".Value.StringValue", attributes.Get(name))
	}
	if strings.HasSuffix(address.Path, ".fifo") {
		form.Set("MessageGroupId", cmp.Or(m.recordID, m.id))
		form.Set("MessageDeduplicationId", m.id)
	}
	text := form.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader([]byte(text)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("User-Agent", userAgent)
	hash := sha256.Sum256([]byte(text))
	credentials := aws.Credentials{AccessKeyID: to.headers[accessKeyID], SecretAccessKey: to.headers[secretAccessKey]}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, request, hex.EncodeToString(hash[:]), "sqs", regionOf(address.Hostname()),
		s.now()); err != nil {
		return nil, fmt.Errorf("sign a call to a queue: %w", err)
	}
	return request, nil
}

// regionOf is the region that calls to a queue's server are signed for.
func regionOf(host string) string {
	if found := queueHost.FindStringSubmatch(host); found != nil {
		return found[1] + found[2]
	}
	return "us-east-1" // of servers that have none in their names
}
