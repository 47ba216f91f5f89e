package documents

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"ams.internal/libs/testwait"
)

// scripts opens files with scripts in Chromium, as they come from the gateway: by an address, from a page and as what a page has fetched.
// The scripts call a witness, who hears of them when the same bytes come from elsewhere, and here of none.
func scripts(t *testing.T, c caller, asset string) {
	t.Helper()
	w := newWitness(t)
	call := func(who string) string { return `new Image().src="` + w.URL + `/ran/` + who + `"` }
	files := map[string]string{
		"page.html": `<!DOCTYPE html><html><head><title>Report</title></head><body onload='` + call("page.html") + `'><script>` +
			call("page.html") + `</script></body></html>`,
		"drawing.svg": `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>fetch("` + w.URL +
			`/ran/drawing.svg",{mode:"no-cors"})</script><rect width="9" height="9"/></svg>`,
		"moving.gif": "GIF89a/*\x01\x00\x01\x00\x00*/=1;" + call("moving.gif"),
	}
	documents := map[string]string{}
	for name, content := range files {
		id := c.upload(t, "assets", asset, name, []byte(content), nil)["id"].(string)
		documents[name] = "/v1/documents/" + id + "/content"
		testwait.For(t, 10*time.Second, name+" is scanned", func() bool { return c.send(t, "GET", documents[name], nil).Status == http.StatusOK })
		if refused := c.send(t, "GET", documents[name]+"?disposition=inline", nil); refused.Status != http.StatusBadRequest {
			t.Errorf("%s may be shown in a page: %d", name, refused.Status)
		}
	}
	b := newBrowser(t)

	// The same bytes from elsewhere do run.
	for name, mediaType := range map[string]string{"page.html": "text/html", "drawing.svg": "image/svg+xml", "moving.gif": "text/javascript"} {
		w.serve("/"+name, mediaType, files[name])
	}
	w.serve("/embeds.html", "text/html", `<!DOCTYPE html><script src="/moving.gif"></script>`)
	for _, page := range []string{"page.html", "drawing.svg", "embeds.html"} {
		b.open(w.URL + "/" + page)
	}
	for name := range files {
		testwait.For(t, 20*time.Second, name+" runs where a server lets it", func() bool { return w.heard("/ran/"+name) > 0 })
	}
	w.forget()

	b.authorize(c.key)
	for name, path := range documents {
		// By its address: a file to be saved.
		b.download(c.base+path, name, files[name])
		// From a page of the same origin, which may do everything but what the headers forbid.
		b.open(c.base + "/openapi.json")
		types := b.evaluate(fmt.Sprintf(`(async () => {
			const address = %q, made = []
			const fetched = await fetch(address)
			const blob = await fetched.blob()
			const wait = (element) => new Promise((done) => {
				element.onload = element.onerror = done
				setTimeout(done, 1000)
				document.body.append(element)
			})
			for (const [kind, property] of [["iframe", "src"], ["object", "data"], ["embed", "src"], ["script", "src"], ["img", "src"]])
				made.push(wait(Object.assign(document.createElement(kind), {[property]: address})))
			made.push(wait(Object.assign(document.createElement("iframe"), {src: URL.createObjectURL(blob)})))
			await Promise.all(made)
			await fetch(%q, {mode: "no-cors"})
			return fetched.status + " " + blob.type + " " + blob.size
		})()`, path, w.URL+"/end/"+name))
		served := "application/octet-stream"
		if name == "moving.gif" {
			served = "image/gif"
		}
		if want := fmt.Sprintf("200 %s %d", served, len(files[name])); types != want {
			t.Errorf("a page that fetches %s has %q, want %q", name, types, want)
		}
		testwait.For(t, 10*time.Second, "the page of "+name+" has come to its end", func() bool { return w.heard("/end/"+name) > 0 })
	}
	for name := range files {
		if n := w.heard("/ran/" + name); n > 0 {
			t.Errorf("%s has run %d times", name, n)
		}
	}
}

// witness is a server that notes what was asked for, and serves some files.
type witness struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	files map[string][2]string // media type and content by path
}

func newWitness(t *testing.T) *witness {
	w := &witness{asked: map[string]int{}, files: map[string][2]string{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked[r.URL.Path]++
		if file, there := w.files[r.URL.Path]; there {
			to.Header().Set("Content-Type", file[0])
			_, _ = to.Write([]byte(file[1])) // who is gone does not miss it
		}
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *witness) serve(path, mediaType, content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[path] = [2]string{mediaType, content}
}

func (w *witness) heard(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[path]
}

func (w *witness) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.asked)
}

// window is one tab of Chromium, which saves files in a folder under ids of its own.
type window struct {
	t      *testing.T
	ctx    context.Context
	folder string
	events chan any
}

func newBrowser(t *testing.T) *window {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Fatal("there is no Chromium: run deploy/install.sh")
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()),
		chromedp.NoFirstRun, chromedp.NoSandbox, chromedp.Flag("headless", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-background-networking", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(func() { stop(); stopAllocator() })
	b := &window{t, ctx, t.TempDir(), make(chan any, 1000)}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.ListenBrowser(ctx, func(event any) {
		switch event.(type) {
		case *browser.EventDownloadWillBegin, *browser.EventDownloadProgress:
			b.events <- event
		}
	}); err != nil {
		t.Fatal(err)
	}
	enabled := true
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: b.folder, EventsEnabled: &enabled,
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

// authorize sends a key with every request from now on.
func (b *window) authorize(key string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{
		Headers: network.Headers{"Authorization": "Bearer " + key}}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *window) open(address string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 60*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		b.t.Fatalf("open %s: %v", address, err)
	}
}

func (b *window) evaluate(program string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 60*time.Second)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[string](program, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

// download goes to an address, which must be a file that the browser saves instead of showing it.
func (b *window) download(address, name, content string) {
	b.t.Helper()
	for len(b.events) > 0 { // of files before
		<-b.events
	}
	ctx, cancel := context.WithTimeout(b.ctx, 60*time.Second)
	defer cancel()
	var aborted *chromedp.LoadError
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); !errors.As(err, &aborted) || !strings.Contains(aborted.Error(), "ERR_ABORTED") {
		b.t.Fatalf("%s is shown, and not saved: %v", name, err)
	}
	for begun := ""; ; {
		select {
		case event := <-b.events:
			switch e := event.(type) {
			case *browser.EventDownloadWillBegin:
				if e.URL == address {
					if begun = e.GUID; e.SuggestedFilename != name {
						b.t.Errorf("%s is saved as %s", name, e.SuggestedFilename)
					}
				}
			case *browser.EventDownloadProgress:
				if begun == "" || e.GUID != begun || e.State != browser.DownloadProgressStateCompleted {
					continue
				}
				if saved, err := os.ReadFile(filepath.Join(b.folder, begun)); err != nil || string(saved) != content {
					b.t.Errorf("%s was saved with %d bytes: %v", name, len(saved), err)
				}
				return
			}
		case <-ctx.Done():
			b.t.Fatalf("%s was not saved", name)
		}
	}
}
