package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// runtimeImage is what functions run in; the SAM CLI adds its emulator to it.
	runtimeImage = "public.ecr.aws/lambda/provided:al2023-"
	// standInImage is what takes its place where no image can be fetched.
	standInImage = "mirrorworthy-runtime-stand-in:local"

	pullTimeout = 3 * time.Minute
)

// engine is the container engine of this machine.
type engine struct {
	// gateway is this machine's address as containers see it.
	gateway string
	// arguments are what the SAM CLI must be told of it.
	arguments []string
}

// findEngine finds the container engine and an image to run functions in, or says what is missing.
func findEngine(ctx context.Context) (engine, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		return engine{}, errors.New("missing here: docker, with an engine that runs (the package docker.io, or another)")
	}
	if _, err := output(ctx, "docker", "version", "--format", "{{.Server.Version}}"); err != nil {
		return engine{}, fmt.Errorf("missing here: a container engine that runs: %w", err)
	}
	gateway, err := bridgeAddress(ctx)
	if err != nil {
		return engine{}, fmt.Errorf("missing here: a bridge by which containers reach this machine: %w", err)
	}
	e := engine{gateway: gateway, arguments: []string{"--skip-pull-image", "--container-host-interface", "127.0.0.1"}}
	image := runtimeImage + architecture()
	if _, err := output(ctx, "docker", "image", "inspect", image); err == nil {
		return e, nil
	}
	fetching, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	_, pullError := output(fetching, "docker", "pull", "--quiet", image)
	if pullError == nil {
		return e, nil
	}
	if err := makeStandIn(ctx); err != nil {
		return engine{}, fmt.Errorf("missing here: the image %s (%w), and nothing could be made to take its place: %w", image, pullError, err)
	}
	fmt.Printf("the image %s cannot be fetched here: functions run in a stand-in with nothing but a shell, which the SAM CLI needs\n", image)
	e.arguments = append(e.arguments, "--invoke-image", standInImage)
	return e, nil
}

// bridgeAddress is this machine's own address on the bridge of the containers.
func bridgeAddress(ctx context.Context) (string, error) {
	name, err := output(ctx, "docker", "network", "inspect", "bridge", "--format", `{{index .Options "com.docker.network.bridge.name"}}`)
	if err != nil {
		return "", err
	}
	bridge, err := net.InterfaceByName(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	addresses, err := bridge.Addrs()
	if err != nil {
		return "", err
	}
	for _, address := range addresses {
		if at, ok := address.(*net.IPNet); ok && at.IP.To4() != nil {
			return at.IP.String(), nil
		}
	}
	return "", fmt.Errorf("%s has no address", name)
}

// makeStandIn makes an image of what the SAM CLI needs to put its emulator into one: a shell, mv and chmod of this machine, with the
// libraries that they are linked with. The functions need nothing, being static.
func makeStandIn(ctx context.Context) error {
	files := []string{"/etc/ssl/certs/ca-certificates.crt"}
	for _, name := range []string{"sh", "mv", "chmod"} {
		program := filepath.Join("/bin", name)
		linked, err := output(ctx, "ldd", program)
		if err != nil {
			return err
		}
		files = append(files, program)
		for field := range strings.FieldsSeq(linked) {
			if strings.HasPrefix(field, "/") {
				files = append(files, field)
			}
		}
	}
	root, err := os.MkdirTemp("", "sam-local-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }()
	for _, folder := range []string{"tmp", "var/task", "var/runtime", "var/rapid", "opt"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			return err
		}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) && strings.HasPrefix(file, "/etc/") {
			continue
		}
		target := filepath.Join(root, file)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(target), 0o755)
		}
		if err == nil {
			err = os.WriteFile(target, content, 0o755) //nolint:gosec // Programs and libraries are run by whoever the functions run as.
		}
		if err != nil {
			return err
		}
	}
	archive := exec.CommandContext(ctx, "tar", "-C", root, "-c", ".")
	load := exec.CommandContext(ctx, "docker", "import", "-c", "ENV PATH=/bin LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime",
		"-c", "WORKDIR /var/task", "-", standInImage)
	var said bytes.Buffer
	load.Stderr = &said
	if load.Stdin, err = archive.StdoutPipe(); err != nil {
		return err
	}
	if err := errors.Join(load.Start(), archive.Run(), load.Wait()); err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	return nil
}

// output runs a command and gives what it said; what it said of an error is in the error.
func output(ctx context.Context, name string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, name, arguments...)
	var problem bytes.Buffer
	command.Stderr = &problem
	said, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(arguments, " "), err, strings.TrimSpace(problem.String()))
	}
	return strings.TrimSpace(string(said)), err
}
