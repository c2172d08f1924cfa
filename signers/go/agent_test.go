package signer

import (
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const agentURL = "https://agent.example.test/keys.json"

// agentVectors are the requests of vectors/web-bot-auth.json.
type agentVectors struct {
	SignatureAgents struct{ Accepted, Refused []string }
	Thumbprints     map[string]string
	Cases           []struct {
		ID     string
		Signer struct {
			Input struct {
				Method, URL, PrivateKey, SignatureAgent, Nonce string
				Body                                           *string
				Created, Expires                               int64
			}
			Output struct{ SignatureBase, ContentDigest, SignatureAgent, SignatureInput, Signature string }
		}
	}
}

func readAgentVectors(t testing.TB) agentVectors {
	t.Helper()
	var vectors agentVectors
	readVectors(t, "../web-bot-auth.json", &vectors)
	if len(vectors.Cases) < 10 {
		t.Fatalf("there are only %d cases", len(vectors.Cases))
	}
	return vectors
}

// newTestAgent signs with the vectors' Ed25519 key, unless the options have another one.
func newTestAgent(t testing.TB, options Options) *Signer {
	t.Helper()
	if options.SignatureAgent == "" {
		options.SignatureAgent = agentURL
	}
	if options.PrivateKey == nil && options.PrivateKeyFile == "" && options.SignBytes == nil {
		options.PrivateKey = vectorKey(t, "ed25519")
	}
	signer, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// wantVerified checks the signature of a base with a key of the vectors.
func wantVerified(t *testing.T, name, base, signatureField string) {
	t.Helper()
	encoded, isWhole := strings.CutSuffix(strings.TrimPrefix(signatureField, "sig=:"), ":")
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !isWhole || len(signature) != 64 {
		t.Fatalf("Signature is %s", signatureField)
	}
	publicKey := vectorKey(t, name).Public()
	scheme, err := schemeOf(publicKey)
	if err != nil {
		t.Fatal(err)
	}
	if scheme == p256Scheme {
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		if signature, err = asn1.Marshal(struct{ R, S *big.Int }{r, s}); err != nil {
			t.Fatal(err)
		}
	}
	if !scheme.verify(publicKey, scheme.digest([]byte(base)), signature) {
		t.Errorf("%s is not a signature by %s of\n%s", signatureField, name, base)
	}
}

func TestSignsTheVectorsOfAgents(t *testing.T) {
	for _, vector := range readAgentVectors(t).Cases {
		t.Run(vector.ID, func(t *testing.T) {
			input, output := vector.Signer.Input, vector.Signer.Output
			signer := newTestAgent(t, Options{
				SignatureAgent: input.SignatureAgent,
				PrivateKey:     vectorKey(t, input.PrivateKey),
				Now:            func() time.Time { return time.Unix(input.Created, 0) },
			})
			profile := signer.profile.(*agentProfile)
			profile.lifetimeSeconds, profile.nonce = input.Expires-input.Created, func() string { return input.Nonce }
			var body []byte
			if input.Body != nil {
				body = []byte(*input.Body)
			}
			signed := sign(t, signer, input.Method, input.URL, body)
			signature := signed.Header.Get("Signature")
			if output.Signature == "" { // each ECDSA signature is different
				output.Signature = signature
			}
			for name, pair := range map[string][2]string{
				"base":            {signed.Base, output.SignatureBase},
				"Content-Digest":  {signed.Header.Get("Content-Digest"), output.ContentDigest},
				"Signature-Agent": {signed.Header.Get("Signature-Agent"), output.SignatureAgent},
				"Signature-Input": {signed.Header.Get("Signature-Input"), output.SignatureInput},
				"Signature":       {signature, output.Signature},
				"Date":            {signed.Header.Get("Date"), ""},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s is\n%s\nnot\n%s", name, pair[0], pair[1])
				}
			}
			wantVerified(t, input.PrivateKey, signed.Base, signature)
		})
	}
}

func TestAgentsHaveKeysAtURLs(t *testing.T) {
	key, vectors := vectorKey(t, "ed25519"), readAgentVectors(t).SignatureAgents
	if len(vectors.Accepted) < 12 || len(vectors.Refused) < 33 {
		t.Fatalf("there are only %d and %d URLs", len(vectors.Accepted), len(vectors.Refused))
	}
	longest := agentURL + "?" + strings.Repeat("a", 2048-len(agentURL)-1)
	const message = "The signature agent must be the https URL of a JWK Set: visible ASCII without user, fragment, quotes and backslashes; http only for localhost."
	for _, refused := range append(vectors.Refused, longest+"a", "http://LOCALHOST/", "http://[::2]/", "https://[192.0.2.7]/", "https://a:00443/", agentURL+"\n") {
		_, err := New(Options{SignatureAgent: refused, PrivateKey: key})
		if refused == "" { // not an agent
			wantCode(t, err, KeyIDInvalid)
		} else if wantCode(t, err, RequestInvalid); err == nil || err.Error() != "signer: "+message {
			t.Errorf("%q: %v", refused, err)
		}
	}
	for _, accepted := range append(vectors.Accepted, longest, "https://[::ffff:192.0.2.7]:1?a=$[]~!", "https://a_b/%zz") {
		signed := sign(t, newTestAgent(t, Options{SignatureAgent: accepted}), "GET", url, nil)
		if got, want := signed.Header.Get("Signature-Agent"), `sig="`+accepted+`"`; got != want {
			t.Errorf("Signature-Agent is %s, not %s", got, want)
		}
	}
}

func TestAgentsLearnNothingFromResponses(t *testing.T) {
	there := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	for _, code := range []string{"created_expired", "created_in_future", "date_mismatch", "signature_replayed"} {
		t.Run(code, func(t *testing.T) {
			server, requests := refusingServer(t, fmt.Sprintf(`{"type":"https://a.test/docs/errors#%s","code":%q,"serverTime":%q}`, code, code, there))
			logger, log := newLog()
			signer := newTestAgent(t, Options{Logger: logger})
			_, err := freshClient(t, signer).Get(server.URL + "/")
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Code != code || refusal.ServerTime.Format(time.RFC3339) != there {
				t.Errorf("the error is %v", err)
			}
			if requests.Load() != 1 {
				t.Errorf("%d requests were sent", requests.Load())
			}
			if offset, strictUntil := signer.clockOffset.Load(), signer.strictUntil.Load(); offset != 0 || strictUntil != 0 {
				t.Errorf("the clock was changed by %d ns, reads are strict until %d", offset, strictUntil)
			}
			wantLines(t, log, `level=WARN msg="request rejected by the service" method=GET url=`+server.URL+`/ status=401 code=`+code+` request_id=""`)
		})
	}
}

func TestRejectsOptionsThatNoAgentCanHave(t *testing.T) {
	key, signBytes := vectorKey(t, "ed25519"), signBytesWith(vectorKey(t, "ed25519"), false)
	file := filepath.Join(t.TempDir(), "private.pem")
	replaceFile(t, file, vectorKeyTexts(t)["rsa-2048-a"].PrivateKeyPem)
	for name, test := range map[string]struct {
		options Options
		code    ErrorCode
		text    string
	}{
		"client ID and key":      {Options{ClientID: "shop", PrivateKey: key}, KeyIDInvalid, "leave out ClientID"},
		"client ID and file":     {Options{ClientID: "shop", PrivateKeyFile: file}, KeyIDInvalid, "leave out ClientID"},
		"function, no client ID": {Options{SignBytes: signBytes, Algorithm: Ed25519}, KeyIDInvalid, "set ClientID to the JWK thumbprint"},
		"function, bad ID":       {Options{ClientID: "a b", SignBytes: signBytes, Algorithm: Ed25519}, KeyIDInvalid, "set ClientID"},
		"RSA":                    {Options{PrivateKey: vectorKey(t, "rsa-2048-a")}, PrivateKeyInvalid, "Ed25519 or ECDSA P-256 here, not with RSASSA"},
		"P-384":                  {Options{PrivateKey: vectorKey(t, "ec-p384")}, PrivateKeyInvalid, "Ed25519 or ECDSA P-256 here, not with ECDSA P-384"},
		"file of RSA":            {Options{PrivateKeyFile: file}, PrivateKeyInvalid, "Ed25519 or ECDSA P-256 here"},
		"function, default":      {Options{ClientID: "shop", SignBytes: signBytes}, PrivateKeyInvalid, "set the Algorithm of SignBytes"},
		"function, P-384":        {Options{ClientID: "shop", SignBytes: signBytes, Algorithm: ECDSAP384SHA384}, PrivateKeyInvalid, "Ed25519 or ECDSA P-256 here"},
		"no key":                 {Options{}, PrivateKeyInvalid, "exactly one"},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.SignatureAgent = agentURL
			_, err := New(test.options)
			if wantCode(t, err, test.code); err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%v does not contain %q", err, test.text)
			}
		})
	}
}

