// Package golden generates the OpenAPI document of the whole API, and the inputs of client libraries in deploy/clients, from the
// services' golden documents.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"ams.internal/gateway/edge"
	"ams.internal/gateway/openapi"
)

// baseURL is that of make run.
const baseURL = "http://127.0.0.1:8080"

// Views gives the views of the document of a checkout.
func Views(root string) (openapi.Views, error) {
	parts := map[string][]byte{}
	for _, service := range edge.Documented() {
		part, err := os.ReadFile(filepath.Join(root, "services", service, "testdata", "openapi.json"))
		if err != nil {
			return openapi.Views{}, fmt.Errorf("%w (make golden writes it)", err)
		}
		parts[service] = part
	}
	config := openapi.Config{BaseURL: baseURL, Region: "ca-central-1", Services: edge.Documented(), Owner: edge.ServiceOf}
	return openapi.Merge(config, parts, slog.New(slog.DiscardHandler)), nil
}

// Files gives the files of deploy/clients that are made from the document, by their paths in the checkout.
func Files(views openapi.Views) (map[string][]byte, error) {
	document, err := indented(views.Clients)
	if err != nil {
		return nil, err
	}
	collection, err := openapi.Postman(views.Clients)
	if err != nil {
		return nil, err
	}
	if collection, err = indented(collection); err != nil {
		return nil, err
	}
	return map[string][]byte{"deploy/clients/openapi.json": document, "deploy/clients/postman.json": collection}, nil
}

// Write writes the files.
func Write(root string, views openapi.Views) error {
	files, err := Files(views)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // #nosec G301 -- committed, for everybody
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil { // #nosec G306 -- committed, for everybody
			return err
		}
	}
	return nil
}

func indented(content []byte) ([]byte, error) {
	var buffer bytes.Buffer
	err := json.Indent(&buffer, content, "", " ")
	buffer.WriteByte('\n')
	return buffer.Bytes(), err
}
