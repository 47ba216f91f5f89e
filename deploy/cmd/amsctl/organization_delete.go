package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/move"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
	"ams.internal/services/documents/store"
)

var deletionColumns = []column{
	{"id", "id"}, {"name", "name"}, {"suspended", "suspended_at"}, {"deleted after", "delete_after"}, {"ordered by", "deletion_ordered_by"},
	{"deletion began", "deletion_began_at"}, {"held", "held_at"}, {"hold reason", "hold_reason"},
}

// deletionState is what the gateway says of an organization that is to be deleted or restored.
type deletionState struct {
	Name            string     `json:"name"`
	SuspendedAt     *time.Time `json:"suspended_at"`
	DeleteAfter     *time.Time `json:"delete_after"`
	DeletionBeganAt *time.Time `json:"deletion_began_at"`
}

// deleteOrganization orders a deletion, and after its date carries it out.
func deleteOrganization(s *session) *cobra.Command {
	var after, confirm, orderedBy, record string
	cmd := &cobra.Command{Use: "delete NAME", Short: "Delete an organization everywhere, some days after it was ordered",
		Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + `.

The first run orders it: the organization is suspended, and amsctl organizations resume calls the order off. Nothing is deleted yet.
Run again after its date, it deletes the organization with its sandbox in all cells, its documents in their store, its keys and
what the gateway knows of it. That cannot be called off; when it is killed, run it again with the id. At the end it writes the
record of destruction, in JSON.
An organization that is held, or has active legal holds, is refused.

The store is that of the documents service, by its variables AMS_DOCUMENTS_STORE and AMS_DOCUMENTS_S3_….` + suspensionHelp
	cmd.Flags().StringVar(&after, "after", "30d", "how many days after the order, from 1d to 365d")
	cmd.Flags().StringVar(&confirm, "confirm", "", "the name of the organization, written once more")
	cmd.Flags().StringVar(&orderedBy, "ordered-by", "", "who orders it, for the record of destruction")
	cmd.Flags().StringVar(&record, "record", "", "file for the record of destruction, beside standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		client, err := s.admin()
		if err != nil {
			return err
		}
		cells, err := s.ownersCells()
		if err != nil {
			return err
		}
		id, err := findOrganization(ctx, client, args[0])
		if err != nil {
			return err
		}
		of, err := readDeletionState(ctx, client, id)
		if missing := new(ams.Error); errors.As(err, &missing) && missing.Status == http.StatusNotFound {
			return s.carryOut(ctx, cells, id, record) // an earlier run was killed at its end
		}
		if err != nil {
			return err
		}
		if err := of.confirmed(confirm); err != nil {
			return err
		}
		if of.DeleteAfter != nil && (of.DeletionBeganAt != nil || !of.DeleteAfter.After(time.Now())) {
			return s.carryOut(ctx, cells, id, record)
		}
		return s.orderDeletion(ctx, args[0], id, after, orderedBy)
	}
	return cmd
}

func readDeletionState(ctx context.Context, client *ams.Client, id string) (of deletionState, err error) {
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	return of, client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/internal/organizations/" + url.PathEscape(id)}, &of)
}

// confirmed wants the name once more from whoever deletes.
func (of deletionState) confirmed(name string) error {
	if name != of.Name {
		return fmt.Errorf("nothing was changed: confirm by the organization's name, --confirm %q", of.Name)
	}
	return nil
}

// orderDeletion suspends the organization and notes the date; an order that stands stays as it is.
func (s *session) orderDeletion(ctx context.Context, name, id, after, orderedBy string) error {
	length, err := duration(after)
	if err != nil || length%(24*time.Hour) != 0 || length < 24*time.Hour || length > 365*24*time.Hour {
		return fmt.Errorf("--after %s: give days, from 1d to 365d", after)
	}
	of, err := s.findSuspension(ctx, name)
	if err != nil {
		return err
	}
	found, err := readDeletionState(ctx, of.client, id)
	if err != nil {
		return err
	}
	if found.DeleteAfter == nil && orderedBy == "" {
		return errors.New(`nothing was changed: say who orders it, --ordered-by "Anne Roy, records manager"`)
	}
	if err := move.LegalHolds(ctx, of.cell, id); err != nil {
		return err
	}
	var response json.RawMessage
	if found.DeleteAfter != nil {
		s.note("The deletion was ordered already; nothing is deleted before its date.")
		response, err = of.call(ctx, "suspend", map[string]any{})
	} else {
		response, err = of.call(ctx, "delete", map[string]any{"after_days": int(length / (24 * time.Hour)), "ordered_by": orderedBy})
	}
	if err != nil {
		return err
	}
	if err := move.Suspend(ctx, of.cell, of.organizations); err != nil {
		return fmt.Errorf("it is ordered, and keys and sign-ins are refused, but what works by itself may go on: run the command again: %w", err)
	}
	return s.show(response, deletionColumns...)
}

// carryOut deletes the organization, or goes on with it, and writes the record of destruction.
func (s *session) carryOut(ctx context.Context, cells []move.Cell, id, file string) error {
	config, err := service.Load[struct{ store.Config }](os.Environ())
	if err != nil {
		return err
	}
	objects, err := store.New(ctx, config.Config)
	if err != nil {
		return err
	}
	if err := objects.Check(ctx); err != nil {
		return fmt.Errorf("AMS_DOCUMENTS_STORE: %w", err)
	}
	deletion := &move.Deletion{Cells: cells, Organizations: []string{id, principal.SandboxOf(id)},
		Services: catalogue.Product().Services(), Store: objects,
		Report: s.reportMove()}
	if file != "" {
		written, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600) // before anything is deleted
		if err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		defer written.Close() //nolint:errcheck // what was written is synced
		deletion.Write = func(record move.Destruction) error { return writeRecord(written, record) }
	}
	record, err := deletion.Run(ctx)
	if err != nil {
		return err
	}
	return s.encode(record)
}

func writeRecord(file *os.File, record move.Destruction) error {
	text := &bytes.Buffer{}
	if err := (&session{out: text}).encode(record); err != nil {
		return err
	}
	err := file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt(text.Bytes(), 0)
	}
	if err = errors.Join(err, file.Sync()); err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	return nil
}