func TestAnAgentsFunctionSignsWithTheKeyidOfItsOptions(t *testing.T) {
	for name, algorithm := range map[string]Algorithm{"ed25519": Ed25519, "ec-p256": ECDSAP256SHA256} {
		signer := newTestAgent(t, Options{ClientID: `a"b`, SignBytes: signBytesWith(vectorKey(t, name), false), Algorithm: algorithm})
		signed := sign(t, signer, "GET", url, nil)
		if want := `;keyid="a\"b";alg="` + string(algorithm) + `";`; !strings.Contains(signed.Base, want) {
			t.Errorf("the base is without %s:\n%s", want, signed.Base)
		}
		wantVerified(t, name, signed.Base, signed.Header.Get("Signature"))
	}
}

// wantAgentKey checks that keyid, alg and the signature are those of one key.
func wantAgentKey(t *testing.T, signer *Signer, name string) {
	t.Helper()
	signed := sign(t, signer, "GET", url, nil)
	want := `;keyid="` + readAgentVectors(t).Thumbprints[name] + `";alg="` + string(algorithmTests[name].algorithm) + `";`
	if !strings.Contains(signed.Base, want) {
		t.Errorf("the base is without %s:\n%s", want, signed.Base)
	}
	wantVerified(t, name, signed.Base, signed.Header.Get("Signature"))
}

