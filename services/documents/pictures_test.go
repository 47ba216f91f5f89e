package main

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"testing"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/picture"
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
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"scan_status": "clean", "width_px": 2048, "height_px": 1024})
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
