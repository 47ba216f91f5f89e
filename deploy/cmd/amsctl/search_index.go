package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/reference"
)

const (
	// fewPending is how many records may stay pending where others write all the time: lists take them from their rows.
	fewPending = 500
	// foldPause is how long a fold by somebody else is waited for.
	foldPause = time.Second
)

func verifyIndex(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "verify ORGANIZATION", Short: "Compare what finds an organization's records with the records",
		Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + ".\n\nIt needs the operator's token, changes nothing, and exits with 1 when a collection has a problem."
	return s.indexCommand(cmd, func(i *indexOperator, collection string) (reference.IndexState, error) {
		return i.do(cmd.Context(), collection, "verify")
	})
}

func rebuildIndex(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "rebuild ORGANIZATION", Short: "Make anew what finds an organization's records", Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short +
		".\n\nIt needs the operator's token. Meanwhile what is found is right; lists that are filtered or searched are slower."
	return s.indexCommand(cmd, func(i *indexOperator, collection string) (reference.IndexState, error) {
		return i.rebuild(cmd.Context(), collection)
	})
}

// indexCommand makes a command that does something with each collection that an index is kept of, or with the one that --collection names.
func (s *session) indexCommand(cmd *cobra.Command, do func(*indexOperator, string) (reference.IndexState, error)) *cobra.Command {
	var only string
	cmd.Flags().StringVar(&only, "collection", "", "only this one, by its name in the catalogue, such as work_orders (default: all)")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		client, err := s.admin()
		if err != nil {
			return err
		}
		operator := &indexOperator{session: s, client: client, path: "/internal/organizations/" + url.PathEscape(args[0]) + "/index"}
		states, broken := []reference.IndexState{}, 0
		for collection := range catalogue.Product().Collections() {
			if only != "" && collection.Name != only {
				continue
			}
			state, err := do(operator, collection.Name)
			if refused := (*ams.Error)(nil); errors.As(err, &refused) && refused.Code == "not_indexed" && only == "" {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", collection.Name, err)
			}
			if states = append(states, state); state.Problem != "" {
				broken++
			}
			operator.note(state)
		}
		if only != "" && len(states) == 0 {
			return fmt.Errorf("--collection %q is not in the catalogue: give a name such as assets or work_orders", only)
		}
		return s.showIndexes(states, broken)
	}
	return cmd
}

// showIndexes shows how the indexes are. A problem is an error.
func (s *session) showIndexes(states []reference.IndexState, broken int) error {
	response, err := json.Marshal(map[string]any{"data": states})
	if err != nil {
		return err
	}
	err = s.show(response, column{"collection", "collection"}, column{"records", "records"}, column{"pending", "pending"},
		column{"problem", "problem"})
	if err == nil && broken > 0 {
		err = fmt.Errorf("%d of %d collections have a problem: make them anew with \"amsctl search rebuild\"", broken, len(states))
	}
	return err
}

// indexOperator asks for what is done with the indexes of an organization.
type indexOperator struct {
	session *session
	client  *ams.Client
	path    string
}

func (i *indexOperator) do(ctx context.Context, collection, action string) (state reference.IndexState, err error) {
	err = i.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: i.path, Timeout: reference.IndexTimeout + 5*time.Second,
		Body: reference.IndexQuery{Collection: collection, Action: action}}, &state)
	return state, err
}

func (i *indexOperator) note(state reference.IndexState) {
	text := fmt.Sprintf("%s: %d records, %d pending", state.Collection, state.Records, state.Pending)
	if state.Problem != "" {
		text += ": " + state.Problem
	}
	i.session.note(text)
}

// rebuild makes an index anew, and folds until nothing is pending but what others have just written.
func (i *indexOperator) rebuild(ctx context.Context, collection string) (reference.IndexState, error) {
	state, err := i.do(ctx, collection, "rebuild")
	for err == nil && state.Pending > 0 && state.Problem == "" {
		i.note(state)
		before := state.Pending
		state, err = i.do(ctx, collection, "fold")
		if err != nil || state.Pending < before {
			continue
		}
		if state.Pending < fewPending {
			break
		}
		select { // somebody else folds
		case <-time.After(foldPause):
		case <-ctx.Done():
			return state, ctx.Err()
		}
	}
	return state, err
}
