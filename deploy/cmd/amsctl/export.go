package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/mapping"
)

var exportFormats = map[string]string{
	"csv": "text/csv", "excel": "text/csv", "ndjson": "application/x-ndjson", "geojson": "application/geo+json",
	"parquet": "application/vnd.apache.parquet",
}

func exportCommand(s *session) *cobra.Command {
	var collection, format, language string
	var filters []string
	cmd := &cobra.Command{Use: "export COLLECTION", Short: "Write a whole collection to standard output, as it is streamed",
		Args: cobra.MaximumNArgs(1)}
	cmd.Long = `Write a whole collection to standard output, as it is streamed, with the key in AMS_API_KEY.

COLLECTION is ` + collectionNames + `.

  amsctl export assets --filter status=in_service > assets.csv
  amsctl export assets --format excel --language fr > actifs.csv`
	flags := cmd.Flags()
	collectionFlag(cmd, &collection)
	flags.StringVar(&format, "format", "csv", "csv, excel (CSV that Excel opens, and amsctl import reads as well), ndjson, parquet, or "+
		"geojson for what has a geometry")
	flags.StringVar(&language, "language", "en", "of --format excel: fr writes semicolons and decimal commas")
	flags.StringArrayVar(&filters, "filter", nil, "a filter of the collection's list, such as status=in_service; may be given several times")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneCollection(cmd, &collection, args); err != nil {
			return err
		}
		accept, known := exportFormats[format]
		if !known {
			return fmt.Errorf("--format %q is not known: use csv, excel, ndjson, parquet or geojson", format)
		}
		query := url.Values{}
		for _, filter := range filters {
			name, value, ok := strings.Cut(filter, "=")
			if !ok || name == "" {
				return fmt.Errorf("--filter %q: write it as name=value", filter)
			}
			query.Add(name, value)
		}
		header := http.Header{}
		if format == "excel" {
			query.Set("csv", "excel")
			header.Set("Accept-Language", language)
		}
		client, err := s.public()
		if err != nil {
			return err
		}
		return s.exportCollection(cmd.Context(), client, collection, ams.Request{Method: http.MethodGet, Query: query, Header: header,
			Accept: accept})
	}
	return cmd
}

// exportCollection writes a collection. A sub-collection is written parent by parent, unless its name holds the id of one:
// projects/ID/phases.
func (s *session) exportCollection(ctx context.Context, client *ams.Client, collection string, whole ams.Request) (err error) {
	out := bufio.NewWriterSize(s.out, 64<<10)
	defer func() { err = errors.Join(err, out.Flush()) }()
	whole.Path, whole.Timeout = "/v1/"+collection, 6*time.Hour
	var document json.RawMessage
	if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/openapi.json"}, &document); err != nil {
		return err
	}
	found, err := mapping.FindCollection(document, collection)
	if err != nil || found.Parent == "" || found.Of != "" { // what is no collection is for the service to refuse
		return export(ctx, client, whole, out)
	}
	if whole.Accept == exportFormats["parquet"] { // it has one footer: parts cannot stand behind each other
		return fmt.Errorf("--format parquet has the parts of one record: name it, as in %s/ID/PARTS, or use csv or ndjson for those of all",
			found.Parents)
	}
	return s.exportParts(ctx, client, found, whole, out)
}

// exportParts requests the parts of every parent, one call each, and writes the header of a CSV once.
func (s *session) exportParts(ctx context.Context, client *ams.Client, parts mapping.Collection, request ams.Request,
	out *bufio.Writer) error {
	var parents bytes.Buffer
	err := export(ctx, client, ams.Request{Method: http.MethodGet, Path: "/v1/" + parts.Parents, Query: url.Values{"fields": {"id"}},
		Accept: exportFormats["ndjson"], Timeout: time.Hour}, &parents)
	if err != nil {
		return err
	}
	ids := json.NewDecoder(&parents)
	for first := true; ids.More(); first = false {
		var parent struct {
			ID string `json:"id"`
		}
		if err := ids.Decode(&parent); err != nil {
			return err
		}
		request.Path = strings.Replace(parts.Path, "{"+parts.Parent+"}", parent.ID, 1)
		var w io.Writer = out
		if !first && request.Accept == exportFormats["csv"] {
			w = &headless{to: out}
		}
		if err := export(ctx, client, request, w); err != nil {
			return err
		}
	}
	return nil
}

// headless leaves out the first line.
type headless struct {
	to    io.Writer
	begun bool
}

func (h *headless) Write(text []byte) (int, error) {
	rest := text
	if !h.begun {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return len(text), nil
		}
		h.begun, rest = true, text[end+1:]
	}
	if _, err := h.to.Write(rest); err != nil {
		return 0, err
	}
	return len(text), nil
}

// export copies a stream, and says when it was not whole.
func export(ctx context.Context, client *ams.Client, request ams.Request, out io.Writer) (err error) {
	response, err := client.Open(ctx, request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, request.Accept) {
		return fmt.Errorf("%s cannot be exported as %s: the service answers with %s", request.Path, request.Accept, got)
	}
	if n, err := io.Copy(out, response.Body); err != nil {
		return fmt.Errorf("the export broke off after %d bytes of %s; what was written is not complete: %w", n, request.Path, err)
	}
	return nil
}
