package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/schema"
)

func documentCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "documents", Short: "Files on records: upload, download, import, verify"}
	group.AddCommand(uploadDocuments(s), downloadDocuments(s), importDocuments(s), verifyDocuments(s))
	return group
}

// record is what documents are on.
type record struct{ collection, id string }

const recordUsage = "the record, by collection and code, tag, number, external id or id: assets/A-000123"

// codes are the fields by which people name a record.
var codes = []string{"asset_tag", "code", "number", "segment_code", "external_id"}

var isID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// findRecord is the one record that is named by its collection, as in paths or in the catalogue, and by its id or what people call it.
func findRecord(ctx context.Context, client *ams.Client, on string) (record, error) {
	collection, name := "", ""
	if slash := strings.LastIndex(on, "/"); slash > 0 {
		collection, name = strings.TrimPrefix(strings.Trim(on[:slash], "/"), "v1/"), on[slash+1:]
	}
	if name == "" {
		return record{}, &noRecord{fmt.Sprintf("%q names no record: write it as assets/A-000123", on)}
	}
	for row := range catalogue.Product().Collections() {
		path := strings.TrimPrefix(row.Path, "/v1/")
		if collection != path && strings.ReplaceAll(collection, "-", "_") != row.Name {
			continue
		}
		switch {
		case isID.MatchString(name):
			return record{row.Name, strings.ToLower(name)}, nil
		case strings.Contains(path, "{"):
			return record{}, &noRecord{fmt.Sprintf("%s: give the id of the record in place of %q", on, name)}
		}
		id, err := findByCode(ctx, client, path, name)
		return record{row.Name, id}, err
	}
	return record{}, &noRecord{
		fmt.Sprintf("%s: there is no collection %q; give one such as assets, buildings, work-orders or infrastructure/segments", on, collection),
	}
}

func findByCode(ctx context.Context, client *ams.Client, path, name string) (string, error) {
	fields, err := describedFields(ctx, client, path)
	if err != nil {
		return "", err
	}
	var requested, found []string
	for _, field := range codes {
		if _, has := fields[field]; !has {
			continue
		}
		requested = append(requested, field)
		var page ams.Page[struct{ ID string }]
		if err := client.Request(ctx, ams.Request{Path: "/v1/" + path, Query: url.Values{field: {schema.ListOf(name)}, "fields": {"id"}}},
			&page); err != nil {
			return "", err
		}
		for _, each := range page.Data {
			if !slices.Contains(found, each.ID) {
				found = append(found, each.ID)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", &noRecord{fmt.Sprintf("nothing in %s has %q as its %s", path, name, strings.Join(requested, ", "))}
	case 1:
		return found[0], nil
	}
	return "",
		&noRecord{fmt.Sprintf("%d records of %s are called %q: give the id of one, such as %s/%s", len(found), path, name, path, found[0])}
}

// noRecord is the error of a name that is nobody's, or of several.
type noRecord struct{ message string }

func (e *noRecord) Error() string { return e.message }

// document is what is read of one.
type document struct {
	ID         string  `json:"id"`
	FileName   string  `json:"file_name"`
	SizeBytes  int64   `json:"size_bytes"`
	SHA256     *string `json:"sha256"` // nil of a draft
	ScanStatus string  `json:"scan_status"`

	raw   json.RawMessage
	known bool // was there before
}

func (d *document) UnmarshalJSON(text []byte) error {
	type plain document
	d.raw = slices.Clone(text)
	return json.Unmarshal(text, (*plain)(d))
}

// findDocuments gives the documents that a filter finds.
func findDocuments(ctx context.Context, client *ams.Client, filters ams.Filters) ([]document, error) {
	var all []document
	for each, err := range ams.NewCollection[document, any, any](client, "documents").All(ctx, filters) {
		if err != nil {
			return nil, err
		}
		all = append(all, *each)
	}
	return all, nil
}

func (s *session) showDocuments(all []document) error {
	rows := []json.RawMessage{}
	for _, each := range all {
		rows = append(rows, each.raw)
	}
	list, err := json.Marshal(map[string]any{"data": rows})
	if err != nil {
		return err
	}
	return s.show(list, column{"title", "title"}, column{"kind", "kind"}, column{"size_bytes", "size_bytes"}, column{"sha256", "sha256"},
		column{"id", "id"})
}

// checkParallel refuses what the service would: a key has four uploads at once.
func checkParallel(n int) error {
	if n < 1 || n > 4 {
		return errors.New("--parallel is 1 to 4")
	}
	return nil
}
