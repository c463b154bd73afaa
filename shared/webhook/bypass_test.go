package webhook

import (
	"fmt"
	"strings"
)

// bypasses are ways to spell this machine, its network or the metadata service of a cloud, each of which somebody's check let through.
func bypasses() []string {
	hosts := []string{
		// Loopback in IPv4: dotted, short, whole, octal, hexadecimal, mixed, with zeros, with an overflow.
		"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.000.000.001", "127.127.127.127", "127.0.0.0", "0", "0.0.0.0", "00000000",
		"2130706433", "2130706433.", "02130706433", "017700000001", "0177.0.0.1", "0177.0.0.01", "0177.1", "00177.0.0.0001", "0o177.0.0.1",
		"0x7f000001", "0X7F000001", "0x7f.0.0.1", "0x7f.1", "0x7F.0x0.0x0.0x1", "0x0000007f.0.0.1", "0x7f.0.01", "0177.0x0.0.1", "127.0x1",
		"4294967297", "6425673729", "383.0.0.1", "127.0.0.257", "127.0.0.1e0", "0x", "127.0x.1",
		// In IPv6.
		"[::1]", "[0:0:0:0:0:0:0:1]", "[0000::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::7f00:1]",
		"[0:0:0:0:0:ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]",
		"[fe80::1]", "[fe80::1%25lo]", "[::1%25lo]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[::ffff:0:127.0.0.1]", "[fec0::1]",
		// The network's own addresses, and a cloud's.
		"10.0.0.1", "10.1", "167772161", "0xa.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.1", "3232235521", "100.64.0.1",
		"169.254.169.254", "169.254.43518", "2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "0251.254.169.254",
		"425.510.425.510", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "168.63.129.16",
		"100.100.100.200", "192.0.0.192", "198.18.0.1", "192.0.2.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		// Letters that turn into digits and dots.
		"１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "¹²⁷.0.0.1", "0ｘ7f000001", "①69.254.169.254",
		"lo\u00adcalhost", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "locaｌhost", "ſocalhost", "localhost\u3002",
		// Names.
		"localhost", "LOCALHOST", "localhost.", "localhost.localdomain", "ip6-localhost", "a.localhost", "metadata", "metadata.google.internal",
		"instance-data", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "host.docker.internal", "broadcasthost", "127.0.0.1.localhost",
		// Where one name ends and the next begins.
		"example.com@127.0.0.1", "127.0.0.1@example.com", "user:pass@localhost", "example.com%40127.0.0.1", "127.0.0.1%00.example.com",
		"127.0.0.1%2f.example.com", "127.0.0.1%23.example.com", "127.0.0.1#.example.com", "127.0.0.1\\.example.com", "example.com\\@127.0.0.1",
		"127.0.0.1 .example.com", "127.0.0.1\t", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "loc%61lhost", "127.0.0.1:80@example.com", "@127.0.0.1",
		"[::1", "::1", "127.0.0.1]", "[127.0.0.1]", "[localhost]", "", ".", "..", "-", "127..0.0.1", ".127.0.0.1",
	}
	all := make([]string, 0, 2*len(hosts)+20)
	for _, host := range hosts {
		all = append(all, "https://"+host+"/", "https://"+host+":443/in?x=1")
	}
	for _, form := range []string{
		"http://%s/", "https:%s/", "https:/%s/", "https:///%s/", "//%s/", "\\\\%s\\", "https:\\\\%s\\", "https://%s:80/", "https://%s:8080/", "gopher://%s/", "file://%s/etc/passwd",
		"dict://%s:11211/", "ftp://%s/", "https://%s:443@%[1]s/", "HTTPS://%s/", "https://%s?", "https://%s#", " https://%s/", "https ://%s/", "\x00https://%s/",
	} {
		all = append(all, strings.TrimSuffix(fmt.Sprintf(form, "127.0.0.1"), "%!(EXTRA string=127.0.0.1)"))
	}
	return all
}
