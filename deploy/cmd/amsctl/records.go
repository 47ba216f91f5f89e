package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/mapping"
)

// anyCollection has records as they are.
type anyCollection = *ams.Collection[json.RawMessage, json.RawMessage, json.RawMessage]

func (s *session) collection(name string) (anyCollection, *ams.Client, error) {
	client, err := s.public()
	if err != nil {
		return nil, nil, err
	}
	return ams.NewCollection[json.RawMessage, json.RawMessage, json.RawMessage](client, name), client, nil
}

// listed is a collection to read. Parts of records that are named without the one that they are of, work-orders/costs, are those of all.
func (s *session) listed(ctx context.Context, name string) (anyCollection, *ams.Client, error) {
	if strings.Contains(name, "/") {
		client, err := s.public()
		if err != nil {
			return nil, nil, err
		}
		var document json.RawMessage
		if err := client.Request(ctx, ams.Request{Path: "/openapi.json"}, &document); err != nil {
			return nil, nil, err
		}
		if found, err := mapping.FindCollection(document, name); err == nil && found.Parent != "" && found.Of == "" {
			name = strings.Replace(strings.TrimPrefix(found.Path, "/v1/"), "{"+found.Parent+"}", "-", 1)
		}
	}
	return s.collection(name)
}

// usualColumns are those of a table of records, as far as the first record has them.
var usualColumns = []string{"code", "asset_tag", "work_order_number", "number", "external_id", "name", "title", "email", "url", "year",
	"value", "kind", "category", "status", "priority", "condition_rating", "updated_at", "id"}

func recordColumns(fields string, first json.RawMessage) []column {
	names := strings.Split(fields, ",")
	if fields == "" {
		var record map[string]any
		_ = json.Unmarshal(first, &record) // what is no record has no columns
		names = slices.DeleteFunc(slices.Clone(usualColumns), func(name string) bool { return record[name] == nil && name != "id" })
	}
	columns := make([]column, len(names))
	for i, name := range names {
		columns[i] = column{name, name}
	}
	return columns
}

const collectionNames = "such as assets, infrastructure/segments, work-orders/costs or work-orders/ID/costs"

// collectionFlag is the other way to name the collection that a command is about.
func collectionFlag(cmd *cobra.Command, collection *string) {
	cmd.Flags().StringVar(collection, "collection", "", "the same as COLLECTION")
}

// oneCollection takes the collection from the argument, where it is not given as --collection.
func oneCollection(cmd *cobra.Command, collection *string, args []string) error {
	switch {
	case len(args) > 0 && *collection != "" && args[0] != *collection:
		return fmt.Errorf("which collection, %s or %s?", args[0], *collection)
	case len(args) > 0:
		*collection = args[0]
	case *collection == "":
		return fmt.Errorf("which collection? Name it, as in amsctl %s assets", cmd.Name())
	}
	*collection = strings.Trim(strings.TrimPrefix(strings.TrimPrefix(*collection, "/"), "v1/"), "/")
	return nil
}

func getCommand(s *session) *cobra.Command {
	var given []string
	var collection, externalID string
	var all bool
	cmd := &cobra.Command{Use: "get COLLECTION [ID]", Short: "Show a record, or a list of them", Args: cobra.MaximumNArgs(2)}
	cmd.Long = `Show a record, or a list of them, with the key in AMS_API_KEY. COLLECTION is ` + collectionNames + `.

A list is its first page; with --all, all of it. Filters are those of the list, and sort, fields, expand and per_page:

  amsctl get assets --filter status=in_service --filter sort=-updated_at --filter fields=name,status --all`
	flags := cmd.Flags()
	collectionFlag(cmd, &collection)
	flags.StringArrayVar(&given, "filter", nil, "name=value; may be given several times")
	flags.StringVar(&externalID, "external-id", "", "the record with this id of your own")
	flags.BoolVar(&all, "all", false, "all pages")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if collection != "" && len(args) < 2 && !(len(args) == 1 && args[0] == collection) {
			args = append([]string{collection}, args...)
		}
		if err := oneCollection(cmd, &collection, args); err != nil {
			return err
		}
		filters, err := parameters(given)
		if err != nil {
			return err
		}
		records, _, err := s.listed(cmd.Context(), collection)
		if err != nil {
			return err
		}
		fields, _ := filters["fields"].(string)
		if len(args) == 2 || externalID != "" {
			if all {
				return errors.New("--all is for lists")
			}
			id, err := oneID(cmd.Context(), records, args[1:], externalID)
			if err != nil {
				return err
			}
			record, err := records.Get(cmd.Context(), id, filters)
			if err != nil {
				return err
			}
			return s.showRecord(*record)
		}
		if all {
			return s.showAll(records.All(cmd.Context(), filters), fields)
		}
		page, err := records.List(cmd.Context(), filters)
		if err != nil {
			return err
		}
		return s.showPage(page, fields)
	}
	return cmd
}

