package documents

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/picture"
	"ams.internal/services/documents/picture/picturetest"
)

func TestMain(m *testing.M) {
	picture.Child() // as main does
	os.Exit(m.Run())
}

func TestPicturesGetThumbnailsAfterTheirScan(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	w := f.worker(t)
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 2048, 1024))); err != nil {
		t.Fatal(err)
	}
	path := upload(t, f.Client, http.StatusCreated, "photo.png", content.Bytes(), nil).Header.Get("Location")
	broken := upload(t, f.Client, http.StatusCreated, "broken.png", content.Bytes()[:len(content.Bytes())/2], nil).Header.Get("Location")
	f.Must(t, http.StatusConflict, "GET", path+"/thumbnail", nil)
	settle(t, w)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"scan_status": "clean", "width_px": 2048, "height_px": 1024})
	for size, want := range map[string]image.Point{"256": {X: 256, Y: 128}, "1024": {X: 1024, Y: 512}} {
		got := f.Must(t, http.StatusOK, "GET", path+"/thumbnail?size="+size, nil)
		config, err := jpeg.DecodeConfig(bytes.NewReader(got.Body))
		if err != nil || config.Width != want.X || config.Height != want.Y {
			t.Errorf("%s: %d × %d, %v", size, config.Width, config.Height, err)
		}
	}
	f.Must(t, http.StatusOK, "GET", path+"/content?disposition=inline", nil)
	// What cannot be read has none, is kept as it came, and is not tried again.
	f.Must(t, http.StatusNotFound, "GET", broken+"/thumbnail", nil)
	f.Must(t, http.StatusOK, "GET", broken+"/content", nil)
	f.Must(t, http.StatusBadRequest, "GET", broken+"/content?disposition=inline", nil)
	var due int
	if err := f.owner(t).QueryRow(t.Context(), `SELECT count(*) FROM blob WHERE picture_due_at IS NOT NULL`).Scan(&due); err != nil {
		t.Fatal(err)
	}
	if due != 0 {
		t.Errorf("%d pictures are tried again", due)
	}
	// Pictures are read a second time as the first.
	runSQL(t, f.owner(t), `UPDATE blob SET picture_due_at = now(), has_thumbnails = false`)
	settle(t, w)
	f.Must(t, http.StatusOK, "GET", path+"/thumbnail", nil)
}

// Worked case 11: 60,000 × 60,000 pixels by its header.
func TestAPictureOfTooManyPixelsIsKeptWithoutThumbnails(t *testing.T) {
	f := newFixture(t)
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), 60_000), 60_000)
	header = append(header, 8, 6, 0, 0, 0)
	content := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	content = binary.BigEndian.AppendUint32(content, crc32.ChecksumIEEE(header))
	content = append(content, "\x00\x00\x00\x00IDAT"...)
	path := upload(t, f.Client, http.StatusCreated, "bomb.png", content, nil).Header.Get("Location")
	settle(t, f.worker(t))
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"status": "active", "media_type": "image/png", "width_px": 60_000, "height_px": 60_000, "size_bytes": len(content)})
	resourcetest.Expect(t, f.Must(t, http.StatusNotFound, "GET", path+"/thumbnail", nil).JSON, fields{"code": "no_thumbnail"})
	f.Must(t, http.StatusBadRequest, "GET", path+"/content?disposition=inline", nil)
	if got := f.Must(t, http.StatusOK, "GET", path+"/content", nil); !bytes.Equal(got.Body, content) {
		t.Errorf("the content has %d bytes, want %d", len(got.Body), len(content))
	}
	f.kept(t, len(content), 0)
}

// photo is a JPEG of 400 × 300 pixels with what a camera says of it.
func photo(t testing.TB, said ...picturetest.Tag) []byte {
	t.Helper()
	var drawn bytes.Buffer
	if err := jpeg.Encode(&drawn, image.NewGray(image.Rect(0, 0, 400, 300)), nil); err != nil {
		t.Fatal(err)
	}
	return picturetest.InJPEG(drawn.Bytes(), picturetest.EXIF(binary.BigEndian, said...))
}

