package requests

import (
	"context"
	"errors"
	"fmt"
	"html"
	"image/color"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// quietZone is how many light modules ISO/IEC 18004 wants around a code.
const quietZone = 4

func (d desk) qr(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	var name, token string
	err = d.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT name, token FROM request_link WHERE organization_id = current_organization() AND id = $1`, id).
			Scan(&name, &token)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.NotFound("request link", id)
	}
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	picture, err := drawQR(d.baseURL+"/r/"+token, name)
	response := &transport.Response{ContentType: "image/svg+xml", Body: picture}
	for header, value := range map[string]string{ // as contents of documents are sent: a picture that a browser opens is a page of its own
		"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
		"Cross-Origin-Resource-Policy": "same-origin", "Content-Disposition": `inline; filename="qr.svg"`, "Cache-Control": "private, no-cache",
	} {
		response.SetHeader(header, value)
	}
	return response, err
}

// drawQR draws a text as a QR code that a sign on a wall can lose 15 % of.
func drawQR(text, title string) ([]byte, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("draw a QR code: %w", err)
	}
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := 0; x < size; {
			run := 0
			for x+run < size && isDark(code, x+run, y) {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x+quietZone, y+quietZone, run, run)
			}
			x += run + 1
		}
	}
	side := size + 2*quietZone
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" width="%[2]d" height="%[2]d" role="img" `+
		`shape-rendering="crispEdges"><title>%[3]s</title><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path fill="#000" d="%[4]s"/></svg>`,
		side, side*8, html.EscapeString(title), path.String()), nil
}

func isDark(code barcode.Barcode, x, y int) bool {
	return color.GrayModel.Convert(code.At(x, y)).(color.Gray).Y < 128
}
