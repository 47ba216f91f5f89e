package accounts

import "encoding/json"

type paged struct {
	Page    int `query:"page" default:"1" minimum:"1" maximum:"1000000"`
	PerPage int `query:"per_page" default:"25" minimum:"1" maximum:"1000"`
}

// list is the envelope of every list.
type list struct {
	Data       json.RawMessage `json:"data"`
	Pagination pagination      `json:"pagination"`
}

type pagination struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	Total      int `json:"total"`
	TotalPages int `json:"total_pages"`
}

func newList(data any, in paged, total int) list {
	encoded, err := json.Marshal(data)
	if err != nil { // texts, numbers and lists of them
		panic(err)
	}
	return list{encoded, pagination{in.Page, in.PerPage, total, max(1, (total+in.PerPage-1)/in.PerPage)}}
}
