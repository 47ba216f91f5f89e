package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"ams.internal/services/documents/picture/picturetest"
)

var (
	big    = binary.AppendByteOrder(binary.BigEndian)
	little = binary.AppendByteOrder(binary.LittleEndian)
	now    = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// byChild reads as the service does.
func byChild(t *testing.T, original []byte, mediaType string) (Result, error) {
	t.Helper()
	return Read(t.Context(), bytes.NewReader(original), mediaType, zone(t, "America/Toronto"), now)
}

// here reads in this process, by the code that a child runs: with the race detector each child takes a second.
func here(t *testing.T, original []byte, mediaType string) (Result, error) {
	t.Helper()
	var said bytes.Buffer
	if err := describe(bytes.NewReader(original), mediaType, &said); err != nil {
		t.Fatal(err)
	}
	return believe(said.Bytes(), zone(t, "America/Toronto"), now)
}

type reader func(*testing.T, []byte, string) (Result, error)

func (read reader) must(t *testing.T, original []byte, mediaType string) Result {
	t.Helper()
	r, err := read(t, original, mediaType)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// thumbnail decodes one, and says whether it has nothing but the picture in it.
func thumbnail(t *testing.T, b []byte) image.Image {
	t.Helper()
	m, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("thumbnail of %d bytes: %v", len(b), err)
	}
	for _, marker := range []string{"\xff\xe1", "\xff\xe2", "\xff\xed", "\xff\xfe", "Exif"} { // before the scan nothing else may hold these
		if head, _, _ := bytes.Cut(b, []byte("\xff\xda")); bytes.Contains(head, []byte(marker)) {
			t.Errorf("the thumbnail has metadata: %q", marker)
		}
	}
	return m
}

func TestSizesOfThumbnails(t *testing.T) {
	for _, c := range []struct {
		width, height           int
		orientation             uint16
		wantWidth, wantHeight   int
		smallWidth, smallHeight int
		largeWidth, largeHeight int
	}{
		{4032, 3024, 6, 3024, 4032, 192, 256, 768, 1024},
		{100, 50, 1, 100, 50, 100, 50, 100, 50},
		{100, 50, 8, 50, 100, 50, 100, 50, 100},
		{10000, 1, 1, 10000, 1, 256, 1, 1024, 1},
		{1, 10000, 1, 1, 10000, 1, 256, 1, 1024},
		{1024, 1024, 0, 1024, 1024, 256, 256, 1024, 1024},
		{1025, 300, 0, 1025, 300, 256, 75, 1024, 300},
		{1, 1, 0, 1, 1, 1, 1, 1, 1},
	} {
		t.Run(fmt.Sprintf("%d×%d orientation %d", c.width, c.height, c.orientation), func(t *testing.T) {
			r := reader(here).must(t, picturetest.InJPEG(jpegOf(t, image.NewGray(image.Rect(0, 0, c.width, c.height))),
				picturetest.EXIF(big, picturetest.Orientation(c.orientation))), "image/jpeg")
			if r.Width != c.wantWidth || r.Height != c.wantHeight || !r.Decoded {
				t.Errorf("%d × %d, decoded %t, want %d × %d", r.Width, r.Height, r.Decoded, c.wantWidth, c.wantHeight)
			}
			if got := thumbnail(t, r.Small).Bounds().Size(); got != image.Pt(c.smallWidth, c.smallHeight) {
				t.Errorf("small: %v, want %d × %d", got, c.smallWidth, c.smallHeight)
			}
			if got := thumbnail(t, r.Large).Bounds().Size(); got != image.Pt(c.largeWidth, c.largeHeight) {
				t.Errorf("large: %v, want %d × %d", got, c.largeWidth, c.largeHeight)
			}
		})
	}
}

// TestOrientationsAreApplied: which colours stand above left, above right, below left, below right, by each orientation.
func TestOrientationsAreApplied(t *testing.T) {
	picture := pngOf(t, quarters(270, 180))
	for o, want := range map[uint16]string{
		1: "red green blue white", 2: "green red white blue", 3: "white blue green red", 4: "blue white red green",
		5: "red blue green white", 6: "blue red white green", 7: "white green blue red", 8: "green white red blue",
	} {
		r := reader(here).must(t, inPNG(picture, picturetest.EXIF(little, picturetest.Orientation(o))), "image/png")
		if width, height := r.Width, r.Height; (o < 5) != (width == 270 && height == 180) || (o >= 5) != (width == 180 && height == 270) {
			t.Errorf("orientation %d: %d × %d", o, width, height)
		}
		for _, b := range [][]byte{r.Small, r.Large} {
			m := thumbnail(t, b)
			w, h := m.Bounds().Dx(), m.Bounds().Dy()
			got := fmt.Sprint(name(m.At(w/4, h/4)), " ", name(m.At(3*w/4, h/4)), " ", name(m.At(w/4, 3*h/4)), " ", name(m.At(3*w/4, 3*h/4)))
			if got != want {
				t.Errorf("orientation %d, %d × %d: %s, want %s", o, w, h, got, want)
			}
		}
	}
}

func name(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return map[[3]bool]string{{true, false, false}: "red", {false, true, false}: "green", {false, false, true}: "blue",
		{true, true, true}: "white"}[[3]bool{r > 0x8000, g > 0x8000, b > 0x8000}]
}

func TestEveryFormat(t *testing.T) {
	taken := picturetest.IFD{picturetest.Orientation(1), picturetest.Taken("2026:07:14 09:30:00", "-04:00")}
	heic, err := os.ReadFile("testdata/quarters.heic")
	if err != nil {
		t.Fatal(err)
	}
	moving := gifOf(t, quarters(300, 200), 3)
	for _, c := range []struct {
		mediaType     string
		original      []byte
		width, height int
		taken         bool
	}{
		{"image/jpeg", picturetest.InJPEG(jpegOf(t, quarters(300, 200)), picturetest.EXIF(little, taken...)), 300, 200, true},
		{"image/png", inPNG(pngOf(t, quarters(300, 200)), picturetest.EXIF(big, taken...)), 300, 200, true},
		{"image/webp", webpOf(t, picturetest.EXIF(little, taken...)), 1, 1, true},
		{"image/gif", moving, 300, 200, false},
		{"image/heic", heic, 300, 200, true},
	} {
		t.Run(c.mediaType, func(t *testing.T) {
			r := reader(byChild).must(t, c.original, c.mediaType)
			if r.Width != c.width || r.Height != c.height || !r.Decoded || (r.TakenAt != nil) != c.taken {
				t.Fatalf("%d × %d, decoded %t, taken at %v", r.Width, r.Height, r.Decoded, r.TakenAt)
			}
			if m := thumbnail(t, r.Large); m.Bounds().Size() != image.Pt(c.width, c.height) {
				t.Errorf("large: %v", m.Bounds())
			} else if c.width > 1 && (name(m.At(10, 10)) != "red" || name(m.At(290, 190)) != "white") {
				t.Errorf("large: %v, %v", m.At(10, 10), m.At(290, 190))
			}
		})
	}
	for _, other := range []string{"image/tiff", "image/svg+xml", "application/pdf", ""} {
		if r, err := Read(t.Context(), failing{}, other, time.UTC, now); err != nil || r.Decoded || r.Width != 0 {
			t.Errorf("%s: %+v, %v", other, r, err)
		}
	}
}

func TestWhatIsTransparentIsWhite(t *testing.T) {
	r := reader(here).must(t, pngOf(t, image.NewNRGBA(image.Rect(0, 0, 2000, 10))), "image/png")
	if c := name(thumbnail(t, r.Small).At(100, 0)); c != "white" {
		t.Error(c)
	}
}

func TestPositions(t *testing.T) {
	toronto := [2][][2]uint32{{{43, 1}, {39, 1}, {1224, 100}}, {{79, 1}, {23, 1}, {96, 100}}}
	dms := func(d uint32) [][2]uint32 { return [][2]uint32{{d, 1}, {0, 1}, {0, 1}} }
	for _, c := range []struct {
		what                string
		gps                 picturetest.Tag
		latitude, longitude float64 // not a number: none
	}{
		{"Toronto", picturetest.Position("N", toronto[0], "W", toronto[1]), 43.6534, -79.3836},
		{"south and east", picturetest.Position("S", dms(33), "E", dms(151)), -33, 151},
		{"the poles and the date line", picturetest.Position("N", dms(90), "E", dms(180)), 90, 180},
		{"a latitude of exactly 0", picturetest.Position("N", dms(0), "E", dms(10)), math.NaN(), 0},
		{"0, 0", picturetest.Position("N", dms(0), "E", dms(0)), math.NaN(), 0},
		{"behind the pole", picturetest.Position("N", dms(91), "W", dms(79)), math.NaN(), 0},
		{"behind the date line", picturetest.Position("N", dms(43), "W", dms(181)), math.NaN(), 0},
		{"without a hemisphere", picturetest.Position("", toronto[0], "W", toronto[1]), math.NaN(), 0},
		{"with another letter", picturetest.Position("N", toronto[0], "X", toronto[1]), math.NaN(), 0},
		{"divided by nothing", picturetest.Position("N", [][2]uint32{{43, 0}, {39, 0}, {0, 0}}, "W", toronto[1]), math.NaN(), 0},
		{"degrees alone", picturetest.Position("N", [][2]uint32{{43, 1}}, "W", toronto[1]), math.NaN(), 0},
		{"latitude alone", picturetest.Tag{ID: 0x8825, Value: picturetest.IFD{{ID: 1, Value: "N"}, {ID: 2, Value: toronto[0]}}}, math.NaN(), 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := resultOf(t, picturetest.EXIF(big, c.gps))
			if math.IsNaN(c.latitude) {
				if r.Latitude != nil || r.Longitude != nil {
					t.Errorf("%v, %v", *r.Latitude, *r.Longitude)
				}
				return
			}
			if r.Latitude == nil || r.Longitude == nil || math.Abs(*r.Latitude-c.latitude) > 1e-9 || math.Abs(*r.Longitude-c.longitude) > 1e-9 {
				t.Errorf("%+v, want %v, %v", r, c.latitude, c.longitude)
			}
		})
	}
	r := reader(byChild).must(t, picturetest.InJPEG(jpegOf(t, quarters(8, 8)),
		picturetest.EXIF(big, picturetest.Position("N", toronto[0], "W", toronto[1]))), "image/jpeg")
	if r.Latitude == nil || math.Abs(*r.Latitude-43.6534) > 1e-9 || math.Abs(*r.Longitude+79.3836) > 1e-9 {
		t.Errorf("by a child: %+v", r)
	}
}

