package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

// part is one thing that the status command looked at.
type part struct {
	Name         string  `json:"name"`
	Address      string  `json:"address"`
	State        string  `json:"state"` // ready, or what is wrong
	Milliseconds float64 `json:"milliseconds"`
}

// families are what a key lets us look at behind the gateway, each in a service of its own.
var families = []struct{ name, path string }{
	{"assets", "/v1/sites?per_page=1"}, {"users", "/v1/users?per_page=1"}, {"work orders", "/v1/work-orders?per_page=1"},
	{"level of service", "/v1/los/measures?per_page=1"}, {"infrastructure", "/v1/infrastructure/networks?per_page=1"},
	{"projects", "/v1/projects?per_page=1"}, {"requests", "/v1/requests?per_page=1"}, {"meters", "/v1/meters?per_page=1"},
	{"forms", "/v1/forms/templates?per_page=1"},
	{"planning", "/v1/planning/scenarios?per_page=1"}, {"accounting", "/v1/accounting/classes?per_page=1"},
}

// notForThisKey says that scope or plan of the key ended the question at the gateway; that is no fault of the service.
const notForThisKey = "not for this key"

func statusCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "Say whether the service is ready; exits with 1 when it is not", Args: cobra.NoArgs}
	cmd.Long = `Say whether the service is ready; exits with 1 when it is not.

AMS_BASE_URL is enough for the gateway. With a key in AMS_API_KEY, every service behind it is looked at too, as far as the key reaches;
with AMS_OPERATOR_URL and AMS_OPERATOR_TOKEN, the operator's API. What cannot be looked at is said, and is no fault.`
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		base, err := s.address(s.baseURL, "AMS_BASE_URL", func(f stackFile) string { return f.BaseURL })
		if err != nil {
			return err
		}
		public := ams.NewClient(base, "")
		parts := []part{
			check(cmd, "gateway", public, "/readyz"),
			check(cmd, "API description", public, "/openapi.json"),
		}
		admin, err := s.admin()
		var unknown untold
		switch {
		case errors.As(err, &unknown):
			s.note("The operator's API is not looked at: it takes AMS_OPERATOR_URL and AMS_OPERATOR_TOKEN.")
		case err != nil:
			return err
		default:
			parts = append(parts, check(cmd, "operator API", admin, "/internal/organizations"))
		}
		key, err := secret("AMS_API_KEY")
		if err != nil {
			return err
		}
		if key == "" {
			s.note("The services behind the gateway are not looked at: that takes a key in AMS_API_KEY.")
		} else {
			for _, f := range families {
				parts = append(parts, check(cmd, f.name, ams.NewClient(base, key), f.path))
			}
		}
		encoded, err := json.Marshal(map[string]any{"data": parts})
		if err != nil {
			return err
		}
		if err := s.show(encoded, column{"part", "name"}, column{"address", "address"}, column{"state", "state"},
			column{"ms", "milliseconds"}); err != nil {
			return err
		}
		for _, p := range parts {
			if p.State != "ready" && p.State != notForThisKey {
				return errors.New("the service is not ready: " + p.Name + ": " + p.State)
			}
		}
		return nil
	}
	return cmd
}

func check(cmd *cobra.Command, name string, client *ams.Client, path string) part {
	client.GiveUpAfter = time.Nanosecond // one more attempt, and that is the result
	client.Notice = nil
	p := part{Name: name, Address: client.BaseURL + path, State: "ready"}
	start := time.Now()
	path, query, _ := strings.Cut(path, "?")
	parameters, err := url.ParseQuery(query)
	if err == nil {
		err = client.Request(cmd.Context(), ams.Request{Method: http.MethodGet, Path: path, Query: parameters, Timeout: 5 * time.Second}, nil)
	}
	var refused *ams.Error
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden && client.Key != "" &&
		slices.Contains([]string{"feature_not_in_plan", "scope_missing"}, refused.Code):
		p.State = notForThisKey
	case err != nil:
		p.State = err.Error()
	}
	p.Milliseconds = float64(time.Since(start).Microseconds()/100) / 10
	return p
}
