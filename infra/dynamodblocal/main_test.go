package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// playVariable makes the test's own program play java.
const playVariable = "DYNAMODBLOCAL_TEST_PLAY"

func TestMain(m *testing.M) {
	switch os.Getenv(playVariable) {
	case "":
		os.Exit(m.Run())
	case "java":
		playJava(os.Args[1:])
	}
}

// playJava answers as java does: it tells a version, or serves on the port it is given.
func playJava(arguments []string) {
	if len(arguments) == 1 && arguments[0] == "-version" {
		fmt.Fprintln(os.Stderr, os.Getenv("FAKE_JAVA_VERSION"))
		return
	}
	if os.Getenv("FAKE_JAVA_FAILS") != "" {
		fmt.Fprintln(os.Stderr, "no memory left")
		os.Exit(1)
	}
	for i, argument := range arguments {
		if argument == "-port" {
			_ = http.ListenAndServe("127.0.0.1:"+arguments[i+1], http.NotFoundHandler())
		}
	}
	os.Exit(1)
}

const java17 = `openjdk version "17.0.15" 2025-04-15`

// newPlace makes a repository with an installed engine and a path with nothing but a fake java, and works in it.
func newPlace(t *testing.T, version string) (repository, bin string) {
	t.Helper()
	repository, bin = t.TempDir(), t.TempDir()
	engine := filepath.Join(repository, ".cache", "dynamodblocal", enginePackage+"-"+engineVersion, "node_modules", enginePackage, "lib", "engine")
	if err := os.MkdirAll(engine, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(engine, engineJar), "")
	writeFile(t, filepath.Join(repository, "go.mod"), "module example.org/m\n")
	if version != "" {
		writeFile(t, filepath.Join(bin, "java"), "#!/bin/sh\n"+playVariable+"=java exec "+os.Args[0]+" \"$@\"\n")
	}
	t.Setenv("PATH", bin)
	t.Setenv("FAKE_JAVA_VERSION", version)
	inside := filepath.Join(repository, "some", "folder")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inside)
	return repository, bin
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestCommandFindsTheEngineAndItsCodeIsReturned(t *testing.T) {
	_, bin := newPlace(t, java17)
	seen := filepath.Join(t.TempDir(), "endpoint")
	command := filepath.Join(bin, "command")
	writeFile(t, command, "#!/bin/sh\necho \"$DYNAMODB_ENDPOINT\" > "+seen+"\nexit $1\n")
	for _, want := range []int{0, 1, 42} {
		code, err := run(t.Context(), []string{"command", fmt.Sprint(want)})
		if code != want || err != nil {
			t.Errorf("code %d, %v; want %d", code, err, want)
		}
		said, err := os.ReadFile(seen)
		if err != nil {
			t.Fatal(err)
		}
		address, ok := strings.CutPrefix(strings.TrimSpace(string(said)), "http://")
		if !ok || !strings.HasPrefix(address, "127.0.0.1:") {
			t.Fatalf("the command saw the endpoint %q", said)
		}
		if connection, err := net.Dial("tcp", address); err == nil {
			_ = connection.Close()
			t.Error("the engine still runs")
		}
	}
	writeFile(t, command, "#!/bin/sh\nkill -9 $$\n")
	if code, err := run(t.Context(), []string{"command"}); code != 128+9 || err != nil {
		t.Errorf("killed command: code %d, %v; want 137", code, err)
	}
	if code, err := run(t.Context(), []string{"no-such-command"}); code != codeFailed || err == nil {
		t.Errorf("missing command: code %d, %v", code, err)
	}
	if code, err := run(t.Context(), nil); code != codeFailed || err == nil || !strings.Contains(err.Error(), "usage") {
		t.Errorf("no command: code %d, %v", code, err)
	}
}

