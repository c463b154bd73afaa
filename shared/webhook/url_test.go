package webhook

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

func TestURLsOfPublicHostsAreKeptInOneForm(t *testing.T) {
	for given, kept := range map[string]string{
		"https://hooks.example.com":                             "https://hooks.example.com",
		"https://hooks.example.com/":                            "https://hooks.example.com/",
		"HTTPS://Hooks.Example.COM:443/In?a=B%20c&a=d":          "https://hooks.example.com/In?a=B%20c&a=d",
		"https://xn--bcher-kva.example.com/x":                   "https://xn--bcher-kva.example.com/x",
		"https://Bücher.de/straße":                              "https://xn--bcher-kva.de/stra%C3%9Fe",
		"https://faß.de/":                                       "https://xn--fa-hia.de/",
		"https://ｅｘａｍｐｌｅ.com/":                                  "https://example.com/",
		"https://日本。jp/":                                        "https://xn--wgv71a.jp/",
		"https://a1.b2.c3.co.uk/x/../y":                         "https://a1.b2.c3.co.uk/x/../y",
		"https://abc123.lambda-url.eu-west-1.on.aws/":           "https://abc123.lambda-url.eu-west-1.on.aws/",
		"https://r3---sn.example.com/":                          "https://r3---sn.example.com/",
		"https://0x7f.1.example.com/":                           "https://0x7f.1.example.com/",
		"https://1.2.3.4.com/":                                  "https://1.2.3.4.com/",
		"https://partner.github.io/hook@home?u=a:b@c":           "https://partner.github.io/hook@home?u=a:b@c",
		"https://example.com/" + strings.Repeat("a", 2048-20):   "https://example.com/" + strings.Repeat("a", 2048-20),
		"https://example.com?x=1":                               "https://example.com?x=1",
		"https://xn--80ak6aa92e.com/":                           "https://xn--80ak6aa92e.com/",
		"https://webhook.site/2c1e6e5f-8d0a-4a43-9f0e-12345678": "https://webhook.site/2c1e6e5f-8d0a-4a43-9f0e-12345678",
	} {
		got, err := checkURL(given, false)
		if err != nil || got != kept {
			t.Errorf("%q: %q, %v, want %q", given, got, err, kept)
		}
	}
}

func TestOtherURLsAreRefusedForWhatIsWrongWithThem(t *testing.T) {
	for given, want := range map[string]error{
		"":                                                    errScheme,
		"hooks.example.com":                                   errScheme,
		"//hooks.example.com/":                                errScheme,
		"http://hooks.example.com/":                           errScheme,
		"ftp://hooks.example.com/":                            errScheme,
		"javascript:alert(1)":                                 errUnreadable,
		"https:hooks.example.com":                             errUnreadable,
		"https:///hooks.example.com":                          errHost,
		"https://":                                            errHost,
		"https://a b.example.com/":                            errUnreadable,
		"https://hooks.example.com/ ":                         errUnreadable,
		"https://hooks.example.com\n/":                        errUnreadable,
		"https://hooks.example.com\\@x.y/":                    errUnreadable,
		"https://hooks.example.com/\xff":                      errUnreadable,
		"https://u@hooks.example.com/":                        errUser,
		"https://u:p@hooks.example.com/":                      errUser,
		"https://@hooks.example.com/":                         errUser,
		"https://hooks.example.com/#":                         errFragment,
		"https://hooks.example.com/a#b":                       errFragment,
		"https://hooks.example.com:80/":                       errPort,
		"https://hooks.example.com:8443/":                     errPort,
		"https://hooks.example.com:0443/":                     errPort,
		"https://hooks.example.com:/":                         errPort,
		"https://localhost/":                                  errHost,
		"https://hooks/":                                      errHost,
		"https://com/":                                        errHost,
		"https://hooks.example.com./":                         errHost,
		"https://hooks..example.com/":                         errHost,
		"https://.example.com/":                               errHost,
		"https://hooks.localhost/":                            errHost,
		"https://printer.local/":                              errHost,
		"https://db.internal/":                                errHost,
		"https://a.test/":                                     errHost,
		"https://a.invalid/":                                  errHost,
		"https://a.onion/":                                    errHost,
		"https://1.0.0.127.in-addr.arpa/":                     errHost,
		"https://my_hooks.example.com/":                       errHost,
		"https://-a.example.com/":                             errHost,
		"https://exa%6dple.com/":                              errUnreadable,
		"https://ex%c3%a4mple.com/":                           errHost,
		"https://a-.example.com/":                             errHost,
		"https://hooks.example.com%2f/":                       errUnreadable,
		"https://xn--a.com/":                                  errHost,
		"https://" + strings.Repeat("a", 64) + ".com/":        errHost,
		"https://" + strings.Repeat("a.", 126) + "com/":       errHost,
		"https://example.com/" + strings.Repeat("a", 2048-19): errLength,
		"https://example.com/" + strings.Repeat("ä", 1000):    errLength,
	} {
		if got, err := checkURL(given, false); err != want || got != "" {
			t.Errorf("%q: %q, %v, want %v", given, got, err, want)
		}
	}
}

