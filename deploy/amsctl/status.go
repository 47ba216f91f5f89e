package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"ams.internal/deploy/amsctl/api"
)

// part is one thing that the status command looked at.
type part struct {
	Name         string  `json:"name"`
	Address      string  `json:"address"`
	State        string  `json:"state"` // ready, or what is wrong
	Milliseconds float64 `json:"milliseconds"`
}

func statusCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "Say whether the service is ready; exits with 1 when it is not", Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		base, err := s.address(s.baseURL, "AMS_BASE_URL", func(f stackFile) string { return f.BaseURL })
		if err != nil {
			return err
		}
		operator, err := s.operator()
		if err != nil {
			return err
		}
		public := &api.Client{Base: base}
		parts := []part{
			look(cmd, "gateway", public, "/readyz"),
			look(cmd, "services", public, "/openapi.json"),
			look(cmd, "operator API", operator, "/internal/organizations"),
		}
		answer, err := json.Marshal(map[string]any{"data": parts})
		if err != nil {
			return err
		}
		if err := s.show(answer, column{"part", "name"}, column{"address", "address"}, column{"state", "state"}, column{"ms", "milliseconds"}); err != nil {
			return err
		}
		for _, p := range parts {
			if p.State != "ready" {
				return errors.New("the service is not ready: " + p.Name + ": " + p.State)
			}
		}
		return nil
	}
	return cmd
}

func look(cmd *cobra.Command, name string, client *api.Client, path string) part {
	client.GiveUpAfter = time.Nanosecond // once more, and that is the answer
	client.Notice = nil
	p := part{Name: name, Address: client.Base + path, State: "ready"}
	start := time.Now()
	if err := client.JSON(cmd.Context(), api.Request{Method: http.MethodGet, Path: path, Limit: 5 * time.Second}, nil); err != nil {
		p.State = err.Error()
	}
	p.Milliseconds = float64(time.Since(start).Microseconds()/100) / 10
	return p
}
