// Package picturetest adds a camera's EXIF metadata to pictures of tests.
package picturetest

import "encoding/binary"

// InJPEG puts EXIF behind the first marker of a JPEG, as APP1 [EXIF 2.32, 4.7.2].
func InJPEG(picture, exif []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(2+6+len(exif)))
	segment = append(append(segment, "Exif\x00\x00"...), exif...)
	return append(append(append([]byte{}, picture[:2]...), segment...), picture[2:]...)
}

// Tag is an entry of an image file directory: a text, an orientation, an angle in rational numbers, or a directory below it.
type Tag struct {
	ID    uint16
	Value any // string, uint16, [][2]uint32 or IFD
}

// IFD is an image file directory.
type IFD []Tag

// EXIF is a block of EXIF with entries, and the directories below them [TIFF 6.0, section 2].
func EXIF(order binary.AppendByteOrder, entries ...Tag) []byte {
	b := []byte("MM")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		b = []byte("II")
	}
	b = order.AppendUint32(order.AppendUint16(b, 42), 8)
	return writeIFD(order, b, entries)
}

func writeIFD(order binary.AppendByteOrder, b []byte, entries IFD) []byte {
	put := order.(binary.ByteOrder)
	at := len(b)
	b = append(b, make([]byte, 2+12*len(entries)+4)...)
	put.PutUint16(b[at:], uint16(len(entries)))
	for i, e := range entries {
		entry := at + 2 + 12*i
		kind, count := uint16(0), 0
		var value []byte
		switch v := e.Value.(type) {
		case string:
			kind, count, value = 2, len(v)+1, append([]byte(v), 0)
		case uint16:
			kind, count, value = 3, 1, order.AppendUint16(nil, v)
		case [][2]uint32:
			kind, count = 5, len(v)
			for _, r := range v {
				value = order.AppendUint32(order.AppendUint32(value, r[0]), r[1])
			}
		case IFD:
			kind, count, value = 4, 1, order.AppendUint32(nil, uint32(len(b)))
			b = writeIFD(order, b, v)
		}
		if len(value) > 4 {
			value, b = order.AppendUint32(nil, uint32(len(b))), append(b, value...)
		}
		put.PutUint16(b[entry:], e.ID)
		put.PutUint16(b[entry+2:], kind)
		put.PutUint32(b[entry+4:], uint32(count))
		copy(b[entry+8:], value)
	}
	return b
}

// Orientation says how a picture is turned: 1 to 8, as it lies to turned left.
func Orientation(n uint16) Tag { return Tag{0x0112, n} }

// Taken says when a picture was taken, as "2026:07:14 09:30:00", by a clock with an offset, as "-04:00"; empty where
// the camera did not know it.
func Taken(at, offset string) Tag {
	exif := IFD{{0x9003, at}}
	if offset != "" {
		exif = append(exif, Tag{0x9011, offset})
	}
	return Tag{0x8769, exif}
}

// Position says where a picture was taken: N or S with a latitude, and E or W with a longitude, in degrees, minutes and seconds, each a
// numerator and a denominator.
func Position(ns string, latitude [][2]uint32, ew string, longitude [][2]uint32) Tag {
	return Tag{0x8825, IFD{{1, ns}, {2, latitude}, {3, ew}, {4, longitude}}}
}
