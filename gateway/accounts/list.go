package accounts

import (
	"encoding/json"

	"ams.internal/libs/transport"
)

type paged struct {
	Page    int `query:"page" default:"1" minimum:"1" maximum:"1000000"`
	PerPage int `query:"per_page" default:"25" minimum:"1" maximum:"1000"`
}

// list is the envelope of every list.
type list struct {
	Data       json.RawMessage      `json:"data"`
	Pagination transport.Pagination `json:"pagination"`
}

func newList(data any, in paged, total int) list {
	encoded, err := json.Marshal(data)
	if err != nil { // texts, numbers and lists of them
		panic(err)
	}
	return list{encoded, transport.PaginationOf(in.Page, in.PerPage, int64(total))}
}
