package move

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/principal"
	"ams.internal/libs/testnight"
	"ams.internal/services/documents/store"
)

// archivedServices are the schemas of the two installations of these tests. The gateway's is what organizations are known by.
var archivedServices = []string{"assets", "webhooks", "documents", "users", "gateway", "console", "mcp"}

// installations are two of them: cells.all[…first] is the only cell of the one, …second that of the other.
type installations struct {
	*cells
	folders map[string]string // of the stores of documents
}

func newInstallations(t *testing.T) *installations {
	t.Helper()
	return &installations{newCellsWith(t, archivedServices), map[string]string{"first": t.TempDir(), "second": t.TempDir()}}
}

// cell is the first cell of an installation.
func (in *installations) cell(name string) Cell {
	for _, each := range in.all {
		if each.Name == name {
			return Cell{principal.First, each.OwnerURL}
		}
	}
	panic(name)
}

func (in *installations) store(name string) store.Store {
	in.t.Helper()
	return openStore(in.folders[name])
}

func openStore(folder string) store.Store {
	s, err := store.New(context.Background(), store.Config{Store: folder})
	if err != nil {
		panic(err)
	}
	return s
}

func (in *installations) export(name, organization string) *Export {
	return exportFrom(in.cell(name), in.folders[name], organization)
}

func exportFrom(cell Cell, folder, organization string) *Export {
	return &Export{First: cell, Cell: cell, Organizations: []string{organization, principal.SandboxOf(organization)},
		Services: []string{"assets", "webhooks", "documents"}, Product: "0.0.0", Contents: openStore(folder)}
}

func (in *installations) into(name string) *Import {
	return &Import{Cells: []Cell{in.cell(name)}, Contents: in.store(name)}
}

// newTown is a city that the gateway of the first installation knows, with a key, an endpoint and files of documents. contents are their
// bytes by id.
func (in *installations) newTown(sizes ...int) (o *city, contents map[string][]byte) {
	t := in.t
	t.Helper()
	o, contents = in.newCity("first"), map[string][]byte{}
	db := in.connect(in.cell("first").OwnerURL)
	sandbox, key := principal.SandboxOf(o.id), uuid.NewString()
	run(t, db, `INSERT INTO gateway.organization (organization_id, name, plan, currency) 
		VALUES ($1, 'Ville de Rivière-Claire', 'enterprise', 'CAD')`, o.id)
	run(t, db, `INSERT INTO gateway.organization (organization_id, sandbox_of, name, cell, time_zone, fiscal_year_end_month)
		VALUES ($1, $2, 'Ville de Rivière-Claire (test)', NULL, NULL, NULL)`, sandbox, o.id)
	run(t, db, `INSERT INTO gateway.organization_add_on VALUES ($1, 'storage')`, o.id)
	run(t, db, `INSERT INTO gateway.api_key (organization_id, id, hash, display, name, scopes, rate_limit, expires_at, created_by)
		VALUES ($1, $2::uuid, sha256(($2::uuid)::text::bytea), 'ams_live_abc', 'full', '{*:*}', 100, now() + interval '1 day', '{}')`, o.id, key)
	endpoint := uuid.NewString()
	run(t, db, `INSERT INTO webhooks.webhook_endpoint (organization_id, id, position, url, event_types, status, payload, headers,
			sealed_headers, created_at,
			updated_at, created_by, updated_by)
		VALUES ($1, $2, 1, 'https://example.ca', '["site.created"]', 'active', 'full', '{"X-Key": null}',
			'sealed-header-value', now(), now(), '{}', '{}')`,
		o.id, endpoint)
	run(t, db, `INSERT INTO webhooks.webhook_endpoint_secret (organization_id, endpoint_id, id, sealed, created_at)
		VALUES ($1, $2::uuid, $2::uuid, 'sealed-secret-value', now())`, o.id, endpoint)
	run(t, db, `INSERT INTO webhooks.dispatch (organization_id, endpoint_id, worker, wake_at) VALUES ($1, $2, 7, now())`, o.id, endpoint)
	for n, size := range sizes {
		owner, id, body := o.id, uuid.NewString(), make([]byte, size)
		if n == 1 {
			owner = sandbox
		}
		_, _ = rand.Read(body)
		sum := sha256.Sum256(body)
		contents[owner+"/"+id] = body
		run(t, db, `INSERT INTO documents.blob (organization_id, id, state, created_by, size, sha256, media_type, scan_status, has_thumbnails)
			VALUES ($1, $2, 'ready', '{}', $3, $4, 'image/jpeg', 'clean', true)`, owner, id, size, sum[:])
		target := &Import{Contents: in.store("first")}
		if err := target.writeContent(t.Context(), content{owner, id, int64(size), sum[:]}, bytes.NewReader(body)); err != nil {
			t.Fatal(err)
		}
	}
	return o, contents
}

