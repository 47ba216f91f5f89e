package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"ams.internal/libs/service"
	"ams.internal/services/documents/store"
)

// unknownAfter is how old an object is that nobody knows: before, its row may not be committed yet.
const unknownAfter = time.Hour

// verifyConfig is what verify reads from the environment: the database as its owner, who sees every organization, and the store of the
// documents service.
type verifyConfig struct {
	service.Migration
	store.Config
}

// verification is what verify found.
type verification struct {
	Contents int64 `json:"contents"`   // that are ready
	Bytes    int64 `json:"size_bytes"` // of them
	Objects  int64 `json:"objects"`    // in the store, with thumbnails and what is being uploaded
	Deep     bool  `json:"deep"`       // the bytes were read
	// Missing are contents whose object is not there, or is another. A file of somebody's is lost.
	Missing []missingObject `json:"missing"`
	// Unknown are objects that no content has.
	Unknown []unknownObject `json:"unknown"`
	// Elsewhere are objects of organizations that this database does not have: of other cells, or of another installation.
	Elsewhere int64 `json:"elsewhere"`
}

type missingObject struct {
	OrganizationID string `json:"organization_id"`
	Key            string `json:"key"`
	Size           int64  `json:"size_bytes"` // that it should have
	Problem        string `json:"problem"`
}

type unknownObject struct {
	Key        string    `json:"key"`
	Size       int64     `json:"size_bytes"`
	ModifiedAt time.Time `json:"modified_at"`
	Deleted    bool      `json:"deleted"`
}

func verifyDocuments(s *session) *cobra.Command {
	var deep, remove bool
	cmd := &cobra.Command{Use: "verify", Short: "Compare the contents of all documents with the objects of the store", Args: cobra.NoArgs}
	cmd.Long = `Compare the contents of all documents, of all organizations, with the objects of the store.

AMS_OWNER_DATABASE_URL (or AMS_OWNER_DATABASE_URL_FILE) is the database as the role that owns the tables; the store is that of the
documents service, by its variables AMS_DOCUMENTS_STORE and AMS_DOCUMENTS_S3_…. The service may run meanwhile. With several cells it is run
once for each, with that cell's database: objects of organizations that are not there are counted as elsewhere, and left alone.

Missing are contents whose object is not there, or has another size; with --deep the bytes are read, and other bytes are missing too.
Unknown are objects, older than an hour, that no content has; with --delete-unknown those are deleted. How many of each there are is kept with
the time for each organization, and shown to it; nothing else is changed.

Exit status: 0 nothing is missing, 1 something is, or it could not be found out.`
	cmd.Flags().BoolVar(&deep, "deep", false, "read all bytes and compare their sha256")
	cmd.Flags().BoolVar(&remove, "delete-unknown", false, "delete the objects that no content has")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		config, err := service.Load[verifyConfig](os.Environ())
		if err != nil {
			return err
		}
		objects, err := store.New(cmd.Context(), config.Config)
		if err != nil {
			return err
		}
		database, err := pgx.Connect(cmd.Context(), config.OwnerDatabaseURL)
		if err != nil {
			return fmt.Errorf("connect to the database: %w", err)
		}
		defer func() { _ = database.Close(context.WithoutCancel(cmd.Context())) }()
		v := &verifier{database: database, store: objects, note: s.note,
			found: verification{Deep: deep, Missing: []missingObject{}, Unknown: []unknownObject{}}}
		if err := v.run(cmd.Context(), remove); err != nil {
			return err
		}
		if err := v.record(cmd.Context()); err != nil {
			return fmt.Errorf("record what was found: %w", err)
		}
		return s.showVerification(v.found)
	}
	return cmd
}

func (s *session) showVerification(found verification) error {
	var err error
	if s.output == "json" {
		err = s.encode(found)
	} else {
		for _, m := range found.Missing {
			fmt.Fprintf(s.out, "missing  %s  %d bytes  %s\n", m.Key, m.Size, m.Problem)
		}
		for _, u := range found.Unknown {
			fmt.Fprintf(s.out, "unknown  %s  %d bytes  of %s%s\n", u.Key, u.Size, u.ModifiedAt.UTC().Format(time.RFC3339),
				map[bool]string{true: "  deleted"}[u.Deleted])
		}
		_, err = fmt.Fprintf(s.out, "%d contents of %d bytes, %d objects: %d missing, %d unknown, %d elsewhere\n", found.Contents, found.Bytes,
			found.Objects, len(found.Missing), len(found.Unknown), found.Elsewhere)
	}
	if err == nil && len(found.Missing) > 0 {
		err = fmt.Errorf("%d contents are missing in the store, or are others: restore their objects from the backup", len(found.Missing))
	}
	return err
}

