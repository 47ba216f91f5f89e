// Package browser tests the settings screens as people use them: Debian's Chromium that has no window, on the whole
// running product. What it saw is kept as pictures; the folder is printed at the end.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/testtools"
	"ams.internal/libs/testnight"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer func() {
		if chromium.stop != nil {
			chromium.stop()
			os.RemoveAll(chromium.profile)
		}
		if pictures.folder != "" {
			fmt.Println("pictures of the screens are in", pictures.folder)
		}
	}()
	return devstack.RunTests(m, 1)
}

const (
	city  = "Ville de Rivière-Claire"
	board = "Northgate District School Board"
)

func organization(t testing.TB, name string) demo.Organization {
	t.Helper()
	found, ok := devstack.ForTest(t).Description().Organization(name)
	if !ok {
		t.Fatalf("there is no organization %s", name)
	}
	return found
}

func base(t testing.TB) string { return devstack.ForTest(t).Description().BaseURL }

// chromium is the one browser of this test binary; each tab is a person of its own, with cookies of its own.
var chromium struct {
	once    sync.Once
	ctx     context.Context
	stop    context.CancelFunc
	profile string
	err     error
}

func startChromium() {
	program := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		chromium.err = fmt.Errorf("there is no Chromium: run deploy/install.sh")
		return
	}
	if chromium.profile, chromium.err = os.MkdirTemp("", "ams-chromium-"); chromium.err != nil {
		return
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.UserDataDir(chromium.profile), chromedp.NoFirstRun, chromedp.NoSandbox,
		chromedp.Flag("headless", true), chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.WSURLReadTimeout(time.Minute))
	var stop context.CancelFunc
	chromium.ctx, stop = chromedp.NewContext(allocator)
	chromium.stop = func() { stop(); stopAllocator() }
	chromium.err = chromedp.Do(chromium.ctx)
}

// look is how a person sees the screens.
type look struct {
	width, height int64
	dark          bool
}

var (
	desk  = look{width: 1280, height: 900}
	phone = look{width: 390, height: 844}
	night = look{width: 1280, height: 900, dark: true}
)

// tab is a page in a browser of its own.
type tab struct {
	t    testing.TB
	ctx  context.Context
	look look
}

func open(t testing.TB, as look) *tab {
	t.Helper()
	devstack.ForTest(t)
	chromium.once.Do(startChromium)
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	ctx, stop := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	b := &tab{t, ctx, as}
	scheme := "light"
	if as.dark {
		scheme = "dark"
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(as.width, as.height)); err != nil { // the first in the tab: without a deadline
		t.Fatal(err)
	}
	// What a browser with a window allows a page that somebody is using.
	if _, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-write"}, Setting: browser.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(ctx).BrowserContextID,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, emulation.SetScrollbarsHidden, emulation.SetScrollbarsHiddenParams{Hidden: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

// run does things in the page; what does not happen within 20 seconds does not happen.
func (b *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.picture("failed")
		b.t.Fatalf("in the browser, at %s: %v\n%.1500s", b.address(), err, b.words())
	}
}

func (b *tab) visit(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate(base(b.t) + path))
}

// press clicks something that leads to another page, and waits for it.
func (b *tab) press(selector string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		b.picture("failed")
		b.t.Fatalf("press %s at %s: %v\n%.1500s", selector, b.address(), err, b.words())
	}
}

func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.run(chromedp.WaitReady(chromedp.CSS(selector)))
	given, err := json.Marshal([]string{selector, text})
	if err != nil {
		b.t.Fatal(err)
	}
	evaluate(b, chromedp.Evaluate[chromedp.Void](`(([selector, text]) => { document.querySelector(selector).value = text; })(`+string(given)+
		`)`))
}

func (b *tab) tick(selector string) {
	b.t.Helper()
	b.run(chromedp.Click(chromedp.CSS(selector)))
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return strings.TrimSpace(evaluate(b, chromedp.Text(chromedp.CSS(selector))))
}

// evaluate does something in the page that has a result.
func evaluate[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 60*time.Second)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		b.picture("failed")
		b.t.Fatalf("in the browser, at %s: %v\n%.1500s", b.address(), err, b.words())
	}
	return value
}

