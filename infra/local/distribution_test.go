package main

import (
	"slices"
	"strings"
	"testing"
)

// CloudFront's managed policies, by the numbers that they have in every account.
const (
	cachingOptimized          = "658327ea-f89d-4fab-a63d-7e88639e58f6"
	cachingDisabled           = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
	allViewer                 = "216adef6-5c7f-47e4-b989-5492eafa07d3"
	allViewerExceptHostHeader = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
)

// behaviour is how the distribution treats some paths.
type behaviour struct {
	Path     string   `yaml:"PathPattern"`
	Origin   string   `yaml:"TargetOriginId"`
	Protocol string   `yaml:"ViewerProtocolPolicy"`
	Methods  []string `yaml:"AllowedMethods"`
	Cache    string   `yaml:"CachePolicyId"`
	// Request is the policy with the console's own host and the one without.
	Request []string `yaml:"OriginRequestPolicyId"`
	Headers string   `yaml:"ResponseHeadersPolicyId"`
}

type distribution struct {
	Config struct {
		Enabled     bool   `yaml:"Enabled"`
		HTTP        string `yaml:"HttpVersion"`
		Root        string `yaml:"DefaultRootObject"`
		Errors      []any  `yaml:"CustomErrorResponses"`
		Certificate []any  `yaml:"ViewerCertificate"`
		Origins     []struct {
			ID     string `yaml:"Id"`
			Domain any    `yaml:"DomainName"`
			Access string `yaml:"OriginAccessControlId"`
			Custom *struct {
				Protocol string   `yaml:"OriginProtocolPolicy"`
				TLS      []string `yaml:"OriginSSLProtocols"`
				Seconds  int      `yaml:"OriginReadTimeout"`
			} `yaml:"CustomOriginConfig"`
		} `yaml:"Origins"`
		Default    behaviour   `yaml:"DefaultCacheBehavior"`
		Behaviours []behaviour `yaml:"CacheBehaviors"`
	} `yaml:"DistributionConfig"`
}

func consoleDistribution(t *testing.T) distribution {
	t.Helper()
	r := resources(t)["ConsoleDistribution"]
	if r.Type != "AWS::CloudFront::Distribution" {
		t.Fatalf("ConsoleDistribution is %q", r.Type)
	}
	var d distribution
	r.read(t, &d)
	return d
}

// Every path of the API gets to the API as it was asked for, with nothing kept of the answer; everything else is a file.
func TestTheDistributionHandsTheAPIOn(t *testing.T) {
	d := consoleDistribution(t).Config
	every := []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}
	behind := func(path string) behaviour {
		for _, b := range d.Behaviours {
			if prefix, ok := strings.CutSuffix(b.Path, "*"); ok && strings.HasPrefix(path, prefix) || b.Path == path {
				return b
			}
		}
		return d.Default
	}
	asked := 0
	for _, r := range deployment(t).Routes {
		if r.Path == "" {
			continue // what no other route takes
		}
		asked++
		b := behind(r.Path)
		slices.Sort(b.Methods)
		if b.Origin != "api" || b.Cache != cachingDisabled || b.Headers != "" || !slices.Equal(b.Methods, every) || b.Protocol != "https-only" ||
			!slices.Equal(b.Request, []string{"HasConsoleDomain", allViewer, allViewerExceptHostHeader}) {
			t.Errorf("%s %s: %+v", r.Method, r.Path, b)
		}
	}
	if asked < 90 {
		t.Errorf("only %d routes", asked)
	}
	for _, path := range []string{"/", "/index.html", "/favicon.svg", "/assets/index-a1b2.js", "/nowhere", "/api/v2/x"} {
		if b := behind(path); b.Origin != "files" || b.Cache != cachingOptimized || b.Headers != "ConsoleHeaders" || b.Protocol != "redirect-to-https" || !slices.Equal(b.Methods, []string{"GET", "HEAD"}) {
			t.Errorf("%s: %+v", path, b)
		}
	}
	// A page for errors would be the answer of the API's too.
	if !d.Enabled || d.HTTP != "http2and3" || d.Root != "index.html" || len(d.Errors) != 0 {
		t.Errorf("%+v", d)
	}
	for _, o := range d.Origins {
		switch o.ID {
		case "files":
			if o.Domain != "ConsoleBucket.RegionalDomainName" || o.Access != "ConsoleAccess" || o.Custom != nil {
				t.Errorf("%+v", o)
			}
		case "api":
			// The host that wallets sign reaches the API by the domain of that name alone.
			want := []any{"HasConsoleDomain", "MainDomain.RegionalDomainName", "${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}"}
			if got, _ := o.Domain.([]any); !slices.Equal(got, want) || o.Access != "" || o.Custom == nil || o.Custom.Protocol != "https-only" ||
				!slices.Equal(o.Custom.TLS, []string{"TLSv1.2"}) || o.Custom.Seconds <= int(integrationTimeout.Seconds()) {
				t.Errorf("%+v %+v", o, o.Custom)
			}
		default:
			t.Errorf("what is %s?", o.ID)
		}
	}
}

