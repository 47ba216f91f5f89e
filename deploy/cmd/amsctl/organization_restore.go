package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"ams.internal/deploy/move"
	"ams.internal/libs/domain/catalogue"
)

// restoreOrganization brings one organization back to the moment of a restored server.
func restoreOrganization(s *session) *cobra.Command {
	var from, confirm string
	cmd := &cobra.Command{Use: "restore NAME", Short: "Bring one organization back to the moment of a restored server",
		Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + `.

The server was restored to that moment beside the running one (docs/operations/restore-an-organization.md). All records of the
	organization with
their history are replaced by those of that server, in one transaction, with their ids: what was made since is gone. Without --confirm it
only counts what would be replaced. The organization is suspended meanwhile. Users, keys, settings, webhooks and the sandbox stay as
	they are.` + suspensionHelp
	cmd.Flags().StringVar(&from, "from", "", "address of the restored server for the role that owns the tables")
	cmd.Flags().StringVar(&confirm, "confirm", "", "the name of the organization, written once more")
	require(cmd, "from")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		of, err := s.findSuspension(ctx, args[0])
		if err != nil {
			return err
		}
		found, err := readDeletionState(ctx, of.client, of.organizations[0])
		if err != nil {
			return err
		}
		restoration := &move.Restoration{Cell: of.cell, From: from, Organization: of.organizations[0],
			Services: catalogue.Product().Services(), Report: s.reportMove()}
		changes, err := restoration.Preview(ctx)
		if err != nil {
			return err
		}
		var now, then int64
		for _, c := range changes {
			now, then = now+c.Now, then+c.Then
		}
		if err := found.confirmed(confirm); err != nil {
			raw, encoding := json.Marshal(map[string]any{"data": changes})
			if encoding != nil {
				return encoding
			}
			if showing := s.show(raw, column{"table", "table"}, column{"rows now", "rows_now"}, column{"rows then", "rows_then"}); showing != nil {
				return showing
			}
			return fmt.Errorf("what is now (%d rows) would be replaced by what was then (%d rows); %w", now, then, err)
		}
		if _, err := of.call(ctx, "suspend", map[string]any{}); err != nil {
			return err
		}
		if err := move.Suspend(ctx, of.cell, of.organizations); err != nil {
			return fmt.Errorf("nothing was restored, and keys and sign-ins are refused: run the command again, or amsctl organizations resume: "+
				"%w", err)
		}
		if _, err := of.call(ctx, "restore", map[string]any{"rows_now": now, "rows_then": then}); err != nil {
			return err
		}
		rows, err := restoration.Run(ctx)
		if err != nil {
			return fmt.Errorf("the organization is as it was, and suspended: run the command again, or amsctl organizations resume: %w", err)
		}
		s.note(fmt.Sprintf("Restored: %d rows have become %d.", now, rows))
		if found.SuspendedAt != nil {
			s.note("The organization was suspended before and stays so: amsctl organizations resume has it work again.")
			return nil
		}
		if err := move.Resume(ctx, of.cell, of.organizations); err != nil {
			return fmt.Errorf("it is restored, and suspended still: run amsctl organizations resume: %w", err)
		}
		if _, err := of.call(ctx, "resume", map[string]any{}); err != nil {
			return fmt.Errorf("it is restored, and keys and sign-ins are refused still: run amsctl organizations resume: %w", err)
		}
		return nil
	}
	return cmd
}
