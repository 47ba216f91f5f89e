package ams

import (
	"io"
	"net/http"
	"testing"
)

func TestADocumentIsUploadedAndRead(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			if r.URL.Path != "/v1/documents/d1/content" {
				t.Errorf("read from %s", r.URL.Path)
			}
			_, _ = io.WriteString(w, "a,b\n")
			return
		}
		form, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		for _, want := range []string{`document  {"collection":"assets","record_id":"a1"}`, "file readings.csv a,b\n"} {
			part, err := form.NextPart()
			if err != nil {
				t.Error(err)
				return
			}
			content, err := io.ReadAll(part)
			if got := part.FormName() + " " + part.FileName() + " " + string(content); err != nil || got != want {
				t.Errorf("the part is %q, %v; want %q", got, err, want)
			}
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"d1","title":"readings.csv"}`)
	})
	document, err := client.Documents.Upload(t.Context(), DocumentPatch{
		Collection: new(DocumentPatchCollection("assets")), RecordID: new("a1"),
	}, "readings.csv", []byte("a,b\n"))
	if err != nil || document.Title != "readings.csv" {
		t.Fatal(document, err)
	}
	response, err := client.Documents.Content(t.Context(), document.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if content, err := io.ReadAll(response.Body); err != nil || string(content) != "a,b\n" {
		t.Errorf("%q, %v", content, err)
	}
}
