package documents

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"image/jpeg"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/clamd"
	"ams.internal/libs/testwait"
)

type fields = map[string]any

// A photo of an assessment is kept through revisions, a legal hold, the end of its asset and the trash, over an S3 server and a clamd;
// malware, other organizations and scripts get nowhere.
func TestAPhotoOfAnAssessment(t *testing.T) {
	d := startWithS3(t)
	c, stranger := newCaller(t, d, board), newCaller(t, d, city)
	other := caller{d.Gateways[1], c.key} // the same key at the other gateway

	site := c.create(t, "/v1/sites", fields{"name": "Lakeview"})
	building := c.create(t, "/v1/buildings", fields{"name": "Lakeview Public School", "site_id": site})
	asset := c.create(t, "/v1/assets", fields{"name": "Boiler 1", "building_id": building})
	assessment := c.create(t, "/v1/assets/"+asset+"/condition-assessments", fields{"assessed_on": "2025-07-14", "condition_rating": 4})

	first, second := picture(t, 1280, 960, exif()), picture(t, 400, 300, nil)
	made := c.upload(t, "condition_assessments", assessment, "chaudière.jpg", first,
		fields{"title": "Plaque de la chaudière", "caption_en": "Boiler plate", "caption_fr": "Plaque rouillée"})
	id := made["id"].(string)
	path := "/v1/documents/" + id
	expect(t, made, fields{"status": "active", "kind": "photo", "revision": 1.0, "media_type": "image/jpeg", "file_name": "chaudière.jpg",
		"sha256": digest(first), "size_bytes": float64(len(first)), "caption_en": "Boiler plate", "caption_fr": "Plaque rouillée"})
	testwait.For(t, 10*time.Second, "the photo is scanned and read", func() bool {
		photo := other.get(t, path)
		return photo["scan_status"] == "clean" && photo["width_px"] != nil
	})
	read := fields{"scan_status": "clean", "width_px": 960.0, "height_px": 1280.0, "taken_at": "2025-07-14T13:30:00Z", "latitude": 43.6534,
		"longitude": -79.3836}
	expect(t, c.get(t, path), read)
	thumbnails(t, other, path)
	ranges(t, c, path+"/content", first)

	// A second revision, and the first once more as the third.
	sum := sha256.Sum256(second)
	revised := c.send(t, "POST", path+"/revisions?comment=closer", second, "Content-Type", "image/jpeg",
		"Content-Disposition", "attachment; filename*=UTF-8''plaque%202.jpg", "Content-Digest",
		"sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	if revised.Status != http.StatusCreated {
		t.Fatalf("revise: %d %s", revised.Status, revised.Body)
	}
	expect(t, revised.Object, fields{"revision": 2.0, "sha256": digest(second), "file_name": "plaque 2.jpg", "taken_at": nil, "latitude": nil})
	restored := c.must(t, http.StatusCreated, "POST", path+"/revisions/1/restore", nil).Object
	expect(t, restored, fields{"revision": 3.0, "sha256": digest(first), "file_name": "chaudière.jpg"})
	expect(t, restored, read)
	var numbers []any
	for _, revision := range c.get(t, path+"/revisions")["data"].([]any) {
		numbers = append(numbers, revision.(fields)["number"])
	}
	if fmt.Sprint(numbers) != "[3 2 1]" {
		t.Errorf("the revisions are %v", numbers)
	}
	testwait.For(t, 10*time.Second, "the second revision is scanned", func() bool {
		return other.send(t, "GET", path+"/revisions/2/content", nil).Status == http.StatusOK
	})
	for number, content := range map[int][]byte{1: first, 2: second, 3: first} {
		if got := other.send(t, "GET", fmt.Sprintf("%s/revisions/%d/content", path, number), nil); !bytes.Equal(got.Body, content) {
			t.Errorf("the content of revision %d: %d, %d bytes", number, got.Status, len(got.Body))
		}
	}

	// The assessor's form names the photo, a work order has one of its own.
	template := c.create(t, "/v1/forms/templates", fields{"name": "Boilers", "status": "published",
		"items": []any{fields{"key": "plate", "type": "photo", "label": "The plate", "required": true}}})
	response := c.create(t, "/v1/forms/responses", fields{"template_id": template, "asset_id": asset})
	c.must(t, http.StatusNotFound, "POST", "/v1/forms/responses/"+response+"/submit", fields{"answers": fields{"plate": []string{asset}}})
	submitted := c.must(t, http.StatusOK, "POST", "/v1/forms/responses/"+response+"/submit", fields{"answers": fields{"plate": []string{id}}})
	if answers := fmt.Sprint(submitted.Object["answers"]); answers != "map[plate:["+id+"]]" {
		t.Errorf("the answers are %s", answers)
	}
	order := c.create(t, "/v1/work-orders", fields{"title": "Replace the plate", "building_id": building})
	report := c.upload(t, "work_orders", order, "report.txt", []byte("The plate was replaced.\n"), nil)["id"]
	if found := c.get(t, "/v1/documents?record_id="+order)["data"].([]any); len(found) != 1 || found[0].(fields)["id"] != report {
		t.Errorf("the work order has %v, want %v", found, report)
	}

	infected := malware(t, c, asset)
	strangers(t, c, stranger, id, assessment)
	scripts(t, c, asset)

	// It is on the building as well, which is under a legal hold.
	link := c.create(t, path+"/links", fields{"collection": "buildings", "record_id": building})
	hold := c.create(t, "/v1/legal-holds",
		fields{"name": "Smith v. the board", "reason": "A claim", "collection": "buildings", "record_id": building})
	expect(t, c.get(t, path), fields{"legal_holds": []any{hold}})
	for _, kept := range []string{path, path + "/links/" + link} {
		if refused := c.must(t, http.StatusConflict, "DELETE", kept, nil); refused.Object["code"] != "legal_hold" {
			t.Errorf("DELETE %s under a hold: %s", kept, refused.Body)
		}
	}

	// The asset goes out of service for good; its photo stays, and keeps it from being deleted.
	c.must(t, http.StatusOK, "PATCH", "/v1/assets/"+asset, fields{"status": "decommissioned"})
	for _, query := range []string{"record_id=" + assessment, "q=rouillée", "record_id=" + building} {
		if found := other.get(t, "/v1/documents?"+query)["data"].([]any); !slices.ContainsFunc(found, func(one any) bool {
			return one.(fields)["id"] == id
		}) {
			t.Errorf("%s does not find the photo of a decommissioned asset", query)
		}
	}
	if got := other.send(t, "GET", path+"/content", nil); got.Status != http.StatusOK || digest(got.Body) != digest(first) {
		t.Errorf("the photo of a decommissioned asset: %d, %d bytes", got.Status, len(got.Body))
	}
	if refused := c.must(t, http.StatusConflict, "DELETE",
		"/v1/assets/"+asset, nil); refused.Object["dependents"].(fields)["documents"] == nil {
		t.Errorf("delete an asset with documents: %s", refused.Body)
	}

	archive(t, c, id, digest(first), infected)

	// Released, it goes to the trash and comes back.
	c.must(t, http.StatusOK, "PATCH", "/v1/legal-holds/"+hold, fields{"status": "released"})
	c.must(t, http.StatusNoContent, "DELETE", path, nil)
	expect(t, c.get(t, path), fields{"status": "trashed"})
	if found := c.get(t, "/v1/documents?record_id="+assessment)["data"].([]any); len(found) != 0 {
		t.Errorf("a list has what is in the trash: %v", found)
	}
	expect(t, c.must(t, http.StatusOK, "POST", path+"/restore", nil).Object,
		fields{"status": "active", "revision": 3.0, "sha256": digest(first)})
	if got := other.send(t, "GET", path+"/content", nil); digest(got.Body) != digest(first) {
		t.Errorf("the photo that was restored: %d, %d bytes", got.Status, len(got.Body))
	}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// expect compares some fields of a record.
func expect(t testing.TB, record, want fields) {
	t.Helper()
	for field, value := range want {
		if fmt.Sprint(record[field]) != fmt.Sprint(value) {
			t.Errorf("%s is %v, want %v", field, record[field], value)
		}
	}
}

// thumbnails are JPEGs without metadata, of 256 and 1024 pixels on the longer side, turned as the photo is meant to be seen.
func thumbnails(t *testing.T, c caller, path string) {
	t.Helper()
	for size, want := range map[string]string{"256": "192 x 256", "1024": "768 x 1024"} {
		got := c.send(t, "GET", path+"/thumbnail?size="+size, nil)
		small, err := jpeg.Decode(bytes.NewReader(got.Body))
		if err != nil || got.Header.Get("Content-Type") != "image/jpeg" {
			t.Fatalf("the thumbnail of %s: %d %s %v", size, got.Status, got.Header.Get("Content-Type"), err)
		}
		if is := fmt.Sprintf("%d x %d", small.Bounds().Dx(), small.Bounds().Dy()); is != want || bytes.Contains(got.Body, []byte("Exif")) {
			t.Errorf("the thumbnail of %s is %s, want %s without EXIF", size, is, want)
		}
	}
}

// ranges reads parts of a content with curl.
func ranges(t *testing.T, c caller, path string, whole []byte) {
	t.Helper()
	size := len(whole)
	for asked, want := range map[string]struct {
		status  int
		part    string // Content-Range
		content []byte // nil: an error
	}{
		"0-0":                    {206, fmt.Sprintf("bytes 0-0/%d", size), whole[:1]},
		"100-199":                {206, fmt.Sprintf("bytes 100-199/%d", size), whole[100:200]},
		"-1":                     {206, fmt.Sprintf("bytes %d-%d/%d", size-1, size-1, size), whole[size-1:]},
		"1000-":                  {206, fmt.Sprintf("bytes 1000-%d/%d", size-1, size), whole[1000:]},
		"0-1,5-6":                {200, "", whole},
		fmt.Sprintf("%d-", size): {400, fmt.Sprintf("bytes */%d", size), nil},
	} {
		body, header := filepath.Join(t.TempDir(), "body"), filepath.Join(t.TempDir(), "header")
		curl := exec.CommandContext(t.Context(), "curl", "--silent", "--show-error", "--max-time", "60", "--range", asked, "--output", body,
			"--dump-header", header, "--header", "@-", c.base+path)
		curl.Stdin = strings.NewReader("Authorization: Bearer " + c.key)
		if out, err := curl.CombinedOutput(); err != nil {
			t.Fatalf("curl --range %s: %v %s", asked, err, out)
		}
		head, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(body)
		if err != nil {
			t.Fatal(err)
		}
		is := strings.ToLower(string(head))
		if !strings.HasPrefix(is, fmt.Sprintf("http/1.1 %d", want.status)) || strings.Contains(is, "content-range: ") != (want.part != "") ||
			!strings.Contains(is, strings.ToLower(want.part)) || want.content != nil && !bytes.Equal(content, want.content) {
			t.Errorf("curl --range %s: %s with %d bytes, want %d %s", asked, head, len(content), want.status, want.part)
		}
	}
}

// malware is found within 5 seconds, cannot be read, and is in the feed of events. It gives the document's id.
func malware(t *testing.T, c caller, asset string) string {
	t.Helper()
	id := c.upload(t, "assets", asset, "invoice.txt", clamd.EICAR(), nil)["id"].(string)
	testwait.For(t, 5*time.Second, "EICAR is found", func() bool { return c.get(t, "/v1/documents/"+id)["scan_status"] == "infected" })
	for _, path := range []string{"/content", "/revisions/1/content", "/thumbnail"} {
		refused := c.must(t, http.StatusConflict, "GET", "/v1/documents/"+id+path, nil)
		if refused.Object["code"] != "infected" || !strings.Contains(string(refused.Body), clamd.SignatureName) {
			t.Errorf("%s of malware: %s", path, refused.Body)
		}
	}
	testwait.For(t, 15*time.Second, "document.infected is in the feed", func() bool {
		for _, event := range c.get(t, "/v1/events?types=document.infected")["data"].([]any) {
			if strings.Contains(fmt.Sprint(event), id) {
				return true
			}
		}
		return false
	})
	return id
}

// strangers are callers with a key of another organization: for them there is no such document, upload or hold.
func strangers(t *testing.T, c, stranger caller, id, assessment string) {
	t.Helper()
	begun := c.send(t, "POST", "/v1/uploads", nil, "Tus-Resumable", "1.0.0", "Upload-Length", "10", "Upload-Metadata", "document "+
		base64.StdEncoding.EncodeToString([]byte(`{"collection":"condition_assessments","record_id":"`+assessment+`"}`))+",filename "+
		base64.StdEncoding.EncodeToString([]byte("a.txt")))
	if begun.Status != http.StatusCreated {
		t.Fatalf("begin an upload: %d %s", begun.Status, begun.Body)
	}
	_, upload, _ := strings.Cut(begun.Header.Get("Location"), "/v1/uploads/")
	link := c.create(t, "/v1/documents/"+id+"/links",
		fields{"collection": "assets", "record_id": c.create(t, "/v1/assets", fields{"name": "Boiler 2"})})
	hold := c.create(t, "/v1/legal-holds", fields{"name": "For a while", "reason": "A test", "document_ids": []string{id}})
	retention := c.create(t, "/v1/retention-classes", fields{"code": "ASSESS", "name": "Assessments", "trigger": "created", "years": 5})
	before := c.get(t, "/v1/documents/"+id)
	const json, bytes = "application/json", "application/octet-stream"
	of := "/v1/documents/" + id
	for _, call := range []struct{ method, path, mediaType, body string }{
		{"GET", of, "", ""}, {"HEAD", of, "", ""}, {"PATCH", of, json, `{"title":"Mine"}`}, {"DELETE", of, "", ""},
		{"GET", of + "/content", "", ""}, {"HEAD", of + "/content", "", ""}, {"GET", of + "/thumbnail", "", ""},
		{"GET", of + "/thumbnail?size=1024", "", ""}, {"GET", of + "/revisions", "", ""}, {"GET", of + "/revisions/1/content", "", ""},
		{"POST", of + "/revisions", bytes, "Mine"}, {"POST", of + "/revisions/1/restore", "", ""},
		{"GET", of + "/links", "", ""}, {"POST", of + "/links", json, `{"collection":"condition_assessments","record_id":"` + assessment + `"}`},
		{"GET", of + "/links/" + link, "", ""}, {"DELETE", of + "/links/" + link, "", ""}, {"GET", of + "/links/" + link + "/history", "", ""},
		{"GET", of + "/history", "", ""}, {"POST", of + "/restore", "", ""}, {"POST", of + "/rescan", "", ""},
		{"GET", "/v1/uploads/" + upload, "", ""}, {"HEAD", "/v1/uploads/" + upload, "", ""},
		{"PATCH", "/v1/uploads/" + upload, "application/offset+octet-stream", "Mine"}, {"DELETE", "/v1/uploads/" + upload, "", ""},
		{"GET", "/v1/legal-holds/" + hold, "", ""},
		{"PATCH", "/v1/legal-holds/" + hold, json, `{"status":"released"}`}, {"DELETE", "/v1/legal-holds/" + hold, "", ""},
		{"GET", "/v1/retention-classes/" + retention, "", ""}, {"DELETE", "/v1/retention-classes/" + retention, "", ""},
	} {
		got := stranger.send(t, call.method, call.path, []byte(call.body), "Content-Type", call.mediaType, "Tus-Resumable", "1.0.0",
			"Upload-Offset", "0")
		if got.Status != http.StatusNotFound || strings.Contains(string(got.Body), "Plaque") {
			t.Errorf("another organization's %s %s: %d %s, want 404", call.method, call.path, got.Status, got.Body)
		}
	}
	if found := stranger.get(t, "/v1/documents?q=chaudière")["data"].([]any); len(found) != 0 {
		t.Errorf("another organization finds %v", found)
	}
	if refused := stranger.send(t, "POST", "/v1/documents",
		[]byte(`{"collection":"condition_assessments","record_id":"`+assessment+`","title":"Mine"}`),
		"Content-Type", json); refused.Status != http.StatusNotFound {
		t.Errorf("another organization's document on the assessment: %d %s", refused.Status, refused.Body)
	}
	stranger.send(t, "DELETE", "/v1/documents?collection=condition_assessments&record_id="+assessment, nil)
	if after := c.get(t, "/v1/documents/"+id); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("another organization has changed %v to %v", before, after)
	}
	if got := c.send(t, "GET", "/v1/uploads/"+upload, nil); got.Status != http.StatusOK {
		t.Errorf("the upload is gone: %d", got.Status)
	}
	c.must(t, http.StatusOK, "PATCH", "/v1/legal-holds/"+hold, fields{"status": "released"})
}

