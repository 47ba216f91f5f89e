package main

import (
	"encoding/csv"
	"net/http"
	"strings"
	"time"
)

// exportMost ends a file that would never end; so many entries are more than a spreadsheet takes.
const exportMost = 1_000_000

// exportAudit writes what the filter finds as CSV, part by part: the whole of it is never held. Times are UTC, and actions
// stand as the API names them, so that the file is the same in every language.
func exportAudit(v *visit) error {
	filter, f := v.auditFilter()
	if f.wrong() {
		return v.lead("/settings/audit?" + filter.query("").Encode())
	}
	part, err := v.auditEntries(filter, "", 500)
	if err != nil {
		return err
	}
	header := v.w.Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="audit-`+time.Now().UTC().Format("2006-01-02")+`.csv"`)
	v.w.WriteHeader(http.StatusOK)
	out := csv.NewWriter(v.w)
	_ = out.Write([]string{"at", "actor_type", "actor_id", "actor_name", "action", "subject_type", "subject_id", "subject_name", "address", "request_id", "changes"})
	for written := 0; ; {
		for _, e := range part.Data {
			if err := out.Write(cells(e.At, e.Actor.Type, e.Actor.ID, e.Actor.Name, e.Action, e.Subject.Type, e.Subject.ID, e.Subject.Name, e.Address, e.RequestID, string(e.Changes))); err != nil {
				return ignoreGone(err)
			}
		}
		out.Flush()
		if written += len(part.Data); part.Next == "" || written >= exportMost {
			break
		}
		if part, err = v.auditEntries(filter, part.Next, 500); err != nil {
			v.log.WarnContext(v.ctx(), "an export of the audit trail broke off", "error", err)
			panic(http.ErrAbortHandler) // half a file must not look whole
		}
	}
	return nil
}

// cells keeps spreadsheets from taking what people typed for a formula.
func cells(values ...string) []string {
	for i, value := range values {
		if value != "" && strings.ContainsRune("=+-@\t\r", rune(value[0])) {
			values[i] = "'" + value
		}
	}
	return values
}
