// Package apiclient calls the running product as its callers do, for tests that look at it from outside.
package apiclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Response is a whole one.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	Object map[string]any // the body, where it is a JSON object
}

// Send makes a request with a credential (empty: none) and a body: bytes as they are, all else as JSON (nil: none); header are name, value
// pairs. The error says that no whole response came, or one that calls itself JSON and is not.
func Send(client *http.Client, credential, method, address string, body any, header ...string) (Response, error) {
	var reader io.Reader
	if content, is := body.([]byte); is {
		reader = bytes.NewReader(content)
	} else if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return Response{}, err
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, address, reader)
	if err != nil {
		return Response{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if credential != "" {
		request.Header.Set("Authorization", "Bearer "+credential)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return Response{}, err
	}
	defer response.Body.Close()
	a := Response{Status: response.StatusCode, Header: response.Header}
	if a.Body, err = io.ReadAll(response.Body); err != nil {
		return a, err
	}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(a.Body, &a.Object); err != nil {
			return a, fmt.Errorf("the answer is not JSON: %w: %.200s", err, a.Body)
		}
	}
	return a, nil
}
