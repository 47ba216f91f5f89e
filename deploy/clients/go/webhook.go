package ams

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxWebhookAge is how far the time of a webhook may be from ours.
const MaxWebhookAge = 5 * time.Minute

// VerifyWebhook checks that a webhook's body, as it was received, was signed with one of the secrets (whsec_…) within MaxWebhookAge, and
// gives its event. While a secret is being replaced, give both; the service signs with both. Answer with 401 when there is an error.
//
// A webhook may come twice: its event's ID is the same at every attempt.
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (*Event, error) {
	return verifyWebhook(body, header, time.Now(), secrets)
}

func verifyWebhook(body []byte, header http.Header, now time.Time, secrets []string) (*Event, error) {
	id, stamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil {
		return nil, errors.New("the webhook has no webhook-id or no webhook-timestamp")
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > MaxWebhookAge || age < -MaxWebhookAge {
		return nil, fmt.Errorf("the webhook is of another time than now: %s", time.Unix(seconds, 0).UTC().Format(time.RFC3339))
	}
	var expected [][]byte
	for _, secret := range secrets {
		signature, err := sign(secret, id, stamp, body)
		if err != nil {
			return nil, err
		}
		expected = append(expected, signature)
	}
	if !signed(header.Values("Webhook-Signature"), expected) {
		return nil, errors.New("the signature does not fit")
	}
	event := &Event{}
	if err := json.Unmarshal(body, event); err != nil {
		return nil, fmt.Errorf("the webhook's body: %w", err)
	}
	return event, nil
}

// SignWebhook gives the headers that the service sends with a webhook: to test a receiver with.
func SignWebhook(body []byte, id string, at time.Time, secret string) (http.Header, error) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	signature, err := sign(secret, id, stamp, body)
	if err != nil {
		return nil, err
	}
	return http.Header{"Content-Type": {"application/json"}, "Webhook-Id": {id}, "Webhook-Timestamp": {stamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(signature)}}, nil
}

func sign(secret, id, stamp string, body []byte) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, errors.New("the secret is not one of a webhook endpoint: whsec_ and base64")
	}
	code := hmac.New(sha256.New, key)
	fmt.Fprintf(code, "%s.%s.", id, stamp)
	code.Write(body)
	return code.Sum(nil), nil
}

// signed compares every signature with every one that would be right, each in constant time.
func signed(headers []string, expected [][]byte) bool {
	found := false
	for part := range strings.FieldsSeq(strings.Join(headers, " ")) {
		text, isV1 := strings.CutPrefix(part, "v1,")
		given, err := base64.StdEncoding.DecodeString(text)
		if !isV1 || err != nil {
			continue
		}
		for _, right := range expected {
			found = hmac.Equal(given, right) || found
		}
	}
	return found
}
