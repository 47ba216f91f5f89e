package move

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// An archive is a ZIP file that has all of one organization, with its sandboxes: rows/<schema>.<table>.csv for each table,
// contents/<number>.tar with the files of documents, and manifest.json at the end, which says what must be in it.
const (
	archiveFormat  = "ams-organization"
	archiveVersion = 1
	manifestFile   = "manifest.json"
	// manifestLimit bounds what is read into memory of a file that may not be ours.
	manifestLimit = 64 << 20
)

// Manifest says what is in an archive.
type Manifest struct {
	Format       string            `json:"format"`
	Version      int               `json:"version"` // of the format
	Product      string            `json:"product"` // the release that wrote it
	At           time.Time         `json:"at"`      // the moment that its rows are of
	Organization string            `json:"organization_id"`
	Name         string            `json:"name"`
	Sandboxes    []string          `json:"sandboxes"`
	Plan         string            `json:"plan"`
	AddOns       []string          `json:"add_ons"`
	Jurisdiction *string           `json:"jurisdiction_id"`
	Schemas      map[string]string `json:"schemas"`          // how far the migrations of each are
	Sequences    map[string]int64  `json:"sequences"`        // what positions, times and numbers go on from
	Partitions   []Partition       `json:"partitions"`       // by time, of the cell's tables
	Tables       []ArchivedTable   `json:"tables"`           //
	Contents     []ArchivedFiles   `json:"contents"`         //
	Missing      []string          `json:"contents_missing"` // contents whose object the store did not have
	LeftOut      map[string]string `json:"left_out"`         // tables and columns that are not in it, and what that means
}

// ArchivedTable is the rows of one table.
type ArchivedTable struct {
	Name    string   `json:"name"` // schema.table
	File    string   `json:"file"`
	SHA256  string   `json:"sha256"` // of the file
	Rows    int64    `json:"rows"`
	Sum     string   `json:"sum"` // of the hashes of the rows' texts, generated columns among them
	Columns []string `json:"columns"`
	Types   string   `json:"types"` // of the table, with what is left out
}

// ArchivedFiles is a tar file of contents: <organization>/<id>, each with its own checksum in the PAX record AMS.sha256.
type ArchivedFiles struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Count  int64  `json:"contents"`
	Bytes  int64  `json:"content_bytes"`
}

// Rows are those of all tables.
func (m Manifest) Rows() (rows int64) {
	for _, t := range m.Tables {
		rows += t.Rows
	}
	return rows
}

// Files are the contents of all documents, with their bytes.
func (m Manifest) Files() (contents, bytes int64) {
	for _, f := range m.Contents {
		contents, bytes = contents+f.Count, bytes+f.Bytes
	}
	return contents, bytes
}

func (m Manifest) organizations() []string { return append([]string{m.Organization}, m.Sandboxes...) }

// encode gives the manifest as it stands in the archive.
func (m Manifest) encode() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// Tables and columns that an archive does not have: they hold only in the installation that they are of.
const (
	sealedTable  = "webhooks.webhook_endpoint_secret"
	sealedOf     = "webhooks.webhook_endpoint"
	sealedColumn = "sealed_headers"
)

var leftOut = map[string]string{
	sealedTable:                    "sealed with a key of the installation: each endpoint arrives disabled, until its secret is rotated",
	sealedOf + "." + sealedColumn:  "sealed as the secrets are: the headers of an endpoint are set again",
	"console.session":              "sign-ins end: people sign in again",
	"console.sent_form":            "belongs to sign-ins",
	"mcp.mcp_grant":                "sealed as the secrets are: assistants are connected again",
	"documents.upload":             "uploads that are not complete begin again",
	"documents.upload_part":        "belongs to uploads",
	"thumbnails of documents.blob": "are made again",
}

// fullName is schema.table.
func (t table) fullName() string { return t.schema + "." + t.name }

// archived gives the tables that an archive has, without the columns that it has not.
func archived(tables []table) (of []table) {
	for _, t := range tables {
		if leftOut[t.fullName()] != "" {
			continue
		}
		isLeftOut := func(column string) bool { return leftOut[t.fullName()+"."+column] != "" }
		t.columns, t.all = slices.DeleteFunc(slices.Clone(t.columns), isLeftOut), slices.DeleteFunc(slices.Clone(t.all), isLeftOut)
		of = append(of, t)
	}
	return of
}

// blobs is the table of documents' contents, whose rows say which files an archive has.
const blobs = "documents.blob"

func hasTable(tables []table, name string) bool {
	return slices.ContainsFunc(tables, func(t table) bool { return t.fullName() == name })
}

// writeFile adds a file to an archive, and gives its checksum.
func writeFile(archive *zip.Writer, name string, method uint16, at time.Time, fill func(io.Writer) error) (string, error) {
	file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: at})
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	if err := fill(io.MultiWriter(file, hash)); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// checksum is the SHA-256 that pins an archive: that of its manifest, which has those of all its files.
func checksum(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:])
}
