package signer

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const url = "https://api.example.com/v1/payments"

func wantCode(t *testing.T, err error, code ErrorCode) {
	t.Helper()
	var typed *Error
	if !errors.As(err, &typed) || typed.Code != code {
		t.Errorf("the error is %v, not %s", err, code)
	}
}

func TestRejectsRequestsThatCannotBeSentAsSigned(t *testing.T) {
	signer := newTestSigner(t, Options{BodyBytesMax: 4})
	for name, test := range map[string]struct {
		request Request
		code    ErrorCode
	}{
		"no scheme":        {Request{"GET", "api.example.com/v1", nil}, RequestInvalid},
		"another scheme":   {Request{"GET", "ftp://api.example.com/v1", nil}, RequestInvalid},
		"no path":          {Request{"GET", "https://api.example.com", nil}, RequestInvalid},
		"query, no path":   {Request{"GET", "https://api.example.com?a/b", nil}, RequestInvalid},
		"no host":          {Request{"GET", "https:///v1", nil}, RequestInvalid},
		"user information": {Request{"GET", "https://a:b@api.example.com/v1", nil}, RequestInvalid},
		"upper-case host":  {Request{"GET", "https://API.example.com/v1", nil}, RequestInvalid},
		"default port":     {Request{"GET", "https://api.example.com:443/v1", nil}, RequestInvalid},
		"fragment":         {Request{"GET", url + "#top", nil}, RequestInvalid},
		"raw letter":       {Request{"GET", url + "?q=é", nil}, RequestInvalid},
		"space":            {Request{"GET", url + "?q=a b", nil}, RequestInvalid},
		"line feed":        {Request{"GET", url + "\n\"date\": x", nil}, RequestInvalid},
		"too long":         {Request{"GET", url + "?q=" + strings.Repeat("x", 8492), nil}, RequestInvalid},
		"no method":        {Request{"", url, nil}, RequestInvalid},
		"method with LF":   {Request{"GET\n", url, nil}, RequestInvalid},
		"CONNECT":          {Request{"connect", url, nil}, RequestInvalid},
		"body too large":   {Request{"POST", url, []byte("12345")}, BodyTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := signer.Sign(t.Context(), test.request)
			wantCode(t, err, test.code)
		})
	}
	if _, err := signer.Sign(t.Context(), Request{"POST", url, []byte("1234")}); err != nil {
		t.Errorf("a body of the largest size: %v", err)
	}
}

func TestRejectsOptionsThatCannotWork(t *testing.T) {
	key := vectorKey(t, "rsa-2048-a")
	p521Key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signBytes := func(context.Context, []byte) ([]byte, error) { return nil, nil }
	for name, test := range map[string]struct {
		options Options
		code    ErrorCode
	}{
		"no client ID":         {Options{PrivateKey: key}, KeyIDInvalid},
		"client ID with space": {Options{ClientID: "my shop", PrivateKey: key}, KeyIDInvalid},
		"client ID with é":     {Options{ClientID: "café", PrivateKey: key}, KeyIDInvalid},
		"long client ID":       {Options{ClientID: strings.Repeat("x", 257), PrivateKey: key}, KeyIDInvalid},
		"no key":               {Options{ClientID: "shop"}, PrivateKeyInvalid},
		"two keys":             {Options{ClientID: "shop", PrivateKey: key, SignBytes: signBytes}, PrivateKeyInvalid},
		"P-521":                {Options{ClientID: "shop", PrivateKey: p521Key}, PrivateKeyInvalid},
		"unknown algorithm":    {Options{ClientID: "shop", SignBytes: signBytes, Algorithm: "ES256"}, PrivateKeyInvalid},
		"algorithm of a key":   {Options{ClientID: "shop", PrivateKey: key, Algorithm: RSAv15SHA256}, PrivateKeyInvalid},
		"algorithm of a file":  {Options{ClientID: "shop", PrivateKeyFile: "testdata/legacy.pem", Algorithm: Ed25519}, PrivateKeyInvalid},
		"no such file":         {Options{ClientID: "shop", PrivateKeyFile: "testdata/none.pem"}, PrivateKeyInvalid},
		"folder is a file":     {Options{ClientID: "shop", PrivateKey: key, SharedFolder: "go.mod"}, SigningFailed},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.options)
			wantCode(t, err, test.code)
		})
	}
}

