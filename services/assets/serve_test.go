package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ams.internal/libs/discovery"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// user is a record that the users service of the tests knows, in every organization.
const user = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"

// serve gives a client of the whole service, on a database of its own.
func serve(t testing.TB) *resourcetest.Client {
	client, _ := serveOn(t)
	return client
}

func serveOn(t testing.TB) (*resourcetest.Client, *postgrestest.Database) {
	t.Helper()
	database := postgrestest.New(t, "assets", migrations)
	db := database.Open(t)
	signer := resourcetest.NewSigner(t)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	api := transport.New(signer, db, log)
	family{resource.NewRegistry(api, db, users(t, signer, log))}.mount()
	return resourcetest.NewClient(api.Handler(), signer), database
}

// users stands for the users service, which answers for one user.
func users(t testing.TB, signer *principal.Signer, log *slog.Logger) *reference.Client {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var query reference.Query
		answer := reference.Answer{Data: []reference.Entry{}}
		_, refused := signer.Verify(r.Header.Get(principal.Header))
		if err := json.NewDecoder(r.Body).Decode(&query); err != nil || refused != nil || r.URL.Path != "/internal/references/users" {
			t.Errorf("the users service was asked wrongly: %s %v %v", r.URL.Path, err, refused)
		}
		for _, id := range query.IDs {
			if id == user {
				answer.Data = append(answer.Data, reference.Entry{ID: user, Name: "Geneviève Côté"})
			}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	static, err := discovery.ParseStatic("users=" + strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	directory, err := discovery.Open(discovery.Config{Mode: "static", Static: static, Region: "ca-central-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	return reference.NewClient(directory, signer)
}
