package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/external"
	"ams.internal/libs/telemetry"
)

const (
	// receiverTimeout is how long a call may take, connecting included.
	receiverTimeout = 15 * time.Second
	// maxStoredBody is how many bytes of a response's body are read and stored.
	maxStoredBody = 16 << 10
	// maxStoredHeaderValue and maxStoredHeaders limit how much of a response's headers is stored.
	maxStoredHeaderValue = 1 << 10
	maxStoredHeaders     = 50
)

// target is what is needed to call an endpoint.
type target struct {
	url     string
	headers map[string]string // the endpoint's own
	secrets []string          // "whsec_…", newest first; each signs
	shape   shape
	// authorities are what the server's certificate is verified by, as PEM; "": the public ones.
	authorities string
}

// attempt is one call and what came of it.
type attempt struct {
	number          int
	at              time.Time
	duration        time.Duration
	sentAs          shape             // what the body follows from
	requestHeaders  map[string]string // without the values of the endpoint's own headers
	responseStatus  int               // 0: there was no response
	responseHeaders map[string]string
	responseBody    string // the first 16 KiB
	failure         string // in a sentence; "" for a success
}

// sender makes the calls.
type sender struct {
	client *external.Client
	now    func() time.Time
}

func newSender(client *external.Client, now func() time.Time) *sender { return &sender{client, now} }

// send makes one signed call and gives what came of it, also when no call could be made. It is canceled with ctx. Its span is a
// child of the request that made the change, however long ago that was. The receiver gets the trace context (W3C).
func (s *sender) send(ctx context.Context, to target, deliveryID string, number int, m message) attempt {
	traced := propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": m.traceparent})
	traced, step := telemetry.StartStep(traced, "deliver", trace.SpanKindClient)

	a := attempt{number: number, at: s.now(), sentAs: to.shape}
	began := time.Now()
	request, err := s.request(traced, to, deliveryID, a, m)
	if err == nil {
		a.requestHeaders = maskedHeaders(request.Header, to)
		err = s.call(request, to.authorities, &a)
	}
	a.duration = time.Since(began)
	reason := ""
	switch {
	case err != nil && a.responseStatus == 0:
		a.failure, reason = describeError(err), "no answer"
	case a.responseStatus < 200 || a.responseStatus > 299:
		a.failure, reason = fmt.Sprintf("The receiver answered %d.", a.responseStatus), "refused by the receiver"
	}
	if ctx.Err() != nil && a.responseStatus == 0 {
		reason = "" // we canceled it, and it is made again
	}
	step.End(reason, func() []attribute.KeyValue {
		about := []attribute.KeyValue{
			attribute.String("ams.organization_id", m.organizationID), attribute.String("ams.event.id", m.id),
			attribute.String("ams.event.type", m.eventType),
			attribute.String("ams.webhook.delivery_id", deliveryID), attribute.Int("ams.webhook.attempt", number),
		}
		if a.responseStatus != 0 {
			about = append(about, attribute.Int("http.response.status_code", a.responseStatus))
		}
		return about
	})
	return a
}

func (s *sender) request(ctx context.Context, to target, deliveryID string, a attempt, m message) (*http.Request, error) {
	mediaType, body := to.shape.content(m)
	signature, err := sign(to.secrets, m.id, a.at, body)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for name, value := range map[string]string{
		"Content-Type": mediaType, "Webhook-Id": m.id, "Webhook-Timestamp": strconv.FormatInt(a.at.Unix(), 10), "Webhook-Signature": signature,
		"Webhook-Event-Type": m.eventType, "Webhook-Delivery-Id": deliveryID, "Webhook-Attempt": strconv.Itoa(a.number),
	} {
		header.Set(name, value)
	}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))
	if to.shape.destination == toSQS {
		return s.queueRequest(ctx, to, m, body, header)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range to.headers {
		request.Header.Set(name, value)
	}
	header.Set("User-Agent", userAgent)
	maps.Copy(request.Header, header)
	return request, nil
}

// userAgent is how calls call themselves.
const userAgent = "AMS-Webhooks/1"

// sign gives the signatures of a body, one for each secret: while a secret is replaced there are two.
func sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	var signatures []string
	for _, secret := range secrets {
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err != nil || strings.TrimPrefix(secret, "whsec_") == "" { // the library would sign with no key at all
			return "", errors.New("a signing secret of the endpoint cannot be used")
		}
		signature, err := webhook.Sign(id, at, body)
		if err != nil {
			return "", err
		}
		signatures = append(signatures, signature)
	}
	if signatures == nil {
		return "", errors.New("the endpoint has no signing secret")
	}
	return strings.Join(signatures, " "), nil
}

// call sends the request and keeps the beginning of the response.
func (s *sender) call(request *http.Request, authorities string, a *attempt) error {
	ctx, cancel := context.WithTimeout(request.Context(), receiverTimeout)
	defer cancel()
	request = request.WithContext(ctx)
	var response *http.Response
	var err error
	if authorities == "" {
		response, err = s.client.Do(request)
	} else {
		response, err = s.client.DoTrusting(request, authorities)
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	a.responseStatus, a.responseHeaders = response.StatusCode, storedHeaders(response.Header)
	body, err := io.ReadAll(io.LimitReader(response.Body, maxStoredBody))
	a.responseBody = validText(string(body))
	return err // of a response that was cut off; its status counts nevertheless
}

// maskedHeaders gives the headers that were sent, with the values of the endpoint's own masked, and with what signs calls to a queue.
func maskedHeaders(sent http.Header, to target) map[string]string {
	shown := map[string]string{}
	for name := range sent {
		shown[name] = sent.Get(name)
	}
	own := slices.Collect(maps.Keys(to.headers))
	if to.shape.destination == toSQS {
		own = append(own, "Authorization")
	}
	for _, name := range own {
		if name = http.CanonicalHeaderKey(name); shown[name] != "" {
			shown[name] = masked // it may be a password
		}
	}
	return shown
}

// storedHeaders gives the headers of a response as they are stored.
func storedHeaders(received http.Header) map[string]string {
	stored := map[string]string{}
	for name, values := range received {
		if len(stored) == maxStoredHeaders && name != "Retry-After" {
			continue
		}
		value := strings.Join(values, ", ")
		stored[validText(name)] = validText(value[:min(len(value), maxStoredHeaderValue)])
	}
	return stored
}

// validText gives text that PostgreSQL can store: valid UTF-8 without NUL.
func validText(received string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(received, "\uFFFD"), "\x00", "\uFFFD")
}

// describeError says in a sentence why there was no response.
func describeError(err error) string {
	var refusal *external.Rejection
	var lookup *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var transported *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &refusal):
		return validText("The URL " + refusal.Error() + ".")
	case errors.Is(err, context.Canceled):
		return "The call was given up because this process was stopped."
	case errors.As(err, &lookup):
		return "The host " + validText(lookup.Name) + " cannot be found."
	case errors.As(err, &untrusted):
		return validText("The certificate of the receiver is not trusted: " + untrusted.Err.Error() +
			". One that no public authority has made needs its authority in ca_certificate.")
	case errors.As(err, &transported) && transported.Op == "remote error": // what crypto/tls calls an alert of the other side
		return validText("The receiver ended the TLS handshake: " + transported.Err.Error() + ". It may want a client certificate; GET " +
			"/v1/webhook-endpoints/sender shows which we have.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The receiver refuses connections."
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("The receiver did not answer within %d seconds.", int(receiverTimeout.Seconds()))
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF):
		return "The receiver closed the connection without an answer."
	}
	return validText("No answer came: " + err.Error() + ".")
}
