package signer

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"io"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign.dev/signer/signertest"
)

// algorithmTests has a key of each algorithm, by its name in the vectors.
var algorithmTests = map[string]struct {
	algorithm Algorithm
	bytes     int
}{
	"rsa-2048-a": {"rsa-v1_5-sha256", 256},
	"ed25519":    {"ed25519", 64},
	"ec-p256":    {"ecdsa-p256-sha256", 64},
	"ec-p384":    {"ecdsa-p384-sha384", 96},
}

// wantSignedWith signs a request and checks that alg, the length and the signature are those of a key.
func wantSignedWith(t *testing.T, signer *Signer, name string) {
	t.Helper()
	test := algorithmTests[name]
	url, body := url+"/"+t.Name(), []byte("{}")
	signed := sign(t, signer, "POST", url, body)
	params := `("@method" "@target-uri" "content-digest" "date");created=` + strconv.FormatInt(signed.Created.Unix(), 10) +
		`;keyid="shop";alg="` + string(test.algorithm) + `"`
	base := "\"@method\": POST\n\"@target-uri\": " + url +
		"\n\"content-digest\": sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:" +
		"\n\"date\": " + signed.Header.Get("Date") + "\n\"@signature-params\": " + params
	if signed.Base != base {
		t.Errorf("the base is\n%s\nnot\n%s", signed.Base, base)
	}
	if got := signed.Header.Get("Signature-Input"); got != "sig="+params {
		t.Errorf("Signature-Input is %s", got)
	}
	encoded := strings.TrimSuffix(strings.TrimPrefix(signed.Header.Get("Signature"), "sig=:"), ":")
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(signature) != test.bytes {
		t.Errorf("the signature has %d bytes, not %d: %v", len(signature), test.bytes, err)
	}
	verifier, err := signertest.NewVerifier("shop", vectorKey(t, name).Public())
	if err != nil {
		t.Fatal(err)
	}
	verifier.Now = func() time.Time { return signed.Created }
	if err := verifier.Verify(signertest.Request{Method: "POST", URL: url, Header: signed.Header, Body: body}); err != nil {
		t.Error(err)
	}
}

func TestSignsWithTheAlgorithmOfTheKey(t *testing.T) {
	for name := range algorithmTests {
		t.Run(name, func(t *testing.T) {
			wantSignedWith(t, newTestSigner(t, Options{PrivateKey: vectorKey(t, name)}), name)
		})
	}
}

func TestPadsTheNumbersOfECDSA(t *testing.T) {
	der, err := asn1.Marshal(struct{ R, S *big.Int }{big.NewInt(0x0102), big.NewInt(3)})
	if err != nil {
		t.Fatal(err)
	}
	for scheme, half := range map[*scheme]int{p256Scheme: 32, p384Scheme: 48} {
		wire, err := scheme.wireForm(der)
		want := make([]byte, 2*half)
		want[half-2], want[half-1], want[2*half-1] = 1, 2, 3
		if err != nil || string(wire) != string(want) {
			t.Errorf("%s: %x, %v", scheme.title, wire, err)
		}
	}
}

func TestFollowsAKeyFileToAnotherAlgorithm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "private.pem")
	texts := vectorKeyTexts(t)
	replaceFile(t, path, texts["rsa-2048-b"].PrivateKeyPem)
	signer := newTestSigner(t, Options{PrivateKeyFile: path})
	file := signer.key.(*fileKey)
	for name := range algorithmTests {
		replaceFile(t, path, texts[name].PrivateKeyPem)
		file.checkedAt = time.Now().Add(-fileCheckInterval)
		wantSignedWith(t, signer, name)
	}
}

// changingSource is a file that is replaced whenever someone looks.
type changingSource struct{ keys []signingKey }

func (s *changingSource) current() signingKey {
	s.keys = append(s.keys[1:], s.keys[0])
	return s.keys[0]
}

