package devstack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"ams.internal/deploy/demo"
)

// Description is stack.json: where everything of a running stack is reached, and with which credentials.
// The file exists exactly while the stack is ready to be used, and only its owner may read it.
type Description struct {
	BaseURL        string              `json:"base_url"`        // what callers put before /v1
	MCPURL         string              `json:"mcp_url"`         // for AI clients
	SettingsURL    string              `json:"settings_url"`    // for people
	Gateways       []string            `json:"gateways"`        // base URL of every gateway, the public one first
	Regions        []string            `json:"regions"`         // the one where the data is first
	RegionGateways map[string][]string `json:"region_gateways"` // region to the base URLs of its gateways
	PostgresURL    string              `json:"postgres_url"`    // of the administrating role, in the first cell
	Cells          map[string]Cell     `json:"cells"`           // by name
	ReplicaHosts   []string            `json:"replica_hosts"`   // host:port of standbys that reports may be read from
	RedisAddr      string              `json:"redis_addr"`
	ConsulAddr     string              `json:"consul_addr"`            // of the first region
	ConsulToken    string              `json:"consul_token,omitempty"` // may do everything there; with CONSUL_ACL=1 alone
	ScannerURL     string              `json:"scanner_url"`            // of the clamd that looks for malware
	AdminURL       string              `json:"operator_url"`           // the internal listener: organizations and keys
	AdminToken     string              `json:"operator_token"`
	// PIDs has the process id of each process by its name: "assets-1" in the first region, "us-east-1.assets-1" in another.
	PIDs          map[string]int      `json:"pids"`
	Organizations []demo.Organization `json:"organizations"`
}

// Cell is a PostgreSQL server that has some of the organizations.
type Cell struct {
	PostgresURL string `json:"postgres_url"` // of the administrating role
}

// FileName is the description's name inside the stack's folder.
const FileName = "stack.json"

// Read gives the description of the stack that runs in folder.
func Read(folder string) (Description, error) {
	var d Description
	content, err := os.ReadFile(filepath.Join(folder, FileName))
	if os.IsNotExist(err) {
		return d, fmt.Errorf("no stack is ready in %s (there is no %s): start one with \"make run\"", folder, FileName)
	}
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(content, &d); err != nil {
		return d, fmt.Errorf("%s in %s: %w", FileName, folder, err)
	}
	// A launcher that was killed took its processes with it, but not the file.
	if len(d.PIDs) > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(d.PIDs)), running) {
		return d, fmt.Errorf("the stack in %s was killed; \"make run\" starts it again", folder)
	}
	return d, nil
}

// running says whether there is such a process; one that has ended and waits for its parent to notice has no program.
func running(pid int) bool {
	_, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return !errors.Is(err, fs.ErrNotExist)
}

// Organization finds a demonstration organization by name.
func (d Description) Organization(name string) (demo.Organization, bool) {
	for _, organization := range d.Organizations {
		if organization.Name == name {
			return organization, true
		}
	}
	return demo.Organization{}, false
}

// writeAtomically writes value as JSON for its owner alone; a reader sees the whole of it or nothing.
func writeAtomically(path string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(append(content, '\n')); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
