package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// A folder store has two folders:
//
//	objects/<folder>/<name>                       the objects
//	uploads/<folder>~<name>~<upload>/<number>     what is being written: the parts of an upload
//
// A file gets its name in objects by a link, which fails where the name is taken, when its bytes are on the disk. So what a killed
// process leaves is an upload, which ListUploads shows and Abort removes: Put writes in one too.
type folder struct {
	path string
	root *os.Root // no name leads out of it, also through symbolic links
}

const (
	objects = "objects"
	uploads = "uploads"
	whole   = "whole" // begins the names of files with all bytes of an upload
)

func openFolder(name string) (*folder, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	f := &folder{name, root}
	for _, each := range []string{objects, uploads} {
		if err := root.MkdirAll(each, 0o700); err != nil {
			return nil, err
		}
	}
	return f, f.sync(".")
}

func (f *folder) Put(ctx context.Context, key string, body io.Reader, size int64) error {
	if err := checkSize(size); err != nil {
		return err
	}
	upload, err := f.Begin(ctx, key)
	if err != nil {
		return err
	}
	source := &source{ctx: ctx, reader: body, left: size}
	err = f.finish(key, upload, func(file *os.File) error {
		_, err := io.Copy(file, source)
		return err
	})
	return errors.Join(source.cause(err), f.Abort(context.WithoutCancel(ctx), key, upload))
}

// finish writes a file, and gives it the name of the object when it is on the disk. ErrExists if the name is taken.
func (f *folder) finish(key, upload string, write func(*os.File) error) error {
	name := path.Join(uploadFolder(key, upload), whole+"-"+uuid.NewString())
	if err := f.write(name, func(file *os.File) error {
		if err := write(file); err != nil {
			return err
		}
		return file.Sync()
	}); err != nil {
		return err
	}
	object := path.Join(objects, key)
	if err := f.root.Mkdir(path.Dir(object), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return failure(err)
	}
	switch err := f.root.Link(name, object); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: %s", ErrExists, key)
	case err != nil:
		return failure(err)
	}
	return errors.Join(f.sync(path.Dir(object)), f.sync(objects))
}

// write makes a new file.
func (f *folder) write(name string, write func(*os.File) error) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return failure(err)
	}
	if err = errors.Join(write(file), file.Close()); err != nil {
		_ = f.root.Remove(name) // Abort does it otherwise
		return failure(err)
	}
	return nil
}

// sync makes the bytes of a file durable, or the names in a folder.
func (f *folder) sync(name string) error {
	opened, err := f.root.Open(name)
	if err != nil {
		return failure(err)
	}
	return failure(errors.Join(opened.Sync(), opened.Close()))
}

func (f *folder) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	file, err := f.root.Open(path.Join(objects, key))
	if err != nil {
		return nil, failure(err)
	}
	info, err := file.Stat()
	if err == nil && from > 0 && from >= info.Size() {
		err = errRange
	}
	if err == nil {
		_, err = file.Seek(from, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, failure(err)
	}
	if length < 0 {
		return file, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, length), file}, nil
}

func (f *folder) Stat(ctx context.Context, key string) (Object, error) {
	if err := check(ctx, key); err != nil {
		return Object{}, err
	}
	info, err := f.root.Stat(path.Join(objects, key))
	if err != nil {
		return Object{}, failure(err)
	}
	return Object{key, info.Size(), info.ModTime()}, nil
}

func (f *folder) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	object := path.Join(objects, key)
	switch err := f.root.Remove(object); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return failure(err)
	}
	return f.sync(path.Dir(object))
}

func (f *folder) List(ctx context.Context, prefix string, each func(Object) error) error {
	return f.entries(ctx, objects, "", prefix, func(within string, _ os.FileInfo) error {
		return f.entries(ctx, path.Join(objects, within), within, prefix, func(key string, info os.FileInfo) error {
			return each(Object{key, info.Size(), info.ModTime()})
		})
	})
}

// entries calls each for what is in a folder, in the order of keys. within is what keys begin with there; those of a folder end with "/".
// Left out is what has nothing to do with prefix.
func (f *folder) entries(ctx context.Context, name, within, prefix string, each func(key string, info os.FileInfo) error) error {
	opened, err := f.root.Open(name)
	if err != nil {
		return failure(err)
	}
	found, err := opened.ReadDir(-1)
	if err = errors.Join(err, opened.Close()); err != nil {
		return failure(err)
	}
	key := func(entry os.DirEntry) string {
		if entry.IsDir() {
			return within + entry.Name() + "/"
		}
		return within + entry.Name()
	}
	slices.SortFunc(found, func(a, b os.DirEntry) int { return cmp.Compare(key(a), key(b)) })
	for _, entry := range found {
		key := key(entry)
		if !strings.HasPrefix(key, prefix) && (!entry.IsDir() || !strings.HasPrefix(prefix, key)) {
			continue
		}
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
			continue
		case err != nil:
			return failure(err)
		}
		if err := errors.Join(ctx.Err(), each(key, info)); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) Begin(ctx context.Context, key string) (string, error) {
	if err := check(ctx, key); err != nil {
		return "", err
	}
	id, err := uuid.NewV7() // has the time in it
	if err != nil {
		return "", err
	}
	if err := f.root.Mkdir(uploadFolder(key, id.String()), 0o700); err != nil {
		return "", failure(err)
	}
	return id.String(), f.sync(uploads)
}

