package read

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"ams.internal/libs/resource/internal/table"
)

// An entity tag begins with the version of the record. That is all of it where the whole record is shown and nothing in it changes without
// a new version. Else a checksum of what is shown follows: "7-9f86d081884c7d65". Behind either, compression adds its name (see
// transport.API.Handler). What expand shows is another record's, so a record that is shown with it has none.

// versionTag is the tag of a record's version alone.
func versionTag(version string) string { return `"` + version + `"` }

// contentTag is the tag of what is shown of a version.
func contentTag(version string, shown []byte) string {
	sum := fnv.New64a()
	_, _ = sum.Write(shown) // a hash takes everything
	return fmt.Sprintf(`"%s-%016x"`, version, sum.Sum64())
}

// setByVersion says whether a version of a record always has the same values in the columns.
func setByVersion(columns []*table.Column) bool {
	return !slices.ContainsFunc(columns, func(c *table.Column) bool { return c.Computed })
}

// encodings are what compression adds to a tag.
var encodings = []string{`-gzip"`, `-zstd"`}

// matched gives the tag of an If-None-Match header that is one of those of the record, as compression or a proxy has changed it (weak
// comparison, RFC 9110, section 8.8.3.2); "" for none.
func matched(header string, tags ...string) string {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimSpace(tag)
		bare := strings.TrimPrefix(tag, "W/")
		for _, encoding := range encodings {
			if cut, found := strings.CutSuffix(bare, encoding); found {
				bare = cut + `"`
			}
		}
		if tag == "*" || slices.Contains(tags, bare) {
			return tag
		}
	}
	return ""
}

// MatchesVersion says whether an If-Match header names the version, by any tag that it was shown with: who changes a record means its
// version, whatever part of it he has read.
func MatchesVersion(header, version string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`) // the quotes may be left out: what else could 5 mean?
		if tag == "*" || tag == version || strings.HasPrefix(tag, version+"-") {
			return true
		}
	}
	return false
}
