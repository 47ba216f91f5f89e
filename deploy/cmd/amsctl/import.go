package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/importer"
	"ams.internal/deploy/cmd/amsctl/mapping"
)

func importCommand(s *session) *cobra.Command {
	var job importer.Job
	var dryRun, suggest bool
	cmd := &cobra.Command{Use: "import [COLLECTION]", Short: "Import a CSV, Excel, NDJSON or GeoJSON file into a collection",
		Args: cobra.MaximumNArgs(1)}
	cmd.Long = `Import a CSV, Excel (.xlsx), NDJSON or GeoJSON file into a collection, with the key in AMS_API_KEY.

COLLECTION is ` + collectionNames + `;
it may be left out where the mapping names it.

  amsctl import assets --file pumps.xlsx --suggest-mapping > pumps.yaml
  amsctl import --file pumps.xlsx --mapping pumps.yaml --dry-run
  amsctl import --file pumps.xlsx --mapping pumps.yaml --on-conflict update

Good rows go in; bad rows go to the rejects file with the reason. Without a mapping, each column is the field of the
same name. An import that was interrupted goes on with --resume. docs/import.md says more.

With --dry-run nothing is written, to the service or to files: it says what an import would do, and what it could not check.

Exit status: 0 everything went in (or would), 3 the import is complete but some rows were rejected (or would be), 1 it stopped.`
	flags := cmd.Flags()
	collectionFlag(cmd, &job.Collection)
	flags.StringVar(&job.File, "file", "", "the file to import")
	flags.StringVar(&job.Mapping, "mapping", "", "YAML file that says which column makes which field")
	flags.StringVar(&job.OnConflict, "on-conflict", "error", "when the record exists already: error, skip or update")
	flags.StringVar(&job.Rejects, "rejects", "", "where bad rows go (default FILE.COLLECTION.rejects.csv)")
	flags.StringVar(&job.State, "state", "", "where the place is kept to resume from (default FILE.COLLECTION.import.json)")
	flags.BoolVar(&job.Resume, "resume", false, "go on with an import that was interrupted; from the beginning when there is none")
	flags.IntVar(&job.BatchSize, "batch-size", importer.MaxBatch, "records in one call, 1 to 1000")
	flags.StringVar(&job.Rows.Format, "format", "", "csv, xlsx, ndjson or geojson (default: by the file's name)")
	flags.StringVar(&job.Rows.Sheet, "sheet", "", "of a workbook (default: the only one with rows)")
	flags.StringVar(&job.Rows.Delimiter, "delimiter", "",
		"what stands between the values: one character, or tab (default: found in the header)")
	flags.StringVar(&job.Rows.Encoding, "encoding", "", "utf-8, windows-1252, iso-8859-1, iso-8859-15 or macintosh (default utf-8)")
	flags.BoolVar(&dryRun, "dry-run", false, "write nothing: map the file, check its values, and count what is there already")
	flags.BoolVar(&suggest, "suggest-mapping", false, "write nothing but a mapping that may suit the file, to standard output")
	require(cmd, "file")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if job.Mapping != "" && job.Collection == "" && len(args) == 0 {
			rules, err := mapping.Read(job.Mapping)
			if err != nil {
				return err
			}
			job.Collection = rules.Collection
		}
		if err := oneCollection(cmd, &job.Collection, args); err != nil {
			return err
		}
		client, err := s.public()
		if err != nil {
			return err
		}
		if suggest {
			return s.suggestMapping(cmd.Context(), client, job)
		}
		view := newProgress(s.err, job.Collection)
		client.Notice = view.Note
		job.Progress = view
		if dryRun {
			return s.checkImport(cmd.Context(), client, job)
		}
		result, err := importer.Run(cmd.Context(), client, job)
		if err != nil {
			return err
		}
		if err := s.showImport(result); err != nil {
			return err
		}
		if result.Rejected > 0 {
			return errRejects
		}
		return nil
	}
	return cmd
}

// suggestMapping writes a mapping for a file to standard output, and says what a person has to look at.
func (s *session) suggestMapping(ctx context.Context, client *ams.Client, job importer.Job) error {
	if job.Mapping != "" {
		return errors.New("--suggest-mapping makes a mapping: leave out --mapping")
	}
	found, err := importer.Suggest(ctx, client, job)
	if err != nil {
		return err
	}
	if len(found.Unknown) > 0 {
		s.note("Not recognized, and left out: " + strings.Join(found.Unknown, ", "))
	}
	if len(found.Missing) > 0 {
		s.note("Required, and no column was recognized for it: " + strings.Join(found.Missing, ", "))
	}
	given := ""
	for _, flag := range [][2]string{{"format", job.Rows.Format}, {"sheet", job.Rows.Sheet}, {"delimiter", job.Rows.Delimiter},
		{"encoding", job.Rows.Encoding}} {
		if flag[1] != "" {
			given += fmt.Sprintf(" --%s %q", flag[0], flag[1])
		}
	}
	s.note(fmt.Sprintf("Read it, and try it: amsctl import --file %q%s --mapping MAPPING --dry-run", job.File, given))
	if s.output == "json" {
		return s.encode(map[string]any{"mapping": found.YAML, "not_recognized": append([]string{}, found.Unknown...),
			"required": append([]string{}, found.Missing...)})
	}
	_, err = fmt.Fprint(s.out, found.YAML)
	return err
}

func (s *session) showImport(result importer.Result) error {
	if s.output == "json" {
		return s.encode(result)
	}
	fmt.Fprintf(s.out, "%s: %d rows read; %d records created, %d updated, %d unchanged, %d rejected; %d rows left out by the mapping\n",
		result.Collection, result.Rows, result.Created, result.Updated, result.Unchanged, result.Rejected, result.Skipped)
	if result.Rejects != "" {
		fmt.Fprintln(s.out, "What was rejected, and why:", result.Rejects)
	}
	return nil
}

func (s *session) checkImport(ctx context.Context, client *ams.Client, job importer.Job) error {
	if job.Resume {
		return errors.New("--dry-run looks at a whole file: leave out --resume")
	}
	found, err := importer.Check(ctx, client, job)
	if err != nil {
		return err
	}
	for _, reject := range found.Shown {
		s.note(fmt.Sprintf("line %d: %s %s: %s", reject.Line, reject.Record, reject.Field, reject.Message))
	}
	if found.Rejected > 0 {
		s.note(fmt.Sprintf("%d records would be rejected; the first problems are shown", found.Rejected))
	}
	s.note("Nothing was written. Checked: the mapping, " +
		"each value against the API's description, and which records are there by their external_id. " +
		"Not checked: references to other records, rules between fields, codes that are taken, states: an import may still reject for these.")
	if found.WithoutExternalID > 0 {
		s.note(fmt.Sprintf("%d records have no external_id and are counted as created; the service would find those with a known code.",
			found.WithoutExternalID))
	}
	if s.output == "json" {
		err = s.encode(found)
	} else {
		_, err = fmt.Fprintf(s.out, "%s: %d rows read; %d records would be created, %d updated, %d unchanged, %d rejected; %d rows left out by "+
			"the mapping\n", found.Collection, found.Rows, found.Created, found.Updated, found.Unchanged, found.Rejected, found.Skipped)
	}
	if err == nil && found.Rejected > 0 {
		return errRejects
	}
	return err
}
