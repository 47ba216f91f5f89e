package adoption

import (
	"fmt"
	"strings"
	"time"

	"ams.internal/services/accounting/ledger"
)

// Asset is one of the register, as far as it is looked at.
type Asset struct {
	ID                 string   `json:"id"`
	ExternalID         *string  `json:"external_id"`
	Name               string   `json:"name"`
	AssetTag           *string  `json:"asset_tag"`
	Status             string   `json:"status"`
	Category           *string  `json:"category"`
	ServiceCategory    *string  `json:"service_category"`
	UniformatCode      *string  `json:"uniformat_code"`
	AcquisitionCost    *float64 `json:"acquisition_cost"`
	AcquisitionDate    *string  `json:"acquisition_date"`
	ResidualValue      *float64 `json:"residual_value"`
	AmortizationMethod string   `json:"amortization_method"`
	DisposedOn         *string  `json:"disposed_on"`

	CapitalAssets []struct {
		ID     string  `json:"id"`
		Number *string `json:"number"`
	} `json:"capital_assets"` // that stand for it
}

// assetFields are what is asked of the register.
const assetFields = "id,external_id,name,asset_tag,status,category,service_category,uniformat_code,acquisition_cost,acquisition_date," +
	"residual_value,amortization_method,disposed_on"

// class is an accounting class, as far as it is looked at.
type class struct {
	ID                      string  `json:"id"`
	Code                    string  `json:"code"`
	Method                  string  `json:"method"`
	Convention              string  `json:"convention"`
	UsefulLifeYears         *int    `json:"useful_life_years"`
	UsefulLifeMonths        int     `json:"useful_life_months"`
	CapitalizationThreshold float64 `json:"capitalization_threshold"`
	Pooled                  bool    `json:"pooled"`
}

func (c *class) amortized() bool { return c.Method != "none" }

// capitalAsset is a draft, or what it has become.
type capitalAsset struct {
	ID               string  `json:"id"`
	ExternalID       string  `json:"external_id"`
	ClassID          string  `json:"class_id"`
	UsefulLifeYears  *int    `json:"useful_life_years"`
	UsefulLifeMonths int     `json:"useful_life_months"`
	ResidualValue    float64 `json:"residual_value"`
	State            string  `json:"state"`
}

// planned says whether the asset is not there yet: what was spent on it is work in progress.
func (a *Asset) planned() bool { return a.Status == "planned" }

// externalID names the capital asset, its entry and its link, by which a second run finds them.
func (a *Asset) externalID() string { return "asset-" + a.ID }

// standsFor names a capital asset that stands for the asset besides the draft that was made of it; empty where there is none.
func (a *Asset) standsFor(draft *capitalAsset) string {
	for _, c := range a.CapitalAssets {
		switch {
		case draft != nil && c.ID == draft.ID:
		case c.Number != nil:
			return *c.Number
		default:
			return c.ID
		}
	}
	return ""
}

// classify gives the class of an asset, or why it is left out.
func (r *run) classify(a *Asset) (*class, string) {
	switch {
	case a.AcquisitionCost == nil || *a.AcquisitionCost <= 0:
		return nil, "has no acquisition_cost"
	case a.DisposedOn != nil && *a.DisposedOn < r.year.PeriodStart:
		return nil, fmt.Sprintf("was disposed of on %s, before the fiscal year", *a.DisposedOn)
	case a.planned():
	case a.AcquisitionDate == nil:
		return nil, "has no acquisition_date"
	case *a.AcquisitionDate >= r.year.PeriodStart:
		return nil, fmt.Sprintf("was acquired on %s, in the fiscal year or after it: post an acquisition", *a.AcquisitionDate)
	}
	for _, rule := range r.Rules {
		if !rule.fits(a) {
			continue
		}
		if rule.Class == "" {
			return nil, fmt.Sprintf("is left out by line %d of the class map", rule.Line)
		}
		k := r.byCode[strings.ToLower(rule.Class)]
		switch {
		case k.amortized() && a.AmortizationMethod == "none":
			return nil, fmt.Sprintf("has the amortization_method none, and the class %s is amortized", k.Code)
		case !a.planned() && *a.AcquisitionCost < k.CapitalizationThreshold:
			return nil, fmt.Sprintf("cost %.2f, less than the capitalization threshold of the class %s, %.2f", *a.AcquisitionCost, k.Code,
				k.CapitalizationThreshold)
		}
		return k, ""
	}
	return nil, "is in no class of the class map"
}

// draft is the capital asset that is made of an asset. Its life is that of the class: the register's is another figure.
func (a *Asset) draft(k *class) map[string]any {
	body := map[string]any{"external_id": a.externalID(), "name": a.title(), "class_id": k.ID, "acquisition": "purchased"}
	if a.planned() {
		body["acquisition"] = "constructed"
	}
	if a.ServiceCategory != nil {
		body["service_category"] = *a.ServiceCategory
	}
	if k.amortized() && a.ResidualValue != nil {
		body["residual_value"] = *a.ResidualValue
	}
	return body
}

// title is what people call the capital asset: the asset's name, and its tag, because many assets are called alike.
func (a *Asset) title() string {
	const maxLength = 200
	tag := ""
	if a.AssetTag != nil {
		tag = " (" + *a.AssetTag + ")"
	}
	name := []rune(a.Name)
	return string(name[:min(len(name), maxLength-len([]rune(tag)))]) + tag
}

// entry is the first entry of a capital asset: what it cost, and what of that was amortized before the ledger began.
func (r *run) entry(a *Asset, c *capitalAsset) (body map[string]any, accumulated ledger.Cents, err error) {
	body = map[string]any{"external_id": a.externalID(), "capital_asset_id": c.ID, "effective_on": r.year.PeriodStart,
		"amount": *a.AcquisitionCost, "type": "construction"}
	if a.planned() {
		return body, 0, nil
	}
	k := r.byID[c.ClassID]
	if k == nil {
		return nil, 0, fmt.Errorf("the class of the capital asset is not there any more")
	}
	asset := ledger.Asset{Convention: ledger.Conventions[k.Convention], Amortized: k.amortized(), Residual: ledger.FromFloat(c.ResidualValue)}
	if c.UsefulLifeYears != nil {
		asset.Life = *c.UsefulLifeYears*12 + c.UsefulLifeMonths
	}
	service, err := time.Parse(time.DateOnly, *a.AcquisitionDate)
	if err != nil {
		return nil, 0, err
	}
	if asset, err = asset.BroughtForward(ledger.FromFloat(*a.AcquisitionCost), service, r.first); err != nil {
		return nil, 0, err
	}
	body["type"], body["in_service_on"], body["accumulated_amortization"] = "opening", *a.AcquisitionDate, asset.Accumulated().Float()
	return body, asset.Accumulated(), nil
}
