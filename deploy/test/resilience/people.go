package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

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
