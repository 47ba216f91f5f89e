package documents

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"ams.internal/services/documents/picture/picturetest"
)

// picture is a JPEG of a size, with EXIF if there is some.
func picture(t testing.TB, width, height int, exif []byte) []byte {
	t.Helper()
	drawn := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			drawn.Set(x, y, color.RGBA{uint8(x), uint8(y), uint8(x ^ y), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, drawn, nil); err != nil {
		t.Fatal(err)
	}
	if exif == nil {
		return out.Bytes()
	}
	return picturetest.InJPEG(out.Bytes(), exif)
}

// exif says that a picture was taken lying on its right side, at 09:30 on 14 July 2025 by a clock four hours behind UTC, at 43° 39′
// 12.24″ N, 79° 23′ 0.96″ W.
func exif() []byte {
	return picturetest.EXIF(binary.BigEndian, picturetest.Orientation(6), picturetest.Taken("2025:07:14 09:30:00", "-04:00"),
		picturetest.Position("N", [][2]uint32{{43, 1}, {39, 1}, {1224, 100}}, "W", [][2]uint32{{79, 1}, {23, 1}, {96, 100}}))
}
