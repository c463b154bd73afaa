package client_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

func signInOf(wallet *signer) client.SignIn {
	return client.SignIn{
		BaseURL: "https://api.example.com:8443/v1", Address: strings.ToLower(testWallet), ChainID: 8453, SignMessage: wallet.SignMessage,
		Clock: time.Now, Random: bytes.NewReader(bytes.Repeat([]byte{0xab}, 1000)),
	}
}

func TestASignInIsAMessageOfEIP4361(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wallet := &signer{}
		headers, err := client.AuthHeadersFor(signInOf(wallet))
		if err != nil {
			t.Fatal(err)
		}
		got, err := headers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const want = `api.example.com:8443 wants you to sign in with your Ethereum account:
0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045

Sign in to Mirrorworthy to manage your copy agents. This moves no money.

URI: https://api.example.com:8443/v1
Version: 1
Chain ID: 8453
Nonce: abababababababababababababababab
Issued At: 2000-01-01T00:00:00Z
Expiration Time: 2000-01-01T12:00:00Z`
		message, err := base64.RawURLEncoding.DecodeString(got.Get("X-Wallet-Message"))
		if err != nil || string(message) != want || wallet.signed[0] != want {
			t.Errorf("%s, %v", message, err)
		}
		if got.Get("X-Wallet-Address") != testWallet || got.Get("X-Wallet-Signature") != signatureOf(want) || len(got) != 3 {
			t.Errorf("%v", got)
		}
	})
}

func TestASignInIsUsedUntilShortlyBeforeItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wallet := &signer{}
		headers, err := client.AuthHeadersFor(signInOf(wallet))
		if err != nil {
			t.Fatal(err)
		}
		for after, signed := range []int{1, 1, 2} {
			if after > 0 {
				time.Sleep([]time.Duration{0, 12*time.Hour - 5*time.Minute - time.Second, time.Second}[after])
			}
			got, err := headers(t.Context())
			if err != nil || len(wallet.signed) != signed {
				t.Errorf("%d: %d messages, %v", after, len(wallet.signed), err)
			}
			got.Set("X-Wallet-Address", "spoilt by the caller")
		}
		for range 2 {
			got, err := headers(t.Context())
			if err != nil || got.Get("X-Wallet-Address") != testWallet {
				t.Errorf("%v %v", got, err)
			}
			got.Set("X-Wallet-Address", "spoilt by the caller")
		}
	})
}

func TestManyAtOnceAskTheWalletOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		who := signInOf(&signer{})
		who.SignMessage = func(context.Context, string) (string, error) {
			asked++
			time.Sleep(time.Minute)
			if asked == 1 {
				return "", errors.New("refused")
			}
			return "0x01", nil
		}
		headers, err := client.AuthHeadersFor(who)
		if err != nil {
			t.Fatal(err)
		}
		// One that is refused is not kept.
		if _, err := headers(t.Context()); err == nil {
			t.Error("a refusal is no error")
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if got, err := headers(t.Context()); err != nil || got.Get("X-Wallet-Signature") != "0x01" {
					t.Errorf("%v %v", got, err)
				}
			})
		}
		synctest.Wait()
		// Whoever cannot wait does not.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := headers(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		all.Wait()
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	})
}

func TestAddressesHaveTheirChecksum(t *testing.T) {
	// From EIP-55.
	for _, address := range []string{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
		"0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D", "0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
	} {
		for _, given := range []string{address, strings.ToLower(address), "0x" + strings.ToUpper(address[2:])} {
			who := signInOf(&signer{})
			who.Address = given
			headers, err := client.AuthHeadersFor(who)
			if err != nil {
				t.Errorf("%s: %v", given, err)
				continue
			}
			if got, err := headers(t.Context()); err != nil || got.Get("X-Wallet-Address") != address {
				t.Errorf("%s: %v %v", given, got, err)
			}
		}
	}
	for _, address := range []string{"", "0x", testWallet[2:], testWallet + "0", testWallet[:41], "0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "0X" + testWallet[2:], "vitalik.eth", testWallet[:41] + "g"} {
		who := signInOf(&signer{})
		who.Address = address
		if _, err := client.AuthHeadersFor(who); !errors.Is(err, client.ErrOptions) {
			t.Errorf("%q: %v", address, err)
		}
	}
	who := signInOf(&signer{})
	who.ChainID = 0
	if _, err := client.AuthHeadersFor(who); !errors.Is(err, client.ErrOptions) {
		t.Error(err)
	}
	who = signInOf(&signer{})
	who.SignMessage = nil
	if _, err := client.AuthHeadersFor(who); !errors.Is(err, client.ErrOptions) {
		t.Error(err)
	}
}
