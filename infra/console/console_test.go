package console

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"
)

const script = "export const title = 'console'\n"

// build is what a build may have made.
func build() fstest.MapFS {
	return fstest.MapFS{
		"index.html":            {Data: []byte("<!doctype html><title>Console</title>")},
		"favicon.svg":           {Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")},
		"assets/index-a1b2.js":  {Data: []byte(script)},
		"assets/_part-c3d4.css": {Data: []byte("body{}")},
		// Of a type that systems do not know.
		"assets/index-a1b2.js.map": {Data: []byte("{}")},
	}
}

// elsewhere is what everything else gets to.
var elsewhere = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "elsewhere", http.StatusTeapot) })

// handler serves a build over HTTP until the test ends.
func handler(t *testing.T, files fstest.MapFS) *httptest.Server {
	t.Helper()
	all, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(serve(all, elsewhere))
	t.Cleanup(s.Close)
	return s
}

type answer struct {
	status int
	header http.Header
	body   string
}

// ask asks for a path exactly as it is written.
func ask(t *testing.T, s *httptest.Server, method, path string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

const (
	wantedPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
		"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	keptForEver = "public, max-age=31536000, immutable"
)

// Every file is served whole with its type, what protects the page, and how long it may be kept; HEAD tells the same without the file.
func TestFilesAreServed(t *testing.T) {
	files := build()
	s := handler(t, files)
	for path, want := range map[string]struct{ file, contentType, cacheControl string }{
		"/":                         {"index.html", "text/html; charset=utf-8", "no-cache"},
		"/?a=b":                     {"index.html", "text/html; charset=utf-8", "no-cache"},
		"/index.html":               {"index.html", "text/html; charset=utf-8", "no-cache"},
		"/favicon.svg":              {"favicon.svg", "image/svg+xml", "no-cache"},
		"/assets/index-a1b2.js":     {"assets/index-a1b2.js", "text/javascript; charset=utf-8", keptForEver},
		"/assets/_part-c3d4.css":    {"assets/_part-c3d4.css", "text/css; charset=utf-8", keptForEver},
		"/assets/index-a1b2.js.map": {"assets/index-a1b2.js.map", "application/json", keptForEver},
	} {
		got := ask(t, s, http.MethodGet, path)
		if got.status != http.StatusOK || got.body != string(files[want.file].Data) {
			t.Errorf("GET %s: %d %q", path, got.status, got.body)
		}
		for name, value := range map[string]string{
			"Content-Type": want.contentType, "Cache-Control": want.cacheControl, "Content-Security-Policy": wantedPolicy, "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin-allow-popups", "Strict-Transport-Security": "", "Set-Cookie": "",
		} {
			if got.header.Get(name) != value {
				t.Errorf("GET %s: %s %q, want %q", path, name, got.header.Get(name), value)
			}
		}
		head := ask(t, s, http.MethodHead, path)
		if head.status != http.StatusOK || head.body != "" || head.header.Get("ETag") != got.header.Get("ETag") || head.header.Get("Content-Length") != got.header.Get("Content-Length") {
			t.Errorf("HEAD %s: %d %v %q", path, head.status, head.header, head.body)
		}
	}
}

// What is there already is not sent again, and what has changed is.
func TestWhatIsTheSameIsNotSentAgain(t *testing.T) {
	files := build()
	before := ask(t, handler(t, files), http.MethodGet, "/").header.Get("ETag")
	if !regexp.MustCompile(`^"[0-9a-f]{32}"$`).MatchString(before) {
		t.Errorf("ETag %s", before)
	}
	same := ask(t, handler(t, files), http.MethodGet, "/", "If-None-Match", before)
	if same.status != http.StatusNotModified || same.body != "" || same.header.Get("Content-Security-Policy") != wantedPolicy || same.header.Get("Cache-Control") != "no-cache" {
		t.Errorf("%d %v %q", same.status, same.header, same.body)
	}
	files["index.html"] = &fstest.MapFile{Data: []byte("<!doctype html><title>Another</title>")}
	if changed := ask(t, handler(t, files), http.MethodGet, "/", "If-None-Match", before); changed.status != http.StatusOK || !strings.Contains(changed.body, "Another") {
		t.Errorf("%d %q", changed.status, changed.body)
	}
}

// Whatever is no file of the console, or is not asked for by GET or HEAD, is somebody else's.
func TestEverythingElseIsLeft(t *testing.T) {
	s := handler(t, build())
	for _, path := range []string{
		"/assets/gone.js", "/assets/", "/assets", "/assets/index-a1b2.js/", "//", "//index.html", "/./", "/assets/../index.html", "/assets/%2e%2e/index.html",
		"/%69ndex.html", "/Index.html", "/index.html%00", "/v1/usage", "/api/v1/usage", "/dist/index.html", "/console.go",
	} {
		if got := ask(t, s, http.MethodGet, path); got.status != http.StatusTeapot || got.header.Get("Content-Security-Policy") != "" {
			t.Errorf("GET %s: %d %q", path, got.status, got.body)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch} {
		if got := ask(t, s, method, "/"); got.status != http.StatusTeapot {
			t.Errorf("%s /: %d %q", method, got.status, got.body)
		}
	}
}

// A build that would hide the service, or whose files browsers could not read, is refused.
func TestBuildsThatAreRefused(t *testing.T) {
	for name, want := range map[string]string{"v1/usage.json": "want files at the top", "data.bin": "no content type is known", "assets/README": "no content type is known"} {
		files := build()
		files[name] = &fstest.MapFile{Data: []byte("{}")}
		if _, err := read(files); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is built into the binary is all that was built, has a page, and everything that the page names.
func TestTheBuiltConsoleIsWhole(t *testing.T) {
	served, err := Handler(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(served)
	defer s.Close()
	err = fs.WalkDir(os.DirFS("dist"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && ask(t, s, http.MethodGet, "/"+name).status != http.StatusOK {
			t.Errorf("dist/%s is not served", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page := ask(t, s, http.MethodGet, "/")
	if page.status != http.StatusOK || !strings.HasPrefix(strings.ToLower(page.body), "<!doctype html>") {
		t.Fatalf("%d %.200q", page.status, page.body)
	}
	for _, named := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page.body, -1) {
		path := "/" + strings.TrimPrefix(strings.TrimPrefix(named[1], "."), "/")
		if strings.HasPrefix(named[1], "#") || strings.HasPrefix(named[1], "data:") {
			continue
		}
		if got := ask(t, s, http.MethodGet, path); got.status != http.StatusOK {
			t.Errorf("the page names %s, which is not there", named[1])
		}
	}
	if inline := regexp.MustCompile(`(?i)<script(?:\s[^>]*)?>[^<]|<style|\son\w+=|\sstyle=`).FindString(page.body); inline != "" {
		t.Errorf("the page holds %q, which its policy forbids", inline)
	}
}

// The distribution of the template sends the same headers, and on top of them that the host is to be asked by TLS alone.
func TestTheDistributionSendsTheSameHeaders(t *testing.T) {
	source, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type override struct {
		Override bool `yaml:"Override"`
	}
	var template struct {
		Resources struct {
			Headers struct {
				Type       string `yaml:"Type"`
				Properties struct {
					Config struct {
						Security struct {
							Policy struct {
								override `yaml:",inline"`
								Value    string `yaml:"ContentSecurityPolicy"`
							} `yaml:"ContentSecurityPolicy"`
							Options  *override `yaml:"ContentTypeOptions"`
							Referrer struct {
								override `yaml:",inline"`
								Value    string `yaml:"ReferrerPolicy"`
							} `yaml:"ReferrerPolicy"`
							Transport struct {
								override `yaml:",inline"`
								Seconds  int  `yaml:"AccessControlMaxAgeSec"`
								Below    bool `yaml:"IncludeSubdomains"`
								Preload  bool `yaml:"Preload"`
							} `yaml:"StrictTransportSecurity"`
						} `yaml:"SecurityHeadersConfig"`
						Custom struct {
							Items []struct {
								override `yaml:",inline"`
								Header   string `yaml:"Header"`
								Value    string `yaml:"Value"`
							} `yaml:"Items"`
						} `yaml:"CustomHeadersConfig"`
					} `yaml:"ResponseHeadersPolicyConfig"`
				} `yaml:"Properties"`
			} `yaml:"ConsoleHeaders"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		t.Fatal(err)
	}
	headers := template.Resources.Headers
	security := headers.Properties.Config.Security
	got := map[string]string{"Content-Security-Policy": security.Policy.Value, "Referrer-Policy": security.Referrer.Value}
	overridden := security.Policy.Override && security.Referrer.Override && security.Transport.Override
	if security.Options != nil {
		got["X-Content-Type-Options"] = "nosniff"
		overridden = overridden && security.Options.Override
	}
	for _, item := range headers.Properties.Config.Custom.Items {
		got[item.Header] = item.Value
		overridden = overridden && item.Override
	}
	want := securityHeaders()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("template.yaml sends %s: %q, want %q", name, got[name], value)
		}
	}
	if len(got) != len(want) || !overridden || headers.Type != "AWS::CloudFront::ResponseHeadersPolicy" {
		t.Errorf("%s sends %v, overridden %t", headers.Type, got, overridden)
	}
	// Hosts below it, and lists of browsers, are for whoever owns the domain to decide.
	if transport := security.Transport; transport.Seconds != 365*24*60*60 || transport.Below || transport.Preload {
		t.Errorf("%+v", transport)
	}
}
