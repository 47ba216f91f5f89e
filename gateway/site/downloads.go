package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ams.internal/gateway/openapi"
	"ams.internal/gateway/static"
)

const (
	downloadsPath = docsPath + "/downloads"
	sumsName      = "SHA256SUMS"
	documentName  = "openapi.json"
	postmanName   = "postman.json"
)

// described are the files that are made of the document: kept until that changes, as they are large and anybody may ask for them.
var described = []string{postmanName, documentName}

// download is a file that people take from the installation.
type download struct {
	Name   string // below /docs/downloads
	Size   int64
	SHA256 string

	changed time.Time
}

// Path is where the file is.
func (d download) Path() string { return downloadsPath + "/" + d.Name }

// ShownSize is the size as people read it.
func (d download) ShownSize() string {
	if d.Size < 1<<20 {
		return fmt.Sprintf("%d kB", (d.Size+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(d.Size)/(1<<20))
}

// packages are the files of the folder that "make downloads" writes: the packed client libraries, amsctl, and below go/ what a Go module
// proxy serves.
type packages struct {
	folder string // empty: none

	mu    sync.Mutex
	known map[string]download // by name; a checksum holds while size and time are the same
}

// list gives the files, by name. What begins with a dot is not for people.
func (p *packages) list() ([]download, error) {
	if p.folder == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return nil, fmt.Errorf("the folder of downloads: %w", err)
	}
	defer func() { _ = root.Close() }()
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []download
	known := map[string]download{}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != "." && entry.Name()[0] == '.' {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		found, has := p.known[name]
		if !has || found.Size != info.Size() || !found.changed.Equal(info.ModTime()) {
			found = download{Name: name, Size: info.Size(), changed: info.ModTime()}
			if found.SHA256, err = sumOf(root, name); err != nil {
				return err
			}
		}
		known[name] = found
		all = append(all, found)
		return nil
	})
	p.known = known
	return all, err
}

func sumOf(root *os.Root, name string) (string, error) {
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

var downloadTypes = map[string]string{
	".tgz": "application/gzip", ".gz": "application/gzip", ".whl": "application/zip", ".zip": "application/zip", ".json": "application/json",
	".info": "application/json", ".mod": "text/plain; charset=utf-8", "": "text/plain; charset=utf-8",
}

// respond is the response to a request for a file of the folder; nil where there is none.
func (p *packages) respond(r *http.Request, name string) (*http.Response, error) {
	all, err := p.list()
	if err != nil {
		return nil, err
	}
	for _, found := range all {
		if found.Name != name {
			continue
		}
		response := &http.Response{StatusCode: http.StatusOK, ContentLength: found.Size, Header: http.Header{
			"Content-Type": {"application/octet-stream"}, "Cache-Control": {"no-cache"}, "X-Content-Type-Options": {"nosniff"},
			"Etag": {`"` + found.SHA256 + `"`}}}
		if contentType := downloadTypes[path.Ext(name)]; contentType != "" && !strings.HasPrefix(name, "amsctl") {
			response.Header["Content-Type"] = []string{contentType}
		}
		if strings.Contains(strings.Join(r.Header["If-None-Match"], ","), found.SHA256) {
			response.StatusCode, response.Body, response.ContentLength = http.StatusNotModified, http.NoBody, 0
			return response, nil
		}
		root, err := os.OpenRoot(p.folder)
		if err != nil {
			return nil, err
		}
		defer func() { _ = root.Close() }()
		file, err := root.Open(name)
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil, nil
		}
		response.Body = file
		return response, err
	}
	return nil, nil
}

// download is the response to a request for a file below /docs/downloads: of the folder, or made of the document; nil where there is none.
func (s *Site) download(r *http.Request, name string) (*http.Response, error) {
	if name != sumsName && !slices.Contains(described, name) {
		return s.packages.respond(r, name)
	}
	made, err := s.made(name)
	if err != nil {
		return nil, err
	}
	return made.Respond(r), nil
}

// made gives a file that is made of the document.
func (s *Site) made(name string) (*static.Asset, error) {
	if err := s.document.Incomplete(); err != nil {
		return nil, err
	}
	if slices.Contains(described, name) {
		if _, err := s.current(); err != nil { // forgets what was made of a former document
			return nil, err
		}
		return s.cutting("downloads/"+name, func() (content *static.Asset, err error) {
			body := s.document.Clients()
			if name == postmanName {
				body, err = openapi.Postman(body)
			}
			return static.New("application/json", body), err
		})
	}
	all, err := s.downloads()
	if err != nil {
		return nil, err
	}
	var sums strings.Builder
	for _, d := range all {
		sums.WriteString(d.SHA256 + "  " + d.Name + "\n")
	}
	return static.New("text/plain; charset=utf-8", []byte(sums.String())), nil
}

// downloads are all files that have a checksum: those of the folder, and those that are made of the document.
func (s *Site) downloads() ([]download, error) {
	all, err := s.packages.list()
	if err != nil {
		return nil, err
	}
	for _, name := range described {
		made, err := s.made(name)
		if err != nil {
			return nil, err
		}
		all = append(all, download{Name: name, Size: int64(len(made.Plain())), SHA256: made.SHA256()})
	}
	return all, nil
}