// archive reads everything as one ZIP, which Debian's unzip finds whole: the photo with its digest, malware in the manifest alone.
func archive(t *testing.T, c caller, id, digestOfPhoto, infected string) {
	t.Helper()
	got := c.send(t, "GET", "/v1/documents/archive", nil)
	if got.Status != http.StatusOK || got.Header.Get("Content-Type") != "application/zip" {
		t.Fatalf("the archive: %d %s %.300s", got.Status, got.Header.Get("Content-Type"), got.Body)
	}
	path := filepath.Join(t.TempDir(), "documents.zip")
	if err := os.WriteFile(path, got.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "unzip", "-t", path).CombinedOutput(); err != nil {
		t.Fatalf("unzip -t: %v %s", err, out)
	}
	files, err := zip.NewReader(bytes.NewReader(got.Body), int64(len(got.Body)))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{}
	for _, file := range files.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if contents[file.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	if files.File[0].Name != "MANIFEST.csv" {
		t.Errorf("the first file is %s", files.File[0].Name)
	}
	rows, err := csv.NewReader(bytes.NewReader(contents["MANIFEST.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(rows[0]) != "[path id revision sha256 size state]" {
		t.Errorf("the manifest begins with %v", rows[0])
	}
	row := func(id string) []string {
		i := slices.IndexFunc(rows, func(row []string) bool { return row[1] == id })
		if i < 0 {
			t.Fatalf("the manifest has no %s: %v", id, rows)
		}
		return rows[i]
	}
	photo := row(id)
	if photo[2] != "3" || photo[3] != digestOfPhoto || photo[5] != "clean" || digest(contents[photo[0]]) != digestOfPhoto ||
		!strings.HasSuffix(photo[0], "/Plaque de la chaudière.jpg") {
		t.Errorf("the photo is %v with the digest %s", photo, digest(contents[photo[0]]))
	}
	if bad := row(infected); bad[0] != "" || bad[5] != "infected" {
		t.Errorf("malware is %v", bad)
	}
}
