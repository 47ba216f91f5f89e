package filename_test

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ams.internal/services/documents/filename"
)

func TestNamesAreClean(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct{ rule, name, want string }{
		{"nothing to do", "Roof plan 2026.pdf", "Roof plan 2026.pdf"},
		{"a path is one name without leading dots", "../../etc/passwd", "_.._etc_passwd"},
		{"a path of Windows", `C:\Users\me\photo.jpg`, "C__Users_me_photo.jpg"},
		{"each reserved character", `a/b\c:d*e?f"g<h>i|j`, "a_b_c_d_e_f_g_h_i_j"},
		{"NFC", "re\u0301sume\u0301.pdf", "résumé.pdf"},
		{"NFC after what stood between", "e\u202e\u0301.pdf", "é.pdf"},
		{"control characters", "a\x00b\r\nc\x7f\u0085d.txt", "abcd.txt"},
		{"line and paragraph separators", "a\u2028b\u2029c", "abc"},
		{"right-to-left override", "invoice\u202egpj.exe", "invoicegpj.exe"},
		{"every bidirectional control", "a\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069b", "ab"},
		{"letters from right to left stay", "תוכנית.pdf", "תוכנית.pdf"},
		{"joined emoji stay", "👩\u200d🔧.jpg", "👩\u200d🔧.jpg"},
		{"leading dots", "...bashrc", "bashrc"},
		{"leading dots after a blank", " .bashrc", "bashrc"},
		{"trailing dots and blanks", "plan.pdf. . ..\u00a0", "plan.pdf"},
		{"a device", "CON", "CON_"},
		{"a device with an extension", "CON.txt", "CON_.txt"},
		{"a device in lower case with two", "nul.tar.gz", "nul_.tar.gz"},
		{"a device with a blank", "aux .txt", "aux _.txt"},
		{"a device with a superscript", "COM¹.log", "COM¹_.log"},
		{"a console", "conout$", "conout$_"},
		{"a port of two digits is none", "COM10.txt", "COM10.txt"},
		{"a word that begins like a device", "CONTRACT.pdf", "CONTRACT.pdf"},
		{"too long", long, long[:200]},
		{"too long with an extension", long + ".pdf", long[:196] + ".pdf"},
		{"too long in characters of three bytes", strings.Repeat("図", 100) + ".pdf", strings.Repeat("図", 65) + ".pdf"},
		{"what follows the last dot is no extension", long + ". And this is the sentence after it", long[:200]},
		{"too long, cut at blanks", strings.Repeat("a", 199) + " b", strings.Repeat("a", 199)},
		{"not UTF-8", "caf\xe9.txt", "caf_.txt"},
		{"nothing", "", "file"},
		{"nothing left", ".. . \u202e", "file"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := filename.Clean(c.name); got != c.want {
				t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
			}
		})
	}
	for _, device := range []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "COM1", "COM9", "LPT1", "LPT9", "LPT³"} {
		if got := filename.Clean(device + ".a"); got != device+"_.a" {
			t.Errorf("the device %s becomes %q", device, got)
		}
	}
}

func TestExtensions(t *testing.T) {
	for name, want := range map[string]string{"a.PDF": ".pdf", "a.tar.gz": ".gz", "a": "", "a. b": "", "a.": "",
		"a." + strings.Repeat("b", 20): ""} {
		if got := filename.Extension(name); got != want {
			t.Errorf("of %q: %q, want %q", name, got, want)
		}
	}
}

func TestDisposition(t *testing.T) {
	for _, c := range []struct{ kind, name, want string }{
		{"attachment", "plan.pdf", `attachment; filename="plan.pdf"; filename*=UTF-8''plan.pdf`},
		{"inline", "Façade nº 3 (été).jpg",
			`inline; filename="Facade n_ 3 (ete).jpg"; filename*=UTF-8''Fa%C3%A7ade%20n%C2%BA%203%20%28%C3%A9t%C3%A9%29.jpg`},
		{"attachment", "€ rates.csv", `attachment; filename="_ rates.csv"; filename*=UTF-8''%E2%82%AC%20rates.csv`},
		{"attachment", "100%25;'a,b.txt", `attachment; filename="100_25;'a,b.txt"; filename*=UTF-8''100%2525%3B%27a%2Cb.txt`},
		{"attachment", "a\"\r\nSet-Cookie: b\\.txt", `attachment; filename="a_Set-Cookie_ b_.txt"; filename*=UTF-8''a_Set-Cookie_%20b_.txt`},
	} {
		got := filename.Disposition(c.kind, c.name)
		if got != c.want {
			t.Errorf("of %q:\n%s, want\n%s", c.name, got, c.want)
		}
		kind, parameters, err := mime.ParseMediaType(got)
		if err != nil || kind != c.kind || parameters["filename"] != filename.Clean(c.name) {
			t.Errorf("%s is read as %s %q: %v", got, kind, parameters, err)
		}
		if again, err := filename.FromDisposition(got); err != nil || again != filename.Clean(c.name) {
			t.Errorf("%s is read as %q: %v", got, again, err)
		}
	}
}

