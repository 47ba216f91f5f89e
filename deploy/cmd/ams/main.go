// Command ams runs the product: the gateway and every service are its targets. In production each is a process of its own, `ams
// serve assets`; `ams serve all` runs them together, for a small machine and for development.
package main

import (
	"ams.internal/gateway"
	"ams.internal/libs/service"
	"ams.internal/services/accounting"
	"ams.internal/services/assets"
	"ams.internal/services/console"
	"ams.internal/services/documents"
	"ams.internal/services/documents/picture"
	"ams.internal/services/forms"
	"ams.internal/services/infrastructure"
	"ams.internal/services/los"
	"ams.internal/services/mcp"
	"ams.internal/services/meters"
	"ams.internal/services/planning"
	"ams.internal/services/projects"
	"ams.internal/services/requests"
	"ams.internal/services/search"
	"ams.internal/services/users"
	"ams.internal/services/webhooks"
	"ams.internal/services/workorders"
)

func main() {
	picture.Child() // reads a picture instead, where documents started it for that
	service.Main(gateway.Program, assets.Program, users.Program, workorders.Program, infrastructure.Program, los.Program,
		projects.Program, requests.Program, meters.Program, forms.Program, planning.Program, accounting.Program, documents.Program,
		webhooks.Program, search.Program, mcp.Program, console.Program)
}
