package site

import (
	"bytes"
	"encoding/xml"
	"os"
	"regexp"
	"strings"
	"time"

	"ams.internal/docs"
	"ams.internal/gateway/static"
)

// atomFeed is a feed of RFC 4287.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Links   []atomLink  `xml:"link"`
	Updated string      `xml:"updated"`
	Author  atomAuthor  `xml:"author"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomEntry struct {
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Link    atomLink    `xml:"link"`
	Updated string      `xml:"updated"`
	Content atomContent `xml:"content"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	HTML string `xml:",chardata"`
}

// feed is the changelog as a feed: one entry for each release.
func (s *Site) feed() (*static.Asset, error) {
	source, err := docs.Files.ReadFile(changelogDocument)
	if err != nil {
		return nil, err
	}
	content, err := writeFeed(source, s.baseURL, built())
	return static.New("application/atom+xml; charset=utf-8", content), err
}

// releaseHeading is "## [1.2.0] - 2026-11-22", or "## [Unreleased]".
var releaseHeading = regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?.*$`)

// writeFeed makes a feed of a changelog in the form of Keep a Changelog. What is not released yet has the time at which this program was
// built: it is what the program has.
func writeFeed(changelog []byte, baseURL string, built time.Time) ([]byte, error) {
	page := baseURL + changelogPath
	feed := atomFeed{Lang: english.Code, Title: english.Product + ": changelog", ID: page, Author: atomAuthor{english.Product},
		Links: []atomLink{{"self", "application/atom+xml", baseURL + feedPath}, {"alternate", "text/html", page}}}
	releases := releaseHeading.FindAllSubmatchIndex(changelog, -1)
	for i, at := range releases {
		end := len(changelog)
		if i+1 < len(releases) {
			end = releases[i+1][0]
		}
		if len(bytes.TrimSpace(changelog[at[1]:end])) == 0 { // nothing has changed since the last release
			continue
		}
		name, updated := string(changelog[at[2]:at[3]]), built.UTC().Format(time.RFC3339)
		if at[4] >= 0 {
			updated = string(changelog[at[4]:at[5]]) + "T00:00:00Z"
		}
		notes, err := read(changelog[at[1]:end], baseURL, func(link string) string {
			if strings.Contains(link, "://") {
				return link
			}
			return "" // what is relative in a document leads nowhere in a reader
		}, nil)
		if err != nil {
			return nil, err
		}
		feed.Updated = max(feed.Updated, updated)
		feed.Entries = append(feed.Entries, atomEntry{Title: name, ID: page + "#" + strings.ToLower(name), Updated: updated,
			Link: atomLink{"alternate", "text/html", page}, Content: atomContent{"html", string(notes.body)}})
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	encoder := xml.NewEncoder(&out)
	encoder.Indent("", "  ")
	err := encoder.Encode(feed)
	return out.Bytes(), err
}

// built is when this program was built: the time of its file.
func built() time.Time {
	if path, err := os.Executable(); err == nil {
		if file, err := os.Stat(path); err == nil {
			return file.ModTime()
		}
	}
	return time.Now()
}