func TestTimes(t *testing.T) {
	const none = ""
	for _, c := range []struct{ what, zone, at, offset, want string }{
		{"with an offset", "America/Toronto", "2026:07:14 09:30:00", "-04:00", "2026-07-14T13:30:00Z"},
		{"with an offset, zone elsewhere", "America/Vancouver", "2026:07:14 09:30:00", "-04:00", "2026-07-14T13:30:00Z"},
		{"in UTC", "America/Toronto", "2026:07:14 09:30:00", "Z", "2026-07-14T09:30:00Z"},
		{"half an hour", "America/Toronto", "2026:07:14 09:30:00", "-03:30", "2026-07-14T13:00:00Z"},
		{"in summer", "America/Toronto", "2026:07:14 09:30:00", "", "2026-07-14T13:30:00Z"},
		{"in winter", "America/Toronto", "2026:01:14 09:30:00", "", "2026-01-14T14:30:00Z"},
		{"the first of two", "America/Toronto", "2026:11:01 01:30:00", "", "2026-11-01T05:30:00Z"},
		{"the second of two, said", "America/Toronto", "2026:11:01 01:30:00", "-05:00", "2026-11-01T06:30:00Z"},
		{"just before two", "America/Toronto", "2026:11:01 00:59:59", "", "2026-11-01T04:59:59Z"},
		{"just after two", "America/Toronto", "2026:11:01 02:00:00", "", "2026-11-01T07:00:00Z"},
		{"skipped", "America/Toronto", "2026:03:08 02:30:00", "", "2026-03-08T07:30:00Z"},
		{"just before what is skipped", "America/Toronto", "2026:03:08 01:59:59", "", "2026-03-08T06:59:59Z"},
		{"just after what is skipped", "America/Toronto", "2026:03:08 03:00:00", "", "2026-03-08T07:00:00Z"},
		{"the first of two, east", "Europe/Berlin", "2026:10:25 02:30:00", "", "2026-10-25T00:30:00Z"},
		{"skipped, east", "Europe/Berlin", "2026:03:29 02:30:00", "", "2026-03-29T01:30:00Z"},
		{"the first of two by half an hour", "Australia/Lord_Howe", "2026:04:05 01:45:00", "", "2026-04-04T14:45:00Z"},
		{"without seconds", "America/Toronto", "2026:07:14 09:30", "", "2026-07-14T13:30:00Z"},
		{"an offset of nobody", "America/Toronto", "2026:07:14 09:30:00", "+15:00", "2026-07-14T13:30:00Z"},
		{"an offset that is none", "America/Toronto", "2026:07:14 09:30:00", "   :  ", "2026-07-14T13:30:00Z"},
		{"the first second that counts", "UTC", "1990:01:01 00:00:00", "", "1990-01-01T00:00:00Z"},
		{"before 1990", "UTC", "1989:12:31 23:59:59", "", none},
		{"now", "UTC", "2026:11:23 12:00:00", "", "2026-11-23T12:00:00Z"},
		{"in the future", "UTC", "2026:11:23 12:00:01", "", none},
		{"a camera that was not set", "UTC", "0000:00:00 00:00:00", "", none},
		{"blanks", "UTC", "    :  :     :  :  ", "", none},
		{"30 February", "UTC", "2026:02:30 10:00:00", "", none},
		{"words", "UTC", "yesterday", "", none},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := metadataOf(t, picturetest.EXIF(little, picturetest.Taken(c.at, c.offset)))
			r := m.result(zone(t, c.zone), now)
			got := none
			if r.TakenAt != nil {
				got = r.TakenAt.UTC().Format(time.RFC3339)
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	r := reader(byChild).must(t,
		picturetest.InJPEG(jpegOf(t, quarters(8, 8)), picturetest.EXIF(big, picturetest.Taken("2026:11:01 01:30:00", ""))), "image/jpeg")
	if r.TakenAt == nil || !r.TakenAt.Equal(time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC)) {
		t.Errorf("by a child: %v", r.TakenAt)
	}
	digitized := metadataOf(t, picturetest.EXIF(little,
		picturetest.Tag{ID: 0x8769, Value: picturetest.IFD{{ID: 0x9004, Value: "2026:07:14 09:30:00"}, {ID: 0x9012, Value: "-04:00"}}}))
	if r := digitized.result(time.UTC, now); r.TakenAt == nil || r.TakenAt.Hour() != 13 {
		t.Errorf("when digitized: %v", r.TakenAt)
	}
	changed := metadataOf(t, picturetest.EXIF(little, picturetest.Tag{ID: 0x0132, Value: "2026:07:14 09:30:00"}))
	if r := changed.result(time.UTC, now); r.TakenAt != nil {
		t.Errorf("when changed, which is not when taken: %v", r.TakenAt)
	}
}

// metadataOf reads EXIF here, without a child, which is the same code.
func metadataOf(t *testing.T, exif []byte) metadata {
	t.Helper()
	m, problem := readMetadata(&tape{source: bytes.NewReader(picturetest.InJPEG(jpegOf(t, quarters(2, 2)), exif))}, formats["image/jpeg"])
	if problem != "" {
		t.Fatal(problem)
	}
	return m
}

func resultOf(t *testing.T, exif []byte) Result {
	t.Helper()
	return metadataOf(t, exif).result(time.UTC, now)
}

// TestAHeaderOfManyPixelsCostsNothing: 60,000 × 60,000 are 3.6 thousand million pixels; what is behind the header is not read.
func TestAHeaderOfManyPixelsCostsNothing(t *testing.T) {
	for _, c := range []struct {
		what, mediaType string
		head            []byte
		width, height   int
	}{
		{"PNG", "image/png", headerPNG(60000, 60000, 8, 6), 60000, 60000},
		{"GIF", "image/gif", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), 65535, 65535},
		{"one row more than 100 megapixels", "image/png", headerPNG(10000, 10001, 8, 0), 10000, 10001},
	} {
		t.Run(c.what, func(t *testing.T) {
			counted := &counting{Reader: io.MultiReader(bytes.NewReader(c.head), &endless{})}
			var out bytes.Buffer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := describe(counted, c.mediaType, &out); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 || counted.n > 1<<20 {
				t.Errorf("took %d bytes of memory and read %d", took, counted.n)
			}
			r, err := Read(t.Context(), io.MultiReader(bytes.NewReader(c.head), &endless{}), c.mediaType, time.UTC, now)
			if err != nil || r.Width != c.width || r.Height != c.height || r.Decoded || r.Small != nil || r.Large != nil {
				t.Errorf("by a child: %d × %d, decoded %t: %v", r.Width, r.Height, r.Decoded, err)
			}
		})
	}
}