// Worked cases 1 to 3, as the API shows them. The organization is in Toronto.
func TestADocumentSaysWhenAndWhereItsPictureWasTaken(t *testing.T) {
	f := newFixture(t)
	w := f.worker(t)
	toronto := picturetest.Position("N", [][2]uint32{{43, 1}, {39, 1}, {1224, 100}}, "W", [][2]uint32{{79, 1}, {23, 1}, {96, 100}})
	nowhere := picturetest.Position("N", [][2]uint32{{0, 1}, {0, 1}, {0, 1}}, "E", [][2]uint32{{0, 1}, {0, 1}, {0, 1}})
	var paths []string
	for i, c := range []struct {
		content []byte
		want    fields
	}{
		{photo(t, picturetest.Orientation(6), picturetest.Taken("2025:07:14 09:30:00", "-04:00"), toronto),
			fields{"taken_at": "2025-07-14T13:30:00Z", "latitude": 43.6534, "longitude": -79.3836, "width_px": 300, "height_px": 400}},
		{photo(t, picturetest.Taken("2025:11:02 01:30:00", "")), // twice on that day: the first
			fields{"taken_at": "2025-11-02T05:30:00Z", "latitude": nil, "longitude": nil, "width_px": 400, "height_px": 300}},
		{photo(t, picturetest.Taken("2025:03:09 02:30:00", "")), fields{"taken_at": "2025-03-09T07:30:00Z"}}, // skipped on that day
		{photo(t, picturetest.Taken("1989:12:31 23:59:59", "+00:00"), nowhere),
			fields{"taken_at": nil, "latitude": nil, "longitude": nil, "width_px": 400}},
	} {
		path := upload(t, f.Client, http.StatusCreated, fmt.Sprintf("%d.jpg", i), c.content, nil).Header.Get("Location")
		paths = append(paths, path)
		settle(t, w)
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, c.want)
		revisions, _ := f.List(t, path+"/revisions")
		taken, _ := revisions[0]["taken_at"].(string)
		want, _ := c.want["taken_at"].(string)
		if (taken == "") != (want == "") || !strings.HasPrefix(taken, strings.TrimSuffix(want, "Z")) {
			t.Errorf("the revision was taken at %s, want %s", taken, want)
		}
	}
	for query, want := range map[string]float64{"has_position=true": 1, "has_position=false": 3, "taken_at_from=2025-03-10T00:00:00Z": 2} {
		if _, pagination := f.List(t, "/v1/documents?"+query); pagination["total"] != want {
			t.Errorf("%s finds %v, want %v", query, pagination["total"], want)
		}
	}
	// The latest revision is what the document shows, and a second one of the same bytes is known at once.
	f.Must(t, http.StatusCreated, "POST", paths[0]+"/revisions", "a plan", "Content-Type", "text/plain", "Content-Disposition",
		`attachment; filename="plan.txt"`)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", paths[0], nil).JSON,
		fields{"taken_at": nil, "latitude": nil, "longitude": nil, "width_px": nil})
	restored := f.Must(t, http.StatusCreated, "POST", paths[0]+"/revisions/1/restore", nil)
	resourcetest.Expect(t, restored.JSON,
		fields{"taken_at": "2025-07-14T13:30:00Z", "latitude": 43.6534, "longitude": -79.3836, "height_px": 400})
}

// A picture that was taken for malware, and is none by the signatures of today.
func TestAPictureThatIsNoMalwareAfterAll(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	w, owner := f.worker(t), f.owner(t)
	content := photo(t, picturetest.Taken("2025:07:14 09:30:00", "-04:00"))
	made := upload(t, f.Client, http.StatusCreated, "plaque.jpg", content, nil)
	path := made.Header.Get("Location")
	runSQL(t, owner, `UPDATE blob SET scan_status = 'infected', scan_detail = 'Old.Signature', scanned_at = now(), scan_due_at = NULL,
		picture_due_at = 'infinity'`)
	runSQL(t, owner, `UPDATE document SET scan_status = 'infected'`)
	settle(t, w) // nothing is due
	for _, asked := range []string{"", "POST"} {
		if asked != "" {
			resourcetest.Expect(t, f.Must(t, http.StatusOK, asked, path+"/rescan", nil).JSON, fields{"scan_status": "infected", "version": 1})
		}
		for _, bytes := range []string{"/content", "/thumbnail", "/revisions/1/content"} {
			resourcetest.Expect(t, f.Must(t, http.StatusConflict, "GET", path+bytes, nil).JSON, fields{"code": "infected"})
		}
	}
	settle(t, w)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"scan_status": "clean", "status": "active", "width_px": 400, "height_px": 300, "taken_at": "2025-07-14T13:30:00Z"})
	revisions, _ := f.List(t, path+"/revisions")
	resourcetest.Expect(t, revisions[0], fields{"scan_status": "clean", "scan_detail": nil})
	if got := f.Must(t, http.StatusOK, "GET", path+"/content", nil); !bytes.Equal(got.Body, content) {
		t.Errorf("the content has %d bytes, want %d", len(got.Body), len(content))
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(f.Must(t, http.StatusOK, "GET", path+"/thumbnail", nil).Body))
	if err != nil || config.Width != 256 || config.Height != 192 {
		t.Errorf("the thumbnail is %d × %d, %v", config.Width, config.Height, err)
	}
	rows, err := owner.Query(t.Context(), `SELECT type FROM outbox WHERE record_id = $1 ORDER BY position`, made.JSON["id"])
	if err != nil {
		t.Fatal(err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	// the verdict, then the picture
	if want := "[document.created document.updated document.scanned document.updated]"; fmt.Sprint(events) != want {
		t.Errorf("events %v, want %s", events, want)
	}
}
