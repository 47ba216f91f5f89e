package mediatype

import (
	"mime"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"ams.internal/libs/fault"
	"ams.internal/services/documents/filename"
)

// Check says what a file is by its first HeadSize bytes, and refuses (400)
//   - a program, by its bytes or by its name: type_refused;
//   - a file whose declared media type, or whose extension, is of another family than its bytes: type_mismatch, naming both.
//
// declared is the Content-Type that came with the bytes; empty or application/octet-stream says nothing. name is the file's name. A type
// or an extension that is of no family agrees with all bytes.
func Check(head []byte, declared, name string) (Type, error) {
	found := Type{Detect(head)}
	extension := filename.Extension(filename.Clean(name))
	switch {
	case slices.Contains(programs, found.MediaType):
		return Type{}, fault.Invalid("type_refused",
			"The bytes are a program (%s), and programs are not kept; send what it made or says, for example as PDF.", found.MediaType)
	case slices.Contains(programExtensions, extension):
		return Type{}, fault.Invalid("type_refused",
			"Files that end in %s are programs, and programs are not kept; send the document itself, or give it the extension of what it is.",
			extension)
	}
	var claimed family
	if declared != "" {
		parsed, _, err := mime.ParseMediaType(declared)
		if err != nil {
			return Type{}, fault.Invalid("type_invalid",
				"The declared media type %q cannot be read; leave it out, or send for example image/jpeg.", declared).WithCause(err)
		}
		if claimed = familyOf(parsed); claimed == office && parsed == "application/vnd.ms-excel" && extension == ".csv" {
			claimed = text // as browsers declare CSV where Excel is installed
		}
	}
	is := familyOf(found.MediaType)
	if claimed != "" && claimed != is {
		return Type{}, fault.Invalid("type_mismatch",
			"The bytes are %s%s, but the declared media type is %s; declare what they are, or send the right file.", found.MediaType, is, declared)
	}
	if claimed = extensions[extension]; claimed != "" && claimed != is {
		return Type{}, fault.Invalid("type_mismatch",
			"The bytes are %s%s, but the name ends in %s; give the file the extension of what it is, or send the right file.", found.MediaType,
			is, extension)
	}
	return found, nil
}

// family is what a file is to people. Types that belong to none have "".
type family string

const (
	picture  family = "image"
	pdf      family = "pdf"
	office   family = "office"
	video    family = "video"
	archived family = "archive"
	text     family = "text"
)

// String is the family as it stands behind a media type in a sentence.
func (f family) String() string {
	if f == "" {
		return ""
	}
	return " (" + string(f) + ")"
}

// extensions are the extensions whose files Detect recognizes, so that other bytes under such a name are not what it says.
var extensions = map[string]family{
	".jpg": picture, ".jpeg": picture, ".jpe": picture, ".png": picture, ".gif": picture, ".webp": picture, ".heic": picture, ".heif": picture,
	".avif": picture, ".tif": picture, ".tiff": picture, ".bmp": picture,
	".pdf": pdf,
	".doc": office, ".docx": office, ".docm": office, ".dot": office, ".dotx": office, ".rtf": office, ".odt": office,
	".xls": office, ".xlsx": office, ".xlsm": office, ".xlsb": office, ".xlt": office, ".xltx": office, ".ods": office,
	".ppt": office, ".pptx": office, ".pptm": office, ".pps": office, ".ppsx": office, ".odp": office, ".odg": office,
	".vsd": office, ".vsdx": office, ".mp4": video, ".m4v": video, ".mov": video, ".avi": video, ".mkv": video, ".webm": video, ".wmv": video,
	".flv": video, ".3gp": video, ".ogv": video, ".zip": archived, ".gz": archived, ".tgz": archived, ".bz2": archived, ".xz": archived,
	".zst": archived, ".7z": archived, ".rar": archived, ".tar": archived, ".txt": text, ".csv": text, ".tsv": text,
	".md": text, ".log": text, ".json": text, ".geojson": text, ".xml": text, ".html": text, ".htm": text,
	".svg": text, ".kml": text, ".gpx": text, ".ics": text, ".vcf": text, ".eml": text,
}

// families are the families of types, the special before what they are kinds of in the library's tree.
var families = []struct {
	family family
	types  []string
}{
	// Drawings, which some register as images and which programs of their own read.
	{"", []string{Octets, "image/vnd.dxf", "image/vnd.dwg", "image/vnd.djvu", "image/x-icon"}},
	{pdf, []string{"application/pdf"}},
	{office, []string{"application/x-ole-storage", "text/rtf", "application/onenote", "application/vnd.wordperfect",
		"application/vnd.lotus-1-2-3", "application/vnd.sun.xml.calc", "application/vnd.ms-visio.drawing.main+xml"}},
	{archived, []string{"application/zip", "application/gzip", "application/x-7z-compressed", "application/vnd.rar", "application/x-tar",
		"application/x-bzip2", "application/x-xz", "application/zstd", "application/x-cpio", "application/x-xar",
		"application/vnd.ms-cab-compressed", "application/lzip"}},
	{text, []string{"image/svg+xml", "text/xml", "text/plain", "application/json"}},
}

// prefixes are the families of types by how their names begin, for what the library does not know or does not derive.
var prefixes = []struct {
	prefix string
	family family
}{
	{"application/vnd.openxmlformats-officedocument.", office}, {"application/vnd.oasis.opendocument.", office},
	{"application/vnd.ms-excel", office}, {"application/vnd.ms-powerpoint", office}, {"application/vnd.ms-word", office},
	{"application/msword", office},
	{"image/", picture}, {"video/", video}, {"text/", text}, {"audio/", ""}, // some sound is a kind of video in the tree
}

// familyOf is the family of a media type: its own, or that of the nearest type that it is a kind of.
func familyOf(mediaType string) family {
	for node := mimetype.Lookup(mediaType); ; node = node.Parent() {
		name := mediaType
		if node != nil {
			name, _, _ = strings.Cut(node.String(), ";")
		}
		for _, f := range families {
			if slices.Contains(f.types, name) {
				return f.family
			}
		}
		for _, p := range prefixes {
			if strings.HasPrefix(name, p.prefix) {
				return p.family
			}
		}
		if node == nil || node.Parent() == nil {
			return ""
		}
	}
}