func TestEscapesTheClientID(t *testing.T) {
	signer := newTestSigner(t, Options{ClientID: `a"b\c`})
	signed := sign(t, signer, "GET", url, nil)
	if want := `;keyid="a\"b\\c";`; !strings.Contains(signed.Header.Get("Signature-Input"), want) {
		t.Errorf("Signature-Input is %s, without %s", signed.Header.Get("Signature-Input"), want)
	}
}

func sign(t *testing.T, signer *Signer, method, url string, body []byte) *Signed {
	t.Helper()
	signed, err := signer.Sign(t.Context(), Request{method, url, body})
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func TestGivesEqualRequestsLaterSeconds(t *testing.T) {
	start := time.Unix(1_800_000_000, 999_000_000)
	now := start
	signer := newTestSigner(t, Options{Now: func() time.Time { return now }})
	for ahead := range int64(31) {
		signed := sign(t, signer, "post", url, nil)
		if got := signed.Created.Unix() - start.Unix(); got != ahead {
			t.Fatalf("equal request %d is %d seconds ahead", ahead, got)
		}
		if date, _ := http.ParseTime(signed.Header.Get("Date")); !date.Equal(signed.Created) {
			t.Fatalf("Date is %s, created %s", date, signed.Created)
		}
	}
	// There is no time to wait for a second.
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := signer.Sign(ended, Request{"POST", url, nil})
	wantCode(t, err, TooManyEqualRequests)

	for name, other := range map[string]Request{
		"method": {"PUT", url, nil}, "URL": {"POST", url + "?", nil}, "body": {"POST", url, []byte("x")},
	} {
		if signed := sign(t, signer, other.Method, other.URL, other.Body); signed.Created.Unix() != start.Unix() {
			t.Errorf("another %s is not signed in the present second", name)
		}
	}
	now = now.Add(time.Second)
	if signed := sign(t, signer, "POST", url, nil); signed.Created.Unix() != start.Unix()+31 {
		t.Errorf("a second later, created is %d seconds ahead", signed.Created.Unix()-now.Unix())
	}
}

func TestSignersOfAProcessShareTheirSeconds(t *testing.T) {
	seen := map[int64]bool{}
	for range 3 {
		signed := sign(t, newTestSigner(t, Options{ClientID: "shared-seconds"}), "POST", url, nil)
		if seen[signed.Created.Unix()] {
			t.Errorf("two signers used the second %d", signed.Created.Unix())
		}
		seen[signed.Created.Unix()] = true
	}
}

func TestReadsShareSecondsAgainSomeTimeAfterOneWasRejected(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	signer := newTestSigner(t, Options{Now: func() time.Time { return now }})
	if !signer.becomeStrict(t.Context(), "GET", &Refusal{Code: "signature_replayed"}) {
		t.Fatal("the read is not signed again")
	}
	for ahead := range 3 {
		if signed := sign(t, signer, "GET", url, nil); signed.Created.Unix() != now.Unix()+int64(ahead) {
			t.Errorf("read %d is signed for %s", ahead, signed.Created)
		}
	}
	now = now.Add(10 * time.Second)
	for range 3 {
		if signed := sign(t, signer, "GET", url, nil); !signed.Created.Equal(now) {
			t.Errorf("a later read is signed for %s", signed.Created)
		}
	}
}

func TestEqualReadsShareASecond(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	now := start
	signer := newTestSigner(t, Options{Now: func() time.Time { return now }})
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		for range 50 {
			if signed := sign(t, signer, method, url, nil); !signed.Created.Equal(start) {
				t.Fatalf("an equal %s is signed for %s", method, signed.Created)
			}
		}
	}
	// Two a second for five minutes.
	for range 600 {
		now = now.Add(500 * time.Millisecond)
		if signed := sign(t, signer, "GET", url, nil); signed.Created.Unix() != now.Unix() {
			t.Fatalf("a read is %d seconds ahead", signed.Created.Unix()-now.Unix())
		}
	}
}

