package catalogue

import (
	"iter"
	"slices"
	"strings"
)

// EventType is one type of event that an organization can subscribe to.
type EventType struct {
	Name        string // "site.created"
	Collection  string // of the records that it is about; empty where each event names its own (import.completed)
	Scope       string // who has it with ":read" may receive it; empty: the scope of the event's collection
	Feature     string // of the plan; "" for what every plan has
	Description string
}

// eventTypes are all types of event of a collection: the three that every collection has, but for those that it has its
// own word on, then its own.
func (row Collection) eventTypes() []EventType {
	one := A(row.One())
	one = strings.ToUpper(one[:1]) + one[1:]
	types := []EventType{
		{row.Singular + ".created", row.Name, row.Scope, row.Feature, one + " was created."},
	}
	if !row.AppendOnly {
		types = append(types,
			EventType{row.Singular + ".updated", row.Name, row.Scope, row.Feature, one + " was changed; changed and previous say what."},
			EventType{row.Singular + ".deleted", row.Name, row.Scope, row.Feature, one + " was deleted; the object is what it was last."})
	}
	types = slices.DeleteFunc(types, func(t EventType) bool {
		return slices.ContainsFunc(row.Events, func(event Event) bool { return event.Name == t.Name })
	})
	for _, event := range row.Events {
		types = append(types, EventType{event.Name, row.Name, row.Scope, row.Feature, event.Description})
	}
	return types
}

// EventTypes gives every type of event.
func (c *Catalogue) EventTypes() iter.Seq[EventType] { return slices.Values(c.types) }

// FindEventType gives the type of that name.
func (c *Catalogue) FindEventType(name string) (EventType, bool) {
	eventType, found := c.byName[name]
	return eventType, found
}

// Access gives scope and feature of who may see an event of a type about a record of a collection. Nobody may see what is
// not in the catalogue: then known is false.
func (c *Catalogue) Access(name, collection string) (scope, feature string, known bool) {
	eventType, known := c.byName[name]
	if known && eventType.Collection == "" {
		row, found := c.Find(collection)
		return row.Scope, row.Feature, found
	}
	return eventType.Scope, eventType.Feature, known
}
