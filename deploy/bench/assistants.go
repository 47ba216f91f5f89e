package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	ams "ams.internal/clients/go"
)

// era is the protocol version that the benchmark speaks: the one without a handshake.
const era = "2026-07-28"

// measureAssistants measures what the MCP server costs: get_asset against the request to the API that it makes.
func (b *bench) measureAssistants(ctx context.Context) error {
	asset, err := b.placedAsset(ctx)
	if err != nil {
		return err
	}
	through := b.asAssistant(asset)
	if err := b.checkAssistant(ctx, through[0]); err != nil {
		return err
	}
	path := "/v1/assets/" + asset
	pids := b.processors()
	pids["mcp"] = group{pid: b.description.PIDs["mcp-1"]}
	var loads []load
	for _, l := range []load{
		{name: "REST, get an asset", requests: b.keyed(request{method: "GET", path: path})},
		{name: "REST, get an asset with names", requests: b.keyed(request{method: "GET",
			path: path + "?expand=site,building,system,parent_asset,responsible_user"})},
		{name: "MCP, get_asset", requests: through},
	} {
		l.url, l.callers, l.seconds, l.cpu = b.description.BaseURL, 1, b.seconds, pids
		loads = append(loads, l)
	}
	warm := make([]load, len(loads))
	for i, l := range loads {
		l.seconds = 1
		warm[i] = l
	}
	if _, err := best(b.folder, 1, warm...); err != nil {
		return err
	}
	found, err := best(b.folder, b.rounds, loads...)
	if err != nil {
		return err
	}
	b.report.add(found...)
	for _, f := range found {
		b.report.noFailures(f)
	}
	b.report.atMost("p50 of get_asset through MCP, to the request of the API that it makes", found[2].P50/found[1].P50, "×", 3)
	b.report.atMost("memory of mcp after that", memory(b.description.PIDs["mcp-1"], "VmRSS"), "MB", 80)
	return nil
}

// placedAsset makes an asset in a building on a site, so that it has names to show.
func (b *bench) placedAsset(ctx context.Context) (string, error) {
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	make := func(path string, body map[string]any) (string, error) {
		var made struct{ ID string }
		err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: path, Body: body}, &made)
		return made.ID, err
	}
	site, err := make("/v1/sites", map[string]any{"name": "Assistants' site"})
	if err != nil {
		return "", err
	}
	building, err := make("/v1/buildings", map[string]any{"name": "Assistants' building", "site_id": site})
	if err != nil {
		return "", err
	}
	return make("/v1/assets", map[string]any{"name": "Assistants' pump", "building_id": building, "category": "hvac", "install_year": 2015,
		"replacement_cost": 12500})
}

// asAssistant is a call of get_asset, once with each key.
func (b *bench) asAssistant(asset string) []request {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_asset","arguments":{"id":%q},`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`, asset, era)
	all := b.keyed(request{method: "POST", path: "/mcp", body: body})
	for _, r := range all {
		r.headers["Accept"], r.headers["MCP-Protocol-Version"] = "application/json, text/event-stream", era
		r.headers["Mcp-Method"], r.headers["Mcp-Name"] = "tools/call", "get_asset"
	}
	return all
}

// checkAssistant makes sure that the response has the asset: to wrk, a failed tool is a success.
func (b *bench) checkAssistant(ctx context.Context, r request) error {
	q, err := http.NewRequestWithContext(ctx, r.method, b.description.BaseURL+r.path, strings.NewReader(r.body))
	if err != nil {
		return err
	}
	for name, value := range r.headers {
		q.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !json.Valid(content) || !bytes.Contains(content, []byte("Assistants' building")) ||
		bytes.Contains(content, []byte(`"isError"`)) {
		return fmt.Errorf("get_asset answers %s: %s", response.Status, content)
	}
	return nil
}