// With its own host the distribution answers on that host by a certificate, and the host's records point to it.
func TestTheConsoleHasItsOwnHost(t *testing.T) {
	d := consoleDistribution(t).Config
	if len(d.Certificate) != 3 || d.Certificate[0] != "HasConsoleDomain" {
		t.Fatalf("%v", d.Certificate)
	}
	own, _ := d.Certificate[1].(map[string]any)
	if own["AcmCertificateArn"] != "ConsoleCertificateArn" || own["MinimumProtocolVersion"] != "TLSv1.2_2021" || own["SslSupportMethod"] != "sni-only" {
		t.Errorf("%v", own)
	}
	type target struct {
		DNSName      string `yaml:"DNSName"`
		HostedZoneID string `yaml:"HostedZoneId"`
	}
	network := target{"ConsoleDistribution.DomainName", "Z2FDTNDATAQYW2"}
	var four struct {
		Type   string `yaml:"Type"`
		Name   string `yaml:"Name"`
		Target []any  `yaml:"AliasTarget"`
	}
	var six struct {
		Type   string `yaml:"Type"`
		Name   string `yaml:"Name"`
		Target target `yaml:"AliasTarget"`
	}
	all := resources(t)
	record, ipv6, alias := all["MainDomainRecord"], all["MainDomainRecordIPv6"], all["ConsoleDistribution"]
	record.read(t, &four)
	ipv6.read(t, &six)
	if six.Type != "AAAA" || six.Name != "MainDomainName" || six.Target != network {
		t.Errorf("%+v", six)
	}
	if len(four.Target) != 3 || four.Target[0] != "HasConsoleDomain" || four.Type != "A" || four.Name != "MainDomainName" {
		t.Fatalf("%+v", four)
	}
	with, _ := four.Target[1].(map[string]any)
	without, _ := four.Target[2].(map[string]any)
	if with["DNSName"] != network.DNSName || with["HostedZoneId"] != network.HostedZoneID || without["DNSName"] != "MainDomain.RegionalDomainName" || without["HostedZoneId"] != "MainDomain.RegionalHostedZoneId" {
		t.Errorf("%+v", four)
	}
	var named struct {
		Config struct {
			Aliases []any `yaml:"Aliases"`
		} `yaml:"DistributionConfig"`
	}
	alias.read(t, &named)
	if aliases := named.Config.Aliases; len(aliases) != 3 || aliases[0] != "HasConsoleDomain" || aliases[2] != "AWS::NoValue" {
		t.Errorf("%v", aliases)
	} else if host, _ := aliases[1].([]any); !slices.Equal(host, []any{"MainDomainName"}) {
		t.Errorf("%v", aliases)
	}
}