func (o *city) writeSome(t *testing.T, count int) {
	t.Helper()
	var mine []string
	for i := range count {
		if err := o.write(i, &mine); err != nil {
			t.Fatal(err)
		}
	}
}

// sums are those of all tables of an organization that has an archive, by table.
func (in *installations) sums(name string, organizations []string) map[string]sum {
	t := in.t
	t.Helper()
	p := &place{name: name, work: in.connect(in.cell(name).OwnerURL)}
	run(t, p.work, "SET timezone = 'UTC'")
	if err := p.readTables(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := map[string]sum{}
	for _, table := range append(archived(p.tables), archived(p.control)...) {
		var of sum
		query := table.sum("t.organization_id IN ("+list(organizations)+")", "")
		if err := p.work.QueryRow(t.Context(), query).Scan(&of.rows, &of.hash); err != nil {
			t.Fatal(err)
		}
		found[table.fullName()] = of
	}
	return found
}

// isEmpty fails where anything of an organization is in the second installation.
func (in *installations) isEmpty(what string, organizations []string) {
	in.t.Helper()
	for table, of := range in.sums("second", organizations) {
		if of.rows != 0 {
			in.t.Errorf("%s: %d rows of %s were written", what, of.rows, table)
		}
	}
	var marks int
	target := in.connect(in.cell("second").OwnerURL)
	err := target.QueryRow(in.t.Context(), "SELECT count(*) FROM assets.organization_move").Scan(&marks)
	if err != nil || marks != 0 {
		in.t.Errorf("%s: %d marks are left: %v", what, marks, err)
	}
	err = in.store("second").List(in.t.Context(), "", func(o store.Object) error { return fmt.Errorf("%s was written", o.Key) })
	if err != nil {
		in.t.Errorf("%s: %v", what, err)
	}
}

// An archive that is written while the organization works has each record with its history, event and place in the ledger, or none of them.
func TestAnArchiveIsOfOneMomentWhileTheOrganizationWrites(t *testing.T) {
	in := newInstallations(t)
	town, _ := in.newTown(10)
	neighbour, _ := in.newTown(10)
	neighbour.writeSome(t, 5)
	town.begin(2)
	town.waitForWrites(50)
	file := filepath.Join(t.TempDir(), "town.zip")
	export := in.export("first", town.id)
	export.Report = func(s Step) {
		if s.What == "assets.history" { // the snapshot goes on while there is more
			town.waitForWrites(20)
		}
	}
	done, err := export.Run(t.Context(), file)
	town.end()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || info.Size() != done.Size {
		t.Errorf("the file: %v %v", info, err)
	}
	a, err := openArchive(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if err := a.verify(t.Context(), func(string, int64) {}); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, table := range a.Tables {
		rows[table.Name] = table.Rows
	}
	var ledger int64
	if _, err := in.into("second").Run(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	target := in.connect(in.cell("second").OwnerURL)
	err = target.QueryRow(t.Context(), "SELECT sum(live) FROM assets.ledger WHERE organization_id = $1", town.id).Scan(&ledger)
	if err != nil || ledger != rows["assets.site"] {
		t.Errorf("the ledger has %d, sites are %d: %v", ledger, rows["assets.site"], err)
	}
	if rows["assets.site"] == 0 || rows["assets.history"] != rows["assets.outbox"] || rows["gateway.api_key"] != 1 ||
		rows["gateway.organization"] != 2 {
		t.Errorf("rows: %v", rows)
	}
	for _, secret := range []string{"webhooks.webhook_endpoint_secret", "console.session", "mcp.mcp_grant"} {
		if _, has := rows[secret]; has {
			t.Errorf("it has %s", secret)
		}
	}
	var entries int
	err = in.connect(in.cell("first").OwnerURL).QueryRow(t.Context(), `SELECT count(*) FROM gateway.audit WHERE organization_id = $1
		AND action = 'organization.exported' AND changes ->> 'manifest_sha256' = $2`, town.id, done.Manifest).Scan(&entries)
	if err != nil || entries != 1 {
		t.Errorf("%d entries in the audit trail: %v", entries, err)
	}
	if _, err := in.export("first", town.id).Run(t.Context(), file); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a file was written over: %v", err)
	}
}

func TestAnOrganizationArrivesInAnotherInstallationAsItWas(t *testing.T) {
	in := newInstallations(t)
	town, contents := in.newTown(10, 300_000, store.PartSize+5)
	town.writeSome(t, 60)
	resident, _ := in.newTown()
	file := filepath.Join(t.TempDir(), "town.zip")
	done, err := in.export("first", town.id).Run(t.Context(), file)
	if err != nil || done.Contents != 3 {
		t.Fatal(done, err)
	}
	whole := []string{town.id, principal.SandboxOf(town.id)}
	before := in.sums("first", whole)
	got, err := in.into("second").Run(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if got.Organization != town.id || got.Cell != "first" || got.Manifest != done.Manifest || got.Rows != done.Rows ||
		len(got.Disabled) != 1 || got.Finished {
		t.Errorf("%+v, exported %+v", got, done)
	}
	changed := []string{"gateway.organization", "gateway.audit", "webhooks.webhook_endpoint", "webhooks.dispatch",
		"webhooks.facet_pending", "documents.blob"}
	for table, of := range in.sums("second", whole) {
		if of != before[table] && !slices.Contains(changed, table) {
			t.Errorf("%s: %v has become %v", table, before[table], of)
		}
	}
	for key, body := range contents {
		opened, err := in.store("second").Open(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		arrived, err := io.ReadAll(opened)
		if _ = opened.Close(); err != nil || !bytes.Equal(arrived, body) {
			t.Errorf("%s has %d bytes, not those %d: %v", key, len(arrived), len(body), err)
		}
	}
	target := in.connect(in.cell("second").OwnerURL)
	var status, reason, cell string
	var held, suspended bool
	var worker *int
	var due int
	if err := target.QueryRow(t.Context(), `SELECT e.status, e.disabled_reason, d.held, d.worker, o.cell, o.suspended_at IS NOT NULL,
			(SELECT count(*) FROM documents.blob b WHERE b.picture_due_at IS NOT NULL AND NOT b.has_thumbnails)
		FROM webhooks.webhook_endpoint e JOIN webhooks.dispatch d USING (organization_id) JOIN gateway.organization o USING (organization_id)
		WHERE organization_id = $1`, town.id).Scan(&status, &reason, &held, &worker, &cell, &suspended, &due); err != nil {
		t.Fatal(err)
	}
	if status != "disabled" || reason != withoutSecret || !held || worker != nil || cell != "first" || suspended || due != 3 {
		t.Errorf("%s %q %t %v %s %t %d", status, reason, held, worker, cell, suspended, due)
	}
	run(t, in.connect(in.admin["first"]), "UPDATE public.cell_of SET cell = 'second' WHERE organization = $1", town.id)
	second := "second"
	town.cell.Store(&second)
	town.writeSome(t, 20) // it works, and its positions and times go on to grow
	var backwards int
	if err := target.QueryRow(t.Context(), `SELECT count(*) FROM (SELECT position > lag(position) OVER (ORDER BY created_at) AS grows
		FROM assets.site
		WHERE organization_id = $1) s WHERE NOT grows`, town.id).Scan(&backwards); err != nil || backwards != 0 {
		t.Errorf("%d positions out of order: %v", backwards, err)
	}
	// The same once more, and where it comes from, is refused.
	for _, name := range []string{"second", "first"} {
		_, err := in.into(name).Run(t.Context(), file)
		if err == nil || !strings.Contains(err.Error(), "there is an organization with the id "+town.id+" already") {
			t.Errorf("into %s: %v", name, err)
		}
	}
	if found := in.sums("second", []string{resident.id}); found["gateway.organization"].rows != 0 {
		t.Error("another organization has arrived too")
	}
}

// An organization of a further cell is exported, deleted everywhere, and comes back with the same ids.
func TestAnOrganizationOfAnotherCellComesBackAfterItWasDeleted(t *testing.T) {
	in := newInstallations(t)
	town, contents := in.newTown(10, 20)
	town.writeSome(t, 20)
	whole := []string{town.id, principal.SandboxOf(town.id)}
	move := in.move("second", whole...)
	if _, err := move.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := in.connect(in.cell("first").OwnerURL)
	run(t, db, "INSERT INTO gateway.cell (name) VALUES ('second')")
	run(t, db, "UPDATE gateway.organization SET cell = 'second' WHERE organization_id = $1", town.id)
	first, second := in.cell("first"), Cell{"second", in.cell("second").OwnerURL}
	before := in.sums("second", whole)
	export := in.export("first", town.id)
	export.Cell = second
	file := filepath.Join(t.TempDir(), "town.zip")
	if _, err := export.Run(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	for _, cell := range []Cell{first, second} {
		p, err := export.open(t.Context(), cell)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range append(slices.Clone(p.tables), p.control...) {
			run(t, p.work, fmt.Sprintf("DELETE FROM %s WHERE organization_id IN (%s)", table, list(whole)))
		}
		p.close()
	}
	for key := range contents {
		if err := in.store("first").Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	run(t, db, "UPDATE gateway.cell SET takes_new = (name = 'second')")
	i := &Import{Cells: []Cell{first, second}, Contents: in.store("first")}
	if got, err := i.Run(t.Context(), file); err != nil || got.Cell != "second" {
		t.Fatal(got, err)
	}
	after := in.sums("second", whole)
	for _, table := range []string{"assets.site", "assets.history", "assets.ledger", "assets.outbox", "assets.counter", "users.user_account"} {
		if after[table] != before[table] {
			t.Errorf("%s: %v has become %v", table, before[table], after[table])
		}
	}
	left := in.sums("first", whole)
	if left["assets.site"].rows != 0 || left["gateway.organization"].rows != 2 || left["gateway.api_key"].rows != 1 {
		t.Errorf("the first cell has %v", left)
	}
	for key := range contents {
		if _, err := in.store("first").Stat(t.Context(), key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	town.cell.Store(&second.Name)
	town.writeSome(t, 5)
}

// A content that the store has lost does not hold back the others, and is told.
func TestAMissingContentIsReportedAndADamagedOneIsRefused(t *testing.T) {
	in := newInstallations(t)
	town, contents := in.newTown(10, 20)
	keys := []string{}
	for key := range contents {
		keys = append(keys, key)
	}
	path := filepath.Join(in.folders["first"], keys[0])
	found := ""
	_ = filepath.WalkDir(in.folders["first"], func(each string, entry fs.DirEntry, _ error) error {
		if !entry.IsDir() && strings.HasSuffix(each, filepath.Base(path)) {
			found = each
		}
		return nil
	})
	body, err := os.ReadFile(found)
	if err != nil {
		t.Fatal(err)
	}
	body[0]++
	if err := os.Chmod(found, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(found, body, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "town.zip")
	if _, err := in.export("first", town.id).Run(t.Context(), file); err == nil || !strings.Contains(err.Error(), keys[0]) {
		t.Errorf("a damaged content was exported: %v", err)
	}
	if left, _ := filepath.Glob(file + "*"); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
	if err := in.store("first").Delete(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	done, err := in.export("first", town.id).Run(t.Context(), file)
	if err != nil || !slices.Equal(done.Missing, keys[:1]) || done.Contents != 1 {
		t.Errorf("%+v %v", done, err)
	}
}

// rewrite writes an archive anew, with a change of each file and of its manifest.
func rewrite(t *testing.T, from, to string, change func(name string, body []byte) []byte,
	manifest func(m *Manifest, sums map[string]string)) {
	t.Helper()
	reader, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var out bytes.Buffer
	writer, sums := zip.NewWriter(&out), map[string]string{}
	for _, file := range reader.File {
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name == manifestFile && manifest != nil {
			var m Manifest
			if err := json.Unmarshal(body, &m); err != nil {
				t.Fatal(err)
			}
			manifest(&m, sums)
			if body, err = m.encode(); err != nil {
				t.Fatal(err)
			}
		}
		if body = change(file.Name, body); body == nil {
			continue
		}
		sum := sha256.Sum256(body)
		sums[file.Name] = hex.EncodeToString(sum[:])
		w, err := writer.Create(file.Name)
		if err == nil {
			_, err = w.Write(body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnAlteredArchiveIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	in := newInstallations(t)
	town, _ := in.newTown(100)
	town.writeSome(t, 10)
	folder := t.TempDir()
	good := filepath.Join(folder, "good.zip")
	if _, err := in.export("first", town.id).Run(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	other := uuid.NewString()
	same := func(_ string, body []byte) []byte { return body }
	sites := "rows/assets.site.csv"
	ofSites := func(m *Manifest) *ArchivedTable {
		return &m.Tables[slices.IndexFunc(m.Tables, func(t ArchivedTable) bool { return t.File == sites })]
	}
	resummed := func(m *Manifest, sums map[string]string) { ofSites(m).SHA256 = sums[sites] }
	in.isEmpty("before", []string{town.id, other})
	for _, c := range []struct {
		name, want string
		write      func(to string)
	}{
		{"truncated", "truncated", func(to string) { _ = os.WriteFile(to, whole[:len(whole)/2], 0o600) }},
		{"no archive", "no archive of an organization", func(to string) { _ = os.WriteFile(to, []byte("name,status\n"), 0o600) }},
		{"a byte", "damaged or was altered", func(to string) {
			bad := bytes.Clone(whole)
			bad[bytes.Index(bad, []byte(sites))+len(sites)+50] ^= 0x20
			_ = os.WriteFile(to, bad, 0o600)
		}},
		{"another ZIP file", "it has no manifest.json", func(to string) {
			rewrite(t, good, to, func(name string, body []byte) []byte {
				if name == manifestFile {
					return nil
				}
				return body
			}, nil)
		}},
		{"a value", "has the SHA-256", func(to string) {
			rewrite(t, good, to, func(name string, body []byte) []byte {
				if name == sites {
					return bytes.Replace(body, []byte("Site"), []byte("Sits"), 1)
				}
				return body
			}, nil)
		}},
		{"a row less", "rows/assets.site.csv has 5 rows, not 6", func(to string) {
			rewrite(t, good, to, func(name string, body []byte) []byte {
				if name == sites {
					body = bytes.TrimRight(body, "\n")
					return body[:bytes.LastIndexByte(body, '\n')+1]
				}
				return body
			}, resummed)
		}},
		{"a row of another", "a row of another organization", func(to string) {
			rewrite(t, good, to, func(name string, body []byte) []byte {
				if name == sites {
					return bytes.Replace(body, []byte(town.id), []byte(other), 1)
				}
				return body
			}, resummed)
		}},
		{"a content", "damaged or was altered", func(to string) {
			rewrite(t, good, to, func(name string, body []byte) []byte {
				if strings.HasPrefix(name, "contents/") {
					body = bytes.Clone(body)
					files := tar.NewReader(bytes.NewReader(body))
					_, _ = files.Next()
					content, _ := io.ReadAll(files)
					body[bytes.Index(body, content)]++
				}
				return body
			}, func(m *Manifest, sums map[string]string) { m.Contents[0].SHA256 = sums[m.Contents[0].File] })
		}},
		{"a file less", "is not in it", func(to string) {
			rewrite(t, good, to, func(name string, body []byte) []byte {
				if name == sites {
					return nil
				}
				return body
			}, nil)
		}},
		{"a file more", "and not in the manifest", func(to string) {
			rewrite(t, good, to, same, func(m *Manifest, _ map[string]string) { m.Contents = nil })
		}},
		{"another format", "says something else", func(to string) {
			rewrite(t, good, to, same, func(m *Manifest, _ map[string]string) { m.Format = "backup" })
		}},
		{"a newer format", "of a newer release, 9.9.9", func(to string) {
			rewrite(t, good, to, same, func(m *Manifest, _ map[string]string) { m.Version, m.Product = 2, "9.9.9" })
		}},
		{"other schemas", "whose schemas are not those of this installation", func(to string) {
			rewrite(t, good, to, same, func(m *Manifest, _ map[string]string) { m.Schemas["assets"] = "99/99" })
		}},
		{"a sequence with SQL", "the sequence", func(to string) {
			rewrite(t, good, to, same, func(m *Manifest, _ map[string]string) { m.Sequences["assets.x; DROP TABLE site"] = 1 })
		}},
		{"a sequence at its end", "the sequence", func(to string) {
			rewrite(t, good, to, same, func(m *Manifest, _ map[string]string) { m.Sequences["assets.ledger_id_seq"] = 1 << 62 })
		}},
		{"a plan that is not sold here", "the plan gold", func(to string) {
			rewrite(t, good, to, same, func(m *Manifest, _ map[string]string) { m.Plan = "gold" })
		}},
	} {
		file := filepath.Join(folder, "bad.zip")
		c.write(file)
		_, err := in.into("second").Run(t.Context(), file)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
		in.isEmpty(c.name, []string{town.id, principal.SandboxOf(town.id), other})
	}
	if _, err := in.into("second").Run(t.Context(), good); err != nil {
		t.Errorf("the archive as it was: %v", err)
	}
}

// An import that fails takes back what it has written.
func TestAnImportThatFailsIsTakenBack(t *testing.T) {
	in := newInstallations(t)
	town, _ := in.newTown()
	town.writeSome(t, 10)
	file := filepath.Join(t.TempDir(), "town.zip")
	if _, err := in.export("first", town.id).Run(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	for _, phase := range []string{"rows", "compare", "admit"} {
		ctx, cancel := context.WithCancel(t.Context())
		i := in.into("second")
		i.At = func(at string) {
			if at == phase {
				cancel()
			}
		}
		if _, err := i.Run(ctx, file); err == nil || !strings.Contains(err.Error(), "nothing was imported") || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", phase, err)
		}
		cancel()
		in.isEmpty(phase, []string{town.id, principal.SandboxOf(town.id)})
	}
}

// killedArchive is an export or import in a process of its own, which is killed where a phase begins or in its middle.
type killedArchive struct {
	Cell                        Cell
	Folder, File, Organization  string
	Phase                       string
	Importing, InTheMiddleOfOne bool
}

func runArchive(text string) int {
	var k killedArchive
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		panic(err)
	}
	steps := 0
	stop := func(phase string, middle bool) {
		if phase == k.Phase && middle == k.InTheMiddleOfOne {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	at := func(phase string) { stop(phase, false) }
	report := func(s Step) {
		if s.What == "" {
			steps = 0
		} else if steps++; steps == 4 || s.Phase == "contents" {
			stop(s.Phase, true)
		}
	}
	var err error
	if k.Importing {
		_, err = (&Import{Cells: []Cell{k.Cell}, Contents: openStore(k.Folder), At: at, Report: report}).Run(context.Background(), k.File)
	} else {
		e := exportFrom(k.Cell, k.Folder, k.Organization)
		e.At, e.Report = at, report
		_, err = e.Run(context.Background(), k.File)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// runKilled runs an export or import that must be killed.
func (k killedArchive) runKilled(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), "AMS_TEST_ARCHIVE="+string(text))
	if output, err := command.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%s: it was not killed: %v %s", k.Phase, err, output)
	}
}

func TestAKilledExportLeavesNoArchiveAndAKilledImportIsFinished(t *testing.T) {
	in := newInstallations(t)
	town, contents := in.newTown(10, 300_000)
	town.writeSome(t, 20)
	file := filepath.Join(t.TempDir(), "town.zip")
	out := killedArchive{Cell: in.cell("first"), Folder: in.folders["first"], File: file, Organization: town.id}
	for _, at := range []killedArchive{{Phase: "rows", InTheMiddleOfOne: true}, {Phase: "contents"}}[:testnight.Rounds(1, 2)] {
		out.Phase, out.InTheMiddleOfOne = at.Phase, at.InTheMiddleOfOne
		out.runKilled(t)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a killed export has left an archive: %v", at.Phase, err)
		}
	}
	if _, err := in.export("first", town.id).Run(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	whole := []string{town.id, principal.SandboxOf(town.id)}
	before := in.sums("first", whole)
	target := in.connect(in.cell("second").OwnerURL)
	into := killedArchive{Importing: true, Cell: in.cell("second"), Folder: in.folders["second"], File: file}
	kills := []killedArchive{ // the first ones by day
		{Phase: "rows", InTheMiddleOfOne: true}, {Phase: "admit"}, {Phase: "verify"}, {Phase: "prepare"},
		{Phase: "contents", InTheMiddleOfOne: true}, {Phase: "rows"}, {Phase: "compare", InTheMiddleOfOne: true},
		{Phase: "settle"}, {Phase: "contents"}, {Phase: "compare"},
	}
	for _, at := range append(kills[:testnight.Rounds(2, len(kills))], killedArchive{Phase: "open"}) {
		into.Phase, into.InTheMiddleOfOne = at.Phase, at.InTheMiddleOfOne
		into.runKilled(t)
		// Nobody finds it: neither does the gateway name its cell, nor does its cell show it.
		var known, absent bool
		if err := target.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM gateway.organization WHERE organization_id = $1),
			EXISTS (SELECT FROM assets.organization_move WHERE organization = $1 AND state = 'absent')`, town.id).Scan(&known, &absent); err != nil {
			t.Fatal(err)
		}
		if known != (at.Phase == "open") || !absent && at.Phase != "verify" && at.Phase != "prepare" {
			t.Errorf("%s: the gateway knows it: %t, its cell hides it: %t", at.Phase, known, absent)
		}
	}
	got, err := in.into("second").Run(t.Context(), file)
	if err != nil || !got.Finished {
		t.Fatal(got, err)
	}
	after := in.sums("second", whole)
	for _, table := range []string{"assets.site", "assets.history", "assets.ledger", "assets.outbox", "gateway.api_key",
		"webhooks.webhook_endpoint"} {
		if of := after[table]; of.rows != before[table].rows || of.rows == 0 || of != before[table] && table != "webhooks.webhook_endpoint" {
			t.Errorf("%s: %v has become %v", table, before[table], of)
		}
	}
	for key, body := range contents {
		if object, err := in.store("second").Stat(t.Context(), key); err != nil || object.Size != int64(len(body)) {
			t.Errorf("%s: %v %v", key, object, err)
		}
	}
	var marks int
	if err := target.QueryRow(t.Context(), "SELECT count(*) FROM assets.organization_move").Scan(&marks); err != nil || marks != 0 {
		t.Errorf("%d marks are left: %v", marks, err)
	}
}

// While an organization moves, or another command has it, it is not exported.
func TestAnOrganizationOnTheMoveIsNotExported(t *testing.T) {
	in := newInstallations(t)
	town, _ := in.newTown()
	db := in.connect(in.cell("first").OwnerURL)
	file := filepath.Join(t.TempDir(), "town.zip")
	run(t, db, "INSERT INTO assets.organization_move (organization, state) VALUES ($1, 'moving')", town.id)
	if _, err := in.export("first", town.id).Run(t.Context(), file); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("%v", err)
	}
	run(t, db, "UPDATE assets.organization_move SET state = 'suspended'")
	run(t, db, "SELECT pg_advisory_lock(hashtextextended('move of ' || $1::text, 0))", town.id)
	if _, err := in.export("first", town.id).Run(t.Context(), file); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("%v", err)
	}
	run(t, db, "SELECT pg_advisory_unlock_all()")
	if _, err := in.export("first", town.id).Run(t.Context(), file); err != nil {
		t.Errorf("a suspended one: %v", err)
	}
	_, err := in.export("first", uuid.NewString()).Run(t.Context(), file+"2")
	if err == nil || !strings.Contains(err.Error(), "there is no organization") {
		t.Errorf("%v", err)
	}
}