func TestAnAgentFollowsItsKeyFile(t *testing.T) {
	path, texts := filepath.Join(t.TempDir(), "private.pem"), vectorKeyTexts(t)
	replaceFile(t, path, texts["ed25519"].PrivateKeyPem)
	signer := newTestAgent(t, Options{PrivateKeyFile: path})
	wantAgentKey(t, signer, "ed25519")
	// An RSA key cannot be used: the previous one stays in use.
	for _, change := range [][2]string{{"ec-p256", "ec-p256"}, {"rsa-2048-a", "ec-p256"}, {"ed25519", "ed25519"}} {
		replaceFile(t, path, texts[change[0]].PrivateKeyPem)
		signer.key.(*fileKey).checkedAt = time.Now().Add(-fileCheckInterval)
		wantAgentKey(t, signer, change[1])
	}
}

func TestAnAgentTakesKeyidAlgAndSignatureFromOneKey(t *testing.T) {
	signer := newTestAgent(t, Options{})
	source := &changingSource{}
	for _, name := range []string{"ed25519", "ec-p256"} {
		key, err := newCryptoKey(vectorKey(t, name), signer.profile)
		if err != nil {
			t.Fatal(err)
		}
		source.keys = append(source.keys, key)
	}
	signer.key = source
	for _, name := range []string{"ec-p256", "ed25519", "ec-p256"} {
		wantAgentKey(t, signer, name)
	}
}

