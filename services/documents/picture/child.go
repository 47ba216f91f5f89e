package picture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"os"
)

// thumbnails is the second of the two JSON values that a child writes; the first is metadata. It stands apart because a child may end by a
// limit while it decodes.
type thumbnails struct {
	Small   []byte `json:"small,omitempty"`
	Large   []byte `json:"large,omitempty"`
	Problem string `json:"problem,omitempty"` // why there are none, if they could be expected
}

// Child reads a picture and ends the process, if Read started it for that; else it returns at once. It is the first call of main, so that
// nothing of the program is there yet: no configuration, no connection, no secret.
func Child() {
	if len(os.Args) != 3 || os.Args[1] != "picture" {
		return
	}
	out := os.Stdout
	os.Stdout = os.Stderr // what a library prints is no answer
	if err := confine(limits{maxMemory, maxCPU}); err != nil {
		fmt.Fprintln(os.Stderr, "confine the reader of pictures:", err)
		os.Exit(1)
	}
	if err := describe(os.Stdin, os.Args[2], out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// describe reads a picture, and writes its metadata and its thumbnails.
func describe(original io.Reader, mediaType string, out io.Writer) error {
	format := formats[mediaType]
	if format.config == nil {
		return fmt.Errorf("%s is no picture", mediaType)
	}
	tape := &tape{source: original}
	found, problem := readMetadata(tape, format)
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(found); err != nil {
		return err
	}
	made := thumbnails{Problem: problem}
	if problem == "" && found.Width*found.Height <= MaxPixels {
		made = makeThumbnails(tape.play(), format, found)
	}
	return encoder.Encode(made)
}

// makeThumbnails decodes a picture from its beginning. Decoders may panic on what nobody thought of.
func makeThumbnails(original io.Reader, format format, found metadata) (made thumbnails) {
	defer func() {
		if p := recover(); p != nil {
			made = thumbnails{Problem: fmt.Sprint(p)}
		}
	}()
	m, err := format.decode(original)
	if err != nil {
		return thumbnails{Problem: err.Error()}
	}
	large := scaled(m, found.canvas(format, m.Bounds()), LargeSide)
	small := scaled(large, large.Bounds(), SmallSide)
	for _, t := range []struct {
		to *[]byte
		of *image.RGBA
	}{{&made.Large, large}, {&made.Small, small}} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, oriented(t.of, found.orientation(format)), &jpeg.Options{Quality: 80}); err != nil {
			return thumbnails{Problem: err.Error()}
		}
		*t.to = b.Bytes()
	}
	return made
}
