package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/move"
	"ams.internal/libs/principal"
)

var suspensionColumns = []column{{"id", "id"}, {"name", "name"}, {"suspended", "suspended_at"}}

const suspensionHelp = `

NAME is its name or its id. AMS_OWNER_DATABASE_URL and AMS_OWNER_CELLS (or …_FILE) are the databases of the cells, as for
amsctl organizations move; of a stack of "make run" they are known. When it fails or is killed, run it again: it does the rest.`

// suspendOrganization refuses keys and sign-ins first, then stops what works by itself.
func suspendOrganization(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "suspend NAME", Args: cobra.ExactArgs(1)}
	cmd.Short = "Refuse all keys and sign-ins of an organization, and stop what works by itself"
	cmd.Long = cmd.Short + ".\n\nNothing is deleted, and amsctl organizations resume has all go on." + suspensionHelp
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of, err := s.findSuspension(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		response, err := of.call(cmd.Context(), "suspend", map[string]any{})
		if err != nil {
			return err
		}
		if err := move.Suspend(cmd.Context(), of.cell, of.organizations); err != nil {
			return fmt.Errorf("keys and sign-ins are refused, but what works by itself may go on: run the command again: %w", err)
		}
		return s.show(response, suspensionColumns...)
	}
	return cmd
}

// resumeOrganization does the same in the other order, so that whoever is let in finds everything at work.
func resumeOrganization(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "resume NAME", Short: "Let a suspended organization work again", Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + ".\n\nKeys and sign-ins work, and what waited goes on, deliveries of events too. An order to delete it " +
		"is called off." + suspensionHelp
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of, err := s.findSuspension(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if found, err := readDeletionState(cmd.Context(), of.client, of.organizations[0]); err != nil {
			return err
		} else if found.DeletionBeganAt != nil {
			return move.ErrDeleting
		}
		if err := move.Resume(cmd.Context(), of.cell, of.organizations); err != nil {
			return err
		}
		response, err := of.call(cmd.Context(), "resume", map[string]any{})
		if err != nil {
			return fmt.Errorf("keys and sign-ins are refused still: run the command again: %w", err)
		}
		return s.show(response, suspensionColumns...)
	}
	return cmd
}

// suspension is an organization with the cell that has its data.
type suspension struct {
	client        *ams.Client
	path          string
	cell          move.Cell
	organizations []string // with its sandbox
}

func (s *session) findSuspension(ctx context.Context, name string) (of suspension, err error) {
	if of.client, err = s.admin(); err != nil {
		return of, err
	}
	cells, err := s.ownersCells()
	if err != nil {
		return of, err
	}
	id, err := findOrganization(ctx, of.client, name)
	if err != nil {
		return of, err
	}
	of.path, of.organizations = "/internal/organizations/"+url.PathEscape(id), []string{id, principal.SandboxOf(id)}
	var found struct{ Cell string }
	if err := of.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: of.path + "/cell"}, &found); err != nil {
		return of, err
	}
	for _, cell := range cells {
		if cell.Name == found.Cell {
			of.cell = cell
			return of, nil
		}
	}
	return of, fmt.Errorf("the organization is in the cell %s: name the owner's address of its database in AMS_OWNER_CELLS", found.Cell)
}

func (of suspension) call(ctx context.Context, what string, body map[string]any) (response json.RawMessage, err error) {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	err = of.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: of.path + "/" + what, Body: body}, &response)
	return response, err
}
