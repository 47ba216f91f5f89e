package e2e

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
)

func (c caller) library() *ams.Client { return ams.NewClient(c.base, c.key) }

// TestTheGoClientsProgramsRunInACleanFolder takes the library's module as a stranger does, from a proxy, and runs the programs of its README.
func TestTheGoClientsProgramsRunInACleanFolder(t *testing.T) {
	t.Parallel()
	checkout, err := devstack.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	source, folder := filepath.Join(checkout, "deploy/clients/go"), t.TempDir()
	readme, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":     "module example.ca/programs\n\ngo 1.26\n\nrequire ams.internal/clients/go v" + ams.Version + "\n",
		"receive.go": "package programs\n\nimport (\n\"io\"\n\"log\"\n\"net/http\"\n\"os\"\n\nams \"ams.internal/clients/go\"\n)\n\nvar _ = receive\n\n" + goBlocks(t, readme, "func receive")[0],
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	programs := goBlocks(t, readme, "package main")
	if len(programs) != 3 {
		t.Fatalf("the README has %d programs", len(programs))
	}
	for i, program := range programs {
		if err := os.MkdirAll(filepath.Join(folder, fmt.Sprint("program", i)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint("program", i), "main.go"), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := fresh(t, board)
	environment := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GOSUMDB=off", "GOMODCACHE="+t.TempDir(),
		"GOPROXY=file://"+moduleProxy(t, source)+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache/download"), "AMS_BASE_URL="+c.base, "AMS_API_KEY="+c.key)
	run := func(program string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), program, args...)
		command.Dir, command.Env = folder, environment
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", program, args, err, output)
		}
		return string(output)
	}
	// Other tests wait for answers of the product meanwhile: compilers run at low priority.
	run("nice", "go", "build", "-o", "bin/", "./...")
	run("nice", "go", "vet", ".")
	for i, want := range []string{
		"made Pompe de circulation at version 1\nPompe de circulation costs 48500\n",
		"2 rows are in\nDeux patinoires\nrefused: version_mismatch\n",
		" sites\n",
	} {
		if got := run(filepath.Join(folder, "bin", fmt.Sprint("program", i))); !strings.HasSuffix(got, want) {
			t.Errorf("program %d of the README says\n%s", i, got)
		}
	}
	if written, err := os.ReadFile(filepath.Join(folder, "sites.ndjson")); err != nil || strings.Count(string(written), "\n") < 3 {
		t.Errorf("the third program wrote %s, %v", written, err)
	}
}

// goBlocks are the Go blocks of a page that begin so.
func goBlocks(t *testing.T, page []byte, beginning string) (blocks []string) {
	t.Helper()
	for i, part := range strings.Split(string(page), "```") {
		if text, is := strings.CutPrefix(part, "go\n"); i%2 == 1 && is && strings.HasPrefix(text, beginning) {
			blocks = append(blocks, text)
		}
	}
	if blocks == nil {
		t.Fatalf("there is no block of Go that begins with %s", beginning)
	}
	return blocks
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(value))
}