// offer is a kind of download as its page shows it.
type offer struct {
	Title, Text, Command string
	Files                []download
}

// downloadWords are the words of the page of downloads.
type downloadWords struct {
	Title, Lead, None, Sums, Check string
	kinds                          []kindWords
}

// kindWords are the title and the text of a kind of files, and what they are recognized by.
type kindWords struct {
	kind, title, text string
}

var downloadsEnglish = downloadWords{
	Title: "Downloads",
	Lead: "The client libraries, amsctl and the descriptions of this installation's version. Nothing is taken from elsewhere, but for what " +
		"the libraries depend on.",
	None: "This installation has no packages of the client libraries and of amsctl: its operator has not put any there.",
	Sums: "Checksums of all files", Check: "Check what you have downloaded:",
	kinds: []kindWords{
		{"typescript", "TypeScript and JavaScript", "Node 18 or later, Deno, browsers; no dependencies."},
		{"python", "Python", "Python 3.10 or later, on httpx."},
		{"go", "Go", "Go 1.26. The installation is the module proxy of the library."},
		{"amsctl", "amsctl", "The command line: records, imports, exports, events. For Linux; make the file executable with chmod +x."},
		{"postman", "Postman", "A collection of all operations, with this installation as base_url; import the file."},
		{"openapi", "OpenAPI", "The description of the API, for generators; the same as /openapi.json."},
		{"", "Other files", ""},
	},
}

var downloadsFrench = downloadWords{
	Title: "Téléchargements",
	Lead: "Les bibliothèques pour appeler l’API, amsctl et les descriptions de la version de cette installation. Rien ne vient " +
		"d’ailleurs, sauf ce dont les bibliothèques dépendent.",
	None: "Cette installation n’a de paquets ni des bibliothèques ni d’amsctl : son exploitant n’en a pas déposé.",
	Sums: "Sommes de contrôle de tous les fichiers", Check: "Pour vérifier ce que vous avez téléchargé :",
	kinds: []kindWords{
		{"typescript", "TypeScript et JavaScript", "Node 18 ou plus récent, Deno, navigateurs ; aucune dépendance."},
		{"python", "Python", "Python 3.10 ou plus récent, avec httpx."},
		{"go", "Go", "Go 1.26. L’installation est le mandataire de modules de la bibliothèque."},
		{"amsctl", "amsctl", "La ligne de commande : enregistrements, importations, exportations, événements. Pour Linux ; rendez le " +
			"fichier exécutable par chmod +x."},
		{"postman", "Postman", "Une collection de toutes les opérations, avec cette installation comme base_url ; importez le fichier."},
		{"openapi", "OpenAPI", "La description de l’API, pour les générateurs ; la même que /openapi.json."},
		{"", "Autres fichiers", ""},
	},
}

// Downloads gives the words of the page of downloads.
func (l *language) Downloads() downloadWords {
	if l == french {
		return downloadsFrench
	}
	return downloadsEnglish
}

// kind is what people know a file as; hidden is for those that the go command fetches.
func (d download) kind() string {
	const hidden = "hidden"
	switch {
	case strings.HasPrefix(d.Name, "go/"):
		if strings.HasSuffix(d.Name, ".zip") {
			return "go"
		}
		return hidden
	case strings.HasPrefix(d.Name, "amsctl"):
		return "amsctl"
	case d.Name == postmanName:
		return "postman"
	case d.Name == documentName:
		return "openapi"
	}
	return map[string]string{".tgz": "typescript", ".whl": "python", ".gz": "python"}[path.Ext(d.Name)]
}

// command is how a file is installed; empty where it is taken as it is.
func (s *Site) command(d download) string {
	switch d.kind() {
	case "typescript":
		return "npm install " + s.baseURL + d.Path()
	case "python":
		return "python3 -m pip install " + s.baseURL + d.Path()
	case "go": // go/MODULE/@v/VERSION.zip
		module, version, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(d.Name, "go/"), ".zip"), "/@v/")
		host, _, _ := strings.Cut(module, "/")
		return "GOPROXY=" + s.baseURL + downloadsPath + "/go,https://proxy.golang.org,direct GONOSUMDB=" + host +
			" go get " + module + "@" + version
	}
	return ""
}

// downloadsPage is the page that offers all files.
func (s *Site) downloadsPage(in *language) (*static.Asset, error) {
	all, err := s.downloads()
	if err != nil {
		return nil, err
	}
	var offers []offer
	for _, k := range in.Downloads().kinds {
		found := offer{Title: k.title, Text: k.text}
		for _, d := range all {
			if d.kind() == k.kind {
				if found.Files = append(found.Files, d); found.Command == "" || strings.HasSuffix(d.Name, ".whl") {
					found.Command = s.command(d)
				}
			}
		}
		if found.Files != nil {
			offers = append(offers, found)
		}
	}
	shown := struct {
		Offers   []offer
		Packages bool
	}{offers, len(all) > len(described)}
	return s.render("downloads.html", view{Title: in.Downloads().Title, Language: in, Path: downloadsPath,
		Editions: editions(downloadsPath), It: shown})
}
