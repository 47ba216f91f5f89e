package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	ams "ams.internal/clients/go"
)

// session is what every command shares: where the service is, and where to write.
type session struct {
	in       io.Reader
	out, err io.Writer
	baseURL  string
	adminURL string
	output   string
}

// stackFile is what the launcher writes about a running stack.
type stackFile struct {
	BaseURL    string `json:"base_url"`
	AdminURL   string `json:"operator_url"`
	AdminToken string `json:"operator_token"`
	Cells      map[string]struct {
		PostgresURL string `json:"postgres_url"`
	} `json:"cells"`
}

// untold says what was not told, and how to tell it.
type untold string

func (u untold) Error() string { return string(u) }

func (s *session) check() error {
	if s.output != "table" && s.output != "json" {
		return fmt.Errorf("--output %q is not known: use table or json", s.output)
	}
	return nil
}

// stack reads stack.json; found is false when no stack is running from here.
func (s *session) stack() (stack stackFile, found bool, err error) {
	path := filepath.Join(runFolder(), "stack.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stackFile{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &stack)
	}
	if err != nil {
		return stackFile{}, false, fmt.Errorf("read the running stack's addresses: %w", err)
	}
	return stack, true, nil
}

// runFolder is the folder of a stack that runs on this machine.
func runFolder() string {
	if folder := os.Getenv("AMS_RUN_DIR"); folder != "" {
		return folder
	}
	return ".run"
}

// address finds an address: the flag, else the environment, else the running stack.
func (s *session) address(given, variable string, fromStack func(stackFile) string) (string, error) {
	for _, candidate := range []string{given, os.Getenv(variable)} {
		if candidate != "" {
			return checkedAddress(candidate)
		}
	}
	stack, found, err := s.stack()
	if err != nil {
		return "", err
	}
	if !found || fromStack(stack) == "" {
		return "", untold("where is the service? Start it with \"make run\", or set " + variable)
	}
	return checkedAddress(fromStack(stack))
}

func checkedAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q is not an address such as https://ams.example.ca", text)
	}
	return strings.TrimRight(text, "/"), nil
}

// public calls the API with the key in AMS_API_KEY.
func (s *session) public() (*ams.Client, error) {
	base, err := s.address(s.baseURL, "AMS_BASE_URL", func(f stackFile) string { return f.BaseURL })
	if err != nil {
		return nil, err
	}
	key, err := secret("AMS_API_KEY")
	if err != nil {
		return nil, err
	}
	if key == "" {
		return nil, errors.New("set AMS_API_KEY to an API key of the organization (or AMS_API_KEY_FILE to a file that holds one)")
	}
	client := ams.NewClient(base, key)
	client.Notice, client.GiveUpAfter = s.note, 5*time.Minute
	return client, nil
}

// admin calls the operator's API with the operator's token.
func (s *session) admin() (*ams.Client, error) {
	client, err := s.anonymous()
	if err != nil {
		return nil, err
	}
	if client.Key, err = secret("AMS_OPERATOR_TOKEN"); err != nil || client.Key != "" {
		return client, err
	}
	stack, _, err := s.stack()
	if err != nil {
		return nil, err
	}
	if client.Key = stack.AdminToken; client.Key == "" {
		return nil, untold("set AMS_OPERATOR_TOKEN to the operator's token")
	}
	return client, nil
}

// anonymous calls the operator's API without a token: to sign in.
func (s *session) anonymous() (*ams.Client, error) {
	base, err := s.address(s.adminURL, "AMS_OPERATOR_URL", func(f stackFile) string { return f.AdminURL })
	if err != nil {
		return nil, err
	}
	client := ams.NewClient(base, "")
	client.Notice, client.GiveUpAfter = s.note, 5*time.Second
	return client, nil
}

func secret(variable string) (string, error) {
	if path := os.Getenv(variable + "_FILE"); path != "" {
		text, err := os.ReadFile(path)
		return strings.TrimSpace(string(text)), err
	}
	return strings.TrimSpace(os.Getenv(variable)), nil
}

func (s *session) note(text string) { fmt.Fprintln(s.err, text) }

// terminal gives the file behind a reader or writer when a person is at it.
func terminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// promptPassword takes AMS_PASSWORD, else asks without showing what is typed; empty when nobody can be asked.
func (s *session) promptPassword(question string) (string, error) {
	if password, err := secret("AMS_PASSWORD"); err != nil || password != "" {
		return password, err
	}
	keyboard, ok := terminal(s.in)
	if !ok {
		return "", nil
	}
	fmt.Fprint(s.err, question+": ")
	typed, err := term.ReadPassword(int(keyboard.Fd()))
	fmt.Fprintln(s.err)
	return string(typed), err
}