func TestDoesNotShareASecondForLong(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	signer := newTestSigner(t, Options{Now: func() time.Time { return start }})
	sign(t, signer, "GET", url, nil)
	for _, entry := range signer.used.seconds {
		for hash, firstUse := range entry.hashes {
			entry.hashes[hash] = firstUse.Add(-equalReadsFor)
		}
	}
	if signed := sign(t, signer, "GET", url, nil); signed.Created.Unix() != start.Unix()+1 {
		t.Errorf("a read is signed for %s", signed.Created)
	}
}

func TestWaitsForASecond(t *testing.T) {
	var moved atomic.Int64
	signer := newTestSigner(t, Options{Now: func() time.Time { return time.Unix(1_800_000_000+moved.Load(), 0) }})
	for range aheadSecondsMax + 1 {
		sign(t, signer, "POST", url, nil)
	}
	signed := make(chan *Signed)
	go func() {
		one, _ := signer.Sign(t.Context(), Request{"POST", url, nil})
		signed <- one
	}()
	moved.Store(1)
	if one := <-signed; one == nil || one.Created.Unix() != 1_800_000_000+aheadSecondsMax+1 {
		t.Errorf("the request that waited is %+v", one)
	}
}

func TestForgetsSecondsThatNoServiceAccepts(t *testing.T) {
	used := newUsedSeconds()
	used.take("request", 1)
	used.seconds[1].lastUse = time.Now().Add(-rememberFor - time.Second)
	used.forgetAt = time.Time{}
	used.take("request", 2)
	if len(used.seconds) != 1 {
		t.Errorf("%d seconds are remembered", len(used.seconds))
	}
	if used.take("request", 2) {
		t.Error("a second was forgotten too early")
	}
}

func TestNonceMakesEqualRequestsDistinct(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	signer := newTestSigner(t, Options{Nonce: true, Now: func() time.Time { return now }})
	pattern := regexp.MustCompile(`;alg="rsa-v1_5-sha256";nonce="([!#-\[\]-~]{16,64})"$`)
	seen := map[string]bool{}
	for range 50 {
		signed := sign(t, signer, "GET", url, nil)
		found := pattern.FindStringSubmatch(signed.Header.Get("Signature-Input"))
		if found == nil || seen[found[1]] || !signed.Created.Equal(now) {
			t.Fatalf("%s at %s", signed.Header.Get("Signature-Input"), signed.Created)
		}
		seen[found[1]] = true
	}
}

func TestOmitsDate(t *testing.T) {
	signed := sign(t, newTestSigner(t, Options{OmitDate: true}), "POST", url, []byte("x"))
	if _, isThere := signed.Header["Date"]; isThere {
		t.Error("Date is sent")
	}
	if want := `sig=("@method" "@target-uri" "content-digest");created=`; !strings.HasPrefix(signed.Header.Get("Signature-Input"), want) {
		t.Error(signed.Header.Get("Signature-Input"))
	}
}

func TestSharedFolderKeepsProcessesApart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "used", "seconds")
	now := time.Unix(1_800_000_000, 0)
	options := Options{SharedFolder: folder, Now: func() time.Time { return now }}
	// Each signer with a clock of its own has a memory of its own, like a process.
	first := sign(t, newTestSigner(t, options), "POST", url, []byte("{}"))
	second := sign(t, newTestSigner(t, options), "POST", url, []byte("{}"))
	if first.Created.Unix() != 1_800_000_000 || second.Created.Unix() != 1_800_000_001 {
		t.Errorf("created are %d and %d", first.Created.Unix(), second.Created.Unix())
	}
	// The name that signers in all languages use: SHA-256 of
	// "shop\0POST\0https://api.example.com/v1/payments\0sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:".
	name := filepath.Join(folder, "c998653df8fcfbf8a857599d002f938c.1800000000")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the record has the mode %o", info.Mode().Perm())
	}

	// 421 seconds old: deleted. Files of others stay.
	old := time.Now().Add(-421 * time.Second)
	foreign := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{name, foreign} {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	sign(t, newTestSigner(t, options), "POST", url, nil)
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Error("an old record is still there")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a file that is no record was deleted")
	}
}