func TestANameIsReadFromAContentDisposition(t *testing.T) {
	for _, c := range []struct{ header, want string }{
		{"", ""},
		{"attachment", ""},
		{`attachment; filename=""`, ""},
		{`attachment; filename="plan.pdf"`, "plan.pdf"},
		{`attachment; filename=plan.pdf`, "plan.pdf"},
		{`attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf`, "résumé.pdf"},
		{`attachment; filename*=utf-8'fr'r%C3%A9sum%C3%A9.pdf`, "résumé.pdf"},
		{`attachment; filename="resume.pdf"; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf`, "résumé.pdf"},
		{`attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf; filename="resume.pdf"`, "résumé.pdf"},
		{`attachment; filename="resume.pdf"; filename*=iso-8859-1''r%E9sum%E9.pdf`, "resume.pdf"},
		{`attachment; filename="resume.pdf"; filename*=UTF-8''%ZZ`, "resume.pdf"},
		{`form-data; name="file"; filename="été 1.jpg"`, "été 1.jpg"},
		{`attachment; filename="../../etc/passwd"`, "_.._etc_passwd"},
		{`attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`, "_.._etc_passwd"},
		{`attachment; filename*=UTF-8''e%CC%81%E2%80%AE.pdf`, "é.pdf"},
	} {
		if got, err := filename.FromDisposition(c.header); err != nil || got != c.want {
			t.Errorf("%s: %q, want %q: %v", c.header, got, c.want, err)
		}
	}
	for _, header := range []string{"attachment; filename", `attachment; filename="a`, "; filename=a",
		`attachment; filename="a"; filename="b"`} {
		got, err := filename.FromDisposition(header)
		if err == nil || !strings.Contains(err.Error(), "Content-Disposition cannot be read") ||
			!strings.Contains(err.Error(), "UTF-8''r%C3%A9sum") {
			t.Errorf("%s: %q, %v", header, got, err)
		}
	}
}

func TestPathsInAnArchive(t *testing.T) {
	long := strings.Repeat("a", 300)
	var archive filename.Archive
	for _, c := range []struct{ collection, record, title, name, want string }{
		{"assets", "A-1", "plan.pdf", "plan.pdf", "assets/A-1/plan.pdf"},
		{"assets", "A-1", "plan.pdf", "plan.pdf", "assets/A-1/plan (2).pdf"},
		{"assets", "A-1", "plan.pdf", "plan.pdf", "assets/A-1/plan (3).pdf"},
		{"assets", "A-1", "PLAN.PDF", "plan.pdf", "assets/A-1/PLAN (4).PDF"},
		{"assets", "A-2", "plan.pdf", "plan.pdf", "assets/A-2/plan.pdf"},
		{"assets", "A-2", "plan (2).pdf", "b.pdf", "assets/A-2/plan (2).pdf"},
		{"assets", "A-2", "plan.pdf", "plan.pdf", "assets/A-2/plan (3).pdf"},
		{"assets", "A-3", "Roof from the north", "IMG_0001.JPG", "assets/A-3/Roof from the north.JPG"},
		{"assets", "A-3", "Roof from the north", "IMG_0002.JPG", "assets/A-3/Roof from the north (2).JPG"},
		{"assets", "A-3", "Version 1.2", "v.docx", "assets/A-3/Version 1.2.docx"},
		{"assets", "A-3", "invoice.bat", "notes", "assets/A-3/invoice_bat"},
		{"assets", "A-3", "invoice.bat", "notes.txt", "assets/A-3/invoice.bat.txt"},
		{"assets", "A-3", "notes", "notes", "assets/A-3/notes"},
		{"assets", "A-3", "notes", "notes", "assets/A-3/notes (2)"},
		{"assets", "../..", "../../x", "x", "assets/_/_.__x"},
		{"work_orders", "2026/17", "NUL", "a.txt", "work_orders/2026_17/NUL_.txt"},
		{"assets", "A-4", long, "a.pdf", "assets/A-4/" + long[:196] + ".pdf"},
		{"assets", "A-4", long, "a.pdf", "assets/A-4/" + long[:192] + " (2).pdf"},
	} {
		if got := archive.Path(c.collection, c.record, c.title, c.name); got != c.want {
			t.Errorf("%s/%s/%s (%s): %s, want %s", c.collection, c.record, c.title, c.name, got, c.want)
		}
	}
}

// FuzzClean: whatever the name, a clean one is a single safe segment, and cleaning it again changes nothing.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"../../etc/passwd", "CON.txt", "e\u0301\u202e", "a. b", strings.Repeat("é", 150) + ".pdf", "con", " ._",
		"\xff.\xfe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean := filename.Clean(name)
		switch {
		case clean == "" || len(clean) > filename.MaxBytes:
			t.Errorf("%q becomes %q of %d bytes", name, clean, len(clean))
		case !utf8.ValidString(clean) || !norm.NFC.IsNormalString(clean):
			t.Errorf("%q becomes %q, which is not UTF-8 in NFC", name, clean)
		case strings.ContainsAny(clean, "/\\:*?\"<>|\x00\r\n\u202e"), strings.HasPrefix(clean, "."), strings.HasSuffix(clean, "."):
			t.Errorf("%q becomes %q", name, clean)
		case filename.Clean(clean) != clean:
			t.Errorf("%q becomes %q and then %q", name, clean, filename.Clean(clean))
		}
	})
}