func createCommand(s *session) *cobra.Command {
	var path string
	var sets []string
	cmd := &cobra.Command{Use: "create COLLECTION", Short: "Make a record, or up to a thousand", Args: cobra.ExactArgs(1)}
	cmd.Long = `Make a record of a JSON object, or up to a thousand of a list of them, all or none. COLLECTION is ` + collectionNames + `.

  amsctl create sites --set name="Hôtel de Ville" --set code=SITE-1
  amsctl create assets -f pump.json`
	recordFlags(cmd, &path, &sets)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		records, client, err := s.collection(args[0])
		if err != nil {
			return err
		}
		body, err := s.body(cmd.Context(), client, args[0], path, sets)
		if err != nil {
			return err
		}
		if strings.HasPrefix(strings.TrimSpace(string(body)), "[") {
			result, err := records.BulkCreateRows(cmd.Context(), body, ams.BulkOptions{})
			if err != nil {
				return err
			}
			return s.showAll(each(result.Data), "")
		}
		record, err := records.Create(cmd.Context(), body)
		if err != nil {
			return err
		}
		return s.showRecord(*record)
	}
	return cmd
}

func updateCommand(s *session) *cobra.Command {
	var path, externalID string
	var sets []string
	var version int64
	cmd := &cobra.Command{Use: "update COLLECTION [ID]", Short: "Change a record; with --external-id, make it where there is none",
		Args: cobra.RangeArgs(1, 2)}
	cmd.Long = `Change a record to what is given; the other fields stay, and null clears one. COLLECTION is ` + collectionNames + `.

  amsctl update assets ID --set status=out_of_service --set notes=null --if-match 3
  amsctl update sites --external-id GIS-17 --set name="Hôtel de Ville"

With --external-id, the record with this id of your own is changed, or made where there is none (PUT …/by-external-id/…).`
	recordFlags(cmd, &path, &sets)
	cmd.Flags().StringVar(&externalID, "external-id", "", "the record with this id of your own, in place of ID")
	cmd.Flags().Int64Var(&version, "if-match", 0, "only when the record is at this version")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if (len(args) == 2) == (externalID != "") {
			return errors.New("which record? Give its ID, or --external-id")
		}
		if externalID != "" && version != 0 {
			return errors.New("--if-match goes with an ID")
		}
		records, client, err := s.collection(args[0])
		if err != nil {
			return err
		}
		body, err := s.body(cmd.Context(), client, args[0], path, sets)
		if err != nil {
			return err
		}
		var record *json.RawMessage
		if externalID != "" {
			record, err = records.Upsert(cmd.Context(), externalID, body)
		} else {
			record, err = records.Update(cmd.Context(), args[1], body, version)
		}
		if err != nil {
			return err
		}
		return s.showRecord(*record)
	}
	return cmd
}

func deleteCommand(s *session) *cobra.Command {
	var externalID string
	var version int64
	cmd := &cobra.Command{Use: "delete COLLECTION [ID]", Short: "Remove a record", Args: cobra.RangeArgs(1, 2)}
	cmd.Flags().StringVar(&externalID, "external-id", "", "the record with this id of your own, in place of ID")
	cmd.Flags().Int64Var(&version, "if-match", 0, "only when the record is at this version")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		records, _, err := s.collection(args[0])
		if err != nil {
			return err
		}
		id, err := oneID(cmd.Context(), records, args[1:], externalID)
		if err != nil {
			return err
		}
		if err := records.Delete(cmd.Context(), id, version); err != nil {
			return err
		}
		if s.output == "json" {
			return s.encode(map[string]string{"id": id, "status": "deleted"})
		}
		_, err = fmt.Fprintln(s.out, "Deleted", id)
		return err
	}
	return cmd
}

func recordFlags(cmd *cobra.Command, path *string, sets *[]string) {
	cmd.Flags().StringVarP(path, "file", "f", "", "file with the JSON, or - for standard input")
	cmd.Flags().StringArrayVar(sets, "set", nil,
		"name=value, over what the file has; null, numbers, lists and objects as JSON; may be given several times")
}

// parameters reads name=value.
func parameters(given []string) (ams.Filters, error) {
	filters := ams.Filters{}
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--filter %q: write it as name=value", text)
		}
		if _, twice := filters[name]; twice {
			return nil, fmt.Errorf("--filter %s is given twice: write several values with a comma between them", name)
		}
		filters[name] = value
	}
	return filters, nil
}

// oneID is the id that was given, or that of the record with an external id.
func oneID(ctx context.Context, records anyCollection, args []string, externalID string) (string, error) {
	switch {
	case (len(args) == 1) == (externalID != ""):
		return "", errors.New("which record? Give its ID, or --external-id")
	case externalID == "":
		return args[0], nil
	}
	page, err := records.List(ctx, ams.Filters{"external_id": []string{externalID}, "fields": "id"})
	if err != nil {
		return "", err
	}
	if len(page.Data) != 1 {
		return "", fmt.Errorf("%d records have the external_id %q", len(page.Data), externalID)
	}
	var record struct{ ID string }
	err = json.Unmarshal(page.Data[0], &record)
	return record.ID, err
}

