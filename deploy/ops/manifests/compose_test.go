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
func compose(t *testing.T, over ...string) *types.Project {
	t.Helper()
	var files []string
	for _, file := range append([]string{"docker-compose.yml"}, over...) {
		files = append(files, filepath.Join(root, file))
	}
	options, err := cli.NewProjectOptions(files, cli.WithProfiles([]string{"*"}), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestComposeHasEveryProgramReadyToRun(t *testing.T) {
	project := compose(t)
	for _, program := range programs(t) {
		service, found := project.Services[program]
		if !found {
			t.Errorf("docker-compose.yml has no service %s", program)
			continue
		}
		environment := map[string]string{}
		for name, value := range service.Environment {
			if value != nil {
				environment[name] = *value
			}
		}
		checkSettings(t, program, environment)
		checkToken(t, project, program)
		if service.Build == nil || service.Build.Args["PROGRAM"] == nil || *service.Build.Args["PROGRAM"] != program ||
			service.Image != "ams/"+program+":local" {
			t.Errorf("%s: image %s is not built for it", program, service.Image)
		}
		if !slices.Equal(service.HealthCheck.Test, []string{"CMD", "/program", "ready"}) {
			t.Errorf("%s: health check %v", program, service.HealthCheck.Test)
		}
		if service.StopGracePeriod == nil || service.StopGracePeriod.String() != "30s" {
			t.Errorf("%s: is not given the time to drain", program)
		}
		if slices.Contains(keepsNothing, program) {
			if _, migrates := project.Services["migrate-"+program]; migrates || environment["AMS_DATABASE_URL_FILE"] != "" {
				t.Errorf("%s: is given a database", program)
			}
			continue
		}
		migration := "migrate-" + program
		if service.DependsOn[migration].Condition != types.ServiceConditionCompletedSuccessfully {
			t.Errorf("%s: does not wait for %s", program, migration)
		}
		if project.Services[migration].Image != service.Image || !slices.Equal(project.Services[migration].Command, []string{"migrate"}) {
			t.Errorf("%s: does not migrate with the image of %s", migration, program)
		}
		if project.Services[migration].DependsOn["prepare"].Condition != types.ServiceConditionCompletedSuccessfully {
			t.Errorf("%s: does not wait for the roles", migration)
		}
		if !slices.Contains([]string(project.Services["prepare"].Command), "/run/secrets/"+program+"_database_url") {
			t.Errorf("prepare does not make the role of %s", program)
		}
	}
}

// checkToken: a program is given its own token for Consul, which Consul learns before it starts.
func checkToken(t *testing.T, project *types.Project, program string) {
	t.Helper()
	var given []string
	for _, secret := range project.Services[program].Secrets {
		if strings.HasSuffix(secret.Source, "_consul_token") || secret.Source == "consul_management_token" || secret.Source == "consul_acl" {
			given = append(given, secret.Source+" at "+secret.Target)
		}
	}
	if !slices.Equal(given, []string{program + "_consul_token at consul_token"}) {
		t.Errorf("%s is given %v", program, given)
	}
	if project.Services[program].DependsOn["prepare-consul"].Condition != types.ServiceConditionCompletedSuccessfully {
		t.Errorf("%s does not wait for Consul to know its token", program)
	}
	if !slices.Contains([]string(project.Services["prepare-consul"].Command), program+"=/run/secrets/"+program+"_consul_token") {
		t.Errorf("Consul does not learn the token of %s", program)
	}
}

func TestComposeConfinesWhatItRuns(t *testing.T) {
	checkConfined(t, compose(t))
}

func checkConfined(t *testing.T, project *types.Project) {
	t.Helper()
	for name, service := range project.Services {
		ours := strings.HasPrefix(service.Image, "ams/")
		if ours && (!service.ReadOnly || service.User != "65532:65532" || !slices.Equal(service.CapDrop, []string{"ALL"})) {
			t.Errorf("%s: may do more than it needs", name)
		}
		if !ours && !pinned(service.Image) {
			t.Errorf("%s: %s is not pinned", name, service.Image)
		}
		if service.Privileged || service.NetworkMode == "host" {
			t.Errorf("%s: reaches into the machine", name)
		}
		once := strings.HasPrefix(name, "migrate-") || strings.HasPrefix(name, "prepare") || name == "amsctl"
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
	for _, one := range regexp.MustCompile(`make_secret ([a-z_-]+) `).FindAllStringSubmatch(string(script), -1) {
		made[one[1]] = true
	}
	for _, loop := range regexp.MustCompile(`(?s)for (?:role|program) in ([a-z ]+); do\n(.*?)\ndone`).FindAllStringSubmatch(string(script), -1) {
		for _, one := range regexp.MustCompile(`make_secret "([^"]+)"`).FindAllStringSubmatch(loop[2], -1) {
			for _, role := range strings.Fields(loop[1]) {
				made[strings.NewReplacer("${role}", role, "${program}", role).Replace(one[1])] = true
			}
		}
	}
	for name, secret := range project.Secrets {
		if !made[name] || !strings.HasSuffix(secret.File, "/deploy/ops/compose/secrets/"+name) {
			t.Errorf("secret %s (%s) is not made by deploy/ops/compose/secrets.sh", name, secret.File)
		}
	}
	for name, service := range project.Services {
		for variable, value := range service.Environment {
			for _, word := range []string{"PASSWORD", "SECRET", "TOKEN", "_KEY"} {
				if strings.Contains(variable, word) && !strings.HasSuffix(variable, "_FILE") && value != nil && *value != "" {
					t.Errorf("%s: %s is set in the file", name, variable)
				}
			}
		}
	}
}
