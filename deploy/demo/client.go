package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// record is the body of a call or one row of it.
type record map[string]any

// client calls the API as any customer's script would, and waits as the API says before it tries again.
type client struct{ base, token string }

func newClient(base, token string) *client { return &client{base: base, token: token} }

// rowsPerCall is the most that one bulk call takes.
const rowsPerCall = 1000

// bulk writes records and gives the id of each. Records that are there already, by their external_id, stay as they are.
func (c *client) bulk(ctx context.Context, collection string, records []record, written *tally) ([]string, error) {
	ids := make([]string, 0, len(records))
	for start := 0; start < len(records); start += rowsPerCall {
		part := records[start:min(start+rowsPerCall, len(records))]
		var decoded struct {
			Results []struct {
				Index  int    `json:"index"`
				Status string `json:"status"`
				ID     string `json:"id"`
				Error  string `json:"error"`
			} `json:"results"`
			Summary struct {
				Created int `json:"created"`
			} `json:"summary"`
		}
		if err := c.do(ctx, http.MethodPost, "/v1/"+collection+"/bulk?on_conflict=skip", record{"data": part}, &decoded); err != nil {
			return nil, fmt.Errorf("%s %d to %d: %w", collection, start, start+len(part), err)
		}
		for _, result := range decoded.Results {
			if result.Error != "" {
				return nil, fmt.Errorf("%s %d: %s", collection, start+result.Index, result.Error)
			}
			ids = append(ids, result.ID)
		}
		written.add(collection, decoded.Summary.Created)
	}
	if len(ids) != len(records) {
		return nil, fmt.Errorf("%s: %d results for %d records", collection, len(ids), len(records))
	}
	return ids, nil
}

// do makes one call with a body of JSON, or none.
func (c *client) do(ctx context.Context, method, path string, body, into any) error {
	if body == nil {
		return c.send(ctx, method, path, http.Header{}, nil, into)
	}
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.send(ctx, method, path, http.Header{"Content-Type": {"application/json"}}, content, into)
}

// send makes one call. It waits when it is told to: at the rate limit, and while a service is being started.
func (c *client) send(ctx context.Context, method, path string, header http.Header, content []byte, into any) error {
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(content))
		if err != nil {
			return err
		}
		request.Header = header.Clone()
		request.Header.Set("Authorization", "Bearer "+c.token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		decoded, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		if pause := retryDelay(response, attempt); pause > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
				continue
			}
		}
		if response.StatusCode >= 300 {
			return fmt.Errorf("%s %s answered %s: %s", method, path, response.Status, decoded[:min(len(decoded), 2000)])
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(decoded, into)
	}
}

// retryDelay says how long to wait before the same call is made again; 0 means that the response stands.
func retryDelay(response *http.Response, attempt int) time.Duration {
	const attempts = 40
	switch {
	case attempt >= attempts:
		return 0
	case response.StatusCode == http.StatusServiceUnavailable:
		return 250 * time.Millisecond
	case response.StatusCode == http.StatusTooManyRequests:
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			seconds = 1
		}
		return time.Duration(max(seconds, 1)) * time.Second
	}
	return 0
}
