package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// person is somebody at the settings screens.
type person struct {
	base   string
	client *http.Client
}

func newPerson(base string) (*person, error) {
	jar, err := cookiejar.New(nil)
	return &person{base, &http.Client{Jar: jar, Timeout: load.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, err
}

func (p *person) get(ctx context.Context, path string) (status int, text string, err error) {
	return p.send(ctx, http.MethodGet, path, nil)
}

func (p *person) send(ctx context.Context, method, path string, form url.Values) (status int, text string, err error) {
	request, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	request.Header.Set("Accept-Language", "en")
	response, err := p.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

var formToken = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

func (p *person) signIn(ctx context.Context, email, password string) (status int, text string, err error) {
	status, text, err = p.get(ctx, "/settings/sign-in")
	if err != nil {
		return status, text, err
	}
	token := formToken.FindStringSubmatch(text)
	if token == nil {
		return status, text, unexpected("the sign-in", status, text)
	}
	return p.send(ctx, http.MethodPost, "/settings/sign-in", url.Values{"form_token": {token[1]}, "email": {email}, "password": {password}})
}

// protocol is the version of the Model Context Protocol that works without a handshake.
const protocol = "2025-06-18"

// tool is what an assistant is told when it calls a tool.
func (r *run) tool(ctx context.Context, name string, arguments map[string]any) (string, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": arguments}})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	d := r.stack.Description()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.MCPURL, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	for header, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": protocol, "Authorization": "Bearer " + r.organizations[0].Key()} {
		request.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	var called struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal(content, &called); err != nil || len(called.Result.Content) == 0 {
		return "", fmt.Errorf("the tool %s responds %s: %.300s", name, response.Status, content)
	}
	return called.Result.Content[0].Text, nil
}
