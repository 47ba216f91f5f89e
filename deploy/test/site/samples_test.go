package site

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/devstack/apiclient"
)

// languages are those of the samples: all of them, in each sample but those that alone lists.
var languages = []string{"sh", "ts", "python", "go"}

// alone lists the samples that are in these languages only: a file is made by curl, a signature is verified by a library, and some
// libraries are other people's.
var alone = map[string][]string{"csv": {"sh"}, "parquet": {"sh"}, "changed-since": {"sh"}, "verify-webhook": {"ts", "python", "go"},
	"tus-js-client": {"ts"}}

// says is what a sample prints, in every language; (?i) and the like as Go has them.
var says = map[string]string{
	"who-am-i": `Town of .*(?s:.*)\*:\*`, "first-asset": `(?i)pump|pompe`, "change-asset": `(?i)pump|pompe`, "all-pages": `Circulation pump`,
	"stream": `Circulation pump`, "filters": `Circulation pump`, "search": `asset Circulation pump|asset.*Circulation pump`,
	"bulk": `(?i)created\D+[02]\b`, "upsert": `Boiler 1`, "errors": `400(?s:.*)name`, "limits": `1000`, "feed": `asset\.created`,
	"upload-photo": `photo\s+boiler\.jpg`, "list-files": `boiler\.jpg\W+Plaque\W+[0-9]{4,} bytes, revision 1\n`,
	"thumbnail": `small\.jpg has [0-9]{3,} bytes`, "upload-large": `readings\.csv\W+10000000 bytes, document [0-9a-f-]{36}`,
	"tus-js-client": `10000000 of 10000000 bytes\ndocument [0-9a-f-]{36}`, "download": `the same bytes`,
	"csv": `^id,name,condition_rating,replacement_cost\n`, "parquet": `PAR1`, "changed-since": `[0-9a-f-]{36}`,
}

// A stranger goes from / to a first asset by the links of the pages and what stands on them, then through the other guides.
func TestAStrangerMakesAFirstAssetAndReadsOn(t *testing.T) {
	for _, test := range []struct{ language, spoken, link string }{
		{"sh", "en-CA", "First steps"}, {"ts", "en-CA", "First steps"}, {"python", "en-CA", "First steps"}, {"go", "en-CA", "First steps"},
		{"sh", "fr-CA,fr;q=0.9,en;q=0.5", "Premiers pas"},
	} {
		t.Run(test.language+" "+test.spoken[:2], func(t *testing.T) {
			t.Parallel()
			steps := visit(t, base(t)+"/", test.spoken).follow(test.link, test.spoken)
			if lang := attribute(steps.root.FirstChild.NextSibling, "lang"); lang[:2] != test.spoken[:2] {
				t.Errorf("%s is in %q", steps.address, lang)
			}
			shown := false
			for code := range steps.all("pre") {
				shown = shown || strings.Contains(text(code), "export AMS_BASE_URL="+base(t)+"\n")
			}
			if !shown {
				t.Errorf("%s does not say the address of this installation", steps.address)
			}
			bench, as := newWorkbench(t, test.language), newTown(t)
			for _, s := range steps.samples() {
				if s.language == test.language {
					if out := bench.run(t, s, as); !regexp.MustCompile(says[s.name]).MatchString(out) {
						t.Errorf("%s says\n%s", s.name, out)
					}
				}
			}
			madeAnAsset(t, as)
			if test.spoken[:2] == "en" {
				bench.runsTheOtherGuides(t, as)
			}
		})
	}
}

// madeAnAsset holds what the first steps leave behind.
func madeAnAsset(t *testing.T, as town) {
	t.Helper()
	assets, err := apiclient.Send(client, as.key, http.MethodGet, base(t)+"/v1/assets?expand=site", nil)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := assets.Object["data"].([]any)
	if len(records) != 1 {
		t.Fatalf("there are %d assets: %s", len(records), assets.Body)
	}
	asset := records[0].(map[string]any)
	if asset["condition_rating"] != 3.0 || asset["version"] != 2.0 || asset["site"].(map[string]any)["name"] != "École de la Rive" {
		t.Errorf("the asset is %s", assets.Body)
	}
}

