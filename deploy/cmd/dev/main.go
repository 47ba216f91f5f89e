// Command dev starts the whole product on this machine and keeps it running until Ctrl-C. "make run" calls it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/libs/postgres"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "\n"+err.Error())
		if errors.Is(err, postgres.ErrBeforeFirstRelease) {
			os.Exit(2) // another start changes nothing
		}
		os.Exit(1)
	}
}

func run() error {
	options, drop, err := options()
	if err != nil {
		return err
	}
	if drop {
		if err := devstack.Drop(options.Folder); err != nil {
			return err
		}
		fmt.Printf("%s and all its data are gone.\n", options.Folder)
		return nil
	}

	// SIGHUP comes when the terminal is closed.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	starting, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	stopped := make(chan struct{})
	go func() {
		<-signals
		close(stopped)
		interrupt()
	}()

	if err := provideConsul(starting, options); err != nil {
		return interrupted(starting, err)
	}
	running, err := devstack.Start(starting, options)
	if err != nil {
		return interrupted(starting, err)
	}
	welcome(options.Folder, running.Description())
	if os.Getenv("COMPILE_AMSCTL") != "" {
		go compileAmsctl(options.Binaries)
	}
	<-stopped
	fmt.Println("\nStopping; what runs is finished first. Ctrl-C again ends everything at once.")
	go func() {
		// One Ctrl-C may arrive twice: from the terminal and from a program above that passes it on.
		for began := time.Now(); time.Since(began) < time.Second; {
			<-signals
		}
		running.Kill()
	}()
	running.Stop()
	fmt.Println("Stopped. The data stays in", options.Folder)
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// interrupted turns the error of a start that a person broke off into none.
func interrupted(starting context.Context, err error) error {
	select {
	case <-starting.Done():
		fmt.Println("\nStopped before everything was ready.")
		return nil
	default:
		return err
	}
}

// options come from the environment, as "make run" sets it, and from flags.
func options() (o devstack.Options, drop bool, err error) {
	program, err := os.Executable()
	if err != nil {
		return o, false, err
	}
	o = devstack.Options{
		Binaries: filepath.Dir(program), Out: os.Stdout,
		DatabaseURL: os.Getenv("AMS_DATABASE_URL"), RedisAddr: os.Getenv("AMS_REDIS_ADDR"), ConsulAddr: os.Getenv("AMS_CONSUL_ADDR"),
		ScannerURL: os.Getenv("AMS_DOCUMENTS_SCANNER"),
	}
	if downloads := filepath.Join(o.Binaries, "downloads"); isFolder(downloads) { // what "make downloads" has packed
		o.Environment = append(o.Environment, "AMS_DOWNLOADS="+downloads)
	}
	flag.StringVar(&o.Folder, "folder", fromEnvironment("AMS_RUN_DIR", ".run"), "what the stack writes goes here (AMS_RUN_DIR)")
	flag.StringVar(&o.Discovery, "discovery", os.Getenv("AMS_DISCOVERY"),
		"consul or static: a process for each program; empty: one for all, unless more is asked for (AMS_DISCOVERY)")
	flag.BoolVar(&o.Pooler, "pooler", os.Getenv("POOLER") != "", "put a PgBouncer in transaction mode before PostgreSQL (POOLER)")
	flag.BoolVar(&o.Verbose, "v", false, "show everything that the processes log")
	flag.BoolVar(&drop, "drop", false, "remove the folder with all its data instead of starting")
	port := flag.String("port", fromEnvironment("AMS_PORT", "8080"), "public port on 127.0.0.1; 0 takes a free one (AMS_PORT)")
	gateways := flag.String("gateways", fromEnvironment("GATEWAYS", "1"), "how many gateways in each region (GATEWAYS)")
	instances := flag.String("instances", fromEnvironment("INSTANCES", "1"), "how many of each service in each region (INSTANCES)")
	cells := flag.String("cells", fromEnvironment("CELLS", "1"), "how many PostgreSQL servers share the organizations (CELLS)")
	regions := flag.String("regions", fromEnvironment("REGIONS", devstack.Region),
		"regions with commas, the one with the data first; each has its own gateways, services and Consul (REGIONS)")
	flag.BoolVar(&o.Standby, "standby", os.Getenv("STANDBY") != "", "PostgreSQL is a primary and a standby under Patroni (STANDBY)")
	flag.BoolVar(&o.AccessControl, "consul-acl", os.Getenv("CONSUL_ACL") != "",
		"Consul lets in only who has a token, and each program has its own (CONSUL_ACL)")
	flag.StringVar(&o.Without, "without", os.Getenv("WITHOUT"),
		"a service that is left out, to be started from an editor or debugger with FOLDER/NAME.env (WITHOUT)")
	flag.Parse()
	if flag.NArg() > 0 {
		return o, false, fmt.Errorf("%q is not understood; -help lists what is", flag.Arg(0))
	}
	o.Regions = strings.Split(*regions, ",")
	if (len(o.Regions) > 1 || o.Standby || o.AccessControl) && o.Discovery == "" {
		o.Discovery = "consul" // one region could start without it, several cannot, and neither can Patroni
	}
	var problems []error
	o.Port = number(*port, "AMS_PORT", 0, 65535, &problems)
	o.Gateways = number(*gateways, "GATEWAYS", 1, 20, &problems)
	o.Instances = number(*instances, "INSTANCES", 1, 20, &problems)
	o.Cells = number(*cells, "CELLS", 1, 5, &problems)
	if o.Discovery != "" && o.Discovery != "consul" && o.Discovery != "static" {
		problems = append(problems, fmt.Errorf("AMS_DISCOVERY must be consul or static, not %q", o.Discovery))
	}
	o.Together = o.Fits() // else a process for each program
	return o, drop, errors.Join(problems...)
}

func number(text, name string, minimum, maximum int, problems *[]error) int {
	value, err := strconv.Atoi(text)
	if err != nil || value < minimum || value > maximum {
		*problems = append(*problems, fmt.Errorf("%s must be a whole number from %d to %d, not %q", name, minimum, maximum, text))
	}
	return value
}

func fromEnvironment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// welcome says where everything is and what to try first.
func welcome(folder string, d devstack.Description) {
	description := filepath.Join(folder, devstack.FileName)
	fmt.Printf(`
  REST API        %s/v1      (reference: %s/docs)
  MCP server      %s
  Settings        %s
  Logs            %s
  Keys, passwords %s
`, d.BaseURL, d.BaseURL, d.MCPURL, d.SettingsURL, filepath.Join(folder, "logs"), description)
	if len(d.Regions) > 1 {
		fmt.Println()
		for _, region := range d.Regions {
			fmt.Printf("  %-15s %s\n", region, strings.Join(d.RegionGateways[region], "  "))
		}
	}
	if len(d.Organizations) > 0 {
		fmt.Printf(`
  A first call, for %s:

    curl -H "Authorization: Bearer %s" "%s/v1/assets?per_page=2"
`, d.Organizations[0].Name, d.Organizations[0].Keys["full"], d.BaseURL)
	}
	fmt.Print("\n  Ctrl-C stops everything.\n\n")
}
