package requests

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// What a link says about contact data.
const (
	noContact       = "no"
	optionalContact = "optional"
	requiredContact = "required"
)

// RequestLink is where strangers send requests about one place: a page, a QR code, an address for programs.
type RequestLink struct {
	resource.Record
	Name         string   `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"true" search:"name" doc:"What the page says it is about, in English." example:"Playground, Mill Park"`
	NameFR       *string  `json:"name_fr" maxLength:"200" search:"text" doc:"What the page says it is about, in French; name where it is left out." example:"Aire de jeux, parc du Moulin"`
	SiteID       *string  `json:"site_id" references:"sites" filter:"equals" doc:"The site that requests are about. One of site_id, building_id and asset_id." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID   *string  `json:"building_id" references:"buildings" filter:"equals" doc:"The building that requests are about." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssetID      *string  `json:"asset_id" references:"assets" filter:"equals" doc:"The asset that requests are about." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ServiceCodes []string `json:"service_codes" maxItems:"30" maxLength:"50" uniqueItems:"true" filter:"contains" doc:"The services that can be asked for there. Empty: none is asked." example:"[\"PLAYGROUND\"]"`
	Notice       string   `json:"notice" required:"true" maxLength:"4000" doc:"The notice of collection in English: the legal authority, the purpose, and the title, business address and telephone number of who answers questions (MFIPPA s. 29 (2))." example:"Personal information is collected under the Municipal Act, 2001, to answer your request. Questions: Clerk, 1 Main Street, 519 555 0100."`
	NoticeFR     string   `json:"notice_fr" required:"true" maxLength:"4000" doc:"The same in French." example:"Les renseignements sont recueillis en vertu de la Loi de 2001 sur les municipalités pour répondre à votre demande. Questions : greffe, 1, rue Principale, 519 555-0100."`
	Contact      string   `json:"contact" default:"optional" enum:"no,optional,required" filter:"equals" doc:"Whether name, e-mail address and telephone number are asked for: not at all, if people like, or at least one way to reach them." example:"optional"`
	ExpiresOn    *string  `json:"expires_on" format:"date" filter:"range" sort:"true" doc:"Last day on which it works, in the organization's time zone." example:"2027-12-31"`
	Token        string   `json:"token" readOnly:"true" doc:"128 random bits, not secret: whoever has it can send requests about this place, and read nothing."`
	URL          string   `json:"url" readOnly:"true" doc:"The page, which the QR code leads to."`
	RotatedAt    *string  `json:"rotated_at" readOnly:"true" format:"date-time" doc:"When the token was last replaced; null while it is the first."`
}

func (d desk) links() resource.Definition[RequestLink] {
	return resource.Definition[RequestLink]{
		Collection: "request_links", Table: "request_link",
		Computed:    map[string]string{"url": "'" + strings.ReplaceAll(d.baseURL, "'", "''") + "/r/' || t.token"},
		BeforeWrite: prepareLinks,
	}
}

func prepareLinks(ctx context.Context, tx pgx.Tx, changes []*resource.Change[RequestLink]) error {
	var codes []string
	for _, c := range changes {
		if c.After == nil {
			return nil // deletes: the link's page is gone with it
		}
		if c.Before == nil {
			c.After.Token = newToken()
		}
		places := 0
		for _, id := range []*string{c.After.SiteID, c.After.BuildingID, c.After.AssetID} {
			if id != nil {
				places++
			}
		}
		if places != 1 {
			c.FieldError("site_id", "a link is about one place: send one of site_id, building_id and asset_id, not %d", places)
		}
		codes = append(codes, c.After.ServiceCodes...)
	}
	found, err := readServices(ctx, tx, codes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		codes := slices.Clone(c.After.ServiceCodes)
		for i, code := range codes {
			if s := found[code]; s != nil {
				codes[i] = s.ServiceCode
			} else {
				c.FieldError(fmt.Sprintf("service_codes[%d]", i), "there is no service %s; GET /v1/request-services lists them", code)
			}
		}
		c.After.ServiceCodes = codes
	}
	return nil
}

// newToken gives 128 random bits in letters and digits that nobody confuses by hand.
func newToken() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(bits[:]))
}

// isToken says whether a text has the form of a token. Nothing else is looked up.
func isToken(text string) bool {
	if len(text) != 26 {
		return false
	}
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < '2' || r > '7') {
			return false
		}
	}
	return true
}

// sameCode compares codes as the database does.
func sameCode(a, b string) bool { return schema.UniqueKey(a) == schema.UniqueKey(b) }

func (d desk) mountLinkActions() {
	const path = "/v1/request-links/{id}"
	d.registry.API.Handle(transport.Operation{
		Method: "POST", Path: path + "/rotate", ID: "rotate_request_link", Scope: "requests:write", Feature: feature, Versioned: true,
		Summary: "Replace the token of a request link",
		Description: "The page and the QR code with the former token answer 404 from now on: print the new one. " +
			"For a link that is abused, or a sign that was stolen. Answers the link.",
		Parameters: []transport.Parameter{linkID, idempotencyKey}, Response: transport.Reference("RequestLink"),
	}, d.rotate)
	d.registry.API.Handle(transport.Operation{
		Method: "GET", Path: path + "/qr.svg", ID: "get_request_link_qr", Scope: "requests:read", Feature: feature,
		Summary:     "Get the QR code of a request link",
		Description: "The address of the page as a QR code, to be printed: an SVG picture with the quiet zone around it.",
		Parameters:  []transport.Parameter{linkID}, Streams: []string{"image/svg+xml"},
	}, d.qr)
}

var linkID = transport.Parameter{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"},
	Description: "Of the link, as the list gives it."}

var idempotencyKey = transport.Parameter{Name: "Idempotency-Key", In: "header",
	Description: "Up to 255 characters; the first answer is kept for 24 hours and given again.",
	Schema:      map[string]any{"type": "string", "maxLength": 255}}

func (d desk) rotate(ctx context.Context, r *transport.Request) (response *transport.Response, err error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	err = d.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := d.registry.UpdateWhere(ctx, tx, "request_links", []string{"token", "rotated_at"},
			`SELECT $2::uuid AS id, $3::text AS token, statement_timestamp() AS rotated_at`, id, newToken()); err != nil {
			return err
		}
		response, err = d.registry.Show(ctx, tx, "request_links", id)
		return err
	})
	return response, postgres.Fault(err, nil)
}
