package demo

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func (b blueprint) documents() []document {
	all := b.families()
	return b.generator("documents", ids(b), day, b.generate(ids(b))).documents(all.work, all.kept)
}

func TestTheDocumentsAreTheSameEveryTimeAndCanBeOpened(t *testing.T) {
	for _, b := range blueprints() {
		all := b.documents()
		if !reflect.DeepEqual(all, b.documents()) {
			t.Errorf("%s has others the second time", b.name)
		}
		links, revisions, kept, held, contents := 0, 0, 0, 0, map[string]bool{}
		for _, d := range all {
			if d.fields["caption_en"] == nil || d.fields["caption_fr"] == nil || d.on["external_id"] == nil {
				t.Errorf("%s: %v has no caption in a language, or no record", b.name, d.fields)
			}
			if d.fields["retention_class_external_id"] != nil {
				kept++
			}
			if d.held {
				held++
			}
			links, revisions = links+len(d.also), revisions+len(d.contents)
			for _, content := range d.contents {
				contents[string(content)] = true
				if strings.HasSuffix(d.file, ".pdf") {
					checkPDF(t, string(content))
				} else if _, err := jpeg.Decode(bytes.NewReader(content)); err != nil {
					t.Errorf("%s: %s: %v", b.name, d.file, err)
				}
			}
		}
		if len(all) != 15 || revisions != 16 || len(contents) != revisions || links != 3 || kept != 1 || held != 1 {
			t.Errorf("%s: %d documents of %d revisions and %d contents, %d links, %d with a class, %d held", b.name, len(all), revisions,
				len(contents), links, kept, held)
		}
	}
}

// checkPDF finds each object where the table says that it is.
func checkPDF(t *testing.T, text string) {
	t.Helper()
	_, end, _ := strings.Cut(text, "startxref\n")
	table, err := strconv.Atoi(strings.Split(end, "\n")[0])
	if err != nil || !strings.HasPrefix(text[table:], "xref\n0 6\n") {
		t.Fatalf("the table is not at %q", end)
	}
	for i, line := range strings.Split(text[table:], "\n")[3:8] {
		offset, err := strconv.Atoi(line[:10])
		if err != nil || !strings.HasPrefix(text[offset:], fmt.Sprintf("%d 0 obj\n", i+1)) {
			t.Errorf("object %d is not at %s", i+1, line)
		}
	}
}
