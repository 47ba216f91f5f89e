package mediatype

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// programs are the media types of what is refused as a program.
var programs = []string{
	"application/vnd.microsoft.portable-executable", "application/x-elf", "application/x-mach-binary", "application/x-ms-installer",
	"application/vnd.android.package-archive", "application/x-ms-shortcut", "text/x-script",
	"application/x-object", "application/x-executable", "application/x-sharedlib", "application/x-coredump",
}

// programExtensions are the names that Windows runs by their extension, whatever the bytes are.
var programExtensions = []string{
	".lnk", ".bat", ".cmd", ".ps1", ".vbs", ".vbe", ".js", ".jse", ".wsf", ".hta",
	".exe", ".com", ".scr", ".dll", ".msi", ".msp", ".apk",
}

// program is the media type of a program, or "". It is looked for first, because a file may be a program and another thing as well.
func program(head []byte) string {
	has := func(magic ...string) bool {
		return slices.ContainsFunc(magic, func(m string) bool { return bytes.HasPrefix(head, []byte(m)) })
	}
	switch {
	case has("MZ") && !plain(head): // a letter may begin so too
		return "application/vnd.microsoft.portable-executable"
	case has("\x7fELF"):
		return "application/x-elf"
	case has("\xfe\xed\xfa\xce", "\xce\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xcf\xfa\xed\xfe"),
		// One for several processors: their number, 32 or 64 bits wide offsets. Classes of Java begin alike, with their version, 45 and more.
		has("\xca\xfe\xba\xbe", "\xca\xfe\xba\xbf") && len(head) >= 8 && binary.BigEndian.Uint32(head[4:]) < 45:
		return "application/x-mach-binary"
	case has("L\x00\x00\x00\x01\x14\x02\x00"):
		return "application/x-ms-shortcut"
	case has("#!", "\xef\xbb\xbf#!"):
		return "text/x-script"
	case has("PK\x03\x04") && hasAndroidManifest(head):
		return "application/vnd.android.package-archive"
	}
	return ""
}

// hasAndroidManifest says whether a ZIP has AndroidManifest.xml as an entry of its own, however much it looks like a document beside that.
func hasAndroidManifest(head []byte) bool {
	const header, name = 30, "AndroidManifest.xml" // a local file header is followed by the name [APPNOTE 4.3.7]
	for from := 0; ; {
		at := bytes.Index(head[from:], []byte(name))
		if at < 0 {
			return false
		}
		at += from
		if at >= header && bytes.HasPrefix(head[at-header:], []byte("PK\x03\x04")) &&
			binary.LittleEndian.Uint16(head[at-4:]) == uint16(len(name)) {
			return true
		}
		from = at + len(name)
	}
}