func TestBrokenPicturesAreUnreadable(t *testing.T) {
	jpg, heic := jpegOf(t, quarters(300, 200)), []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic")
	exif := picturetest.EXIF(big, picturetest.Taken("2026:07:14 09:30:00", "-04:00"))
	for _, c := range []struct {
		what, mediaType string
		original        []byte
		width           int // found before it broke
	}{
		{"JPEG that ends in its pixels", "image/jpeg", picturetest.InJPEG(jpg, exif)[:len(jpg)], 300},
		{"JPEG that ends in its header", "image/jpeg", jpg[:100], 0},
		{"PNG that ends", "image/png", pngOf(t, quarters(300, 200))[:200], 300},
		{"GIF that ends", "image/gif", gifOf(t, quarters(300, 200), 1)[:900], 300},
		{"GIF that is JavaScript", "image/gif", []byte("GIF89a=1\x01\x00;alert(1)//" + strings.Repeat(" ", 100)), 0x313d},
		{"WebP that ends", "image/webp", webpOf(t, exif)[:40], 1},
		{"HEIC of nothing", "image/heic", heic, 0},
		{"nothing", "image/png", nil, 0},
		{"words", "image/jpeg", []byte("no picture"), 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, err := here(t, c.original, c.mediaType)
			if !errors.Is(err, ErrUnreadable) || r.Decoded || r.Small != nil || r.Large != nil || r.Width != c.width {
				t.Errorf("%d × %d, decoded %t, thumbnails of %d and %d bytes: %v", r.Width, r.Height, r.Decoded, len(r.Small), len(r.Large), err)
			}
		})
	}
	r, _ := byChild(t, picturetest.InJPEG(jpg, exif)[:len(jpg)], "image/jpeg")
	if r.TakenAt == nil {
		t.Error("what was found before the pixels broke is lost")
	}
}

