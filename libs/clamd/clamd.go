// Package clamd configures a private clamd (ClamAV's scanner, Debian package clamav-daemon, 1.4) for the launcher or a test, with
// one signature, which detects the EICAR test file and nothing else. It needs no network and takes about 19 MB.
package clamd

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// SignatureName is what a private clamd calls the EICAR test file. The suffix is clamd's, for what ClamAV has not signed.
const SignatureName = "Eicar-Test-Signature.UNOFFICIAL"

// EICAR is the harmless file that every scanner is to find [https://www.eicar.org/download-anti-malware-testfile/]. It stands here in
// pieces, so that no scanner finds it in the sources or the programs.
func EICAR() []byte {
	return []byte(strings.Join([]string{`X5O!P%@AP[4\PZX54(P^)`, `7CC)7}$EIC`, `AR-STANDARD-ANTI`, `VIRUS-TEST-`, `FILE!$H+H*`}, ""))
}

// Settings are what the documents service needs of any clamd, as lines of its configuration.
var Settings = []string{
	// Without these, clamd says OK to what it has not looked into.
	"AlertExceedsMax yes", "AlertEncrypted yes",
	// The most that clamd can: 2 GiB - 1, in five minutes.
	"StreamMaxLength 2147483647", "MaxFileSize 2147483647", "MaxScanSize 2147483647", "MaxScanTime 300000",
}

// Program is the path of clamd. An error says how to install it.
func Program() (string, error) {
	for _, name := range []string{"clamd", "/usr/sbin/clamd"} { // Debian's folder, which is not in the PATH of everybody
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("clamd is not installed: run deploy/install.sh")
}

// Configure writes configuration and signature into a folder, and gives the path of the configuration, for clamd --config-file. clamd
// listens on address (host:port), stays in the foreground and writes its log to standard output. Lines of more come before the others, and
// win: of a setting that is there twice, clamd takes the first.
func Configure(folder, address string, more ...string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	signatures, temporary := filepath.Join(folder, "signatures"), filepath.Join(folder, "temporary")
	if err := os.RemoveAll(temporary); err != nil { // what one that was killed left there: content as large as it was
		return "", err
	}
	for _, made := range []string{signatures, temporary} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			return "", err
		}
	}
	name, _, _ := strings.Cut(SignatureName, ".")
	signature := fmt.Sprintf("%s:0:*:%s\n", name, hex.EncodeToString(EICAR())) // any type of file, at any place in it
	if err := os.WriteFile(filepath.Join(signatures, "eicar.ndb"), []byte(signature), 0o600); err != nil {
		return "", err
	}
	lines := slices.Concat(more, []string{
		"TCPAddr " + host, "TCPSocket " + port, "Foreground yes",
		"DatabaseDirectory " + signatures, "TemporaryDirectory " + temporary,
	}, Settings)
	path := filepath.Join(folder, "clamd.conf")
	return path, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// Responds is nil when a clamd at address (host:port) has loaded its signatures and takes commands.
func Responds(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	if _, err := connection.Write([]byte("zPING\x00")); err != nil {
		return err
	}
	reply, err := bufio.NewReader(connection).ReadString(0)
	if err != nil || reply != "PONG\x00" {
		return errors.Join(err, fmt.Errorf("clamd answered %q to PING", reply))
	}
	return nil
}
