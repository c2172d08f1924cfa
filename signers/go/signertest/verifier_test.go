package signertest_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign.dev/signer"
	"countersign.dev/signer/signertest"
)

func newPair(t *testing.T) (*rsa.PrivateKey, *signertest.Verifier) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key, newVerifier(t, key)
}

func newVerifier(t *testing.T, key crypto.Signer) *signertest.Verifier {
	t.Helper()
	verifier, err := signertest.NewVerifier("shop", key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

// newKeys returns a key of each algorithm.
func newKeys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	rsaKey, errRSA := rsa.GenerateKey(rand.Reader, 2048)
	_, edKey, errEd := ed25519.GenerateKey(rand.Reader)
	p256Key, err256 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384Key, err384 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err := errors.Join(errRSA, errEd, err256, err384); err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{
		"rsa-v1_5-sha256": rsaKey, "ed25519": edKey, "ecdsa-p256-sha256": p256Key, "ecdsa-p384-sha384": p384Key,
	}
}

func signed(t *testing.T, options signer.Options) signertest.Request {
	t.Helper()
	options.ClientID = "shop"
	requests, err := signer.New(options)
	if err != nil {
		t.Fatal(err)
	}
	request := signer.Request{Method: "PUT", URL: "https://api.example.com/v1/orders/7?x=1", Body: []byte("{}")}
	signed, err := requests.Sign(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return signertest.Request{Method: signed.Method, URL: request.URL, Header: signed.Header, Body: request.Body}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var refusal *signertest.Refusal
	switch {
	case code == "" && err != nil:
		t.Errorf("refused: %v", err)
	case code != "" && (!errors.As(err, &refusal) || refusal.Code != code):
		t.Errorf("the answer is %v, not %s", err, code)
	}
}

func TestAcceptsASignatureOnce(t *testing.T) {
	key, verifier := newPair(t)
	request := signed(t, signer.Options{PrivateKey: key})
	changed := request
	changed.Method = "POST"
	wantCode(t, verifier.Verify(changed), "signature_invalid")
	changed = request
	changed.Body = []byte("[]")
	wantCode(t, verifier.Verify(changed), "digest_mismatch")
	wantCode(t, verifier.Verify(request), "")
	wantCode(t, verifier.Verify(request), "signature_replayed")
}

func TestVerifiesWithTheAlgorithmOfItsKey(t *testing.T) {
	keys := newKeys(t)
	for name, key := range keys {
		request := signed(t, signer.Options{PrivateKey: key})
		input := request.Header.Get("Signature-Input")
		for other, otherKey := range keys {
			verifier := newVerifier(t, otherKey)
			if other == name {
				wantCode(t, verifier.Verify(request), "")
				wantCode(t, verifier.Verify(request), "signature_replayed")
				continue
			}
			wantCode(t, verifier.Verify(request), "signature_invalid")
			// The name of the verifier's key does not help.
			request.Header.Set("Signature-Input", strings.Replace(input, name, other, 1))
			wantCode(t, verifier.Verify(request), "signature_invalid")
			wantCode(t, newVerifier(t, key).Verify(request), "signature_invalid")
			request.Header.Set("Signature-Input", input)
		}
		request.Header.Set("Signature-Input", strings.Replace(input, name, "ES256", 1))
		wantCode(t, newVerifier(t, key).Verify(request), "algorithm_not_allowed")
	}
}

func TestRejectsAGoodSignatureWithTheAlgOfAnotherAlgorithm(t *testing.T) {
	// The signature is the key's and covers alg, so only the comparison of alg with the key rejects it.
	keys := newKeys(t)
	p256Key := keys["ecdsa-p256-sha256"].(*ecdsa.PrivateKey)
	asNumbers := func(_ context.Context, message []byte) ([]byte, error) {
		digest := sha256.Sum256(message)
		r, s, err := ecdsa.Sign(rand.Reader, p256Key, digest[:])
		if err != nil {
			return nil, err
		}
		return slices.Concat(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))), nil
	}
	request := signed(t, signer.Options{SignBytes: asNumbers, Algorithm: signer.ECDSAP256SHA256})
	wantCode(t, newVerifier(t, p256Key).Verify(request), "")
	request = signed(t, signer.Options{SignBytes: asNumbers, Algorithm: signer.Ed25519})
	wantCode(t, newVerifier(t, p256Key).Verify(request), "signature_invalid")
}

func TestRecognizesAnECDSAReplayInItsOtherForm(t *testing.T) {
	keys := newKeys(t)
	for _, name := range []string{"ecdsa-p256-sha256", "ecdsa-p384-sha384"} {
		request := signed(t, signer.Options{PrivateKey: keys[name]})
		other := withSignature(request, otherForm(keys[name].(*ecdsa.PrivateKey).Curve, signatureOf(t, request)))
		if other.Header.Get("Signature") == request.Header.Get("Signature") {
			t.Fatal("there is no other form")
		}
		wantCode(t, newVerifier(t, keys[name]).Verify(other), "") // it is a valid signature
		verifier := newVerifier(t, keys[name])
		wantCode(t, verifier.Verify(request), "")
		wantCode(t, verifier.Verify(other), "signature_replayed")
	}
}

// otherForm turns r, s into r, n-s.
func otherForm(curve elliptic.Curve, signature []byte) []byte {
	s := signature[len(signature)/2:]
	new(big.Int).Sub(curve.Params().N, new(big.Int).SetBytes(s)).FillBytes(s)
	return signature
}