func TestAgentsSignAnyNumberOfEqualRequests(t *testing.T) {
	now := time.Unix(1_800_000_000, 999_000_000)
	signer := newTestAgent(t, Options{Now: func() time.Time { return now }})
	pattern := regexp.MustCompile(`;created=1800000000;expires=1800000300;keyid="[^"]+";alg="ed25519";nonce="([A-Za-z0-9+/]{43}=)";tag="web-bot-auth"$`)
	seen := map[string]bool{}
	for range 2 * aheadSecondsMax {
		signed := sign(t, signer, "POST", url, nil)
		found := pattern.FindStringSubmatch(signed.Base)
		if found == nil {
			t.Fatalf("the base is\n%s", signed.Base)
		}
		if seen[found[1]] || seen[signed.Base] {
			t.Fatalf("the nonce %s is used again", found[1])
		}
		seen[found[1]], seen[signed.Base] = true, true
		if nonce, err := base64.StdEncoding.Strict().DecodeString(found[1]); err != nil || len(nonce) != 32 {
			t.Fatalf("the nonce is %s: %v", found[1], err)
		}
	}
	if len(signer.used.seconds) != 0 {
		t.Error("a second was reserved")
	}
}

func TestSendsSignedRequestsOfAgents(t *testing.T) {
	type arrival struct {
		header http.Header
		body   string
	}
	received := make(chan arrival, 3)
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		received <- arrival{request.Header, string(body)}
		if request.URL.Path == "/old" {
			http.Redirect(response, request, "/new?a=b", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	signer := newTestAgent(t, Options{})
	request, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/old", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Signature-Agent", "caller's")
	request.Header.Set("Signature-Input", "caller's")
	request.Header.Set("Signature", "caller's")
	response, err := freshClient(t, signer).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()

	nonces := map[string]bool{}
	for _, target := range []string{"/old", "/new?a=b"} {
		arrived := <-received
		digest := "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"
		params := strings.TrimPrefix(arrived.header.Get("Signature-Input"), "sig=")
		base := `"@authority": ` + strings.TrimPrefix(server.URL, "http://") + "\n\"@method\": POST\n" +
			`"@target-uri": ` + server.URL + target + "\n" + `"content-digest": ` + digest + "\n" +
			`"signature-agent";key="sig": "` + agentURL + `"` + "\n" + `"@signature-params": ` + params
		wantVerified(t, "ed25519", base, arrived.header.Get("Signature"))
		if want := `("@authority" "@method" "@target-uri" "content-digest" "signature-agent";key="sig");created=`; !strings.HasPrefix(params, want) {
			t.Errorf("Signature-Input is %s", params)
		}
		for name, want := range map[string]string{"Signature-Agent": `sig="` + agentURL + `"`, "Content-Digest": digest, "Date": ""} {
			if got := strings.Join(arrived.header.Values(name), ", "); got != want {
				t.Errorf("%s is %q, not %q", name, got, want)
			}
		}
		if arrived.body != "{}" {
			t.Errorf("the body is %q", arrived.body)
		}
		_, nonce, _ := strings.Cut(params, ";nonce=")
		nonces[nonce] = true
	}
	if len(nonces) != 2 {
		t.Error("both attempts have the same nonce")
	}
}

func TestNoFieldOfAnAgentsSignatureLeavesItsOrigin(t *testing.T) {
	received := make(chan http.Header, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) { received <- request.Header }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), "POST", server.URL, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Signature-Agent", "caller's")
	response, err := freshClient(t, newTestAgent(t, Options{})).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	header := <-received
	for _, name := range []string{"Signature-Agent", "Signature-Input", "Signature", "Content-Digest"} {
		if header.Get(name) != "" {
			t.Errorf("%s left its origin", name)
		}
	}
}
