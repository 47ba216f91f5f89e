package users

import "encoding/json"

// ForgettableRequest asks for users who were removed before a time.
type ForgettableRequest struct {
	Before string `json:"before" required:"true" format:"date-time" doc:"Removed earlier than this."`
}

// ForgettableUsers are some of them.
type ForgettableUsers struct {
	IDs []string `json:"ids"`
}

// PersonRequest names a user by id, e-mail address or both.
type PersonRequest struct {
	UserID *string `json:"user_id,omitempty" format:"uuid"`
	Email  *string `json:"email,omitempty" maxLength:"254"`
}

// Person is a user with the record as GET gives it.
type Person struct {
	ID     string          `json:"id"`
	Email  string          `json:"email"`
	Status string          `json:"status"`
	Erased bool            `json:"erased"`
	Record json.RawMessage `json:"record"`
}

// Forgotten says how many records were erased: none where it was done before.
type Forgotten struct {
	Rows int64 `json:"rows"`
}
