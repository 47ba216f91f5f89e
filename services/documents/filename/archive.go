package filename

import (
	"strconv"
	"strings"
)

// Archive gives files their paths in one archive. The zero value is ready.
type Archive struct {
	taken map[string]int // by path in upper case: how many asked for it
}

// Path is collection/record/title, each segment clean, unpacked alike on Windows and Unix. The title gets the extension of the file's name
// unless it has it; of a file without one it keeps none. The second file of an equal path is "title (2).pdf"; paths that differ in upper
// and lower case alone are equal, as Windows and macOS see them.
func (a *Archive) Path(collection, record, title, name string) string {
	folder := Clean(collection) + "/" + Clean(record) + "/"
	title = Clean(title)
	switch e, own := extension(Clean(name)), extension(title); {
	case e == "" && own != "": // a text does not become a program by its title
		title = strings.TrimSuffix(title, own) + "_" + own[1:]
	case !strings.EqualFold(e, own):
		title = Clean(title + e)
	}
	if a.taken == nil {
		a.taken = map[string]int{}
	}
	wanted := strings.ToUpper(folder + title)
	for path := folder + title; ; {
		key := strings.ToUpper(path)
		if _, taken := a.taken[key]; !taken {
			a.taken[key] = 1
			return path
		}
		a.taken[wanted]++
		path = folder + shorten(title, " ("+strconv.Itoa(a.taken[wanted])+")")
	}
}
