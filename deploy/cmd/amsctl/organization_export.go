package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/move"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
	"ams.internal/services/documents/store"
)

const archiveHelp = `

AMS_OWNER_DATABASE_URL and AMS_OWNER_CELLS (or …_FILE) are the databases of the cells, as for amsctl organizations move; the store of
documents is that of the documents service, by its variables AMS_DOCUMENTS_STORE and AMS_DOCUMENTS_S3_…. Of a stack of "make run" they are
known.`

// exportOrganization writes all of an organization into one file.
func exportOrganization(s *session) *cobra.Command {
	var to string
	cmd := &cobra.Command{Use: "export NAME", Args: cobra.ExactArgs(1)}
	cmd.Short = "Write all of an organization, with its sandbox, into one archive"
	cmd.Long = cmd.Short + `. NAME is its name or its id.

The archive has all records, history, documents with their files, users, keys (their hashes) and settings, with checksums. Everybody works
on meanwhile: rows are of one moment. Suspend the organization first when nothing may come after that moment. Secrets of webhooks and
sign-ins are not in it.

The archive is confidential: it has personal data. When it fails or is killed, there is no file under that name: run it
again.` + archiveHelp
	cmd.Flags().StringVar(&to, "to", "", "name of the file that is written, such as riviere-claire.zip")
	require(cmd, "to")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of, err := s.findSuspension(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		cells, err := s.ownersCells()
		if err != nil {
			return err
		}
		contents, err := s.contents(cmd.Context())
		if err != nil {
			return err
		}
		e := &move.Export{Cell: of.cell, Organizations: of.organizations, Services: catalogue.Product().Services(), Product: ams.Version,
			Contents: contents, Report: s.reportArchive()}
		for _, cell := range cells {
			if cell.Name == principal.First {
				e.First = cell
			}
		}
		result, err := e.Run(cmd.Context(), to)
		if err != nil {
			return err
		}
		s.noteMissing(result.Missing)
		if s.output == "json" {
			return s.encode(result)
		}
		_, err = fmt.Fprintf(s.out, "Exported %s to %s in %.1f s: %d rows, %d files of documents with %d bytes.\n"+
			"SHA-256 of its manifest, which import shows too: %s\n", result.Name, result.File, result.Seconds, result.Rows,
			result.Contents, result.ContentBytes, result.Manifest)
		return err
	}
	return cmd
}

// importOrganization brings the organization of an archive into this installation.
func importOrganization(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "import FILE", Short: "Bring the organization of an archive into this installation", Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + `, with the same ids.

All of the archive is verified before anything is written: one that is damaged, altered, or of another release is refused, and so is an
organization that exists here. Nobody finds it until all is written and compared; then it works. Its keys are as they were. Endpoints of
webhooks arrive disabled: their secrets are not in the archive.

When it fails, nothing is imported; when it is killed, run it again.` + archiveHelp
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cells, err := s.ownersCells()
		if err != nil {
			return err
		}
		contents, err := s.contents(cmd.Context())
		if err != nil {
			return err
		}
		result, err := (&move.Import{Cells: cells, Contents: contents, Report: s.reportArchive()}).Run(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		s.noteMissing(result.Missing)
		for _, id := range result.Disabled {
			s.note("The webhook endpoint " + id + " is disabled: it wants a new secret, and its headers.")
		}
		if s.output == "json" {
			return s.encode(result)
		}
		_, err = fmt.Fprintf(s.out, "Imported %s (%s) of %s into the cell %s in %.1f s: %d rows, %d files of documents with %d bytes.\n"+
			"SHA-256 of the manifest: %s\n", result.Name, result.Organization, result.At, result.Cell, result.Seconds, result.Rows,
			result.Contents, result.ContentBytes, result.Manifest)
		return err
	}
	return cmd
}

// contents opens the store of documents, of the environment or of the running stack.
func (s *session) contents(ctx context.Context) (store.Store, error) {
	environment := os.Environ()
	if os.Getenv("AMS_DOCUMENTS_STORE") == "" {
		if _, found, err := s.stack(); err != nil {
			return nil, err
		} else if found {
			environment = append(environment, "AMS_DOCUMENTS_STORE="+filepath.Join(runFolder(), "documents"))
		}
	}
	config, err := service.Load[store.Config](environment)
	if err != nil {
		return nil, err
	}
	return store.New(ctx, config)
}

func (s *session) noteMissing(missing []string) {
	for _, key := range missing {
		s.note("Missing: the store did not have the content " + key + ".")
	}
}

// reportArchive shows what an export or import does: a line for each phase, and no more than one in a second for tables and files.
func (s *session) reportArchive() func(move.Step) {
	var shown time.Time
	var rows int64
	return func(step move.Step) {
		now := time.Now()
		switch {
		case step.What == "":
			s.note(now.UTC().Format(time.TimeOnly) + " " + step.Phase)
			shown, rows = now, 0
		case now.Sub(shown) < time.Second:
			rows += step.Rows
		default:
			rows += step.Rows
			s.note(fmt.Sprintf("  %s: %d so far, %s", step.Phase, rows, step.What))
			shown = now
		}
	}
}