// record keeps for each organization when its contents were compared, and what was found of it. What was unknown and is
// deleted is unknown no more.
func (v *verifier) record(ctx context.Context) error {
	type counts struct {
		Missing int `json:"missing"`
		Unknown int `json:"unknown"`
	}
	of := map[string]*counts{}
	at := func(organization string) *counts {
		if of[organization] == nil {
			of[organization] = &counts{}
		}
		return of[organization]
	}
	for _, m := range v.found.Missing {
		at(m.OrganizationID).Missing++
	}
	for _, u := range v.found.Unknown {
		organization, _, _ := strings.Cut(u.Key, "/")
		if !u.Deleted {
			at(organization).Unknown++
		}
	}
	found, err := json.Marshal(of)
	if err != nil {
		return err
	}
	_, err = v.database.Exec(ctx, `UPDATE documents.storage s SET verified_at = clock_timestamp(), verified_deep = $1,
			verified_missing = coalesce(($2::jsonb -> s.organization_id::text ->> 'missing')::bigint, 0),
			verified_unknown = coalesce(($2::jsonb -> s.organization_id::text ->> 'unknown')::bigint, 0)`, v.found.Deep, found)
	return err
}

// verifier compares rows and objects, both in the order of their keys. What differs is looked at once more by itself, as the service writes
// and deletes meanwhile: a row is there before its object, and goes after it.
type verifier struct {
	database *pgx.Conn
	store    store.Store
	note     func(string)
	found    verification
	known    int64 // objects that a row has
}

// content is the row of one that is ready.
type content struct {
	organization, key string
	size              int64
	sha256            []byte
}

func (v *verifier) run(ctx context.Context, remove bool) error {
	if err := v.store.Check(ctx); err != nil {
		return fmt.Errorf("AMS_DOCUMENTS_STORE: %w", err)
	}
	rows := v.contents(ctx)
	next, stop := iter.Pull2(rows)
	defer stop()
	row, err, more := next()
	err = v.store.List(ctx, "", func(object store.Object) error {
		v.found.Objects++
		for ; more && err == nil && row.key < object.Key; row, err, more = next() {
			if err := v.compare(ctx, row, nil); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		if more && row.key == object.Key {
			v.known++
			if err := v.compare(ctx, row, &object); err != nil {
				return err
			}
			row, err, more = next()
			return err
		}
		return v.another(ctx, object)
	})
	for ; more && err == nil; row, err, more = next() {
		err = v.compare(ctx, row, nil)
	}
	if err != nil || !remove {
		return err
	}
	return v.deleteUnknown(ctx)
}

// contents gives the contents that are ready, in the order of their keys. They are read by pages: a snapshot is not held
// for as long as bytes are read.
func (v *verifier) contents(ctx context.Context) iter.Seq2[content, error] {
	return func(yield func(content, error) bool) {
		for after := (content{}); ; {
			rows, err := v.database.Query(ctx, `SELECT organization_id::text, organization_id || '/' || id, size, sha256 FROM documents.blob
				WHERE state = 'ready' AND (organization_id, id) > ($1::uuid, $2::uuid) ORDER BY organization_id, id LIMIT 5000`, uuidOf(after.key, 0),
				uuidOf(after.key, 37))
			if err != nil {
				yield(content{}, err)
				return
			}
			page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c content, err error) {
				err = row.Scan(&c.organization, &c.key, &c.size, &c.sha256)
				return c, err
			})
			if err != nil {
				yield(content{}, err)
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			if len(page) == 0 {
				return
			}
			after = page[len(page)-1]
		}
	}
}

// uuidOf is the id that begins at a place of a key, and of no key the one before all others.
func uuidOf(key string, at int) string {
	if key == "" {
		return "00000000-0000-0000-0000-000000000000"
	}
	return key[at : at+36]
}