func TestSharedFolderThatDisappears(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "seconds")
	signer := newTestSigner(t, Options{SharedFolder: folder})
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	_, err := signer.Sign(t.Context(), Request{"POST", url, nil})
	wantCode(t, err, SigningFailed)
}

func TestNoSignatureTwiceFromManyGoroutines(t *testing.T) {
	folder := t.TempDir()
	start := time.Now()
	clock := func() time.Time { return start }
	signers := []*Signer{
		newTestSigner(t, Options{SharedFolder: folder, Now: clock}), newTestSigner(t, Options{SharedFolder: folder, Now: clock}),
	}
	var mutex sync.Mutex
	seen := map[string]bool{}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 3 {
				signed, err := signers[worker%2].Sign(context.Background(), Request{"DELETE", url, nil})
				if err != nil {
					t.Error(err)
					return
				}
				mutex.Lock()
				if seen[signed.Header.Get("Signature")] {
					t.Errorf("%s was signed twice", signed.Created)
				}
				seen[signed.Header.Get("Signature")] = true
				mutex.Unlock()
			}
		}()
	}
	group.Wait()
}

// pssSigner is a key in an HSM that is set up for another padding.
type pssSigner struct{ *rsa.PrivateKey }

func (s pssSigner) Sign(random io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	return rsa.SignPSS(random, s.PrivateKey, crypto.SHA256, digest, nil)
}

// failingSigner is a key in an HSM that cannot be reached.
type failingSigner struct{ *rsa.PrivateKey }

func (failingSigner) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, errors.New("slot 3 is empty")
}

func TestReportsKeysThatFail(t *testing.T) {
	key := vectorKey(t, "rsa-2048-a").(*rsa.PrivateKey)
	for name, test := range map[string]struct {
		options Options
		text    string
	}{
		"PSS":             {Options{PrivateKey: pssSigner{key}}, "RSASSA-PKCS1-v1_5"},
		"crypto.Signer":   {Options{PrivateKey: failingSigner{key}}, "slot 3 is empty"},
		"SignBytes":       {Options{SignBytes: func(context.Context, []byte) ([]byte, error) { return nil, errors.New("no network") }}, "no network"},
		"SignBytes, text": {Options{SignBytes: func(context.Context, []byte) ([]byte, error) { return []byte("abc"), nil }}, "3 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newTestSigner(t, test.options).Sign(t.Context(), Request{"GET", url, nil})
			wantCode(t, err, SigningFailed)
			if err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%v does not contain %q", err, test.text)
			}
		})
	}
}

func TestSignBytesGetsTheBase(t *testing.T) {
	key := vectorKey(t, "rsa-2048-a").(*rsa.PrivateKey)
	type contextKey struct{}
	signer := newTestSigner(t, Options{SignBytes: func(ctx context.Context, message []byte) ([]byte, error) {
		if ctx.Value(contextKey{}) != "here" {
			t.Error("the context is another one")
		}
		digest := sha256.Sum256(message)
		return rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	}})
	ctx := context.WithValue(t.Context(), contextKey{}, "here")
	signed, err := signer.Sign(ctx, Request{"GET", "https://api.example.com/sign-bytes", nil})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := newTestSigner(t, Options{Now: func() time.Time { return signed.Created }}).
		Sign(t.Context(), Request{"GET", "https://api.example.com/sign-bytes", nil})
	if err != nil || direct.Header.Get("Signature") != signed.Header.Get("Signature") {
		t.Errorf("the signatures differ, or %v", err)
	}
}