// words is all that can be read on the page; empty where there is none.
func (b *tab) words() (text string) {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	text, _ = chromedp.Run(ctx, chromedp.Evaluate[string](`document.body ? document.body.innerText.replace(/[\u00a0\u202f]/g, " ") : ""`))
	return text
}

func (b *tab) address() (address string) {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	address, _ = chromedp.Run(ctx, chromedp.Location())
	return address
}

func (b *tab) sees(all ...string) {
	b.t.Helper()
	words := b.words()
	for _, each := range all {
		if !strings.Contains(words, each) {
			b.picture("failed")
			b.t.Errorf("%s does not say %q:\n%.2500s", b.address(), each, words)
		}
	}
}

func (b *tab) signIn(email, password string) {
	b.t.Helper()
	b.visit("/settings/sign-in")
	b.fill("#email", email)
	b.fill("#password", password)
	b.press("main button[type=submit]")
}

// administrator signs in as the Administrator of an organization, in a language.
func administrator(t testing.TB, name, language string, as look) *tab {
	t.Helper()
	b := open(t, as)
	of := organization(t, name)
	b.signIn(of.Administrator.Email, of.Administrator.Password)
	b.speak(language)
	return b
}

// speak switches the language, unless the page has it.
func (b *tab) speak(language string) {
	b.t.Helper()
	if evaluate(b, chromedp.Evaluate[string](`document.documentElement.lang.slice(0, 2)`)) != language {
		b.press(`button[name=language][value=` + language + `]`)
	}
}

// pictures is where what the tests saw is kept.
var pictures struct {
	once   sync.Once
	folder string
	mu     sync.Mutex
	taken  map[string]int
}

// picture keeps the whole page as the person sees it.
func (b *tab) picture(name string) {
	b.t.Helper()
	pictures.once.Do(func() {
		pictures.taken = map[string]int{}
		pictures.folder = os.Getenv("AMS_PICTURES")
		if pictures.folder == "" {
			pictures.folder = filepath.Join(os.TempDir(), "ams-screens")
		}
		_ = os.MkdirAll(pictures.folder, 0o755)
	})
	name = strings.NewReplacer("/", "-", " ", "-").Replace(b.t.Name() + "-" + name)
	pictures.mu.Lock()
	pictures.taken[name]++
	if n := pictures.taken[name]; n > 1 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	pictures.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	content, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(pictures.folder, name+".png"), content, 0o644)
	}
	if err != nil {
		b.t.Logf("no picture %s: %v", name, err)
	}
}

// rules are those of axe-core, in the version of the lock file.
var rules = testtools.NodePackagesOf(".")

// accessible holds the page against every rule of axe-core, and against the width of the window: nothing may stick out.
func (b *tab) accessible() {
	b.t.Helper()
	if evaluate(b, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > window.innerWidth`)) {
		b.picture("too-wide")
		b.t.Errorf("%s is wider than the window of %d", b.address(), b.look.width)
	}
	axe, err := os.ReadFile(rules(b.t).Package("axe-core/axe.min.js"))
	if err != nil {
		b.t.Fatal(err)
	}
	evaluate(b, chromedp.Evaluate[chromedp.Void](string(axe)))
	found := evaluate(b, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(
		r.violations.map(v => ({rule: v.id, help: v.help, at: v.nodes.map(n => n.target.join(" ") + ": " + (n.any.concat(n.all, n.none)[0] || {}).message)}))))`,
		chromedp.EvalAwaitPromise))
	var violations []struct {
		Rule, Help string
		At         []string
	}
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range violations {
		b.picture("violation-" + v.Rule)
		b.t.Errorf("%s: %s (%s) at %s", b.address(), v.Rule, v.Help, strings.Join(v.At, " | "))
	}
}

// limited is for one thing that a person does.
func (b *tab) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, 20*time.Second)
}

// fewerByDay are the languages and looks in which a test goes through many pages: all at night, by day the last, which is French or on a
// phone. Every page is looked at in both languages by day too.
func fewerByDay[T any](all []T) []T {
	if testnight.Long {
		return all
	}
	return all[len(all)-1:]
}
