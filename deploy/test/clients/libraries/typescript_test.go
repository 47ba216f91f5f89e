package libraries

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/testtools"
)

// What npm must fetch, in the versions of the lock files: the tools of the library, and Deno.
var (
	tools = testtools.NodePackagesOf("../../../clients/typescript")
	deno  = testtools.NodePackagesOf(".")
)

func run(t testing.TB, folder, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "HOME="+folder, "NO_COLOR=1", "DENO_NO_UPDATE_CHECK=1", "DENO_DIR="+filepath.Join(folder, ".deno"))
	return command
}

func compile(t testing.TB, folder string, arguments ...string) {
	t.Helper()
	output(t, run(t, folder, "node", append([]string{filepath.Join(tools(t).Package("typescript"), "bin", "tsc")}, arguments...)...))
}

// built is a copy of the package with its tools, compiled.
func built(t testing.TB) string {
	t.Helper()
	folder := copied(t, "typescript")
	if err := os.Symlink(tools(t).Package("."), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	compile(t, folder)
	return folder
}

// TestTypeScript compiles the package once, for its suite, for who installs it in an empty folder, and for a page in a browser.
func TestTypeScript(t *testing.T) {
	library := built(t)
	t.Run("its suite", func(t *testing.T) {
		tests, err := filepath.Glob(filepath.Join(library, "test", "*.test.mjs"))
		if err != nil {
			t.Fatal(err)
		}
		suite(t, city, run(t, library, "node", append([]string{"--test", "--test-reporter=tap"}, tests...)...), `# pass (\d+)\n# fail 0\n`, 25)
	})
	t.Run("installed in an empty folder", func(t *testing.T) { installed(t, library) })
	t.Run("in a browser", func(t *testing.T) { inBrowser(t, library) })
}

func installed(t *testing.T, library string) {
	folder := t.TempDir()
	output(t, run(t, library, "npm", "pack", "--ignore-scripts", "--pack-destination", folder))
	write(t, filepath.Join(folder, "package.json"), []byte(`{"private": true, "type": "module"}`))
	output(t, run(t, folder, "npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund",
		"./ams-client-"+documentVersion(t)+".tgz"))
	program, err := os.ReadFile(filepath.Join(library, "test", "program.ts"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "program.ts"), program)
	programs := []string{"program.ts", "first.ts", "read.ts", "webhook.ts"}
	for i, code := range examples(t, "typescript", "ts") {
		write(t, filepath.Join(folder, programs[1+i]), []byte(code))
	}
	// Each of these lines is wrong in one way, and compiles only because it is said to be.
	write(t, filepath.Join(folder, "mistakes.ts"), []byte(`import { Client } from '@ams/client';
const client = new Client('', '');
// @ts-expect-error a name is needed
await client.assets.create({});
// @ts-expect-error no such field
await client.assets.create({ name: 'Pump', nam: 'Pump' });
// @ts-expect-error no such status
await client.assets.update('id', { status: 'in_servce' });
// @ts-expect-error no such filter
await client.assets.list({ site: 'id' });
// @ts-expect-error no such field
(await client.assets.get('id')).nam;
`))
	compile(t, folder, append([]string{"--strict", "--noUncheckedIndexedAccess", "--module", "nodenext", "--target", "es2022", "--types",
		"node", "--typeRoots", tools(t).Package("@types"), "mistakes.ts"}, programs...)...)
	const says = "version 2 in_service\nrefused 409 0\ncreated 1 updated 0\ncreated 0 updated 1\ntotal 18000\ntasks 0\nhistory created\n" +
		"history updated\ndone\n"
	for name, want := range map[string]string{
		"program.js": says, "first.js": "version_mismatch ", "read.js": " pumps are in very poor condition\n", "webhook.js": "webhook.test\n",
	} {
		for range 2 {
			if out := output(t, withKey(t, city, run(t, folder, "node", name))); !strings.Contains(out, want) {
				t.Errorf("%s: %s", name, out)
			}
		}
	}
	found, err := filepath.Glob(filepath.Join(deno(t).Package("@deno"), "*", "deno"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no Deno: %v", err)
	}
	if out := output(t, withKey(t, city, run(t, folder, found[0], "run", "--quiet", "--no-check", "--allow-net", "--allow-env", "--allow-read",
		"--allow-write", "program.ts"))); out != says {
		t.Errorf("with Deno: %s", out)
	}
}

const page = `<!doctype html><title>Assets</title><pre id="seen"></pre><script type="module">
import { Client, verifyWebhook } from '/library/index.js';
const client = new Client(location.origin, %q);
const seen = [];
try {
  const site = await client.sites.create({ name: 'From a page' });
  for (let i = 0; i < 3; i++) await client.assets.create({ name: 'Lamp ' + i, site_id: site.id });
  const names = [];
  for await (const { id, name } of client.assets.stream({ site_id: site.id })) names.push(name), await client.assets.delete(id);
  seen.push(names.join(', '));
  await client.sites.delete(site.id);
  await client.sites.get(site.id).catch(({ code }) => seen.push(code));
  await verifyWebhook('{}', {}, 'whsec_AAAA').catch(({ name }) => seen.push(name));
} catch (error) {
  seen.push(String(error));
}
document.getElementById('seen').textContent = seen.join('; ');
document.title = 'done';
</script>`

// inBrowser is a page with the library, from the origin of the API: pages of others need AMS_CORS_ORIGINS.
func inBrowser(t *testing.T, library string) {
	d := devstack.ForTest(t).Description()
	gateway, err := url.Parse(d.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	organization, _ := d.Organization(city)
	mux := http.NewServeMux()
	mux.Handle("/v1/", httputil.NewSingleHostReverseProxy(gateway))
	mux.Handle("/library/", http.StripPrefix("/library/", http.FileServer(http.Dir(filepath.Join(library, "dist")))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, page, organization.Keys["full"]) })
	server := httptest.NewServer(mux)
	defer server.Close()
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatalf("%v: run deploy/install.sh", err)
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(),
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.NoFirstRun,
		chromedp.NoSandbox, chromedp.Flag("headless", true), chromedp.Flag("disable-gpu", true), chromedp.WSURLReadTimeout(time.Minute))
	defer stop()
	tab, closeTab := chromedp.NewContext(allocator)
	defer closeTab()
	if err := chromedp.Do(tab, chromedp.Navigate(server.URL), chromedp.Poll[chromedp.Void](`document.title === "done"`)); err != nil {
		t.Fatal(err)
	}
	seen, err := chromedp.Run(tab, chromedp.Text(chromedp.CSS("#seen")))
	if err != nil {
		t.Fatal(err)
	}
	if seen != "Lamp 0, Lamp 1, Lamp 2; not_found; WebhookError" {
		t.Error(seen)
	}
}
