package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTheCountOfASignInIsTakenFirst(t *testing.T) {
	o := newPeopleFixture(t, func(c *Config) { c.TrustedProxies = []string{"127.0.0.0/8"} })
	try := func(from, email, password string) int {
		request, err := http.NewRequestWithContext(context.Background(), "POST", o.internal+"/internal/sign-in",
			strings.NewReader(`{"email":"`+email+`","password":"`+password+`"}`))
		if err != nil {
			t.Error(err)
			return 0
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Forwarded-For", from)
		return perform(t, request).StatusCode
	}
	withinOneMinute(30 * time.Second)
	for range 15 { // a right password counts nowhere
		if status := try("198.51.100.1", "ada@example.ca", "correct horse"); status != 200 {
			t.Fatalf("the right password: %d", status)
		}
	}
	looked := o.people.passwords()
	var work sync.WaitGroup
	for range 60 { // many at once
		work.Go(func() { try("198.51.100.1", "Ada@example.ca", "wrong") })
	}
	work.Wait()
	if n := o.people.passwords() - looked; n != 10 {
		t.Errorf("%d of 60 wrong passwords at once were looked at", n)
	}
	if status := try("198.51.100.1", "ada@example.ca", "correct horse"); status != 429 {
		t.Errorf("from where it was tried: %d", status)
	}
	if status := try("2001:db8::1", "ada@example.ca", "correct horse"); status != 200 {
		t.Errorf("from elsewhere: %d", status)
	}
	for i := range 30 {
		for range 5 {
			try(fmt.Sprintf("203.0.113.%d", i), "ada@example.ca", "wrong")
		}
	}
	if n := o.people.passwords() - looked - 1; n != 100 {
		t.Errorf("%d wrong passwords from many places were looked at", n)
	}
	if status := try("203.0.113.77", "eva@example.ca", "correct horse"); status != 200 {
		t.Errorf("somebody else: %d", status)
	}
}
