package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// quarters is a picture of four colours: red and green above, blue and white below.
func quarters(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{255, 255, 255, 255}
			switch {
			case x < width/2 && y < height/2:
				c = color.RGBA{255, 0, 0, 255}
			case y < height/2:
				c = color.RGBA{0, 255, 0, 255}
			case x < width/2:
				c = color.RGBA{0, 0, 255, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t testing.TB, m image.Image, frames int) []byte {
	t.Helper()
	var one bytes.Buffer
	if err := gif.Encode(&one, m, nil); err != nil {
		t.Fatal(err)
	}
	first, err := gif.Decode(bytes.NewReader(one.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	all := &gif.GIF{}
	for range frames {
		all.Image, all.Delay = append(all.Image, first.(*image.Paletted)), append(all.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webpOf is a WebP of one pixel (VP8L) with EXIF.
func webpOf(t testing.TB, exif []byte) []byte {
	t.Helper()
	plain, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	chunk := func(name string, content []byte) []byte {
		b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(content)))
		b = append(b, content...)
		return append(b, make([]byte, len(content)%2)...)
	}
	body := append([]byte("WEBP"), chunk("VP8X", []byte{8, 0, 0, 0, 0, 0, 0, 0, 0, 0})...)
	body = append(body, plain[12:]...)
	return chunk("RIFF", append(body, chunk("EXIF", exif)...))
}

// inJPEG puts EXIF behind the first marker of a JPEG, as APP1 [EXIF 2.32, 4.7.2].
func inJPEG(picture, exif []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(2+6+len(exif)))
	segment = append(append(segment, "Exif\x00\x00"...), exif...)
	return append(append(append([]byte{}, picture[:2]...), segment...), picture[2:]...)
}

// inPNG puts EXIF behind the header of a PNG, as eXIf.
func inPNG(picture, exif []byte) []byte {
	const header = 8 + 25
	return append(append(append([]byte{}, picture[:header]...), chunkPNG("eXIf", exif)...), picture[header:]...)
}

func chunkPNG(name string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, name...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// headerPNG is the beginning of a PNG of any size.
func headerPNG(width, height uint32, depth, kind byte) []byte {
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return append([]byte("\x89PNG\r\n\x1a\n"), chunkPNG("IHDR", append(ihdr, depth, kind, 0, 0, 0))...)
}

// tag is an entry of an IFD: a text, an orientation or an angle in rational numbers.
type tag struct {
	id    uint16
	value any // string, uint16, [][2]uint32 or ifd
}

type ifd []tag

// exifOf is a block of EXIF with an IFD and those under it [TIFF 6.0, section 2].
func exifOf(order binary.AppendByteOrder, root ifd) []byte {
	b := []byte("MM")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		b = []byte("II")
	}
	b = order.AppendUint32(order.AppendUint16(b, 42), 8)
	return writeIFD(order, b, root)
}

func writeIFD(order binary.AppendByteOrder, b []byte, entries ifd) []byte {
	put := order.(binary.ByteOrder)
	at := len(b)
	b = append(b, make([]byte, 2+12*len(entries)+4)...)
	put.PutUint16(b[at:], uint16(len(entries)))
	for i, e := range entries {
		entry := at + 2 + 12*i
		kind, count := uint16(0), 0
		var value []byte
		switch v := e.value.(type) {
		case string:
			kind, count, value = 2, len(v)+1, append([]byte(v), 0)
		case uint16:
			kind, count, value = 3, 1, order.AppendUint16(nil, v)
		case [][2]uint32:
			kind, count = 5, len(v)
			for _, r := range v {
				value = order.AppendUint32(order.AppendUint32(value, r[0]), r[1])
			}
		case ifd:
			kind, count, value = 4, 1, order.AppendUint32(nil, uint32(len(b)))
			b = writeIFD(order, b, v)
		}
		if len(value) > 4 {
			value, b = order.AppendUint32(nil, uint32(len(b))), append(b, value...)
		}
		put.PutUint16(b[entry:], e.id)
		put.PutUint16(b[entry+2:], kind)
		put.PutUint32(b[entry+4:], uint32(count))
		copy(b[entry+8:], value)
	}
	return b
}

func orientation(n uint16) tag { return tag{0x0112, n} }

func taken(at, offset string) tag {
	exif := ifd{{0x9003, at}}
	if offset != "" {
		exif = append(exif, tag{0x9011, offset})
	}
	return tag{0x8769, exif}
}

func position(ns string, latitude [][2]uint32, ew string, longitude [][2]uint32) tag {
	return tag{0x8825, ifd{{1, ns}, {2, latitude}, {3, ew}, {4, longitude}}}
}
