package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ams.internal/deploy/amsctl/api"
)

var exportFormats = map[string]string{
	"csv": "text/csv", "ndjson": "application/x-ndjson", "geojson": "application/geo+json",
}

func exportCommand(s *session) *cobra.Command {
	var collection, format string
	var filters []string
	cmd := &cobra.Command{Use: "export", Short: "Write a whole collection to standard output, as it is streamed", Args: cobra.NoArgs}
	flags := cmd.Flags()
	flags.StringVar(&collection, "collection", "", "such as sites, assets or infrastructure/segments")
	flags.StringVar(&format, "format", "csv", "csv, ndjson or geojson")
	flags.StringArrayVar(&filters, "filter", nil, "a filter of the collection's list, such as status=in_service; may be given several times")
	require(cmd, "collection")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		accept, known := exportFormats[format]
		if !known {
			return fmt.Errorf("--format %q is not known: use csv, ndjson or geojson", format)
		}
		query := url.Values{}
		for _, filter := range filters {
			name, value, ok := strings.Cut(filter, "=")
			if !ok || name == "" {
				return fmt.Errorf("--filter %q: write it as name=value", filter)
			}
			query.Add(name, value)
		}
		client, err := s.public()
		if err != nil {
			return err
		}
		return s.export(cmd, client, api.Request{Method: http.MethodGet, Path: "/v1/" + collection, Query: query, Accept: accept, Limit: 6 * time.Hour})
	}
	return cmd
}

func (s *session) export(cmd *cobra.Command, client *api.Client, request api.Request) (err error) {
	answer, err := client.Open(cmd.Context(), request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if got := answer.Header.Get("Content-Type"); !strings.HasPrefix(got, request.Accept) {
		return fmt.Errorf("%s cannot be exported as %s: the service answers with %s", request.Path, request.Accept, got)
	}
	out := bufio.NewWriterSize(s.out, 64<<10)
	n, err := io.Copy(out, answer.Body)
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("the export broke off after %d bytes; what was written is not complete: %w", n, err)
	}
	return nil
}
