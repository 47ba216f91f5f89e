// Package catalogue lists what the product keeps: one row per collection. Routes, key scopes, plan features, owners of
// references, event types and the words for records derive from the rows, so that a new collection is written down once.
package catalogue

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Locations are the records by which others of one name stand apart, of which LocationField has the id and LocationName shows the name.
const (
	Locations     = "sites"
	LocationField = "site_id"
	LocationName  = "site_name"
)

// Collection is one row: what all programs know of a collection.
type Collection struct {
	Name     string // "sites"; what references and operation ids call it
	Singular string // "site"; the first word of its event types
	Service  string // that owns it, by its name in Consul: "assets"
	Path     string // "/v1/sites"; a sub-collection's names its parent: "/v1/assets/{asset_id}/condition-assessments"
	Scope    string // of keys: "sites", to which ":read" and ":write" are added
	Feature  string // of the plan; empty for what every plan has

	// ReferredBy are the other services whose records may refer to records of this collection. They are called before one
	// of these is deleted.
	ReferredBy []string

	// OnRecords is that its records are on records of other collections, as documents are, of which their field collection has the name:
	// who may not read that one receives no event of them.
	OnRecords bool

	// AppendOnly is that its records are created and read, and never changed or deleted: entries of a ledger. There are no operations and no
	// events for it, and the service's role needs no right to it. No types are declared of their custom fields, which would lock the rows.
	AppendOnly bool

	// Events are those beyond created, updated and deleted; and one of these three where it means something else than of other collections.
	Events []Event
	Words  Words // one record, as people call it
}

