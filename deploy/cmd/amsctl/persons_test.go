package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// personService is an operator's API that has something about one person in two calls.
func personService(t *testing.T) (received *[]string) {
	t.Helper()
	received = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			UserID string `json:"user_id"`
			Email  string
			After  string
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &in)
		if strings.Contains(string(body), `"after":""`) {
			t.Errorf("the gateway would refuse %s", body)
		}
		*received = append(*received, r.Method+" "+r.URL.Path+" "+in.UserID+in.Email+" "+in.After)
		switch {
		case r.URL.Path == "/internal/organizations":
			fmt.Fprint(w, `{"data":[{"id":"org-1","name":"First"}],"pagination":{"page":1,"per_page":1,"total":1,"total_pages":1}}`)
		case in.Email == "nobody@example.ca":
			fmt.Fprint(w, `{"user_id":null,"data":[],"next":""}`)
		case in.UserID == "active":
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"code":"user_not_removed","error":"The user active is active: remove the user first (DELETE /v1/users/active)."}`)
		case in.After == "":
			fmt.Fprint(w, `{"user_id":"u","record":{"name":"Anne"},"data":[{"organization_id":"org-1","service":"assets",
				"rows":{"history":2,"asset":1},
				"records":{"history":[{"a":1},{"a":2}],"asset":[{"a":3}]}}],"next":"4 {}"}`)
		default:
			fmt.Fprint(w, `{"user_id":"u","data":[{"organization_id":"org-1","service":"assets",
				"rows":{"history":1},"records":{"history":[{"a":4}]}}],"next":""}`)
		}
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	t.Setenv("AMS_RUN_DIR", folder)
	text := fmt.Sprintf(`{"base_url":%q,"operator_url":%q,"operator_token":"operator-token"}`, server.URL, server.URL)
	if err := os.WriteFile(filepath.Join(folder, "stack.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return received
}

func TestEverythingAboutAPersonIsOneDocument(t *testing.T) {
	received := personService(t)
	code, out, errOut := amsctl(t.Context(), "persons", "export", "--organization", "First", "--email", "anne@example.ca", "--output", "json")
	if code != 0 {
		t.Fatalf("%d %s", code, errOut)
	}
	var found storedAbout
	if err := json.Unmarshal([]byte(out), &found); err != nil || string(found.Record) == "" || len(found.Data) != 2 ||
		found.Data[1].Table != "history" || found.Data[1].Rows != 3 || len(found.Data[1].Records) != 3 || found.OrganizationID != "org-1" {
		t.Errorf("%v: %s", err, out)
	}
	want := "POST /internal/organizations/org-1/persons/export anne@example.ca 4 {}"
	if last := (*received)[len(*received)-1]; last != want {
		t.Errorf("the last call was %s", last)
	}
}

func TestForgettingSaysWhatWasErasedWhere(t *testing.T) {
	received := personService(t)
	code, out, errOut := amsctl(t.Context(), "persons", "forget", "--organization", "First", "--user", "u")
	if code != 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), "org-1 assets asset 1 org-1 assets history 3") {
		t.Errorf("%d %s %s", code, out, errOut)
	}
	if code, out, _ := amsctl(t.Context(), "persons", "forget", "--organization", "First", "--email", "nobody@example.ca"); code != 0 ||
		!strings.Contains(out, "Nothing is stored under this name") {
		t.Errorf("%d %s", code, out)
	}
	*received = nil
	for _, c := range []struct{ args, want string }{
		{"--organization First --user active", "remove the user first (DELETE /v1/users/active)"},
		{"--organization First", "name the person by one of --email and --user"},
		{"--organization First --user u --email a@b.ca", "name the person by one of --email and --user"},
		{"--organization Third --user u", `there is no organization "Third"`},
		{"--user u", "organization"},
	} {
		code, _, errOut := amsctl(t.Context(), append([]string{"persons", "forget"}, strings.Fields(c.args)...)...)
		if code != 1 || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: %d %s", c.args, code, errOut)
		}
	}
}
