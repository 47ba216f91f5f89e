package documents

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
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
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(2+6+len(exif))) // APP1 [EXIF 2.32, 4.7.2]
	segment = append(append(segment, "Exif\x00\x00"...), exif...)
	return append(append(append([]byte{}, out.Bytes()[:2]...), segment...), out.Bytes()[2:]...)
}

// exif says that a picture was taken lying on its right side, at 09:30 on 14 July 2025 by a clock four hours behind UTC, at 43° 39′ 12.24″ N,
// 79° 23′ 0.96″ W [TIFF 6.0, section 2].
func exif() []byte {
	const root, rootSize = 8, 2 + 3*12 + 4
	taken := directory(root+rootSize, entry{0x9003, 2, 20, []byte("2025:07:14 09:30:00\x00")}, entry{0x9011, 2, 7, []byte("-04:00\x00")})
	position := directory(root+rootSize+len(taken), entry{1, 2, 2, []byte("N\x00\x00\x00")}, entry{2, 5, 3, angle(43, 39, 1224)},
		entry{3, 2, 2, []byte("W\x00\x00\x00")}, entry{4, 5, 3, angle(79, 23, 96)})
	b := []byte("MM\x00\x2a\x00\x00\x00\x08")
	b = append(b, directory(root, entry{0x0112, 3, 1, []byte{0, 6, 0, 0}}, entry{0x8769, 4, 1, binary.BigEndian.AppendUint32(nil, root+rootSize)},
		entry{0x8825, 4, 1, binary.BigEndian.AppendUint32(nil, uint32(root+rootSize+len(taken)))})...)
	return append(append(b, taken...), position...)
}

// entry is one of a directory; a value of up to 4 bytes has 4.
type entry struct {
	tag, kind uint16
	count     uint32
	value     []byte
}

// directory is an image file directory that stands at a place, with the values that do not fit into it behind it.
func directory(at int, entries ...entry) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(len(entries)))
	var values []byte
	behind := at + 2 + 12*len(entries) + 4
	for _, e := range entries {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, e.tag), e.kind), e.count)
		if len(e.value) == 4 {
			b = append(b, e.value...)
			continue
		}
		b = binary.BigEndian.AppendUint32(b, uint32(behind+len(values)))
		values = append(values, e.value...)
	}
	return append(append(b, 0, 0, 0, 0), values...)
}

// angle is in degrees, minutes and hundredths of a second.
func angle(degrees, minutes, hundredths uint32) (b []byte) {
	for _, n := range []uint32{degrees, 1, minutes, 1, hundredths, 100} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}