// compare looks at the object of a content, which the list did not have if it is nil.
func (v *verifier) compare(ctx context.Context, c content, object *store.Object) error {
	v.found.Contents++
	v.found.Bytes += c.size
	if object == nil { // it may have come after the list
		late, err := v.store.Stat(ctx, c.key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err == nil {
			object = &late
		}
	}
	problem := ""
	switch {
	case object == nil:
		problem = "is not there"
	case object.Size != c.size:
		problem = fmt.Sprintf("has %d bytes", object.Size)
	case v.found.Deep:
		sum, err := v.hash(ctx, c.key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("read %s: %w", c.key, err)
		}
		if err != nil {
			problem = "is not there"
		} else if sum != hex.EncodeToString(c.sha256) {
			problem = fmt.Sprintf("has the sha256 %s, not %x", sum, c.sha256)
		}
	}
	if problem == "" {
		return nil
	}
	var ready bool // or deleted meanwhile
	if err := v.database.QueryRow(ctx, `SELECT EXISTS (SELECT FROM documents.blob WHERE state = 'ready' AND organization_id = $1 AND id = $2)`,
		c.organization, uuidOf(c.key, 37)).Scan(&ready); err != nil || !ready {
		return err
	}
	v.found.Missing = append(v.found.Missing, missingObject{c.organization, c.key, c.size, problem})
	v.note("missing: " + c.key + " " + problem)
	return nil
}

func (v *verifier) hash(ctx context.Context, key string) (string, error) {
	body, err := v.store.Open(ctx, key, 0, -1)
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	_, err = io.Copy(digest, body)
	return hex.EncodeToString(digest.Sum(nil)), errors.Join(err, body.Close())
}

// ofContent are keys as the service makes them: of a content, of its thumbnails, of the rest of an upload.
var ofContent = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.[0-9a-z]+)?$`)

// another looks at an object that is no ready content: a thumbnail, one that is being written, one that is deleted some day, or unknown.
func (v *verifier) another(ctx context.Context, object store.Object) error {
	if ofContent.MatchString(object.Key) {
		known, err := v.isKnown(ctx, object.Key)
		if err != nil {
			return err
		}
		if known {
			v.known++
			return nil
		}
	}
	if time.Since(object.ModifiedAt) < unknownAfter {
		return nil
	}
	if ofContent.MatchString(object.Key) {
		if here, err := v.isHere(ctx, object.Key); err != nil || !here { // the organization's database is another cell's
			v.found.Elsewhere++
			return err
		}
	}
	if _, err := v.store.Stat(ctx, object.Key); err != nil { // its row may have gone just now, and it before that
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	}
	v.found.Unknown = append(v.found.Unknown, unknownObject{Key: object.Key, Size: object.Size, ModifiedAt: object.ModifiedAt})
	return nil
}

func (v *verifier) isKnown(ctx context.Context, key string) (known bool, err error) {
	err = v.database.QueryRow(ctx, `SELECT EXISTS (SELECT FROM documents.blob WHERE organization_id = $1 AND id = $2)`,
		uuidOf(key, 0), uuidOf(key, 37)).Scan(&known)
	return known, err
}

// isHere says whether this database has documents of the organization that an object is of. All cells have one store.
func (v *verifier) isHere(ctx context.Context, key string) (here bool, err error) {
	err = v.database.QueryRow(ctx, `SELECT EXISTS (SELECT FROM documents.storage WHERE organization_id = $1)
		OR EXISTS (SELECT FROM documents.blob WHERE organization_id = $1)`, uuidOf(key, 0)).Scan(&here)
	return here, err
}

// deleteUnknown deletes what no content has. Where no object at all is known, database and store do not belong together.
func (v *verifier) deleteUnknown(ctx context.Context) error {
	if len(v.found.Unknown) > 0 && v.known == 0 {
		return errors.New("no object of the store is known to this database: nothing is deleted. Are AMS_OWNER_DATABASE_URL and " +
			"AMS_DOCUMENTS_STORE of one installation?")
	}
	for i := range v.found.Unknown {
		unknown := &v.found.Unknown[i]
		if !ofContent.MatchString(unknown.Key) {
			v.note(unknown.Key + " is no object of the documents service: it stays")
			continue
		}
		if err := v.store.Delete(ctx, unknown.Key); err != nil {
			return fmt.Errorf("delete %s: %w", unknown.Key, err)
		}
		unknown.Deleted = true
	}
	return nil
}
