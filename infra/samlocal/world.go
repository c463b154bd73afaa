package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
	"github.com/mirrorworthy/mirrorworthy/shared/client/localwallet"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/tables"
)

const (
	region     = "eu-central-1"
	credential = "local"
	partner    = "sam-local"
	// eventHost is the host of the events, which the wallet signs in to.
	eventHost = "api.mirrorworthy.example"
	// marketHistory is how much of its history the sample market has.
	marketHistory = 30 * 24 * time.Hour
)

// world is what the functions deal with: the sample market, a queue, tables, a partner and a wallet.
type world struct {
	settings      map[string]string // the functions' environment
	pepper, agent string
	key           string
	token, wallet samplemarket.Sample
	signer        *localwallet.Wallet
	created       string // the agent that was made, empty before
	servers       []*http.Server
}

// newWorld makes it, within reach of containers at the gateway.
func newWorld(ctx context.Context, template []byte, gateway string) (_ *world, err error) {
	w := &world{pepper: hexadecimal(), agent: hexadecimal()}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	endpoint, err := reachable(os.Getenv("DYNAMODB_ENDPOINT"), gateway)
	if err != nil {
		return nil, err
	}
	start := time.Now().UTC().Truncate(24 * time.Hour).Add(-marketHistory)
	market := samplemarket.New(samplemarket.Config{Seed: 1, Start: start, Clock: time.Now})
	providers, err := w.serve(gateway, market.Handler())
	if err != nil {
		return nil, err
	}
	queue, err := w.serve(gateway, http.HandlerFunc(takeMessages))
	if err != nil {
		return nil, err
	}
	samples := market.Samples()
	for list, found := range map[*samplemarket.Sample][]samplemarket.Sample{&w.token: samples.Tokens, &w.wallet: samples.Wallets} {
		i := slices.IndexFunc(found, func(s samplemarket.Sample) bool { return s.Chain == "eth" })
		if i < 0 {
			return nil, errors.New("the sample market has nothing on eth to try")
		}
		*list = found[i]
	}
	w.settings = map[string]string{
		"TRACING": "off", "DYNAMODB_ENDPOINT": endpoint, "SQS_ENDPOINT": queue,
		// Everything runs on one machine, and the market is asked within the limits of the real providers.
		"SINGLE_TIMEOUT": "11s", "BUNDLE_TIMEOUT": "12s",
	}
	for name, address := range host.SampleAddresses(providers) {
		w.settings[settingOf(name)] = address
	}
	if err := w.fill(ctx, template, endpoint); err != nil {
		return nil, err
	}
	w.signer, err = localwallet.New(ctx, hexadecimal(), nil)
	return w, err
}

// settingOf is the environment variable with the address of a provider, like BLOCKSCOUT_BASE_URL.
func settingOf(provider string) string {
	return strings.NewReplacer("/", "_", "-", "_").Replace(strings.ToUpper(provider)) + "_URL"
}

// reachable is the address of the DynamoDB on this machine, as containers reach it.
func reachable(endpoint, gateway string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Port() == "" {
		return "", fmt.Errorf("DYNAMODB_ENDPOINT=%s: want the address of a DynamoDB on this machine; run this by go run ./infra/dynamodblocal", endpoint)
	}
	u.Host = net.JoinHostPort(gateway, u.Port())
	return u.String(), nil
}

// serve answers on a port of the gateway's address.
func (w *world) serve(gateway string, handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(gateway, "0"))
	if err != nil {
		return "", fmt.Errorf("containers cannot reach this machine: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	w.servers = append(w.servers, server)
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), nil
}