// Nobody but the distribution reads the bucket, nobody writes to it or lists it by its policy, and nobody reaches it in clear.
func TestTheConsolesFilesArePrivate(t *testing.T) {
	all := resources(t)
	var bucket struct {
		Ownership struct {
			Rules []struct {
				Owner string `yaml:"ObjectOwnership"`
			} `yaml:"Rules"`
		} `yaml:"OwnershipControls"`
		Encryption struct {
			Rules []struct {
				Default struct {
					Algorithm string `yaml:"SSEAlgorithm"`
				} `yaml:"ServerSideEncryptionByDefault"`
			} `yaml:"ServerSideEncryptionConfiguration"`
		} `yaml:"BucketEncryption"`
		Blocked map[string]bool `yaml:"PublicAccessBlockConfiguration"`
		Website any             `yaml:"WebsiteConfiguration"`
	}
	var access struct {
		Config struct {
			Kind     string `yaml:"OriginAccessControlOriginType"`
			Behavior string `yaml:"SigningBehavior"`
			Protocol string `yaml:"SigningProtocol"`
		} `yaml:"OriginAccessControlConfig"`
	}
	var policy struct {
		Bucket   string `yaml:"Bucket"`
		Document struct {
			Statements []struct {
				Effect    string                       `yaml:"Effect"`
				Principal any                          `yaml:"Principal"`
				Actions   []string                     `yaml:"Action"`
				Resource  any                          `yaml:"Resource"`
				Condition map[string]map[string]string `yaml:"Condition"`
			} `yaml:"Statement"`
		} `yaml:"PolicyDocument"`
	}
	buckets := 0
	for id, r := range all {
		switch r.Type {
		case "AWS::S3::Bucket":
			buckets++
			r.read(t, &bucket)
		case "AWS::S3::BucketPolicy":
			r.read(t, &policy)
		case "AWS::CloudFront::OriginAccessControl":
			r.read(t, &access)
			if id != "ConsoleAccess" {
				t.Errorf("what is %s?", id)
			}
		}
	}
	if buckets != 1 || len(bucket.Ownership.Rules) != 1 || bucket.Ownership.Rules[0].Owner != "BucketOwnerEnforced" || bucket.Website != nil ||
		len(bucket.Encryption.Rules) != 1 || bucket.Encryption.Rules[0].Default.Algorithm != "AES256" {
		t.Errorf("%d buckets: %+v", buckets, bucket)
	}
	for _, block := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
		if !bucket.Blocked[block] {
			t.Errorf("not %s", block)
		}
	}
	if access.Config.Kind != "s3" || access.Config.Behavior != "always" || access.Config.Protocol != "sigv4" {
		t.Errorf("%+v", access)
	}
	if policy.Bucket != "ConsoleBucket" || len(policy.Document.Statements) != 2 {
		t.Fatalf("%+v", policy)
	}
	allow, deny := policy.Document.Statements[0], policy.Document.Statements[1]
	service, _ := allow.Principal.(map[string]any)
	if allow.Effect != "Allow" || len(service) != 1 || service["Service"] != "cloudfront.amazonaws.com" || !slices.Equal(allow.Actions, []string{"s3:GetObject"}) || allow.Resource != "${ConsoleBucket.Arn}/*" ||
		allow.Condition["StringEquals"]["AWS:SourceArn"] != "arn:${AWS::Partition}:cloudfront::${AWS::AccountId}:distribution/${ConsoleDistribution}" {
		t.Errorf("%+v", allow)
	}
	if deny.Effect != "Deny" || deny.Principal != "*" || !slices.Equal(deny.Actions, []string{"s3:*"}) || deny.Condition["Bool"]["aws:SecureTransport"] != "false" {
		t.Errorf("%+v", deny)
	}
	if on, _ := deny.Resource.([]any); !slices.Equal(on, []any{"ConsoleBucket.Arn", "${ConsoleBucket.Arn}/*"}) {
		t.Errorf("%v", deny.Resource)
	}
}
