package filename

import (
	"mime"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ams.internal/libs/fault"
)

// Disposition is the value of a Content-Disposition header. kind is "attachment" or "inline". The name is cleaned and stands there twice
// (RFC 6266 §4.3): in ASCII for old clients, with "_" for what has no letter of ASCII, and whole in UTF-8 (RFC 8187 §3.2).
func Disposition(kind, name string) string {
	name = Clean(name)
	return kind + `; filename="` + ascii(name) + `"; filename*=UTF-8''` + encode(name)
}

// ascii is a name in letters that every client reads the same: no accents, nothing to be escaped, and no % that some decode (RFC 6266,
// appendix D).
func ascii(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r > unicode.MaxASCII, r == '%':
			return '_'
		}
		return r
	}, norm.NFD.String(name))
}

// encode is the value-chars of RFC 8187 §3.2.1.
func encode(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// FromDisposition is the cleaned name in the Content-Disposition of a request or of a part of one: filename* when it can be read, else
// filename (RFC 6266 §4.3), and "" when the header has neither. A header that cannot be read is a 400.
func FromDisposition(header string) (string, error) {
	if header == "" {
		return "", nil
	}
	_, parameters, err := mime.ParseMediaType(header)
	if err != nil {
		return "", fault.Invalid("content_disposition_invalid",
			"Content-Disposition cannot be read; send for example attachment; filename*=UTF-8''r%%C3%%A9sum%%C3%%A9.pdf").WithCause(err)
	}
	name := parameters["filename"]
	if name == "" {
		return "", nil
	}
	return Clean(name), nil
}
