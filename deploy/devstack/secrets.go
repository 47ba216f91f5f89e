package devstack

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// secrets are made once per folder and kept there for its owner alone.
type secrets struct {
	Principal   string            `json:"principal"`   // signs the principal header between our programs
	Admin       string            `json:"operator"`    // opens the gateway's internal listener
	Webhooks    string            `json:"webhooks"`    // seals the secrets of webhook endpoints in the database
	Assistants  string            `json:"assistants"`  // seals what AI assistants are given for a key
	Superuser   string            `json:"superuser"`   // of our own PostgreSQL
	Replication string            `json:"replication"` // of its standby
	Roles       map[string]string `json:"roles"`       // password of each database role
	Management  string            `json:"management"`  // may do everything in Consul, where it has access control
	Tokens      map[string]string `json:"tokens"`      // by which each program registers there
}

func secretsPath(folder string) string { return filepath.Join(folder, "secrets") }

func loadSecrets(folder string, roles []string) (secrets, error) {
	path := secretsPath(folder)
	var s secrets
	content, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		s = secrets{Principal: newSecret(), Admin: newSecret(), Superuser: newSecret()}
	case err != nil:
		return s, err
	default:
		if err := json.Unmarshal(content, &s); err != nil {
			return s, fmt.Errorf("%s: %w", path, err)
		}
	}
	if s.Webhooks == "" { // also in a folder that is older than webhooks
		s.Webhooks = newSecret()
	}
	if s.Assistants == "" { // also in a folder that is older than the MCP service
		s.Assistants = newSecret()
	}
	if s.Replication == "" { // also in a folder that is older than standbys
		s.Replication = newSecret()
	}
	if s.Management == "" { // also in a folder that is older than these tokens
		s.Management, s.Tokens = uuid.NewString(), map[string]string{}
	}
	for _, program := range append([]string{"gateway"}, services...) {
		if s.Tokens[program] == "" {
			s.Tokens[program] = uuid.NewString()
		}
	}
	if s.Roles == nil {
		s.Roles = map[string]string{}
	}
	for _, role := range roles {
		if s.Roles[role] == "" {
			s.Roles[role] = newSecret()
		}
	}
	return s, writeAtomically(path, s)
}

// newSecret has 256 bits and only letters and digits, so that it needs no escaping in a URL.
func newSecret() string { return rand.Text() + rand.Text() }