func TestThisMachineIsAcceptedOnlyWhereItIsAllowed(t *testing.T) {
	for _, given := range []string{"http://localhost:8080/in", "http://127.0.0.1:9/", "https://127.0.0.1/", "http://[::1]:8080/", "http://127.9.9.9/"} {
		if got, err := checkURL(given, true); err != nil || got != given {
			t.Errorf("%q: %q %v", given, got, err)
		}
		if _, err := checkURL(given, false); err == nil {
			t.Errorf("%q is accepted", given)
		}
	}
	for _, given := range []string{
		"http://hooks.example.com/", "http://10.0.0.1/", "http://169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://u@localhost/",
		"http://localhost/#a", "ftp://localhost/", "http://localhost.example.com/", "http://0.0.0.0/", "https://10.0.0.1/", "https://hooks.example.com:8443/",
	} {
		if _, err := checkURL(given, true); err == nil {
			t.Errorf("%q is accepted", given)
		}
	}
}

// What is accepted is https to a name on port 443, by anybody's reading, and is accepted again as it is kept.
func FuzzCheckURL(f *testing.F) {
	for _, given := range bypasses() {
		f.Add(given)
	}
	for _, given := range []string{"https://hooks.example.com/a?b", "https://Bücher.de/straße", "https://u@a.com:443/#", "https://日本。jp/", "https://example.com?x#", "https://a.com\\@b.com"} {
		f.Add(given)
	}
	f.Fuzz(func(t *testing.T, given string) {
		kept, err := checkURL(given, false)
		if err != nil {
			if kept != "" {
				t.Errorf("%q is refused and gives %q", given, kept)
			}
			return
		}
		if again, err := checkURL(kept, false); err != nil || again != kept {
			t.Errorf("%q is kept as %q, which is kept as %q, %v", given, kept, again, err)
		}
		u, err := url.Parse(kept)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Host != u.Hostname() || u.Fragment != "" || len(kept) > maximumURL {
			t.Fatalf("%q is kept as %q", given, kept)
		}
		if _, err := netip.ParseAddr(u.Host); err == nil || strings.Trim(u.Host, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			t.Errorf("%q has the host %q", given, u.Host)
		}
		if _, err := publicsuffix.EffectiveTLDPlusOne(u.Host); err != nil && !strings.Contains(u.Host, ".") {
			t.Errorf("%q has the host %q: %v", given, u.Host, err)
		}
		if last := u.Host[strings.LastIndexByte(u.Host, '.')+1:]; last == "" || last[0] >= '0' && last[0] <= '9' {
			t.Errorf("%q has the host %q, whose last part is a number", given, u.Host)
		}
	})
}
