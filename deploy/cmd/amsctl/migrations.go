package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ams.internal/libs/postgres"
)

func migrationCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "migrations", Short: "Look at changes of the schemas"}
	status := &cobra.Command{Use: "status", Short: "List the schemas, with what has not run and how far backfills are", Args: cobra.NoArgs}
	status.Long = `List the schemas, with what has not run and how far backfills are.

AMS_OWNER_DATABASE_URL (or AMS_OWNER_DATABASE_URL_FILE) is the database of a cell as ams_owner, as "ams migrate" has it. It changes nothing.
A file that waits was left by the last run of "ams migrate"; a backfill is carried out by the programs while they serve; the next run of
"ams migrate" makes an unfinished index anew.`
	status.RunE = func(cmd *cobra.Command, _ []string) error {
		owner, err := secret("AMS_OWNER_DATABASE_URL")
		if err != nil {
			return err
		}
		if owner == "" {
			return errors.New("set AMS_OWNER_DATABASE_URL to the database's address as ams_owner, or AMS_OWNER_DATABASE_URL_FILE to a file that " +
				"holds it")
		}
		schemas, err := postgres.MigrationStatus(cmd.Context(), owner)
		if err != nil {
			return err
		}
		return s.showMigrations(schemas)
	}
	group.AddCommand(status)
	return group
}

// showMigrations shows how far the schemas are: as they are in JSON, else a line each.
func (s *session) showMigrations(schemas []postgres.SchemaStatus) error {
	if s.output == "json" {
		return s.encode(map[string]any{"data": schemas})
	}
	data := []map[string]string{}
	for _, schema := range schemas {
		var waits, backfills []string
		for _, p := range schema.Pending {
			waits = append(waits, strings.TrimSpace(fmt.Sprintf("%s (%s): %s, since %s", p.File, p.Kind, p.Reason, day(p.Since))))
		}
		for _, b := range schema.Backfills {
			if b.FinishedAt != nil {
				backfills = append(backfills, fmt.Sprintf("%s: finished %s, %d rows changed", b.Name, day(*b.FinishedAt), b.Changed))
				continue
			}
			backfills = append(backfills, fmt.Sprintf("%s: %d of about %d rows of %s in pass %d, since %s", b.Name, b.RowsDone, b.RowsAbout, b.Table,
				b.Pass, day(b.BegunAt)))
		}
		data = append(data, map[string]string{"schema": schema.Schema, "version": strconv.FormatInt(schema.Version, 10),
			"base": strconv.FormatInt(schema.BaseVersion, 10), "waits": strings.Join(waits, "; "), "backfills": strings.Join(backfills, "; "),
			"indexes": strings.Join(schema.UnfinishedIndexes, " ")})
	}
	response, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return err
	}
	return s.show(response, column{"schema", "schema"}, column{"version", "version"}, column{"base", "base"}, column{"waits", "waits"},
		column{"backfills", "backfills"}, column{"unfinished indexes", "indexes"})
}

func day(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }
