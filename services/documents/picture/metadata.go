package picture

import (
	"fmt"
	"image"
	"io"
	"math"
	"time"

	"github.com/bep/imagemeta"
)

// metadata is the first of the two JSON values that a child writes: what stands in a picture beside its pixels, as it stands there.
type metadata struct {
	Width       int       `json:"width"` // as stored
	Height      int       `json:"height"`
	Turned      bool      `json:"turned"`      // whether they change places when it is shown
	Orientation int       `json:"orientation"` // 1 to 8 [EXIF 2.32, 4.6.4]; 0: not said
	Taken       time.Time `json:"taken"`       // by the camera's clock, as if in UTC; zero: not said
	Offset      *int      `json:"offset"`      // of that clock, in seconds east of UTC; nil: not said
	Latitude    *float64  `json:"latitude"`
	Longitude   *float64  `json:"longitude"`
}

// readMetadata reads the header and the EXIF of a picture. What it cannot read of the header is the problem; EXIF
// that cannot be read is none.
func readMetadata(tape *tape, format format) (found metadata, problem string) {
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprint(p)
		}
	}()
	var err error
	found.Width, found.Height, err = format.config(tape)
	switch {
	case err != nil:
		return metadata{}, err.Error()
	case found.Width <= 0 || found.Height <= 0 || found.Width > math.MaxInt32 || found.Height > math.MaxInt32:
		return metadata{}, "its header has no size"
	case found.Width*found.Height > MaxPixels || format.exif == 0:
		return found, ""
	}
	if _, err := tape.Seek(0, io.SeekStart); err != nil {
		return found, err.Error()
	}
	block := io.ReadSeeker(tape)
	if format.block != nil {
		if block, err = format.block(tape); err != nil {
			return found, "" // it has none
		}
	}
	found.readEXIF(block, format.exif)
	found.Turned = found.orientation(format) >= 5
	return found, ""
}

// readEXIF takes what can be read before the first mistake.
func (m *metadata) readEXIF(r io.ReadSeeker, format imagemeta.ImageFormat) {
	tags := map[string]any{}
	wanted := map[string]string{
		"Orientation": "IFD0", "DateTimeOriginal": "IFD0/ExifIFDP", "CreateDate": "IFD0/ExifIFDP", "OffsetTimeOriginal": "IFD0/ExifIFDP",
		"OffsetTimeDigitized": "IFD0/ExifIFDP", "GPSLatitude": "IFD0/GPSInfoIFD", "GPSLatitudeRef": "IFD0/GPSInfoIFD",
		"GPSLongitude": "IFD0/GPSInfoIFD", "GPSLongitudeRef": "IFD0/GPSInfoIFD",
	}
	_, _ = imagemeta.Decode(imagemeta.Options{
		R: r, ImageFormat: format, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return wanted[tag.Tag] == tag.Namespace },
		HandleTag: func(tag imagemeta.TagInfo) error {
			if _, again := tags[tag.Tag]; !again {
				tags[tag.Tag] = tag.Value
			}
			return nil
		},
	})
	if o, ok := tags["Orientation"].(uint16); ok && o >= 1 && o <= 8 {
		m.Orientation = int(o)
	}
	for _, of := range [][2]string{{"DateTimeOriginal", "OffsetTimeOriginal"}, {"CreateDate", "OffsetTimeDigitized"}} {
		if taken, ok := parseClock(tags[of[0]]); ok {
			m.Taken, m.Offset = taken, parseOffset(tags[of[1]])
			break
		}
	}
	latitude, ok := degrees(tags["GPSLatitude"], tags["GPSLatitudeRef"], "N", "S", 90)
	longitude, also := degrees(tags["GPSLongitude"], tags["GPSLongitudeRef"], "E", "W", 180)
	if ok && also {
		m.Latitude, m.Longitude = &latitude, &longitude
	}
}

// parseClock reads "2026:07:14 09:30:00" [EXIF 2.32, 4.6.5], and what programs write instead of it.
func parseClock(tag any) (time.Time, bool) {
	text, _ := tag.(string)
	for _, layout := range []string{"2006:01:02 15:04:05", "2006:01:02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// parseOffset reads "-04:00", in seconds.
func parseOffset(tag any) *int {
	text, _ := tag.(string)
	at, err := time.Parse("Z07:00", text)
	if err != nil {
		return nil
	}
	_, offset := at.Zone()
	if offset < -12*3600 || offset > 14*3600 {
		return nil
	}
	return &offset
}

// degrees is an angle with its sign, if it is in range and its hemisphere is said. An angle of exactly 0 is none: so the library gives what
// it cannot read, and so cameras write what they do not know.
func degrees(tag, hemisphere any, positive, negative string, maximum float64) (float64, bool) {
	angle, ok := tag.(float64)
	if !ok || !(angle > 0 && angle <= maximum) { // not a number is neither
		return 0, false
	}
	switch hemisphere {
	case positive:
		return angle, true
	case negative:
		return -angle, true
	}
	return 0, false
}

// orientation is the one to apply to what the decoder gives, 1 to 8.
func (m metadata) orientation(format format) int {
	if format.upright || m.Orientation == 0 {
		return 1
	}
	return m.Orientation
}

// canvas is the part of the plane that is shown of a decoded image. The first image of a GIF may be a part of the picture.
func (m metadata) canvas(format format, decoded image.Rectangle) image.Rectangle {
	if format.exif == 0 {
		return image.Rect(0, 0, m.Width, m.Height)
	}
	return decoded
}

// result is what is believed of metadata: no time before 1990 or after now, no position 0, 0 or out of range.
func (m metadata) result(zone *time.Location, now time.Time) Result {
	if m.Width < 0 || m.Height < 0 || m.Width > math.MaxInt32 || m.Height > math.MaxInt32 {
		return Result{}
	}
	r := Result{Width: m.Width, Height: m.Height}
	if m.Turned {
		r.Width, r.Height = m.Height, m.Width
	}
	if !m.Taken.IsZero() {
		at := inZone(m.Taken.UTC(), zone)
		if m.Offset != nil {
			at = m.Taken.UTC().Add(-time.Duration(*m.Offset) * time.Second)
		}
		if at.Year() >= 1990 && !at.After(now) {
			r.TakenAt = &at
		}
	}
	if m.Latitude != nil && m.Longitude != nil && math.Abs(*m.Latitude) <= 90 && math.Abs(*m.Longitude) <= 180 &&
		(*m.Latitude != 0 || *m.Longitude != 0) {
		r.Latitude, r.Longitude = m.Latitude, m.Longitude
	}
	return r
}

// inZone is the instant at which clocks in a zone show what clock shows in UTC: the first of a repeated time; one that is skipped is moved
// on by the gap, as clocks that were not put forward show it.
func inZone(clock time.Time, zone *time.Location) time.Time {
	offset := func(at time.Time) time.Duration {
		_, seconds := at.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	before, after := offset(clock.Add(-24*time.Hour)), offset(clock.Add(24*time.Hour))
	first, second := clock.Add(-before), clock.Add(-after)
	if offset(first) != before && offset(second) == after {
		return second
	}
	return first
}