// A puts the article before a noun: an asset, a user.
func A(noun string) string {
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// One is what a record is called.
func (c Collection) One() string { return words(c.Singular) }

// Many is what several records are called.
func (c Collection) Many() string { return words(c.Name) }

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Missing is what is said of an id, or of another name of a record, that the organization has no record of.
func (c Collection) Missing(which string) string {
	return fmt.Sprintf("there is no record %s in %s of this organization; GET %s lists them", which, c.Many(), c.Path)
}

// Event is an event of a collection that its definition emits.
type Event struct {
	Name        string // "work_order.completed"
	Description string
}

// Words is one expression in each language of the product.
type Words struct{ English, French string }

// In gives the expression in a language: "en" or "fr".
func (w Words) In(language string) string {
	if language == "fr" {
		return w.French
	}
	return w.English
}

// Feature is a part of the product that a plan includes or not.
type Feature struct {
	Key   string // "los"
	Words Words
}

// Path is a path of the API without a collection of its own.
type Path struct {
	Prefix  string // the path itself and everything below it
	Service string
	Scope   string // empty: any key; what it is shown depends on its scopes
	Waits   bool   // a response may be waited for on purpose, as for the next event
	Writes  bool   // every method needs the scope for writing, also GET and HEAD
}

// MaxContent is how many bytes the content of one revision of a document has at most.
const MaxContent = 5 << 30

// Catalogue is a set of rows that belong together. It does not change.
type Catalogue struct {
	collections []Collection
	types       []EventType
	byName      map[string]EventType
	features    []Feature
	paths       []Path
}

// New makes a catalogue of some collections alone, for tests that serve collections of their own.
func New(collections ...Collection) *Catalogue {
	c := &Catalogue{byName: map[string]EventType{}}
	c.add(collections...)
	return c
}

func (c *Catalogue) add(collections ...Collection) {
	c.collections = append(c.collections, collections...)
	for _, row := range collections {
		c.addTypes(row.eventTypes()...)
	}
}

func (c *Catalogue) addTypes(types ...EventType) {
	c.types = append(c.types, types...)
	for _, eventType := range types {
		c.byName[eventType.Name] = eventType
	}
}

// Collections gives all rows, each behind those that its path names.
func (c *Catalogue) Collections() iter.Seq[Collection] { return slices.Values(c.collections) }

// Services gives the services that own collections, by their names in Consul.
func (c *Catalogue) Services() []string {
	var names []string
	for _, row := range c.collections {
		if !slices.Contains(names, row.Service) {
			names = append(names, row.Service)
		}
	}
	return names
}

// Find gives the row of a collection by its name.
func (c *Catalogue) Find(name string) (Collection, bool) {
	return c.first(func(row Collection) bool { return row.Name == name })
}

// FindSingular gives the row of a collection by what one record of it is called: "site".
func (c *Catalogue) FindSingular(singular string) (Collection, bool) {
	return c.first(func(row Collection) bool { return row.Singular == singular })
}

// Named gives the row that the value of a field means: by the name of the collection, or by what one record of it is called.
func (c *Catalogue) Named(value string) (Collection, bool) {
	return c.first(func(row Collection) bool { return row.Name == value || row.Singular == value })
}

func (c *Catalogue) first(is func(Collection) bool) (Collection, bool) {
	i := slices.IndexFunc(c.collections, is)
	if i < 0 {
		return Collection{}, false
	}
	return c.collections[i], true
}

// Must is Find for names that are written in a program. It panics where there is no such row.
func (c *Catalogue) Must(name string) Collection {
	row, found := c.Find(name)
	if !found {
		panic(fmt.Sprintf("catalogue: there is no collection %q", name))
	}
	return row
}

// Scopes gives the scopes that a key can have, without "*:*", in alphabetical order.
func (c *Catalogue) Scopes() []string {
	var names []string
	for _, row := range c.collections {
		names = append(names, row.Scope+":read", row.Scope+":write")
	}
	for _, path := range c.paths {
		if path.Scope != "" {
			names = append(names, path.Scope+":read", path.Scope+":write")
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// FeatureOf gives the feature of the plan that a scope's collections need; empty: none.
func (c *Catalogue) FeatureOf(scope string) string {
	row, _ := c.first(func(row Collection) bool { return row.Scope == scope })
	return row.Feature
}

// Features gives the features that plans can include.
func (c *Catalogue) Features() iter.Seq[Feature] { return slices.Values(c.features) }

// FeatureName is what people call a feature, in English; empty for one that is not in the catalogue.
func (c *Catalogue) FeatureName(key string) string {
	for _, feature := range c.features {
		if feature.Key == key {
			return feature.Words.English
		}
	}
	return ""
}

// Route is a path prefix of the API, who serves it, and what it takes to use it.
type Route struct {
	Path
	Feature string // of the plan besides API access; empty: none
}

// Routes gives the prefixes of all paths of the API that a service serves. A prefix is the path's first part, as
// "/v1/infrastructure"; collections below one prefix have one service and feature. One whose scope is another than that of the first there
// has its own path as a prefix, before the shorter one.
func (c *Catalogue) Routes() []Route {
	var narrow, routes []Route
	for _, row := range c.collections {
		prefix := prefixOf(row.Path)
		first := slices.IndexFunc(routes, func(r Route) bool { return r.Prefix == prefix })
		if first < 0 {
			routes = append(routes, Route{Path{Prefix: prefix, Service: row.Service, Scope: row.Scope}, row.Feature})
		} else if routes[first].Scope != row.Scope {
			own, _, _ := strings.Cut(row.Path, "/{")
			narrow = append(narrow, Route{Path{Prefix: own, Service: row.Service, Scope: row.Scope}, row.Feature})
		}
	}
	routes = append(narrow, routes...)
	for _, path := range c.paths {
		routes = append(routes, Route{Path: path})
	}
	return routes
}

// prefixOf is the first part of a path below its version: "/v1/assets" of "/v1/assets/{asset_id}/condition-assessments".
func prefixOf(path string) string {
	parts := strings.SplitN(path, "/", 4)
	return strings.Join(parts[:min(len(parts), 3)], "/")
}

// ShowsPeople says whether scopes let somebody read personal data: that of members, or of residents who sent requests.
func ShowsPeople(scopes []string) bool {
	return slices.Contains(scopes, "users:read") || slices.Contains(scopes, "requests:read") || slices.Contains(scopes, "*:*")
}
