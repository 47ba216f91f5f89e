// Command images makes the container image of the product without a container engine, the same bytes from the same programs, and hands it
// to a registry:
//
//	images make LAYOUT NAME PROVENANCE PATH=PROGRAM=SBOM...   writes it into an OCI image layout, and prints "name digest"
//	images push LAYOUT REGISTRY TAG                           to REGISTRY/NAME:TAG, with what is attached to it
//
// The image holds what Dockerfile puts into it: programs, of which the last is its entry point, the certificates of the public authorities
// (AMS_CERTIFICATES, a file), an empty /tmp and an empty /documents. It is as old as SOURCE_DATE_EPOCH says. Attached to it, as OCI
// referrers, are a list of what each program is made of (CycloneDX, JSON) and how it was made (an in-toto statement).
package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	sbomType       = "application/vnd.cyclonedx+json"
	provenanceType = "application/vnd.in-toto+json"
	nameKey        = "org.opencontainers.image.ref.name"
	ofKey          = "ca.ams.image" // of what is attached: the image's name
	user           = 65532
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) > 4 && args[0] == "make":
		return makeImage(args[1], args[2], args[3], args[4:])
	case len(args) == 4 && args[0] == "push":
		return push(args[1], args[2], args[3])
	}
	return errors.New("usage: images make LAYOUT NAME PROVENANCE PATH=PROGRAM=SBOM... | push LAYOUT REGISTRY TAG")
}

func makeImage(folder, name, provenance string, programs []string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return errors.New("SOURCE_DATE_EPOCH is not set to the Unix time of the source")
	}
	made := time.Unix(seconds, 0).UTC()
	certificates, err := os.ReadFile(os.Getenv("AMS_CERTIFICATES"))
	if err != nil {
		return fmt.Errorf("AMS_CERTIFICATES: %w", err)
	}
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	attachments := []attachment{{provenanceType, provenance}}
	files := make([]file, 0, len(programs))
	for _, each := range programs {
		parts := strings.Split(each, "=")
		if len(parts) != 3 {
			return fmt.Errorf("%q is not PATH=PROGRAM=SBOM", each)
		}
		content, err := os.ReadFile(parts[1])
		if err != nil {
			return err
		}
		files = append(files, file{parts[0], content})
		attachments = append(attachments, attachment{sbomType, parts[2]})
	}
	image, err := imageOf(files, certificates, made)
	if err != nil {
		return err
	}
	if err := path.AppendImage(image, layout.WithAnnotations(map[string]string{nameKey: name})); err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	for _, each := range attachments {
		content, err := os.ReadFile(each.file)
		if err != nil {
			return err
		}
		if each.kind == provenanceType {
			content = bytes.ReplaceAll(content, []byte("IMAGE_SHA256"), []byte(digest.Hex))
		}
		attached, err := attach(image, each.kind, content)
		if err != nil {
			return err
		}
		if err := path.AppendImage(attached, layout.WithAnnotations(map[string]string{ofKey: name})); err != nil {
			return err
		}
	}
	fmt.Println(name, digest)
	return nil
}

// attachment is a document, in a file, that an image gets attached.
type attachment struct {
	kind types.MediaType
	file string
}

// file is a program of the image.
type file struct {
	path    string // in the image, such as /program
	content []byte
}

// imageOf is the image of programs, with nothing in it that differs from one making to the next.
func imageOf(programs []file, certificates []byte, made time.Time) (v1.Image, error) {
	var err error
	var files bytes.Buffer
	archive := tar.NewWriter(&files)
	add := func(header tar.Header, content []byte) {
		header.ModTime, header.Size, header.Format = made, int64(len(content)), tar.FormatPAX
		if err == nil {
			err = archive.WriteHeader(&header)
		}
		if err == nil {
			_, err = archive.Write(content)
		}
	}
	for _, folder := range []string{"etc/", "etc/ssl/", "etc/ssl/certs/"} {
		add(tar.Header{Typeflag: tar.TypeDir, Name: folder, Mode: 0o755}, nil)
	}
	add(tar.Header{Typeflag: tar.TypeReg, Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644}, certificates)
	for _, each := range programs {
		add(tar.Header{Typeflag: tar.TypeReg, Name: strings.TrimPrefix(each.path, "/"), Mode: 0o755}, each.content)
	}
	add(tar.Header{Typeflag: tar.TypeDir, Name: "documents/", Mode: 0o700, Uid: user, Gid: user}, nil)
	add(tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o777, Uid: user, Gid: user}, nil)
	if err = errors.Join(err, archive.Close()); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: made}, CreatedBy: "images make"}}); err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, configured(image, programs[len(programs)-1].path, made))
}

func configured(image v1.Image, entrypoint string, made time.Time) *v1.ConfigFile {
	config, err := image.ConfigFile()
	if err != nil {
		panic(err) // it was made a moment ago, in memory
	}
	config = config.DeepCopy()
	config.Architecture, config.OS, config.Created = "amd64", "linux", v1.Time{Time: made}
	config.Config = v1.Config{User: fmt.Sprintf("%d:%[1]d", user), Entrypoint: []string{entrypoint}}
	return config
}

// attach makes a document that refers to an image: its kind is the media type of its configuration, by which registries list it.
func attach(image v1.Image, kind types.MediaType, content []byte) (v1.Image, error) {
	of, err := partial.Descriptor(image)
	if err != nil {
		return nil, err
	}
	if !json.Valid(content) {
		return nil, fmt.Errorf("what is to be attached as %s is no JSON", kind)
	}
	document := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), kind)
	if document, err = mutate.Append(document, mutate.Addendum{Layer: static.NewLayer(content, kind)}); err != nil {
		return nil, err
	}
	return mutate.Subject(document, *of).(v1.Image), nil
}

func push(folder, registry, tag string) error {
	path, err := layout.FromPath(folder)
	if err != nil {
		return err
	}
	index, err := path.ImageIndex()
	if err != nil {
		return err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, each := range manifest.Manifests {
		image, err := path.Image(each.Digest)
		if err != nil {
			return err
		}
		where := registry + "/" + each.Annotations[ofKey] + "@" + each.Digest.String()
		if named := each.Annotations[nameKey]; named != "" {
			where = registry + "/" + named + ":" + tag
		}
		reference, err := name.ParseReference(where)
		if err != nil {
			return err
		}
		if err := remote.Write(reference, image); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		fmt.Println(where)
	}
	return nil
}
