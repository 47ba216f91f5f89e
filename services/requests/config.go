package requests

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"ams.internal/libs/service"
)

// Config is the configuration of the requests service.
type Config struct {
	service.Config

	BaseURL         string        `env:"AMS_BASE_URL" format:"url" required:"true" example:"https://api.example.ca" doc:"Public URL of the API, as people see it, without a path. QR codes lead to pages below it."`
	RedisAddr       string        `env:"AMS_REDIS_ADDR" envDefault:"127.0.0.1:6379" secret:"true" doc:"Redis as host:port, several with commas for a cluster, or as redis:// URL. Requests of strangers are counted there, by each instance alone while it is away."`
	RedisTimeout    time.Duration `env:"AMS_REDIS_TIMEOUT" envDefault:"50ms" minimum:"1ms" maximum:"10s" doc:"How long a stranger's request waits for Redis before this instance counts by itself."`
	PerAddress      int           `env:"AMS_REQUESTS_PER_ADDRESS" envDefault:"10" minimum:"1" maximum:"1000000" doc:"Requests that strangers at one address may send in an hour."`
	ReadsPerAddress int           `env:"AMS_REQUESTS_READS_PER_ADDRESS" envDefault:"600" minimum:"1" maximum:"1000000" doc:"Pages, receipts and lists of requests that strangers at one address may read in an hour."`
}

// Check implements service.Checked.
func (c Config) Check() []service.Problem {
	problems := c.Config.Check()
	if base, err := url.Parse(c.BaseURL); err != nil || base.Host == "" || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" ||
		base.Fragment != "" || base.User != nil {
		problems = append(problems, service.Problem{Variable: "AMS_BASE_URL",
			Message: fmt.Sprintf("is %q: give scheme and host alone, such as https://api.example.ca", c.BaseURL)})
	}
	return problems
}

// limits are those of an address. An organization has settings for its links and for itself.
func (c Config) limits() limits {
	return limits{address: limit{"address", c.PerAddress, time.Hour}, reads: limit{"reads", c.ReadsPerAddress, time.Hour}}
}