// runsTheOtherGuides runs every sample of the guides behind the first steps, in their order.
func (w *workbench) runsTheOtherGuides(t *testing.T, as town) {
	t.Helper()
	for _, guide := range guides(t) {
		if strings.HasSuffix(guide.address, "/first-steps") {
			continue
		}
		for _, s := range guide.samples() {
			switch {
			case s.language != w.language:
			case s.name == "verify-webhook":
				w.receives(t, s)
			default:
				if out := w.run(t, s, as); says[s.name] == "" || !regexp.MustCompile(says[s.name]).MatchString(out) {
					t.Errorf("%s of %s says\n%swant %q", s.name, guide.address, out, says[s.name])
				}
			}
		}
	}
}

// So what is run in English holds in French.
func TestTheSamplesAreTheSameInBothLanguages(t *testing.T) {
	translated := 0
	for _, english := range guides(t) {
		french := visit(t, english.address, "fr")
		if title := func(p *page) string {
			for heading := range p.all("h1") {
				return text(heading)
			}
			return ""
		}; title(french) != title(english) {
			translated++
		}
		if english.header.Get("Content-Language") != "en-CA" || french.header.Get("Content-Language") != "fr-CA" {
			t.Errorf("%s is in %q and %q", english.address, english.header.Get("Content-Language"), french.header.Get("Content-Language"))
		}
		if !slices.Equal(english.samples(), french.samples()) {
			t.Errorf("the samples of %s differ", english.address)
		}
	}
	if translated < 5 {
		t.Errorf("%d guides with samples are in French", translated)
	}
}

// guides are the pages of the documentation that have samples, in the order of the navigation.
func guides(t *testing.T) []*page {
	t.Helper()
	home := visit(t, base(t)+"/", "en").follow("Documentation", "en")
	var all []*page
	seen := map[string]bool{}
	for link := range home.all("a") {
		address := home.resolve(attribute(link, "href"))
		if strings.HasPrefix(address.Path, "/docs/guides/") && !seen[address.Path] {
			seen[address.Path] = true
			if found := visit(t, address.String(), "en"); len(found.samples()) > 0 {
				all = append(all, found)
			}
		}
	}
	return all
}

func TestEverySampleIsInEveryLanguage(t *testing.T) {
	found := map[string][]string{}
	for _, guide := range guides(t) {
		for _, s := range guide.samples() {
			found[s.name] = append(found[s.name], s.language)
		}
	}
	if len(found) < 10 {
		t.Fatalf("there are %d samples", len(found))
	}
	for name, in := range found {
		want := alone[name]
		if want == nil {
			want = languages
		}
		if !slices.Equal(in, want) {
			t.Errorf("%s is in %v, want %v", name, in, want)
		}
	}
}

// receives runs the receiver of a sample: it takes a call that is signed, and refuses another.
func (w *workbench) receives(t *testing.T, s sample) {
	t.Helper()
	const key = "a key of thirty-two bytes or more"
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	_, port, _ := net.SplitHostPort(address) // just listened on
	command := w.program(t, s)
	command.Env = append(command.Env, "PORT="+port, "WEBHOOK_SECRET=whsec_"+base64.StdEncoding.EncodeToString([]byte(key)))
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	command.Stderr = &complaints
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	body := `{"id": "019a3c61-52fe-7b0a-8c1d-6f1e0b9d7a42", "type": "asset.updated", "timestamp": "2026-05-12T14:03:07Z", "sequence": 1,
		"organization_id": "019a3c5e-0000-7000-8000-000000000001", "data": {"object": {}}}`
	send := func(signed string) int {
		now := strconv.FormatInt(time.Now().Unix(), 10)
		code := hmac.New(sha256.New, []byte(key))
		fmt.Fprintf(code, "%s.%s.%s", "msg_1", now, signed)
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			request, err := http.NewRequest(http.MethodPost, "http://"+address+"/", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Webhook-Id", "msg_1")
			request.Header.Set("Webhook-Timestamp", now)
			request.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(code.Sum(nil)))
			response, err := client.Do(request)
			if err == nil {
				_ = response.Body.Close()
				return response.StatusCode
			}
			if time.Now().After(deadline) {
				t.Fatalf("the receiver in %s does not answer: %v\n%s", s.language, err, complaints.String())
			}
		}
	}
	if status := send(body); status != http.StatusNoContent {
		t.Errorf("the receiver in %s answers a signed call with %d\n%s", s.language, status, complaints.String())
		return
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "asset.updated") {
		t.Errorf("the receiver in %s says %q, %v", s.language, line, err)
	}
	if status := send("another body"); status != http.StatusUnauthorized {
		t.Errorf("the receiver in %s answers a wrong signature with %d", s.language, status)
	}
}