// moduleProxy is a folder that serves a module in its version, packed as a proxy packs it.
func moduleProxy(t *testing.T, source string) string {
	t.Helper()
	const module = "ams.internal/clients/go"
	version := "v" + ams.Version
	proxy := t.TempDir()
	folder := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	definition, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".mod": string(definition),
		version + ".info": `{"Version":"` + version + `","Time":"2026-11-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed := zip.NewWriter(file)
	err = fs.WalkDir(os.DirFS(source), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(source, path))
		if err != nil {
			return err
		}
		w, err := packed.Create(module + "@" + version + "/" + path)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err := errors.Join(err, packed.Close()); err != nil {
		t.Fatal(err)
	}
	return proxy
}

// TestTheGoClientReadsWhatTheServiceSends makes records and reads them in every way that the library has.
func TestTheGoClientReadsWhatTheServiceSends(t *testing.T) {
	ctx, client := t.Context(), fresh(t, city).library()
	site := value(client.Sites.Create(ctx, ams.SiteWrite{Name: "Go client"}))(t)
	rows := make([]ams.AssetBulkCreateRow, 25)
	for i := range rows {
		rows[i] = ams.AssetBulkCreateRow{Name: fmt.Sprintf("Go client %d", i), ExternalID: new(fmt.Sprintf("go-client-%d", i)), SiteID: &site.ID,
			CustomFields: map[string]any{"floor": i}}
	}
	made := value(client.Assets.BulkCreateRows(ctx, rows, ams.BulkOptions{}))(t)
	if made.Summary.Created != 25 || made.Results[24].Index != 24 || made.Data[24].Name != "Go client 24" {
		t.Fatalf("%+v", made.Summary)
	}
	here := ams.Filters{"site_id": site.ID}
	page := value(client.Assets.List(ctx, ams.Filters{"site_id": site.ID, "per_page": 10}))(t)
	if len(page.Data) != 10 || page.Pagination.Total != 25 || page.Pagination.NextCursor == nil {
		t.Errorf("a page is %+v", page.Pagination)
	}
	var names, streamed []string
	for asset, err := range client.Assets.All(ctx, ams.Filters{"site_id": site.ID, "per_page": 10}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, asset.Name)
	}
	for asset, err := range client.Assets.Stream(ctx, here) {
		if err != nil {
			t.Fatal(err)
		}
		streamed = append(streamed, asset.Name)
	}
	if len(names) != 25 || !slices.Equal(names, streamed) {
		t.Errorf("by pages %v, by stream %v", names, streamed)
	}
	updated := value(client.Assets.BulkUpdate(ctx, []ams.PatchRow[ams.AssetPatch]{
		{Key: ams.Key{ExternalID: "go-client-1"}, Patch: ams.AssetPatch{Location: ams.Set("Salle 2")}}}, ams.BulkOptions{}))(t)
	if asset := updated.Data[0]; asset.Location == nil || *asset.Location != "Salle 2" || asset.Version != 2 {
		t.Errorf("updated to %+v", asset)
	}
	one := value(client.Assets.Update(ctx, updated.Data[0].ID, ams.AssetPatch{Location: ams.Null[string]()}, 2))(t)
	if one.Location != nil || one.Version != 3 {
		t.Errorf("cleared to %+v", one)
	}
	fan := value(client.Assets.Upsert(ctx, "go/client é", ams.AssetWrite{Name: "Fan", SiteID: &site.ID}))(t)
	again := value(client.Assets.Upsert(ctx, "go/client é", ams.AssetWrite{Name: "Fan 2"}))(t)
	if fan.ExternalID == nil || *fan.ExternalID != "go/client é" || again.ID != fan.ID || again.Name != "Fan 2" || again.Version != 2 {
		t.Errorf("created %+v, then %+v", fan, again)
	}
	changes := 0
	for change, err := range client.Assets.History(ctx, one.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if changes++; int(change.Version) != changes || change.Actor.Name == "" {
			t.Errorf("a change is %+v", change)
		}
	}
	if changes != 3 {
		t.Errorf("the history has %d changes", changes)
	}

	var refused *ams.Error
	if err := client.Sites.Delete(ctx, site.ID, 0); !errors.As(err, &refused) || refused.Status != 409 || refused.Dependents["assets"] != 26 {
		t.Errorf("a site with assets: %v", err)
	}
	if _, err := client.Sites.Create(ctx, ams.SiteWrite{Name: "Again", Code: site.Code}); !errors.As(err, &refused) || refused.Field != "code" || refused.ExistingID != site.ID {
		t.Errorf("a code that is taken: %v", err)
	}
	if _, err := client.Assets.List(ctx, ams.Filters{"nonsense": 1}); !errors.As(err, &refused) || refused.Status != 400 || refused.RequestID == "" {
		t.Errorf("a filter that is none: %v", err)
	}
	summary := value(client.Sites.Summary(ctx, site.ID, nil))(t)
	if summary.ID != site.ID || summary.Currency != "CAD" {
		t.Errorf("the summary is %+v", summary)
	}
	order := value(client.WorkOrders.Create(ctx, ams.WorkOrderWrite{Title: "Go client", SiteID: &site.ID}))(t)
	value(client.WorkOrders.Comments(order.ID).Create(ctx, ams.CommentWrite{Body: "Seen"}))(t)
	if moved := value(client.WorkOrders.Transition(ctx, order.ID, "in_progress", nil))(t); moved.Version <= order.Version {
		t.Errorf("moved to %+v", moved)
	}
	if me := value(client.Me(ctx))(t); me.Organization.Name != city {
		t.Errorf("the key is of %s", me.Organization.Name)
	}
	value(client.Search(ctx, "Go client", ams.Filters{"kinds": []string{"asset"}}))(t)
	value(client.StateOfAssets(ctx, nil))(t)
	value(client.StateOfInfrastructure(ctx, nil))(t)
	value(client.Projects.Plan(ctx, nil))(t)
	if events := value(client.Events(ctx, "", ams.Filters{"wait": 5}))(t); events.Next == "" {
		t.Errorf("the feed is %+v", events)
	}
	deleted := value(client.Assets.BulkDelete(ctx, []ams.Key{{ExternalID: "go-client-0"}, {ID: one.ID}}, ams.BulkOptions{}))(t)
	if deleted.Summary.Deleted != 2 {
		t.Errorf("deleted %+v", deleted.Summary)
	}
	if err := client.Assets.Delete(ctx, made.Data[2].ID, 1); err != nil {
		t.Error(err)
	}
}

// TestTheGoClientListsEveryCollection decodes a page of each.
func TestTheGoClientListsEveryCollection(t *testing.T) {
	client := fresh(t, city).library()
	fields := reflect.ValueOf(client.Collections)
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if name == "MeterReadings" { // takes readings of any meters; they are listed below their meter
			continue
		}
		list := fields.Field(i).MethodByName("List")
		result := list.Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(ams.Filters{"per_page": 100})})
		if err, is := result[1].Interface().(error); is {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// value is a result that must be without an error.
func value[T any](result T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}