func TestEngineAnswersFromStartToStop(t *testing.T) {
	newPlace(t, java17)
	java, engine, err := install(t.Context(), mustCache(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := start(t.Context(), java, engine)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(s.endpoint)
	if err != nil {
		t.Fatalf("the engine does not answer: %v", err)
	}
	_ = response.Body.Close()
	s.stop()
	if _, err := http.Get(s.endpoint); err == nil {
		t.Error("the engine answers after it was stopped")
	}
}

func mustCache(t *testing.T) string {
	t.Helper()
	folder, err := cacheFolder()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestWhatIsMissingIsNamedInOneLine(t *testing.T) {
	tests := []struct {
		what, version string
		noEngine      bool
		want          []string
	}{
		{"no java", "", false, []string{"no java", javaPackage}},
		{"old java", `openjdk version "11.0.2" 2019-01-15`, false, []string{"version 11", javaPackage}},
		{"no npm", java17, true, []string{npmPackage}},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			repository, _ := newPlace(t, test.version)
			if test.noEngine {
				if err := os.RemoveAll(filepath.Join(repository, ".cache")); err != nil {
					t.Fatal(err)
				}
			}
			// There is no apt-get on the path, so that nothing is installed even as root.
			code, err := run(t.Context(), []string{"true"})
			if code != codeFailed || err == nil {
				t.Fatalf("code %d, %v", code, err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestMissingPackagesAreInstalled(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("not root: the refusal is checked instead")
	}
	_, bin := newPlace(t, "")
	log := filepath.Join(t.TempDir(), "log")
	writeFile(t, filepath.Join(bin, "apt-get"), "#!/bin/sh\necho \"$@\" >> "+log+"\n"+
		"case $1 in install) echo '#!/bin/sh' > "+bin+"/java; echo 'echo "+strings.ReplaceAll(java17, `"`, `\"`)+" >&2' >> "+bin+"/java; /bin/chmod +x "+bin+"/java;; esac\n")
	java, _, err := install(t.Context(), mustCache(t))
	if os.Geteuid() != 0 {
		if err == nil {
			t.Error("installed packages without being root")
		}
		return
	}
	if err != nil || java != filepath.Join(bin, "java") {
		t.Errorf("java %q, %v", java, err)
	}
	said, _ := os.ReadFile(log)
	if want := "update -qq\ninstall -qq -y --no-install-recommends " + javaPackage + "\n"; string(said) != want {
		t.Errorf("apt-get was asked for %q, want %q", said, want)
	}
}

func TestEngineIsInstalledWholeOrNotAtAll(t *testing.T) {
	repository, bin := newPlace(t, java17)
	cache := mustCache(t)
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(bin, "npm"), "#!/bin/sh\n/bin/mkdir -p $3/node_modules/"+enginePackage+"/lib/x\nexit 1\n")
	if _, _, err := install(t.Context(), cache); err == nil {
		t.Error("a failed npm went unnoticed")
	}
	writeFile(t, filepath.Join(bin, "npm"), "#!/bin/sh\n/bin/mkdir -p $3/node_modules/"+enginePackage+"/lib/x\n")
	if _, _, err := install(t.Context(), cache); err == nil || !strings.Contains(err.Error(), engineJar) {
		t.Errorf("a package without the engine: %v", err)
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
	writeFile(t, filepath.Join(bin, "npm"), "#!/bin/sh\n/bin/mkdir -p $3/node_modules/"+enginePackage+"/lib/x\n: > $3/node_modules/"+enginePackage+"/lib/x/"+engineJar+"\n")
	_, engine, err := install(t.Context(), cache)
	if err != nil || !strings.HasPrefix(engine, repository) {
		t.Errorf("engine %q, %v", engine, err)
	}
	writeFile(t, filepath.Join(bin, "npm"), "#!/bin/sh\nexit 1\n")
	if again, found, err := install(t.Context(), cache); err != nil || found != engine {
		t.Errorf("the second time: %q, %q, %v", again, found, err)
	}
}

func TestEngineThatFailsIsShown(t *testing.T) {
	newPlace(t, java17)
	t.Setenv("FAKE_JAVA_FAILS", "1")
	code, err := run(t.Context(), []string{"true"})
	if code != codeFailed || err == nil || !strings.Contains(err.Error(), "no memory left") {
		t.Errorf("code %d, %v; want what java said", code, err)
	}
}

func TestOutsideTheRepository(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, err := run(t.Context(), []string{"true"}); code != codeFailed || err == nil {
		t.Errorf("code %d, %v", code, err)
	}
}

func TestJavaMajor(t *testing.T) {
	for said, want := range map[string]int{
		java17: 17, `openjdk version "21" 2023-09-19`: 21, `java version "1.8.0_402"`: 8, `openjdk version "25-ea" 2025-09-16`: 25, "bash: no": 0, "": 0,
	} {
		if got := javaMajor(said); got != want {
			t.Errorf("%q: %d, want %d", said, got, want)
		}
	}
}
