package console

import (
	"encoding/csv"
	"net/http"
	"strings"
	"time"
)

// maxExport limits the entries of a file. A spreadsheet takes no more.
const maxExport = 1_000_000

// exportAudit writes the filtered entries as CSV for spreadsheets, page by page, so that memory stays constant. Times are UTC and actions
// have the API's names, so that the file is the same in every language. Its name has the day of the person, as the filter's days are.
func exportAudit(req *pageRequest) error {
	filter, f := req.auditFilter()
	if f.hasProblems() {
		return req.redirect(req.base() + "/audit?" + filter.query("").Encode())
	}
	part, err := req.auditEntries(filter, "", 500)
	if err != nil {
		return err
	}
	header := req.w.Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="audit-`+req.today().Format(time.DateOnly)+`.csv"`)
	req.w.WriteHeader(http.StatusOK)
	out := csv.NewWriter(req.w)
	_ = out.Write([]string{"at", "actor_type", "actor_id", "actor_name", "action", "subject_type", "subject_id", "subject_name",
		"address", "request_id", "changes"})
	for written := 0; ; {
		for _, e := range part.Data {
			if err := out.Write(spreadsheetCells(e.At, e.Actor.Type, e.Actor.ID, e.Actor.Name, e.Action, e.Subject.Type, e.Subject.ID,
				e.Subject.Name, e.Address, e.RequestID, string(e.Changes))); err != nil {
				return ignoreClosed(err)
			}
		}
		out.Flush()
		if written += len(part.Data); part.Next == "" || written >= maxExport {
			break
		}
		if part, err = req.auditEntries(filter, part.Next, 500); err != nil {
			req.log.WarnContext(req.ctx(), "an export of the audit trail broke off", "error", err)
			panic(http.ErrAbortHandler) // an aborted response shows that the file is incomplete
		}
	}
	return nil
}

// spreadsheetCells escapes texts that a spreadsheet would run as a formula.
func spreadsheetCells(values ...string) []string {
	for i, value := range values {
		if value != "" && strings.ContainsRune("=+-@\t\r", rune(value[0])) {
			values[i] = "'" + value
		}
	}
	return values
}