func TestTakesAlgAndSignatureFromOneKey(t *testing.T) {
	source := &changingSource{}
	names := []string{"ed25519", "ec-p256", "rsa-2048-a"}
	for _, name := range names {
		key, err := newCryptoKey(vectorKey(t, name), &closedProfile{clientID: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		source.keys = append(source.keys, key)
	}
	signer := newTestSigner(t, Options{})
	signer.key = source
	for _, name := range []string{"ec-p256", "rsa-2048-a", "ed25519"} {
		wantSignedWith(t, signer, name)
	}
}

// signBytesWith signs as a vault does.
func signBytesWith(key crypto.Signer, isDER bool) func(context.Context, []byte) ([]byte, error) {
	return func(_ context.Context, message []byte) ([]byte, error) {
		scheme, err := schemeOf(key.Public())
		if err != nil {
			return nil, err
		}
		signature, err := key.Sign(rand.Reader, scheme.digest(message), scheme.hash)
		if err != nil || isDER {
			return signature, err
		}
		return scheme.wireForm(signature)
	}
}

func TestSignsWithAFunctionByAnyAlgorithm(t *testing.T) {
	for name, test := range algorithmTests {
		t.Run(name, func(t *testing.T) {
			signBytes := signBytesWith(vectorKey(t, name), false)
			wantSignedWith(t, newTestSigner(t, Options{SignBytes: signBytes, Algorithm: test.algorithm}), name)
		})
	}
}

func TestRejectsSignaturesOfTheWrongLength(t *testing.T) {
	some := func(count int) func(context.Context, []byte) ([]byte, error) {
		return func(context.Context, []byte) ([]byte, error) { return make([]byte, count), nil }
	}
	for name, test := range map[string]struct {
		options Options
		text    string
	}{
		"DER, P-256":       {Options{SignBytes: signBytesWith(vectorKey(t, "ec-p256"), true), Algorithm: ECDSAP256SHA256}, "64 bytes (r and s, not DER)"},
		"DER, P-384":       {Options{SignBytes: signBytesWith(vectorKey(t, "ec-p384"), true), Algorithm: ECDSAP384SHA384}, "96 bytes (r and s, not DER)"},
		"P-384 with P-256": {Options{SignBytes: some(64), Algorithm: ECDSAP384SHA384}, "96 bytes (r and s, not DER)"},
		"Ed25519, long":    {Options{SignBytes: some(65), Algorithm: Ed25519}, "65 bytes; a signature of Ed25519 has 64 bytes"},
		"Ed25519, short":   {Options{SignBytes: some(63), Algorithm: Ed25519}, "63 bytes"},
		"RSA, default":     {Options{SignBytes: some(255)}, "RSASSA-PKCS1-v1_5 with SHA-256 has 256 to 1024 bytes"},
		"RSA, long":        {Options{SignBytes: some(1025), Algorithm: RSAv15SHA256}, "1025 bytes"},
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

// outsideKey is a key in an HSM that does not sign as it should.
type outsideKey struct {
	publicKey crypto.PublicKey
	signature func(message []byte) ([]byte, error)
}

func (k outsideKey) Public() crypto.PublicKey { return k.publicKey }

func (k outsideKey) Sign(_ io.Reader, message []byte, _ crypto.SignerOpts) ([]byte, error) {
	return k.signature(message)
}

func TestVerifiesWhatAnOutsideKeyReturns(t *testing.T) {
	p256, p384 := vectorKey(t, "ec-p256").(*ecdsa.PrivateKey), vectorKey(t, "ec-p384").(*ecdsa.PrivateKey)
	edKey := vectorKey(t, "ed25519").(ed25519.PrivateKey)
	for name, test := range map[string]struct {
		key  outsideKey
		text string
	}{
		"r and s": {outsideKey{p256.Public(), func(digest []byte) ([]byte, error) {
			signature, err := ecdsa.SignASN1(rand.Reader, p256, digest)
			if err != nil {
				return nil, err
			}
			return p256Scheme.wireForm(signature)
		}}, "ECDSA P-256 with SHA-256"},
		"hashed again": {outsideKey{p384.Public(), func(digest []byte) ([]byte, error) {
			return ecdsa.SignASN1(rand.Reader, p384, p256Scheme.digest(digest))
		}}, "ECDSA P-384 with SHA-384"},
		"hashed first": {outsideKey{edKey.Public(), func(message []byte) ([]byte, error) {
			digest := sha256.Sum256(message)
			return ed25519.Sign(edKey, digest[:]), nil
		}}, "Ed25519"},
		"another key": {outsideKey{p256.Public(), func(digest []byte) ([]byte, error) {
			return ecdsa.SignASN1(rand.Reader, p384, digest)
		}}, "ECDSA P-256"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newTestSigner(t, Options{PrivateKey: test.key}).Sign(t.Context(), Request{"GET", url, nil})
			wantCode(t, err, SigningFailed)
			if err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%v does not contain %q", err, test.text)
			}
		})
	}
}
