package service_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/localport"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/service"
	"ams.internal/libs/testwait"
)

// passwordOfRoles is that of every role on the server of the tests.
const passwordOfRoles = "postgrestest"

// buildFront is a gateway that passes everything to assets, which it finds by its directory.
func buildFront(s *service.Service) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, err := s.Directory.Pick(r.Context(), "assets")
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		response, err := http.Get("http://" + address + r.URL.String())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = response.Body.Close() }()
		w.WriteHeader(response.StatusCode)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.Copy(w, response.Body)
	}), nil
}

// databases makes one database with the schemas of assets and users, and gives the variables that name it for each.
func databases(t *testing.T) (database *postgrestest.Database, variables []string) {
	t.Helper()
	database = postgrestest.New(t, "assets", migrations)
	if err := postgres.Bootstrap(t.Context(), database.AdminURL, postgres.Setup{
		Database: database.Name, OwnerPassword: passwordOfRoles, Services: map[string]string{"assets": passwordOfRoles, "users": passwordOfRoles},
	}); err != nil {
		t.Fatal(err)
	}
	output, code := finish(t, "several", []string{"migrate", "users"}, "AMS_OWNER_DATABASE_URL="+database.OwnerURL)
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, output)
	}
	return database, []string{"AMS_ASSETS_DATABASE_URL=" + database.Session,
		"AMS_USERS_DATABASE_URL=" + strings.Replace(database.Session, postgres.Role("assets"), postgres.Role("users"), 1)}
}

func TestAllProgramsServeInOneProcess(t *testing.T) {
	_, variables := databases(t)
	address := localport.ForTest(t)
	p := startWith(t, "several", []string{"serve", "all"}, append(variables, "AMS_LISTEN="+address)...)
	p.address = address
	testwait.For(t, time.Minute, "the gateway is ready, and so are the others", func() bool {
		return status(p, "/readyz") == http.StatusOK
	})
	if got := get(t, "http://"+address+"/v1/sleep?for=1ms"); got != "finished" {
		t.Errorf("through the gateway: %q", got)
	}
	running := request(t, p, "/v1/sleep?for=700ms")
	p.signal(t, syscall.SIGTERM)
	if body := <-running; body != "finished" {
		t.Errorf("the request that ran at both ended with %q", body)
	}
	if code := p.wait(t, time.Minute); code != 0 {
		t.Errorf("exit status %d", code)
	}
	for _, want := range []string{`"service":"gateway"`, `"service":"assets"`, `"service":"users"`} {
		if !strings.Contains(p.output(), want) {
			t.Errorf("no log line has %s:\n%s", want, p.output())
		}
	}
}

func TestATargetThatCannotServeIsSaidInOneSentence(t *testing.T) {
	database, variables := databases(t)
	users := variables[1]
	owned := []string{"AMS_OWNER_DATABASE_URL=" + database.OwnerURL}
	empty := strings.Replace(users, "/"+database.Name, "/"+postgrestest.New(t, "assets", migrations).Name, 1)
	missing := strings.Replace(database.Session, postgres.Role("assets"), "ams_nobody", 1)
	for name, c := range map[string]struct {
		args    []string
		environ []string
		want    string
	}{
		"no command":         {nil, nil, `"ams serve all" runs everything`},
		"no target":          {[]string{"serve"}, nil, "a target is missing: give all, or names of gateway, assets, users"},
		"an unknown target":  {[]string{"serve", "asset"}, nil, `"asset" is no target`},
		"a target twice":     {[]string{"serve", "assets", "assets"}, nil, "named twice"},
		"all and one more":   {[]string{"serve", "all", "users"}, nil, "all stands alone"},
		"an option":          {[]string{"--port=1"}, nil, "set by environment variables"},
		"nothing to migrate": {[]string{"migrate", "gateway"}, owned, "gateway keeps nothing"},
		"one port for two": {[]string{"serve", "assets", "users"}, append(variables, "AMS_LISTEN=127.0.0.1:7001"),
			"AMS_USERS_LISTEN is needed"},
		"the database of one": {[]string{"serve", "all"}, []string{"AMS_DATABASE_URL=" + database.Session},
			"AMS_USERS_DATABASE_URL is needed"},
		"a role that is absent": {[]string{"serve", "all"}, []string{"AMS_ASSETS_DATABASE_URL=" + missing, users}, "refuses the role"},
		"a schema that is absent": {[]string{"serve", "all"}, []string{"AMS_ASSETS_DATABASE_URL=" + database.Session, empty},
			"ams migrate users"},
	} {
		t.Run(name, func(t *testing.T) {
			output, code := finish(t, "several", c.args, c.environ...)
			if code != 2 || !strings.Contains(output, c.want) {
				t.Errorf("exit status %d, want %q in: %s", code, c.want, output)
			}
			if lines := strings.Count(strings.TrimSpace(output), "\n"); lines > 1 {
				t.Errorf("%d lines: %s", lines+1, output)
			}
		})
	}
}

func TestHelpOfTheProcessNamesItsTargets(t *testing.T) {
	output, code := finish(t, "several", []string{"-help"})
	for _, want := range []string{"serve NAME", "migrate NAME", "gateway", "assets", "users", "AMS_ASSETS_X"} {
		if code != 0 || !strings.Contains(output, want) {
			t.Errorf("exit status %d, no %q in: %s", code, want, output)
		}
	}
	if output, code := finish(t, "several", []string{"-help", "users"}); code != 0 || !strings.Contains(output, "AMS_USERS_X") {
		t.Error(fmt.Sprint(code, output))
	}
}