// TestEXIFThatLiesIsLeftOut: lengths, counts, offsets and circles of what is no EXIF do not hurt the picture.
func TestEXIFThatLiesIsLeftOut(t *testing.T) {
	plain := jpegOf(t, quarters(300, 200))
	whole := picturetest.EXIF(big, picturetest.Orientation(6), picturetest.Taken("2026:07:14 09:30:00", "-04:00"))
	change := func(at int, with string) []byte {
		b := bytes.Clone(whole)
		copy(b[at:], with)
		return b
	}
	for what, exif := range map[string][]byte{
		"nothing":                       {},
		"no byte order":                 change(0, "XX"),
		"first IFD far away":            change(4, "\xff\xff\xff\xff"),
		"first IFD at itself":           change(4, "\x00\x00\x00\x00"),
		"65,535 entries":                change(8, "\xff\xff"),
		"a count of 4 thousand million": change(14, "\xff\xff\xff\xff"),
		"a type of nobody":              change(12, "\x00\xee"),
		"a circle of IFDs":              change(8+2+12+8, "\x00\x00\x00\x08"),
		"an IFD in the middle of it":    change(8+2+12+8, "\x00\x00\x00\x0b"),
		"cut":                           whole[:20],
		"60,000 bytes of entries": append(change(8, "\x13\x88"),
			bytes.Repeat([]byte("\x90\x03\x00\x02\x00\x00\xff\xff\x00\x00\x00\x08"), 5000)...),
	} {
		r := reader(here).must(t, picturetest.InJPEG(plain, exif), "image/jpeg")
		if !r.Decoded || r.Width+r.Height != 500 {
			t.Errorf("%s: %d × %d, decoded %t", what, r.Width, r.Height, r.Decoded)
		}
	}
	long := picturetest.InJPEG(plain, whole)
	copy(long[4:], "\xff\xff") // the segment is said to reach over all that follows
	if r, err := here(t, long, "image/jpeg"); !errors.Is(err, ErrUnreadable) || r.Decoded {
		t.Errorf("a segment of 65,535 bytes: decoded %t: %v", r.Decoded, err)
	}
}