// uploadFolder has its own sign between its parts, which no key has.
func uploadFolder(key, upload string) string {
	return path.Join(uploads, strings.Replace(key, "/", "~", 1)+"~"+upload)
}

func (f *folder) PutPart(ctx context.Context, key, upload string, number int, body []byte) (Part, error) {
	if err := errors.Join(check(ctx, key), checkUpload(upload), checkPart(number, int64(len(body)))); err != nil {
		return Part{}, err
	}
	within := uploadFolder(key, upload)
	writing, name := path.Join(within, "part-"+uuid.NewString()), path.Join(within, strconv.Itoa(number))
	part := Part{Number: number, Size: int64(len(body))}
	if err := f.write(writing, func(file *os.File) error {
		if _, err := file.Write(body); err != nil {
			return err
		}
		info, err := file.Stat()
		part.Tag = tag(info)
		return err
	}); err != nil {
		return Part{}, err
	}
	return part, failure(f.root.Rename(writing, name))
}

func (f *folder) SyncPart(ctx context.Context, key, upload string, part Part) error {
	if err := errors.Join(check(ctx, key), checkUpload(upload), checkPart(part.Number, part.Size)); err != nil {
		return err
	}
	within := uploadFolder(key, upload)
	return errors.Join(f.sync(path.Join(within, strconv.Itoa(part.Number))), f.sync(within))
}

// tag tells a file from what replaces it under its name.
func tag(info os.FileInfo) string {
	if info == nil {
		return ""
	}
	number := uint64(0)
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		number = system.Ino
	}
	return fmt.Sprintf("%x-%x", number, info.ModTime().UnixNano())
}

func (f *folder) Complete(ctx context.Context, key, upload string, parts []Part) error {
	size, err := checkParts(parts)
	if err = errors.Join(check(ctx, key), err, checkUpload(upload)); err != nil {
		return err
	}
	done, err := completed(ctx, f, key, size)
	if err == nil && !done {
		err = f.finish(key, upload, func(file *os.File) error {
			for _, part := range parts {
				if err := f.copy(ctx, file, path.Join(uploadFolder(key, upload), strconv.Itoa(part.Number)), part); err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, ErrExists) || errors.Is(err, ErrNotFound) { // another call may have been faster
			if done, failed := completed(ctx, f, key, size); done || failed != nil {
				err = failed
			}
		}
	}
	if err != nil {
		return err
	}
	return f.Abort(ctx, key, upload)
}

// copy adds a part to a file, by the kernel where the file system can.
func (f *folder) copy(ctx context.Context, to *os.File, name string, part Part) error {
	from, err := f.root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if info.Size() != part.Size || tag(info) != part.Tag {
		return fmt.Errorf("%w: part %d was replaced", ErrNotFound, part.Number)
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, ctx.Err())
}

func (f *folder) Abort(ctx context.Context, key, upload string) error {
	if err := errors.Join(check(ctx, key), checkUpload(upload)); err != nil {
		return none(err)
	}
	return failure(f.root.RemoveAll(uploadFolder(key, upload)))
}

func (f *folder) ListUploads(ctx context.Context, each func(Upload) error) error {
	return f.entries(ctx, uploads, "", "", func(name string, _ os.FileInfo) error {
		words := strings.Split(strings.TrimSuffix(name, "/"), "~")
		if len(words) != 3 {
			return nil
		}
		id, err := uuid.Parse(words[2])
		if err != nil {
			return nil //nolint:nilerr // nothing of ours
		}
		return each(Upload{words[0] + "/" + words[1], words[2], time.Unix(id.Time().UnixTime())})
	})
}

// Check looks whether the folder is still the one that was opened.
func (f *folder) Check(context.Context) error {
	current, err := os.Stat(f.path)
	if err == nil {
		var opened os.FileInfo
		if opened, err = f.root.Stat("."); err == nil && !os.SameFile(current, opened) {
			err = errors.New(f.path + " is another folder than before")
		}
	}
	if err == nil {
		_, err = f.root.Stat(objects)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// failure says by the words of a store what the file system said.
func failure(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, ErrNotFound), errors.Is(err, ErrExists), errors.Is(err, ErrFull), errors.Is(err, ErrUnavailable), errors.Is(err, errRange):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
