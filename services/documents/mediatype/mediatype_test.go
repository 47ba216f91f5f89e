package mediatype_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strconv"
	"strings"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/services/documents/mediatype"
)

const (
	gifScript = "GIF89a=1;alert(document.domain)//"
	html      = "<!DOCTYPE html><script>alert(1)</script>"
	svg       = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	xhtml     = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>`
	pdf       = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
	pe        = "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00"
	elf       = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00"
	machO     = "\xcf\xfa\xed\xfe\x07\x00\x00\x01\x03\x00\x00\x00"
	shortcut  = "L\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00F"
	mp4       = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
	heic      = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
	noise     = "\x00\x01\x02\x03\x9f\xd2\x11\x07\x15"
)

func TestTypesAreWhatTheBytesSay(t *testing.T) {
	for _, c := range []struct{ what, head, want string }{
		{"JPEG", picture(t, "jpeg"), "image/jpeg"},
		{"PNG", picture(t, "png"), "image/png"},
		{"GIF", picture(t, "gif"), "image/gif"},
		{"WebP", "RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00", "image/webp"},
		{"HEIC", heic, "image/heic"},
		{"GIF that is also JavaScript", gifScript, "image/gif"},
		{"PDF", pdf, "application/pdf"},
		{"PDF behind a byte order mark", "\xef\xbb\xbf" + pdf, "application/pdf"},
		{"PDF behind noise", strings.Repeat(noise, 20) + pdf, "application/pdf"},
		{"PDF behind lines of a printer", "\x1b%-12345X@PJL JOB\r\n" + pdf, "application/pdf"},
		{"PDF behind 2,000 bytes", strings.Repeat(noise, 250) + pdf, "application/octet-stream"},
		{"text that speaks of %PDF-", "A file that begins with %PDF- is a PDF.", "text/plain"},
		{"JPEG with %PDF- in its comment", "\xff\xd8\xff\xfe\x00\x0c%PDF-1.7\n\xff\xe0\x00\x10JFIF\x00\x01", "image/jpeg"},
		{"TAR whose first file is a PDF", tarOf("a.pdf", pdf), "application/x-tar"},
		{"PE that is also a PDF", pe + pdf, "application/vnd.microsoft.portable-executable"},
		{"script that is also a PDF", "#!/bin/sh\n" + pdf, "text/x-script"},
		{"text that begins like a PE", "MZ Engineering, invoice 17", "text/plain"},
		{"text that begins like a bitmap", "BMO invoice", "text/plain"},
		{"text of Windows", "caf\xe9 au lait\r\n", "text/plain"},
		{"ZIP", zipOf(t, "a.txt"), "application/zip"},
		{"ZIP with a document inside", zipOf(t, "minutes/report.docx", "word.txt"), "application/zip"},
		{"Word", zipOf(t, "[Content_Types].xml", "_rels/.rels", "word/document.xml"),
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"Excel", zipOf(t, "[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"),
			"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"Excel behind 100,000 bytes of its picture", zipOf(t, "[Content_Types].xml", "docProps/thumbnail.jpeg:100000", "xl/workbook.xml"),
			"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"APK", zipOf(t, "AndroidManifest.xml", "classes.dex"), "application/vnd.android.package-archive"},
		{"APK that looks like Word", zipOf(t, "[Content_Types].xml", "word/document.xml", "AndroidManifest.xml"),
			"application/vnd.android.package-archive"},
		{"ZIP of the source of an app", zipOf(t, "app/src/main/AndroidManifest.xml"), "application/zip"},
		{"MSI", ole(0x84, 0x10, 0x0c, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46), "application/x-ms-installer"},
		{"Word of 1997", ole(0x06, 0x09, 0x02, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46), "application/msword"},
		{"Mach-O of two processors", "\xca\xfe\xba\xbe\x00\x00\x00\x02\x01\x00\x00\x07", "application/x-mach-binary"},
		{"class of Java", "\xca\xfe\xba\xbe\x00\x00\x00\x41\x00\x1d", "application/x-java-applet"},
		{"HTML", html, "text/html"},
		{"SVG", svg, "image/svg+xml"},
		{"XML", `<?xml version="1.0"?><a/>`, "text/xml"},
		{"MP4", mp4, "video/mp4"},
		{"noise", noise, "application/octet-stream"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := mediatype.Detect([]byte(c.head)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestProgramsAreRefusedWhateverTheyAreCalled(t *testing.T) {
	for _, c := range []struct{ what, head, declared, name string }{
		{"PE", pe, "", "setup.exe"},
		{"PE as a picture", pe, "image/jpeg", "photo.jpg"},
		{"PE behind a right-to-left override", pe, "", "invoice\u202egpj.exe"},
		{"PE without a name", pe, "application/octet-stream", ""},
		{"PE that is also a PDF", pe + pdf, "application/pdf", "a.pdf"},
		{"ELF", elf, "", "a"},
		{"Mach-O", machO, "", "a"},
		{"Mach-O of 32 bits, big-endian", "\xfe\xed\xfa\xce\x00\x00\x00\x12", "", "a"},
		{"Mach-O of two processors", "\xca\xfe\xba\xbe\x00\x00\x00\x02\x01\x00\x00\x07", "", "a"},
		{"MSI", ole(0x84, 0x10, 0x0c, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46), "", "a.doc"},
		{"APK", zipOf(t, "AndroidManifest.xml", "classes.dex"), "application/zip", "a.zip"},
		{"script", "#!/bin/sh\nrm -rf /\n", "text/plain", "notes.txt"},
		{"script behind a byte order mark", "\xef\xbb\xbf#!/usr/bin/python3\n", "", "a.txt"},
		{"shortcut", shortcut, "", "a.pdf"},
		{"shortcut by its name", "anything", "", "a.LNK"},
		{"batch file", "del C:\\", "text/plain", "a.bat"},
		{"batch file with a dot behind", "del C:\\", "text/plain", "a.bat. "},
		{"batch file of two extensions", "del C:\\", "", "photo.jpg.bat"},
		{"PowerShell", "Remove-Item", "", "a.ps1"},
		{"VBScript", "MsgBox 1", "", "a.vbs"},
		{"JScript", "alert(1)", "text/javascript", "a.js"},
		{"HTML application", html, "text/html", "a.hta"},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, err := mediatype.Check([]byte(c.head), c.declared, c.name)
			var refused *fault.Error
			if !errors.As(err, &refused) || refused.Code != "type_refused" || refused.Status() != 400 || got.MediaType != "" {
				t.Fatalf("%+v, %v", got, err)
			}
			if !strings.Contains(refused.Message, "; ") {
				t.Errorf("no way out in %q", refused.Message)
			}
		})
	}
}

func TestWhatIsSaidMustBeOfTheFamilyOfTheBytes(t *testing.T) {
	jpg, word := picture(t, "jpeg"), zipOf(t, "[Content_Types].xml", "word/document.xml")
	rtf, csv, old := `{\rtf1\ansi}`, "a,b\n1,2\n", ole(0x06, 0x09, 0x02, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("a")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, head, declared, name, want, other string }{
		{"nothing said", jpg, "", "", "image/jpeg", ""},
		{"said rightly", jpg, "image/jpeg", "a.jpg", "image/jpeg", ""},
		{"another picture", jpg, "image/png", "a.png", "image/jpeg", ""},
		{"bytes, as curl sends them", jpg, "application/x-www-form-urlencoded", "a.jpg", "image/jpeg", ""},
		{"declared with a parameter", csv, "text/csv; charset=utf-8", "a.csv", "text/csv", ""},
		{"CSV as Windows declares it", csv, "application/vnd.ms-excel", "a.csv", "text/csv", ""},
		{"RTF as Word declares it", rtf, "application/msword", "a.doc", "text/rtf", ""},
		{"ZIP as Windows declares it", zipOf(t, "a"), "application/x-zip-compressed", "a.zip", "application/zip", ""},
		{"gzip", packed.String(), "application/x-gzip", "a.gz", "application/gzip", ""},
		{"Word of 1997", old, "application/msword", "a.doc", "application/msword", ""},
		{"SVG", svg, "image/svg+xml", "a.svg", "image/svg+xml", ""},
		{"HTML", html, "text/html", "a.html", "text/html", ""},
		{"sound in a container of video", mp4, "audio/mp4", "memo.m4a", "video/mp4", ""},
		{"an extension that nobody knows", noise, "", "model.rvt", "application/octet-stream", ""},
		{"GIF that is also JavaScript", gifScript, "image/gif", "a.gif", "image/gif", ""},
		{"HEIC", heic, "image/heif", "IMG_0001.HEIC", "image/heic", ""},

		{"image declared, PDF sent", pdf, "image/jpeg", "", "application/pdf (pdf)", "image/jpeg"},
		{"image named, PDF sent", pdf, "", "a.jpg", "application/pdf (pdf)", ".jpg"},
		{"PDF declared, image sent", jpg, "application/pdf", "a.jpg", "image/jpeg (image)", "application/pdf"},
		{"PDF named, HTML sent", html, "", "a.pdf", "text/html (text)", ".pdf"},
		{"office named, ZIP sent", zipOf(t, "a.docx"), "", "a.docx", "application/zip (archive)", ".docx"},
		{"archive named, Word sent", word, "application/zip", "a.zip", "(office)", "application/zip"},
		{"video declared, image sent", jpg, "video/mp4", "a.mp4", "image/jpeg (image)", "video/mp4"},
		{"image declared, video sent", mp4, "image/heic", "a.heic", "video/mp4 (video)", "image/heic"},
		{"text declared, image sent", jpg, "text/plain", "a.txt", "image/jpeg (image)", "text/plain"},
		{"image named, SVG sent", svg, "", "a.png", "image/svg+xml (text)", ".png"},
		{"GIF that is also JavaScript as text", gifScript, "text/javascript", "", "image/gif (image)", "text/javascript"},
		{"image named, noise sent", noise, "", "a.jpg", "application/octet-stream", ".jpg"},
		{"Excel declared, CSV sent under another name", csv, "application/vnd.ms-excel", "a.xls", "text/csv (text)", "application/vnd.ms-excel"},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, err := mediatype.Check([]byte(c.head), c.declared, c.name)
			if c.other == "" {
				if err != nil || got.MediaType != c.want {
					t.Errorf("%+v, want %s: %v", got, c.want, err)
				}
				return
			}
			var mismatch *fault.Error
			if !errors.As(err, &mismatch) || mismatch.Code != "type_mismatch" || mismatch.Status() != 400 {
				t.Fatalf("%+v, %v", got, err)
			}
			if !strings.Contains(mismatch.Message, c.want) || !strings.Contains(mismatch.Message, c.other) {
				t.Errorf("%q does not name %s and %s", mismatch.Message, c.want, c.other)
			}
		})
	}
	var invalid *fault.Error
	if _, err := mediatype.Check([]byte(jpg), "image/", "a.jpg"); !errors.As(err, &invalid) || invalid.Code != "type_invalid" {
		t.Errorf("a media type that cannot be read: %v", err)
	}
}

func TestWhatABrowserMayRunIsServedAsBytes(t *testing.T) {
	for head, want := range map[string]string{
		html: mediatype.Octets, svg: mediatype.Octets, xhtml: mediatype.Octets, `<?xml version="1.0"?><a/>`: mediatype.Octets,
		`<?xml version="1.0"?><rss version="2.0"></rss>`: mediatype.Octets,
		picture(t, "jpeg"): "image/jpeg", pdf: "application/pdf", "plain words": "text/plain", gifScript: "image/gif", noise: mediatype.Octets,
	} {
		found, err := mediatype.Check([]byte(head), "", "")
		if err != nil || found.Served() != want {
			t.Errorf("%+v is served as %s, want %s: %v", found, found.Served(), want, err)
		}
	}
}

func TestFewPicturesMayBeShownInline(t *testing.T) {
	for _, c := range []struct {
		mediaType       string
		inline, picture bool
	}{
		{"image/jpeg", true, true}, {"image/png", true, true}, {"image/gif", true, true}, {"image/webp", true, true},
		{"image/heic", false, true}, {"image/heif", false, true}, {"image/svg+xml", false, false}, {"image/tiff", false, false},
		{"application/pdf", false, false}, {"text/html", false, false}, {mediatype.Octets, false, false},
	} {
		if got := (mediatype.Type{MediaType: c.mediaType}); got.Inline() != c.inline || got.Picture() != c.picture {
			t.Errorf("%s: inline %t, picture %t", c.mediaType, got.Inline(), got.Picture())
		}
	}
}

func picture(t *testing.T, format string) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch gray := image.NewGray(image.Rect(0, 0, 2, 2)); format {
	case "jpeg":
		err = jpeg.Encode(&b, gray, nil)
	case "png":
		err = png.Encode(&b, gray)
	case "gif":
		err = gif.Encode(&b, gray, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipOf is the beginning of a ZIP with entries of these names; "name:1000" has so many bytes.
func zipOf(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		name, digits, _ := strings.Cut(name, ":")
		size, _ := strconv.Atoi(digits)
		entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write(bytes.Repeat([]byte("x"), size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tarOf(name, content string) string {
	block := make([]byte, 512)
	copy(block, name)
	copy(block[100:], "0000644\x000000000\x000000000\x00")
	copy(block[124:], "00000000021\x0000000000000\x00")
	copy(block[148:], "        ")
	block[156] = '0'
	copy(block[257:], "ustar\x0000")
	sum := 0
	for _, c := range block {
		sum += int(c)
	}
	copy(block[148:], []byte{byte('0' + sum>>15&7), byte('0' + sum>>12&7), byte('0' + sum>>9&7), byte('0' + sum>>6&7), byte('0' + sum>>3&7),
		byte('0' + sum&7), 0, ' '})
	return string(block) + content
}

// ole is a compound file [MS-CFB] of a header, one sector of directory with the root entry of a class, and one of allocation.
func ole(class ...byte) string {
	b := bytes.Repeat([]byte{0xff}, 3*512)
	clear(b[:76])
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le := binary.LittleEndian
	le.PutUint16(b[24:], 0x3e)
	le.PutUint16(b[26:], 3)
	le.PutUint16(b[28:], 0xfffe)
	le.PutUint16(b[30:], 9) // sectors of 512 bytes
	le.PutUint16(b[32:], 6)
	le.PutUint32(b[44:], 1) // one sector of allocation
	le.PutUint32(b[48:], 0) // the directory begins in the first
	le.PutUint32(b[56:], 4096)
	le.PutUint32(b[60:], 0xfffffffe)
	le.PutUint32(b[68:], 0xfffffffe)
	le.PutUint32(b[76:], 1)
	root := b[512:]
	clear(root[:128])
	for i, c := range "Root Entry" {
		root[2*i] = byte(c)
	}
	le.PutUint16(root[64:], 22)
	root[66] = 5
	copy(root[68:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	copy(root[80:], class)
	clear(root[128:512])
	le.PutUint32(b[1024:], 0xfffffffe)
	le.PutUint32(b[1028:], 0xfffffffd)
	return string(b)
}
