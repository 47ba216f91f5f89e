package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
	"ams.internal/libs/domain/catalogue"
)

func planningCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "planning", Short: "Lifecycle planning: run scenarios, verify results"}
	group.AddCommand(runScenarios(s), verifyRun(s))
	return group
}

// planningRun is a run as far as the commands look at it.
type planningRun struct {
	ID          string `json:"id"`
	Code        string `json:"code"`
	State       string `json:"state"`
	ProgressPct int    `json:"progress_pct"`
	Problem     *struct {
		Message string `json:"message"`
	} `json:"problem"`
}

var runColumns = []column{{"code", "code"}, {"name", "name"}, {"state", "state"}, {"progress", "progress_pct"},
	{"result", "result_sha256"}, {"id", "id"}}

func pathOfCollection(name string) string { return catalogue.Product().Must(name).Path }

func runScenarios(s *session) *cobra.Command {
	var codes []string
	var inventory, name string
	var wait bool
	cmd := &cobra.Command{Use: "run", Short: "Calculate scenarios over one inventory", Args: cobra.NoArgs}
	cmd.Long = `Calculate scenarios over one inventory, which is frozen now unless one is named.

  amsctl planning run --scenarios SCN-0001,SCN-0002 --wait`
	flags := cmd.Flags()
	flags.StringSliceVar(&codes, "scenarios", nil, "codes of the scenarios, with commas between them")
	flags.StringVar(&inventory, "inventory", "", "code of an inventory")
	flags.StringVar(&name, "name", "", "what people call the run")
	flags.BoolVar(&wait, "wait", false, "wait until it has ended; exit 0 only if it is completed")
	_ = cmd.MarkFlagRequired("scenarios") // it is there
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		client, err := s.public()
		if err != nil {
			return err
		}
		body := map[string]any{"scenario_ids": []string{}}
		var ids []string
		for _, code := range codes {
			id, err := idOfCode(cmd.Context(), client, "scenarios", strings.TrimSpace(code))
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		body["scenario_ids"] = ids
		if inventory != "" {
			if body["inventory_id"], err = idOfCode(cmd.Context(), client, "planning_inventories", inventory); err != nil {
				return err
			}
		}
		if name != "" {
			body["name"] = name
		}
		var made json.RawMessage
		if err := client.Request(cmd.Context(),
			ams.Request{Method: http.MethodPost, Path: pathOfCollection("planning_runs"), Body: body}, &made); err != nil {
			return err
		}
		if !wait {
			return s.show(made, runColumns...)
		}
		return s.awaitRun(cmd.Context(), client, made)
	}
	return cmd
}

// idOfCode finds a record by its code, or takes its id.
func idOfCode(ctx context.Context, client *ams.Client, collection, code string) (string, error) {
	if uuid.Validate(code) == nil {
		return code, nil
	}
	var found struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := client.Request(ctx,
		ams.Request{Path: pathOfCollection(collection), Query: url.Values{"code": {code}, "fields": {"id"}}}, &found); err != nil {
		return "", err
	}
	if len(found.Data) != 1 {
		return "", fmt.Errorf("%d %s have the code %s", len(found.Data), strings.ReplaceAll(collection, "_", " "), code)
	}
	return found.Data[0].ID, nil
}

// awaitRun shows how far a run is until it has ended.
func (s *session) awaitRun(ctx context.Context, client *ams.Client, made json.RawMessage) error {
	var run planningRun
	if err := json.Unmarshal(made, &run); err != nil {
		return err
	}
	path := pathOfCollection("planning_runs") + "/" + run.ID
	var bar *progressbar.ProgressBar
	if _, watched := terminal(s.err); watched {
		bar = progressbar.NewOptions(100, progressbar.OptionSetWriter(s.err), progressbar.OptionSetDescription(run.Code),
			progressbar.OptionFullWidth(), progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish())
	}
	for printedAt := time.Now(); ; {
		var now json.RawMessage
		if err := client.Request(ctx, ams.Request{Path: path}, &now); err != nil {
			return err
		}
		if err := json.Unmarshal(now, &run); err != nil {
			return err
		}
		switch {
		case run.State == "completed" || run.State == "failed" || run.State == "cancelled":
			if bar != nil {
				_ = bar.Finish() // what cannot be drawn must not stop anything
			}
			if err := s.show(now, runColumns...); err != nil || run.State == "completed" {
				return err
			}
			if run.Problem != nil {
				return errors.New(run.Problem.Message)
			}
			return fmt.Errorf("the run is %s", run.State)
		case bar != nil:
			bar.Describe(run.Code + " " + run.State)
			_ = bar.Set(run.ProgressPct)
		case time.Since(printedAt) >= 5*time.Second:
			s.note(fmt.Sprintf("%s: %s, %d %%", run.Code, run.State, run.ProgressPct))
			printedAt = time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func verifyRun(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "verify RUN", Short: "Calculate a run again, and say whether the results are the same; exit 0 only if they are",
		Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := s.public()
		if err != nil {
			return err
		}
		id, err := idOfCode(cmd.Context(), client, "planning_runs", args[0])
		if err != nil {
			return err
		}
		var verified json.RawMessage
		if err := client.Request(cmd.Context(), ams.Request{Method: http.MethodPost,
			Path: pathOfCollection("planning_runs") + "/" + id + "/verify", Timeout: 5 * time.Minute}, &verified); err != nil {
			return err
		}
		if err := s.show(verified, column{"identical", "identical"}, column{"engine version differs", "engine_version_differs"},
			column{"result", "result_sha256"}); err != nil {
			return err
		}
		var is struct {
			Identical bool `json:"identical"`
		}
		if err := json.Unmarshal(verified, &is); err != nil || is.Identical {
			return err
		}
		return errors.New("calculated again, the results are others")
	}
	return cmd
}
