package ams

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	secretOne = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	secretTwo = "whsec_b2xkIHNlY3JldCBvZiB0aGUgdGVzdHM="
)

// TestAWebhookIsVerified begins with the example of Standard Webhooks' own documentation.
func TestAWebhookIsVerified(t *testing.T) {
	body := `{"test": 2432232314}`
	at := time.Unix(1614265330, 0)
	right := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	headers := func(id, stamp, signature string) http.Header {
		return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signature}}
	}
	const id, stamp = "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330"
	for name, c := range map[string]struct {
		body    string
		header  http.Header
		now     time.Time
		secrets []string
		err     string
	}{
		"as it was sent":               {body, headers(id, stamp, right), at, []string{secretOne}, ""},
		"with a secret without whsec_": {body, headers(id, stamp, right), at, []string{strings.TrimPrefix(secretOne, "whsec_")}, ""},
		"with both secrets":            {body, headers(id, stamp, right), at, []string{secretTwo, secretOne}, ""},
		"with two signatures":          {body, headers(id, stamp, "v1,AAAA v2,x "+right), at, []string{secretOne}, ""},
		"nearly too old":               {body, headers(id, stamp, right), at.Add(MaxWebhookAge), []string{secretOne}, ""},
		"too old": {body, headers(id, stamp, right), at.Add(MaxWebhookAge + time.Second), []string{secretOne},
			"another time"},
		"of the future": {body, headers(id, stamp, right), at.Add(-MaxWebhookAge - time.Second), []string{secretOne},
			"another time"},
		"with another body":    {body + " ", headers(id, stamp, right), at, []string{secretOne}, "does not fit"},
		"with another id":      {body, headers("msg_2", stamp, right), at, []string{secretOne}, "does not fit"},
		"with another secret":  {body, headers(id, stamp, right), at, []string{secretTwo}, "does not fit"},
		"with another version": {body, headers(id, stamp, "v2,"+right[3:]), at, []string{secretOne}, "does not fit"},
		"without a signature":  {body, headers(id, stamp, ""), at, []string{secretOne}, "does not fit"},
		"without a secret":     {body, headers(id, stamp, right), at, nil, "does not fit"},
		"with an empty secret": {body, headers(id, stamp, right), at, []string{""}, "whsec_"},
		"without a time":       {body, headers(id, "", right), at, []string{secretOne}, "webhook-timestamp"},
		"without an id":        {body, headers("", stamp, right), at, []string{secretOne}, "webhook-id"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := verifyWebhook([]byte(c.body), c.header, c.now, c.secrets)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestWhatIsSignedIsVerified(t *testing.T) {
	body := []byte(`{"id":"019a","type":"asset.updated","data":{"object":{"name":"Pump"},"changed":["name"]}}`)
	header, err := SignWebhook(body, "019a", time.Now(), secretOne)
	if err != nil {
		t.Fatal(err)
	}
	event, err := VerifyWebhook(body, header, secretOne)
	if err != nil || event.Type != "asset.updated" || event.Data.Object["name"] != "Pump" {
		t.Errorf("%+v, %v", event, err)
	}
}
