package mcp

import (
	"context"
	"slices"

	"ams.internal/libs/calendar"
)

// getContext describes the organization and the caller's permissions. An assistant calls it first.
var getContext = define("context", tool{
	name: "get_context", title: "Who and where am I",
	description: "The organization, its plan, what this connection may read and write, the currency and today's date. Call it first.",
	operations:  []string{"GET /v1/me"},
	output: object(node{
		"organization": reference, "plan": text, "features": texts, "currency": text, "today": text,
		"key":           object(node{"name": text, "scopes": texts}),
		"not_available": node{"type": "array", "items": object(node{"why": text, "tools": texts})},
	}),
}, func(ctx context.Context, call *toolCall, _ *struct{}) (any, error) {
	var me struct {
		Organization struct {
			ID    string `json:"id"`
			Name  string `json:"name"`
			Today string `json:"today"` // where the organization is
		} `json:"organization"`
		Plan struct {
			Code         string   `json:"code"`
			FeatureNames []string `json:"feature_names"`
		} `json:"plan"`
		Key struct {
			Name      string   `json:"name"`
			Scopes    []string `json:"scopes"`
			ExpiresAt string   `json:"expires_at"`
			RateLimit int      `json:"rate_limit"`
		} `json:"key"`
		Currency string `json:"currency"`
	}
	if err := call.get(ctx, "/v1/me", nil, &me); err != nil {
		return nil, err
	}
	unavailable := []record{} // the others are listed already
	for _, t := range call.all {
		if !call.caller.includes(t) {
			continue
		}
		if why := t.lacks(call.caller); why != "" {
			i := slices.IndexFunc(unavailable, func(r record) bool { return r["why"] == why })
			if i < 0 {
				i, unavailable = len(unavailable), append(unavailable, record{"why": why, "tools": []string(nil)})
			}
			unavailable[i]["tools"] = append(unavailable[i]["tools"].([]string), t.name)
		}
	}
	today := me.Organization.Today
	if today == "" { // a gateway of the release before, while this one is rolled out
		today = calendar.Calendar{}.Today()
	}
	return record{
		"organization": record{"id": me.Organization.ID, "name": me.Organization.Name},
		"plan":         me.Plan.Code, "features": append([]string{}, me.Plan.FeatureNames...), "key": me.Key,
		"currency": me.Currency, "today": today, "not_available": unavailable,
	}, nil
})
