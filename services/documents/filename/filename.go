// Package filename makes the names of files safe to keep, to send in a header and to write into an archive.
package filename

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxBytes is the most bytes of a clean name, in UTF-8. File systems take 255; the rest is for what programs add ("name (1).pdf.part").
const MaxBytes = 200

// nameless is the name of a file of whose name nothing is left.
const nameless = "file"

// maxExtension is the most bytes of an extension, with its dot. What is longer is part of the name: "Report on No. 3, second floor".
const maxExtension = 20

// devices are the names that Windows takes for devices, whatever extension follows.
// Source: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
var devices = []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³"}

// Clean gives the name under which a file is kept and offered: a single path segment that is safe on Windows and Unix. It is in NFC,
// without control and bidirectional characters and line separators; / \ : * ? " < > | and bytes that are not UTF-8 become "_"; there are
// no dots or blanks at its start and end; a name of a device of Windows gets a "_" ("CON_.txt"); it has at most MaxBytes bytes, of which
// the extension is kept. Of a name of which nothing is left it makes "file". Cleaning a clean name changes nothing.
func Clean(name string) string {
	name = strings.Map(safe, strings.ToValidUTF8(name, "_"))
	name = trim(norm.NFC.String(name)) // after what is removed: what stood apart may now compose
	if name == "" {
		return nameless
	}
	base, rest, dotted := strings.Cut(name, ".")
	if slices.ContainsFunc(devices, func(device string) bool { return strings.EqualFold(device, strings.TrimSpace(base)) }) {
		name = base + "_"
		if dotted {
			name += "." + rest
		}
	}
	return shorten(name, "")
}

// safe maps a character to itself, to "_" if file systems give it a meaning, or to -1 if it changes how a name is read.
func safe(r rune) rune {
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.In(r, unicode.Zl, unicode.Zp):
		return -1
	case strings.ContainsRune(`/\:*?"<>|`, r):
		return '_'
	}
	return r
}

// trim removes dots and blanks from both ends.
func trim(name string) string {
	return strings.TrimFunc(name, func(r rune) bool { return r == '.' || unicode.IsSpace(r) })
}

// Extension is the extension of a clean name, with its dot and in lower case, or "".
func Extension(name string) string {
	return strings.ToLower(extension(name))
}

func extension(name string) string {
	e := path.Ext(name)
	if len(e) > maxExtension || len(e) < 2 || strings.ContainsFunc(e, unicode.IsSpace) {
		return ""
	}
	return e
}

// shorten puts suffix before the extension of a name, and takes from the end of what stands before both until it has MaxBytes bytes.
func shorten(name, suffix string) string {
	end := extension(name)
	stem := strings.TrimSuffix(name, end)
	end = suffix + end
	for len(stem)+len(end) > MaxBytes {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	if end == "" {
		stem = trim(stem)
	}
	return stem + end
}
