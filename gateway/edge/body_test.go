package edge

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// An upload has 6 hours, however steadily it comes, where any other body has 2 minutes.
func TestAnUploadHasSixHours(t *testing.T) {
	read := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{ResponseWriter: w, r: r}
		for most, until := range map[time.Duration]time.Time{2 * time.Minute: newInboundBody(c, 1).until, 6 * time.Hour: newUploadBody(c).until} {
			if left := time.Until(until); left > most || left < most-time.Minute {
				t.Errorf("%s, want %s", left, most)
			}
		}
		body := newUploadBody(c)
		body.until = time.Now().Add(100 * time.Millisecond)
		_, err := io.Copy(io.Discard, body)
		read <- err
	}))
	defer server.Close()
	steady, write := io.Pipe()
	go func() {
		for {
			if _, err := write.Write(make([]byte, 64<<10)); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, steady)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := server.Client().Do(request); err == nil {
		_ = response.Body.Close()
	}
	_ = steady.Close()
	var refused *bodyError
	if err := <-read; !errors.As(err, &refused) || refused.refusal.Code != "body_incomplete" {
		t.Errorf("behind its time: %v", err)
	}
}
