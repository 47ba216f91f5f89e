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