func TestOfManyFramesTheFirstIsShown(t *testing.T) {
	r := reader(here).must(t, gifOf(t, quarters(64, 64), 2000), "image/gif")
	if !r.Decoded || r.Width != 64 {
		t.Errorf("%d × %d, decoded %t", r.Width, r.Height, r.Decoded)
	}
}

// FuzzMetadata: whatever the bytes, reading them ends, and what is believed is possible.
func FuzzMetadata(f *testing.F) {
	types := []string{"image/jpeg", "image/png", "image/gif", "image/webp", "image/heic"}
	exif := picturetest.EXIF(big, picturetest.Orientation(6), picturetest.Taken("2026:07:14 09:30:00", "-04:00"),
		picturetest.Position("N", [][2]uint32{{43, 1}, {39, 1}, {1224, 100}}, "W", [][2]uint32{{79, 1}, {23, 1}, {96, 100}}))
	f.Add(byte(0), picturetest.InJPEG(jpegOf(f, quarters(4, 2)), exif))
	f.Add(byte(0), picturetest.InJPEG(jpegOf(f, quarters(4, 2)), picturetest.EXIF(little, picturetest.Taken("2026:11:01 01:30:00", ""))))
	f.Add(byte(1), inPNG(pngOf(f, quarters(4, 2)), exif))
	f.Add(byte(1), headerPNG(60000, 60000, 8, 6))
	f.Add(byte(2), gifOf(f, quarters(4, 2), 2))
	f.Add(byte(3), webpOf(f, exif))
	if heic, err := os.ReadFile("testdata/quarters.heic"); err != nil {
		f.Fatal(err)
	} else {
		f.Add(byte(4), heic)
	}
	toronto := zone(f, "America/Toronto")
	f.Fuzz(func(t *testing.T, kind byte, original []byte) {
		m, _ := readMetadata(&tape{source: bytes.NewReader(original)}, formats[types[int(kind)%len(types)]])
		r := m.result(toronto, now)
		if r.Width < 0 || r.Height < 0 {
			t.Errorf("%d × %d", r.Width, r.Height)
		}
		if r.TakenAt != nil && (r.TakenAt.After(now) || r.TakenAt.Year() < 1990) {
			t.Errorf("taken at %v", r.TakenAt)
		}
		if (r.Latitude == nil) != (r.Longitude == nil) {
			t.Error("half a position")
		}
		if r.Latitude != nil && !(math.Abs(*r.Latitude) <= 90 && math.Abs(*r.Longitude) <= 180) {
			t.Errorf("at %v, %v", *r.Latitude, *r.Longitude)
		}
	})
}

// TestATapeIsReadOnce: seeking about gives the bytes that stand there, and playing gives all of them.
func TestATapeIsReadOnce(t *testing.T) {
	whole := make([]byte, 3*chunkSize+100)
	for i := range whole {
		whole[i] = byte(i * 7 >> 3)
	}
	tape := &tape{source: bytes.NewReader(whole)}
	for _, at := range []int64{2*chunkSize - 1, 0, 3*chunkSize + 99, chunkSize, 3*chunkSize + 100, 1 << 40} {
		if _, err := tape.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		var b [10]byte
		n, err := io.ReadFull(tape, b[:])
		want := whole[min(at, int64(len(whole))):min(at+10, int64(len(whole)))]
		if !bytes.Equal(b[:n], want) || (len(want) == 10) != (err == nil) {
			t.Errorf("at %d: %x, want %x: %v", at, b[:n], want, err)
		}
	}
	if played, err := io.ReadAll(tape.play()); err != nil || !bytes.Equal(played, whole) {
		t.Errorf("played %d bytes of %d: %v", len(played), len(whole), err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the store is away") }

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// blocking gives nothing until its context is done, and then fails as what reads over a network does.
type blocking struct{ ctx context.Context }

func (b blocking) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}