// body is what a write sends: the file's JSON with what --set says.
func (s *session) body(ctx context.Context, client *ams.Client, collection, path string, sets []string) (json.RawMessage, error) {
	var text []byte
	var err error
	switch path {
	case "":
		if len(sets) == 0 {
			return nil, errors.New("what shall be written? Give --set name=value, or -f FILE")
		}
		text = []byte("{}")
	case "-":
		text, err = io.ReadAll(s.in)
	default:
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	if len(sets) == 0 {
		if !json.Valid(text) {
			return nil, fmt.Errorf("%s is not JSON", path)
		}
		return text, nil
	}
	record := map[string]any{}
	if err := json.Unmarshal(text, &record); err != nil {
		return nil, fmt.Errorf("--set needs a JSON object to set into: %w", err)
	}
	fields, err := describedFields(ctx, client, collection)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		name, value, ok := strings.Cut(set, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--set %q: write it as name=value", set)
		}
		if custom, is := strings.CutPrefix(name, "custom_fields."); is {
			inner, is := record["custom_fields"].(map[string]any)
			if !is {
				inner = map[string]any{}
			}
			inner[custom], record["custom_fields"] = valueOf(value, ""), inner
			continue
		}
		record[name] = valueOf(value, fields[name].Type)
	}
	return json.Marshal(record)
}

// describedFields are a collection's fields, by which --set tells a number from a text; none of what is no collection, which is for the
// service to refuse.
func describedFields(ctx context.Context, client *ams.Client, collection string) (mapping.Schema, error) {
	var document json.RawMessage
	if err := client.Request(ctx, ams.Request{Path: "/openapi.json"}, &document); err != nil {
		return nil, err
	}
	parts := strings.Split(strings.Trim(collection, "/"), "/")
	if len(parts) == 3 { // below a record
		parts = []string{parts[0], parts[2]}
	}
	found, err := mapping.FindCollection(document, strings.Join(parts, "/"))
	if err != nil {
		return nil, nil //nolint:nilerr // see above
	}
	return found.Fields, nil
}

// valueOf reads a value as JSON where its field is no text; null clears any.
func valueOf(text, kind string) any {
	if text == "null" {
		return nil
	}
	if kind != "text" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if kind == "list" {
		return strings.Split(text, ",")
	}
	return text
}

// showRecord writes one record: all of its fields, in the service's order.
func (s *session) showRecord(record json.RawMessage) error {
	if s.output == "json" {
		return s.encode(record)
	}
	var columns []column
	decoder := json.NewDecoder(strings.NewReader(string(record)))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		columns = append(columns, column{fmt.Sprint(name), fmt.Sprint(name)})
	}
	return s.show(record, columns...)
}

func (s *session) showPage(page *ams.Page[json.RawMessage], fields string) error {
	if s.output == "json" {
		return s.encode(page)
	}
	if err := s.showAll(each(page.Data), fields); err != nil {
		return err
	}
	if page.Pagination.Total > len(page.Data) {
		s.note(fmt.Sprintf("%d of %d; --all shows the others", len(page.Data), page.Pagination.Total))
	}
	return nil
}

func each(records []json.RawMessage) iter.Seq2[*json.RawMessage, error] {
	return func(yield func(*json.RawMessage, error) bool) {
		for i := range records {
			if !yield(&records[i], nil) {
				return
			}
		}
	}
}

// showAll writes records as they come: of JSON one at a time, of a table a thousand at a time.
func (s *session) showAll(records iter.Seq2[*json.RawMessage, error], fields string) error {
	const atOnce = 1000
	var rows []json.RawMessage
	var columns []column
	begun := false
	flush := func() error {
		if columns == nil {
			first := json.RawMessage("{}")
			if len(rows) > 0 {
				first = rows[0]
			}
			columns = recordColumns(fields, first)
		}
		list, err := json.Marshal(map[string]any{"data": append([]json.RawMessage{}, rows...)})
		if err != nil {
			return err
		}
		rows = rows[:0]
		return s.show(list, columns...)
	}
	for record, err := range records {
		if err != nil {
			return err
		}
		if s.output == "json" {
			separator := ",\n"
			if !begun {
				separator = "{\"data\": [\n"
			}
			if _, err := fmt.Fprint(s.out, separator, string(*record)); err != nil {
				return err
			}
		} else if rows = append(rows, *record); len(rows) == atOnce {
			if err := flush(); err != nil {
				return err
			}
		}
		begun = true
	}
	if s.output == "json" {
		end := "\n]}\n"
		if !begun {
			end = "{\"data\": []}\n"
		}
		_, err := fmt.Fprint(s.out, end)
		return err
	}
	if len(rows) > 0 || !begun {
		return flush()
	}
	return nil
}