func signatureOf(t *testing.T, request signertest.Request) []byte {
	t.Helper()
	field := request.Header.Get("Signature")
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(field, "sig=:"), ":"))
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

func withSignature(request signertest.Request, signature []byte) signertest.Request {
	request.Header = request.Header.Clone()
	request.Header.Set("Signature", "sig=:"+base64.StdEncoding.EncodeToString(signature)+":")
	return request
}

func TestRejectsECDSASignaturesOfAnotherLength(t *testing.T) {
	keys := newKeys(t)
	for _, name := range []string{"ecdsa-p256-sha256", "ecdsa-p384-sha384"} {
		request := signed(t, signer.Options{PrivateKey: keys[name]})
		signature := signatureOf(t, request)
		r, s := signature[:len(signature)/2], signature[len(signature)/2:]
		zero := []byte{0}
		// The numbers are the same.
		for _, longer := range [][]byte{slices.Concat(r, zero, s), slices.Concat(zero, r, zero, s)} {
			wantCode(t, newVerifier(t, keys[name]).Verify(withSignature(request, longer)), "signature_invalid")
		}
		wantCode(t, newVerifier(t, keys[name]).Verify(withSignature(request, signature)), "")
	}
}

func TestChecksTheTime(t *testing.T) {
	key, _ := newPair(t)
	now := time.Unix(1_800_000_000, 0)
	for created, code := range map[int64]string{
		-301: "created_expired", -300: "", 60: "", 61: "created_in_future",
	} {
		verifier, err := signertest.NewVerifier("shop", &key.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		verifier.Now = func() time.Time { return now }
		clock := func() time.Time { return now.Add(time.Duration(created) * time.Second) }
		wantCode(t, verifier.Verify(signed(t, signer.Options{PrivateKey: key, Now: clock})), code)
	}
}

func TestChecksNonceAndDateBySetting(t *testing.T) {
	key, _ := newPair(t)
	for name, test := range map[string]struct {
		options signer.Options
		nonce   signertest.NoncePolicy
		noDate  bool
		code    string
	}{
		"nonce, off":            {signer.Options{Nonce: true}, signertest.NonceOff, false, "parameters_invalid"},
		"nonce, optional":       {signer.Options{Nonce: true}, signertest.NonceOptional, false, ""},
		"nonce, required":       {signer.Options{Nonce: true}, signertest.NonceRequired, false, ""},
		"no nonce, optional":    {signer.Options{}, signertest.NonceOptional, false, ""},
		"no nonce, required":    {signer.Options{}, signertest.NonceRequired, false, "parameters_invalid"},
		"no date":               {signer.Options{OmitDate: true}, signertest.NonceOff, false, "components_invalid"},
		"no date, which it may": {signer.Options{OmitDate: true}, signertest.NonceOff, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			verifier, err := signertest.NewVerifier("shop", &key.PublicKey)
			if err != nil {
				t.Fatal(err)
			}
			verifier.Nonce, verifier.AcceptWithoutDate = test.nonce, test.noDate
			test.options.PrivateKey = key
			wantCode(t, verifier.Verify(signed(t, test.options)), test.code)
		})
	}
}

func TestServerHandsOverWhatItAccepts(t *testing.T) {
	key, verifier := newPair(t)
	server := verifier.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(response, request.Body)
	}))
	defer server.Close()
	requests, err := signer.New(signer.Options{ClientID: "shop", PrivateKey: key})
	if err != nil {
		t.Fatal(err)
	}
	response, err := requests.Client().Post(server.URL+"/v1/echo", "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); string(body) != "hello" {
		t.Errorf("the handler read %q", body)
	}

	// Without a signature.
	unsigned, err := http.Get(server.URL + "/v1/echo")
	if err != nil {
		t.Fatal(err)
	}
	defer unsigned.Body.Close()
	problem, _ := io.ReadAll(unsigned.Body)
	if unsigned.StatusCode != 401 || !strings.Contains(string(problem), `"code":"signature_missing"`) ||
		unsigned.Header.Get("WWW-Authenticate") != `Signature error="signature_missing"` {
		t.Errorf("%d %s %s", unsigned.StatusCode, unsigned.Header, problem)
	}
}

func TestRejectsKeysThatCannotBeRegistered(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	p521, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []any{
		&small.PublicKey, (*rsa.PublicKey)(nil), &p521.PublicKey, (*ecdsa.PublicKey)(nil), ed25519.PublicKey("short"), "a text", nil,
	} {
		if _, err := signertest.NewVerifier("shop", key); err == nil {
			t.Errorf("%T is accepted", key)
		}
	}
}

func TestAcceptsEqualReadsUnlessItIsStrict(t *testing.T) {
	key, verifier := newPair(t)
	signing, err := signer.New(signer.Options{ClientID: "shop", PrivateKey: key})
	if err != nil {
		t.Fatal(err)
	}
	url := "https://api.example.com/v1/equal-reads"
	one, err := signing.Sign(t.Context(), signer.Request{Method: "GET", URL: url})
	if err != nil {
		t.Fatal(err)
	}
	request := signertest.Request{Method: "GET", URL: url, Header: one.Header}
	wantCode(t, verifier.Verify(request), "")
	wantCode(t, verifier.Verify(request), "")
	verifier.Strict = true
	wantCode(t, verifier.Verify(request), "signature_replayed")
}
