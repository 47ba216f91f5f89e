package mcp

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/schema"
)

// node is a piece of JSON Schema as clients receive it. It has one type, because some clients refuse lists of types, and
// few words, because an assistant reads all of them in every conversation.
type node map[string]any

// Nodes of tool results.
var (
	text      = node{"type": "string"}
	integer   = node{"type": "integer"}
	number    = node{"type": "number"}
	boolean   = node{"type": "boolean"}
	texts     = node{"type": "array", "items": text}
	anyObject = node{"type": "object"}
	reference = node{"type": "object"} // {id, name}, as the instructions say once for all tools
)

// object is a node with members. No member is required or excluded: results leave out empty members, and the argument
// fields selects others.
func object(members node) node { return node{"type": "object", "properties": members} }

// listOf is the result of tools that search: a page of records.
func listOf(record node) node { return pageOf(record).with(node{"next_cursor": text}) }

// searchResult is the result of tools with filters: rows of the fields that the caller names, or groups in place of them. What is in them
// is not declared, because an assistant reads every declaration in every conversation.
var searchResult = listOf(anyObject).with(node{"groups": node{"type": "array", "items": anyObject}, "sum": anyObject})

// pageOf is the result of tools whose lists have pages by number alone.
func pageOf(row node) node {
	return object(node{"data": node{"type": "array", "items": row}, "total": integer, "more": text}) // page and limit are those of the call
}

// with returns the object with more members.
func (n node) with(more node) node {
	members := maps.Clone(n["properties"].(node))
	maps.Copy(members, more)
	return object(members)
}

// inputSchema is the schema of a tool's arguments. It leaves out maximum lengths, because they cost more tokens than
// they save. An argument that is too long gets an error.
func inputSchema(declared *schema.Schema) node {
	members := node{}
	for _, field := range declared.Fields {
		members[field.Name] = argumentNode(field.JSON)
	}
	input := node{"type": "object", "properties": members, "additionalProperties": false}
	if required := slices.Clone(declared.JSON.Required); len(required) > 0 {
		input["required"] = required
	}
	return input
}

func argumentNode(declared *huma.Schema) node {
	n := node{"type": declared.Type}
	if declared.Description != "" {
		n["description"] = declared.Description
	}
	if declared.Format == "date" { // ids have names that end in id
		n["format"] = declared.Format
	}
	if values := withoutNull(declared.Enum); len(values) > 0 {
		n["enum"] = values
	}
	if declared.Minimum != nil && declared.Maximum != nil && *declared.Maximum <= 1000 { // years need no limits in the schema
		if n["maximum"] = *declared.Maximum; *declared.Minimum > 1 { // nobody asks for less than one
			n["minimum"] = *declared.Minimum
		}
	}
	if declared.Items != nil {
		n["items"] = argumentNode(declared.Items)
	}
	if len(declared.Properties) > 0 { // of the rows of a list
		members := node{}
		for name, property := range declared.Properties {
			members[name] = argumentNode(property)
		}
		n["properties"] = members
		if len(declared.Required) > 0 {
			n["required"] = declared.Required
		}
	}
	return n
}

func withoutNull(values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(value any) bool { return value == nil })
}
