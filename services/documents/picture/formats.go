package picture

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/bep/imagemeta"
	"github.com/gen2brain/heic"
	"golang.org/x/image/riff"
	"golang.org/x/image/webp"
)

// format is how pictures of a media type are read.
type format struct {
	config  func(io.ReadSeeker) (width, height int, err error) // by the header
	decode  func(io.Reader) (image.Image, error)               // of what moves, the first image
	exif    imagemeta.ImageFormat                              // of what has EXIF; 0: none
	block   func(io.Reader) (io.ReadSeeker, error)             // finds the block of EXIF where the library does not
	upright bool                                               // decoded as shown, whatever the orientation says
}

var formats = map[string]format{
	"image/jpeg":          {config: configOf(jpeg.DecodeConfig), decode: jpeg.Decode, exif: imagemeta.JPEG},
	"image/png":           {config: configOf(png.DecodeConfig), decode: png.Decode, exif: imagemeta.PNG},
	"image/gif":           {config: configOf(gif.DecodeConfig), decode: gif.Decode},
	"image/webp":          {config: configOf(webp.DecodeConfig), decode: webp.Decode, exif: imagemeta.TIFF, block: webpEXIF},
	"image/heic":          heif,
	"image/heic-sequence": heif,
	"image/heif":          heif,
	"image/heif-sequence": heif,
}

// heif is a container whose rotation is a property of its own, which its decoder applies [ISO/IEC 23008-12, 6.5.10].
var heif = format{config: heifConfig, decode: decodeHEIC, exif: imagemeta.HEIF, upright: true}

// decodeHEIC is the one place that knows the library: libheif and libde265 in WebAssembly. Built without the tag nodynamic it asks for a
// libheif.so of the machine first, and makes the program one that needs a dynamic loader.
func decodeHEIC(r io.Reader) (image.Image, error) { return heic.Decode(r) }

// webpEXIF is the chunk of EXIF of a WebP, which is a TIFF by itself. The library does not skip the byte that pads a chunk of odd length,
// and so finds nothing behind one.
func webpEXIF(r io.Reader) (io.ReadSeeker, error) {
	_, chunks, err := riff.NewReader(r)
	for err == nil {
		var id riff.FourCC
		var length uint32
		var chunk io.Reader
		if id, length, chunk, err = chunks.Next(); err == nil && id == (riff.FourCC{'E', 'X', 'I', 'F'}) {
			block, err := io.ReadAll(io.LimitReader(chunk, min(int64(length), maxEXIF)))
			return bytes.NewReader(bytes.TrimPrefix(block, []byte("Exif\x00\x00"))), err // the prefix is JPEG's; some programs write it here too
		}
	}
	return nil, err
}

// maxEXIF is more bytes than any camera writes.
const maxEXIF = 1 << 20

func configOf(decode func(io.Reader) (image.Config, error)) func(io.ReadSeeker) (int, int, error) {
	return func(r io.ReadSeeker) (int, int, error) {
		c, err := decode(r)
		return c.Width, c.Height, err
	}
}

// heifConfig is the size of the primary image, with its rotation applied.
func heifConfig(r io.ReadSeeker) (int, int, error) {
	found, err := imagemeta.Decode(imagemeta.Options{R: r, ImageFormat: imagemeta.HEIF, Sources: imagemeta.CONFIG})
	return found.ImageConfig.Width, found.ImageConfig.Height, err
}