// takeMessages stands in for SQS: it takes everything and delivers nothing.
func takeMessages(answer http.ResponseWriter, r *http.Request) {
	var asked struct{ Entries []struct{ Id string } }
	body, err := io.ReadAll(http.MaxBytesReader(answer, r.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		http.Error(answer, "no batch of messages", http.StatusBadRequest)
		return
	}
	type taken struct{ Id, MessageId string }
	all := struct{ Successful []taken }{[]taken{}}
	for _, entry := range asked.Entries {
		all.Successful = append(all.Successful, taken{entry.Id, "m" + entry.Id})
	}
	answer.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_ = json.NewEncoder(answer).Encode(all)
}

// fill makes the tables, and a partner with a key.
func (w *world) fill(ctx context.Context, template []byte, endpoint string) error {
	connected := dynamodb.New(dynamodb.Options{
		Region: region, BaseEndpoint: aws.String(endpoint), Credentials: credentials.NewStaticCredentialsProvider(credential, credential, ""),
	})
	all, err := tables.Read(template)
	if err != nil {
		return err
	}
	for _, table := range all {
		if err := table.Create(ctx, connected, table.LogicalID); err != nil {
			return fmt.Errorf("table %s: %w", table.LogicalID, err)
		}
	}
	pepper, err := partnerkey.ParsePepper(w.pepper)
	if err != nil {
		return err
	}
	keys := dynamo.Open(connected, dynamo.Tables{Records: "RecordsTable", Meters: "MetersTable"}).Keys()
	administration := partnerkey.NewAdministration(keys, pepper, time.Now, rand.Reader)
	if _, err := administration.Create(ctx, partner, "SAM local", store.Limit{PerMinute: 60_000, Burst: 60_000}); err != nil {
		return err
	}
	key, err := administration.Issue(ctx, partner, store.ModeLive, "for one trial")
	w.key = key.Reveal()
	return err
}

// parameters are those of the template.
func (w *world) parameters() string {
	return "KeyPepper=" + w.pepper + " AgentSecret=" + w.agent + " Architecture=" + architecture()
}

// template is the deployment's with the addresses of this world in the functions' environment.
func (w *world) template(source []byte, folder string) []byte {
	var settings strings.Builder
	for _, name := range sorted(w.settings) {
		if name != "TRACING" {
			fmt.Fprintf(&settings, "        %s: %s\n", name, w.settings[name])
		}
	}
	return []byte(strings.NewReplacer(
		"        PROVIDERS: live\n", "        PROVIDERS: live\n"+settings.String(),
		"        TRACING: 'on'\n", "        TRACING: 'off'\n",
		"CodeUri: build/", "CodeUri: "+folder+"/build/",
		"RECORDS_TABLE: !Ref RecordsTable", "RECORDS_TABLE: RecordsTable", "METERS_TABLE: !Ref MetersTable", "METERS_TABLE: MetersTable",
		": !Ref DiscoverLeadersQueue\n", ": "+w.settings["SQS_ENDPOINT"]+"/1/discover-leaders\n",
		": !Ref GradeLeadersQueue\n", ": "+w.settings["SQS_ENDPOINT"]+"/1/grade-leaders\n",
		": !Ref ResolveTrackRecordQueue\n", ": "+w.settings["SQS_ENDPOINT"]+"/1/resolve-track-record\n",
		": !Ref MirrorTradesQueue\n", ": "+w.settings["SQS_ENDPOINT"]+"/1/mirror-trades\n",
		": !Ref DeliverWebhooksQueue\n", ": "+w.settings["SQS_ENDPOINT"]+"/1/deliver-webhooks\n",
	).Replace(string(source)))
}

// request is what an event asks for.
type request struct {
	method, path, query, body string
	header                    http.Header
}

// event reads an event, with the key, the wallet and the addresses of this world in the places of those that stand there.
func (w *world) event(ctx context.Context, folder string) (text []byte, asked request, err error) {
	source, err := os.ReadFile("events/" + folder + ".json")
	if err != nil {
		return nil, request{}, err
	}
	signIn, err := client.AuthHeadersFor(client.SignIn{
		BaseURL: "https://" + eventHost + "/v1", Address: w.signer.Address(), ChainID: 8453, SignMessage: w.signer.SignMessage,
	})
	if err != nil {
		return nil, request{}, err
	}
	signed, err := signIn(ctx)
	if err != nil {
		return nil, request{}, err
	}
	agent := w.created
	if agent == "" {
		agent = "ag_00112233445566778899aabbccddeeff"
	}
	filled := strings.NewReplacer(
		"mw_live_replace_with_a_key", w.key, "ag_00112233445566778899aabbccddeeff", agent,
		"replace_with_the_base64url_of_a_sign-in_message", signed.Get("X-Wallet-Message"), "0xreplace_with_its_signature", signed.Get("X-Wallet-Signature"),
		"0x3333333333333333333333333333333333333333", w.signer.Address(),
		"0x6982508145454ce325ddbe47a25d4ec3d2311933", w.token.Address, "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", w.wallet.Address,
	).Replace(string(source))
	var event struct {
		RawPath, RawQueryString, Body string
		Headers                       map[string]string
		RequestContext                struct{ HTTP struct{ Method string } }
	}
	if err := json.Unmarshal([]byte(filled), &event); err != nil {
		return nil, request{}, fmt.Errorf("events/%s.json: %w", folder, err)
	}
	asked = request{event.RequestContext.HTTP.Method, event.RawPath, event.RawQueryString, event.Body, make(http.Header)}
	for name, value := range event.Headers {
		asked.header.Set(name, value)
	}
	return []byte(filled), asked, nil
}

func (w *world) close() {
	for _, server := range w.servers {
		if err := server.Close(); err != nil {
			slog.Error("not closed", "error", err)
		}
	}
	if w.signer != nil {
		w.signer.Close()
	}
}

// hexadecimal is a secret of 32 bytes.
func hexadecimal() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	return hex.EncodeToString(secret)
}

func sorted(settings map[string]string) []string {
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
