// Package mediatype detects the media type of a file's bytes, and refuses programs and files that are not what they claim to be.
package mediatype

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// HeadSize is how many bytes of the beginning of a file Detect and Check need; of a shorter file, all. Most types are told by their first
// 16 bytes; office documents and packages of Android by the names of their first entries, installers of Windows by their directory, which
// may stand anywhere: of one that stands behind the head, only the name is refused.
const HeadSize = 256 << 10

func init() { mimetype.SetLimit(HeadSize) }

// Octets is the media type of bytes of which nothing is known, and of what must not be shown by a browser.
const Octets = "application/octet-stream"

// Type is what a file is by its bytes.
type Type struct {
	MediaType string // without parameters: "image/jpeg"; Octets if nothing is known
}

// Served is the media type with which the file is sent. What a browser might run is sent as bytes: HTML, SVG and every other XML.
func (t Type) Served() string {
	known := mimetype.Lookup(t.MediaType)
	if kindOf(known, "text/html") || kindOf(known, "text/xml") || kindOf(known, "image/svg+xml") {
		return Octets
	}
	return t.MediaType
}

// Inline says whether a browser may show the file itself, once we have decoded it.
func (t Type) Inline() bool {
	return slices.Contains([]string{"image/jpeg", "image/png", "image/gif", "image/webp"}, t.MediaType)
}

// Picture says whether the file is of a type that package picture reads.
func (t Type) Picture() bool {
	return t.Inline() || slices.Contains([]string{"image/heic", "image/heic-sequence", "image/heif", "image/heif-sequence"}, t.MediaType)
}

// Detect says what a file is by its first HeadSize bytes, in the words of the IANA registry and without parameters.
func Detect(head []byte) string {
	head = head[:min(len(head), HeadSize)]
	if program := program(head); program != "" {
		return program
	}
	found := mimetype.Detect(head)
	if at := bytes.Index(head[:min(len(head), 1024)], []byte("%PDF-")); found.Is("application/pdf") && at > 0 {
		found = junkBefore(head, at, found)
	}
	if plain(head) && !kindOf(found, "text/plain") && !slices.Contains(textual, found.String()) {
		return "text/plain" // "BMW of the mayor" is no bitmap
	}
	name, _, _ := strings.Cut(found.String(), ";")
	if name == "image/apng" { // a PNG with more frames, which decoders take for a PNG
		name = "image/png"
	}
	return name
}

// textual are the types outside of text/plain that are believed of bytes that are nothing but text: a GIF that is also JavaScript is one.
var textual = []string{"image/gif", "application/pdf", "application/vnd.fdf", "application/postscript", "application/pkcs7-signature",
	"image/x-xpixmap", "application/vnd.apple.mpegurl", "image/vnd.dxf", "application/x-bittorrent", "application/vnd.framemaker"}

// junkBefore settles what a file is whose "%PDF-" stands at at, within its first 1024 bytes but not first. Readers accept that (ISO
// 32000-1, annex H), but so may an archive, a picture or a letter have it: what the bytes are without it goes before.
func junkBefore(head []byte, at int, pdf *mimetype.MIME) *mimetype.MIME {
	without := slices.Clone(head)
	copy(without[at:], "     ")
	switch found := mimetype.Detect(without); {
	case found.Is(Octets):
		return pdf
	case !plain(without[:min(len(without), 1024)]):
		return found
	case head[at-1] == '\n' || head[at-1] == '\r' || len(bytes.TrimSpace(bytes.TrimPrefix(head[:at], []byte("\xef\xbb\xbf")))) == 0:
		return pdf
	default: // it is spoken of within a line
		return found
	}
}

// plain says whether the beginning has no bytes that text does not have [https://mimesniff.spec.whatwg.org/#binary-data-byte].
func plain(head []byte) bool {
	return !slices.ContainsFunc(head[:min(len(head), 4096)], func(c byte) bool {
		return c <= 0x08 || c == 0x0b || c >= 0x0e && c <= 0x1a || c >= 0x1c && c <= 0x1f
	})
}

// kindOf says whether a type is another or a kind of it, by the tree of the library.
func kindOf(found *mimetype.MIME, root string) bool {
	for ; found != nil; found = found.Parent() {
		if found.Is(root) {
			return true
		}
	}
	return false
}
