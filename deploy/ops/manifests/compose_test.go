package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// withoutHealthCheck are services whose image has no program that could check.
var withoutHealthCheck = []string{"collector"}

// compose reads docker-compose.yml, and files over it, as "docker compose config" does: strictly, with every reference resolved.
// Everything is in it, whatever its profile.
func compose(t *testing.T, over ...string) *types.Project {
	t.Helper()
	return composeIn(t, "*", over...)
}

// composeIn is compose of one profile, as "docker compose up" would have it.
func composeIn(t *testing.T, profile string, over ...string) *types.Project {
	t.Helper()
	var files []string
	for _, file := range append([]string{"docker-compose.yml"}, over...) {
		files = append(files, filepath.Join(root, file))
	}
	options, err := cli.NewProjectOptions(files, cli.WithProfiles([]string{profile}), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestComposeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines >= 350 {
		t.Errorf("docker-compose.yml has %d lines", lines)
	}
}

// What runs by itself is a database, Redis and the product in one process, with each target's own role.
func TestTheProductInOneProcessHasEveryRole(t *testing.T) {
	project := composeIn(t, "small")
	if got, want := names(project), []string{"ams", "migrate", "postgres", "prepare", "redis"}; !slices.Equal(got, want) {
		t.Errorf("the profile small runs %v, not %v", got, want)
	}
	checkMigrations(t, project, "migrate", "prepare", "all")
	service := project.Services["ams"]
	checkProgram(t, "ams", service, "all")
	environment := environmentOf(service)
	checkSettings(t, "ams", environment)
	if environment["AMS_DATABASE_URL_FILE"] != "" || environment["AMS_DISCOVERY"] != "" {
		t.Error("ams has one role for all targets, or looks for them elsewhere")
	}
	roles := secretAt(service, "/run/databases")
	for _, program := range programs(t) {
		variable, file := "AMS_"+strings.ToUpper(program)+"_DATABASE_URL_FILE", "/run/databases/"+program
		if slices.Contains(keepsNothing, program) {
			file = ""
		} else if !slices.Contains([]string(project.Services["prepare"].Command), file) {
			t.Errorf("prepare does not make the role of %s", program)
		}
		if environment[variable] != file || roles != "databases" {
			t.Errorf("%s is %q in %q", variable, environment[variable], roles)
		}
	}
	for _, secret := range service.Secrets {
		if strings.HasPrefix(secret.Source, "owner_") || strings.HasPrefix(secret.Source, "admin_") {
			t.Errorf("ams is given %s", secret.Source)
		}
	}
}

// The product does not run twice: neither profile has a process of the other, and secrets.sh chooses the small one.
func TestTheTwoFormsOfTheProductAreProfiles(t *testing.T) {
	small, distributed := names(composeIn(t, "small")), names(composeIn(t, "distributed"))
	for _, program := range programs(t) {
		if slices.Contains(small, program) || !slices.Contains(distributed, program) {
			t.Errorf("%s runs in %v, and in %v", program, small, distributed)
		}
	}
	if slices.Contains(distributed, "ams") || slices.Contains(small, "consul") || !slices.Contains(distributed, "consul") {
		t.Errorf("the profile distributed runs %v, small %v", distributed, small)
	}
	for profile, want := range map[string][]string{"observability": {"collector", "grafana", "jaeger", "prometheus"},
		"scanner": {"clamd", "signatures"},
		"pooler":  {"pooler"}} {
		for _, name := range want {
			if got := names(composeIn(t, profile)); !slices.Contains(got, name) || slices.Contains(small, name) ||
				slices.Contains(distributed, name) {
				t.Errorf("%s is not in the profile %s alone", name, profile)
			}
		}
	}
	script, err := os.ReadFile(filepath.Join(root, "deploy/ops/compose/secrets.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(script), "echo 'COMPOSE_PROFILES=small'") {
		t.Error("secrets.sh does not write the profile small into .env")
	}
}

func names(project *types.Project) []string {
	all := project.ServiceNames()
	slices.Sort(all)
	return all
}

func environmentOf(service types.ServiceConfig) map[string]string {
	environment := map[string]string{}
	for name, value := range service.Environment {
		if value != nil {
			environment[name] = *value
		}
	}
	return environment
}

// secretAt is what a service sees of the folder of secrets at a path: a file or a folder of it, read-only.
func secretAt(service types.ServiceConfig, path string) string {
	for _, volume := range service.Volumes {
		if _, file, found := strings.Cut(volume.Source, "/deploy/ops/compose/secrets/"); found && volume.Target == path && volume.ReadOnly {
			return file
		}
	}
	return ""
}

func checkProgram(t *testing.T, name string, service types.ServiceConfig, target string) {
	t.Helper()
	if service.Image != "ams:local" || len(service.Entrypoint) != 0 || !slices.Equal(service.Command, []string{"serve", target}) {
		t.Errorf("%s: runs %v %v of %s", name, service.Entrypoint, service.Command, service.Image)
	}
	if !slices.Equal(service.HealthCheck.Test, []string{"CMD", "/program", "ready"}) {
		t.Errorf("%s: health check %v", name, service.HealthCheck.Test)
	}
	if service.StopGracePeriod == nil || service.StopGracePeriod.String() != "30s" {
		t.Errorf("%s: is not given the time to drain", name)
	}
	if service.DependsOn["migrate"].Condition != types.ServiceConditionCompletedSuccessfully {
		t.Errorf("%s: does not wait for the migrations", name)
	}
}

func checkMigrations(t *testing.T, project *types.Project, name, after string, targets ...string) {
	t.Helper()
	job := project.Services[name]
	if job.Image != "ams:local" || len(job.Entrypoint) != 0 || !slices.Equal(job.Command, append([]string{"migrate"}, targets...)) {
		t.Errorf("%s: runs %v of %s", name, job.Command, job.Image)
	}
	if job.DependsOn[after].Condition != types.ServiceConditionCompletedSuccessfully {
		t.Errorf("%s: does not wait for the roles", name)
	}
}

func TestComposeHasEveryTargetReadyToRun(t *testing.T) {
	project := compose(t)
	if build := project.Services["prepare"].Build; build == nil || project.Services["prepare"].Image != "ams:local" {
		t.Error("nothing builds the image")
	}
	for _, program := range programs(t) {
		service, found := project.Services[program]
		if !found {
			t.Errorf("docker-compose.yml has no service %s", program)
			continue
		}
		environment := environmentOf(service)
		checkSettings(t, program, environment)
		checkProgram(t, program, service, program)
		checkToken(t, project, program)
		role := program
		if slices.Contains(keepsNothing, program) {
			role = ""
		}
		if got, file := secretAt(service, "/run/secrets/database_url"), environment["AMS_DATABASE_URL_FILE"]; role == "" && got+file != "" ||
			role != "" && (got != "databases/"+role || file != "/run/secrets/database_url") {
			t.Errorf("%s: is given the database of %q as %q", program, got, file)
		}
	}
}

// checkToken: a program is given its own token for Consul, which Consul learns before it starts.
func checkToken(t *testing.T, project *types.Project, program string) {
	t.Helper()
	service := project.Services[program]
	if got := secretAt(service, "/run/secrets/consul_token"); got != "tokens/"+program ||
		environmentOf(service)["AMS_CONSUL_TOKEN_FILE"] != "/run/secrets/consul_token" {
		t.Errorf("%s is given the token %q", program, got)
	}
	for _, secret := range service.Secrets {
		if strings.HasPrefix(secret.Source, "consul_") {
			t.Errorf("%s is given %s", program, secret.Source)
		}
	}
	if service.DependsOn["prepare-consul"].Condition != types.ServiceConditionCompletedSuccessfully {
		t.Errorf("%s does not wait for Consul to know its token", program)
	}
	if !slices.Contains([]string(project.Services["prepare-consul"].Command), program+"=/run/tokens/"+program) {
		t.Errorf("Consul does not learn the token of %s", program)
	}
}

func TestComposeConfinesWhatItRuns(t *testing.T) {
	checkConfined(t, compose(t))
}

func checkConfined(t *testing.T, project *types.Project) {
	t.Helper()
	for name, service := range project.Services {
		ours := service.Image == "ams:local"
		if ours && (!service.ReadOnly || service.User != "65532:65532" || !slices.Equal(service.CapDrop, []string{"ALL"})) {
			t.Errorf("%s: may do more than it needs", name)
		}
		if !ours && !pinned(service.Image) {
			t.Errorf("%s: %s is not pinned", name, service.Image)
		}
		if service.Privileged || service.NetworkMode == "host" {
			t.Errorf("%s: reaches into the machine", name)
		}
		once := strings.HasPrefix(name, "migrate") || strings.HasPrefix(name, "prepare") || name == "amsctl"
		if service.HealthCheck == nil && !once && !slices.Contains(withoutHealthCheck, name) {
			t.Errorf("%s: has no health check", name)
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" || port.Target == 8081 {
				t.Errorf("%s: port %d is published to others", name, port.Target)
			}
		}
		for other, dependency := range service.DependsOn {
			if dependency.Condition == types.ServiceConditionStarted {
				t.Errorf("%s: waits until %s is started, not until it is healthy", name, other)
			}
		}
	}
}

// No secret stands in the file: each is a file that deploy/ops/compose/secrets.sh makes, and Git never sees.
func TestComposeTakesSecretsFromTheScript(t *testing.T) {
	checkSecrets(t, compose(t))
}

func checkSecrets(t *testing.T, project *types.Project) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(root, "deploy/ops/compose/secrets.sh"))
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Fields(string(ignored)), "/deploy/ops/compose/secrets/") {
		t.Error(".gitignore does not name /deploy/ops/compose/secrets/")
	}
	made := map[string]bool{}
	for _, one := range regexp.MustCompile(`make_secret ([a-z_/-]+) `).FindAllStringSubmatch(string(script), -1) {
		made[one[1]] = true
	}
	for _, loop := range regexp.MustCompile(
		`(?s)for (?:role|program) in ([a-z ]+); do\n(.*?)\ndone`,
	).FindAllStringSubmatch(string(script), -1) {
		for _, one := range regexp.MustCompile(`make_secret "([^"]+)"`).FindAllStringSubmatch(loop[2], -1) {
			for _, role := range strings.Fields(loop[1]) {
				made[strings.NewReplacer("$role", role, "$program", role).Replace(one[1])] = true
			}
		}
	}
	const folder = "/deploy/ops/compose/secrets/"
	for name, secret := range project.Secrets {
		if _, file, found := strings.Cut(secret.File, folder); !found || !made[file] {
			t.Errorf("secret %s (%s) is not made by deploy/ops/compose/secrets.sh", name, secret.File)
		}
	}
	// Whole folders are for those that make roles or tokens, and for the one process that is every role.
	whole := map[string][]string{"databases": {"ams", "prepare"}, "tokens": {"prepare-consul"}, "second": {"prepare-second"}}
	for name, service := range project.Services {
		for _, volume := range service.Volumes {
			_, file, found := strings.Cut(volume.Source, folder)
			if found && (!volume.ReadOnly || !made[file] && !slices.Contains(whole[file], name)) {
				t.Errorf("%s is given %s of the secrets", name, file)
			}
		}
	}
	for name, service := range project.Services {
		for variable, value := range service.Environment {
			for _, word := range []string{"PASSWORD", "SECRET", "TOKEN", "_KEY", "DATABASE_URL"} {
				if strings.Contains(variable, word) && !strings.HasSuffix(variable, "_FILE") && value != nil && *value != "" {
					t.Errorf("%s: %s is set in the file", name, variable)
				}
			}
		}
	}
}
