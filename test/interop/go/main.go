// Signs and verifies with github.com/yaronf/httpsign, and webhooks with the library of Standard Webhooks: reads one task in JSON from each line, writes one result to each line.
package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/yaronf/httpsign"
)

type component struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	Req  bool   `json:"req"`
}

type message struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Body    string      `json:"body"`
}

type task struct {
	Operation  string            `json:"operation"`
	Algorithm  string            `json:"algorithm"`
	Key        string            `json:"key"`
	Label      string            `json:"label"`
	Request    message           `json:"request"`
	Response   *message          `json:"response"`
	Components []component       `json:"components"`
	Times      map[string]int64  `json:"times"`
	Texts      map[string]string `json:"texts"`
}

type result struct {
	Lines    [][2]string `json:"lines,omitempty"`
	Verified bool        `json:"verified"`
	Problem  string      `json:"problem,omitempty"`
}

func main() {
	input := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if len(line) > 0 {
			if err := output.Encode(run(line)); err != nil {
				panic(err)
			}
		}
		if err == io.EOF {
			return
		}
	}
}

func run(line []byte) result {
	var t task
	if err := json.Unmarshal(line, &t); err != nil {
		return result{Problem: err.Error()}
	}
	if t.Operation == "webhook" {
		return verifyWebhook(line)
	}
	req, err := http.NewRequest(t.Request.Method, t.Request.URL, bytes.NewBufferString(t.Request.Body))
	if err != nil {
		return result{Problem: err.Error()}
	}
	addHeaders(req.Header, t.Request.Headers)
	var res *http.Response
	if t.Response != nil {
		res = &http.Response{StatusCode: t.Response.Status, Header: http.Header{}, Body: io.NopCloser(bytes.NewBufferString(t.Response.Body))}
		addHeaders(res.Header, t.Response.Headers)
	}
	if t.Operation == "sign" {
		return sign(t, req, res)
	}
	return verify(t, req, res)
}

func verifyWebhook(line []byte) result {
	var t struct {
		Secret  string
		Headers [][2]string
		Body    string
	}
	err := json.Unmarshal(line, &t)
	if err != nil {
		return result{Problem: err.Error()}
	}
	webhook, err := standardwebhooks.NewWebhook(t.Secret)
	if err != nil {
		return result{Problem: err.Error()}
	}
	header := http.Header{}
	addHeaders(header, t.Headers)
	if err := webhook.Verify([]byte(t.Body), header); err != nil {
		return result{Problem: err.Error()}
	}
	return result{Verified: true}
}

func addHeaders(header http.Header, lines [][2]string) {
	for _, line := range lines {
		header.Add(line[0], line[1])
	}
}

func (t task) fields() httpsign.Fields {
	fields := httpsign.NewFields()
	for _, c := range t.Components {
		if c.Key != "" {
			fields.AddDictHeaderExt(c.Name, c.Key, false, c.Req, false)
		} else {
			fields.AddHeaderExt(c.Name, false, false, c.Req, false)
		}
	}
	return *fields
}

func (t task) coversBody() bool {
	return slices.ContainsFunc(t.Components, func(c component) bool { return c.Name == "content-digest" && !c.Req })
}

func sign(t task, req *http.Request, res *http.Response) result {
	config := httpsign.NewSignConfig().SignAlg(t.Texts["alg"] != "").SignCreated(t.Times["created"] != 0)
	config.SetExpires(t.Times["expires"]).SetNonce(t.Texts["nonce"]).SetTag(t.Texts["tag"]).SetKeyID(t.Texts["keyid"])
	signer, err := newSigner(t, config)
	if err != nil {
		return result{Problem: err.Error()}
	}
	var inputField, signature string
	if res == nil {
		inputField, signature, err = httpsign.SignRequest(t.Label, *signer, req)
	} else {
		inputField, signature, err = httpsign.SignResponse(t.Label, *signer, res, req)
	}
	if err != nil {
		return result{Problem: err.Error()}
	}
	return result{Lines: [][2]string{{"Signature-Input", inputField}, {"Signature", signature}}}
}

func newSigner(t task, config *httpsign.SignConfig) (*httpsign.Signer, error) {
	if t.Algorithm == "hmac-sha256" {
		secret, err := base64.StdEncoding.DecodeString(t.Key)
		if err != nil {
			return nil, err
		}
		return httpsign.NewHMACSHA256Signer(secret, config, t.fields())
	}
	block, _ := pem.Decode([]byte(t.Key))
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	switch t.Algorithm {
	case "rsa-v1_5-sha256":
		return httpsign.NewRSASigner(*key.(*rsa.PrivateKey), config, t.fields())
	case "rsa-pss-sha512":
		return httpsign.NewRSAPSSSigner(*key.(*rsa.PrivateKey), config, t.fields())
	case "PS256":
		return httpsign.NewJWSSignerV3(jwa.PS256(), key.(*rsa.PrivateKey), config, t.fields())
	case "ecdsa-p256-sha256":
		return httpsign.NewP256Signer(*key.(*ecdsa.PrivateKey), config, t.fields())
	case "ecdsa-p384-sha384":
		return httpsign.NewP384Signer(*key.(*ecdsa.PrivateKey), config, t.fields())
	case "ed25519":
		return httpsign.NewEd25519Signer(key.(ed25519.PrivateKey), config, t.fields())
	}
	return nil, fmt.Errorf("no algorithm %s", t.Algorithm)
}

func verify(t task, req *http.Request, res *http.Response) result {
	config := httpsign.NewVerifyConfig().SetKeyID(t.Texts["keyid"]).SetVerifyCreated(t.Times["created"] != 0)
	config.SetNotOlderThan(time.Hour)
	if t.Texts["tag"] != "" {
		config.SetAllowedTags([]string{t.Texts["tag"]})
	}
	verifier, err := newVerifier(t, config)
	if err != nil {
		return result{Problem: err.Error()}
	}
	header, body := req.Header, &req.Body
	if res == nil {
		err = httpsign.VerifyRequest(t.Label, *verifier, req)
	} else {
		header, body = res.Header, &res.Body
		err = httpsign.VerifyResponse(t.Label, *verifier, res, req)
	}
	if err == nil && t.coversBody() {
		accepted := []string{httpsign.DigestSha256, httpsign.DigestSha512}
		err = httpsign.ValidateContentDigestHeader(header.Values("Content-Digest"), body, accepted)
	}
	if err != nil {
		return result{Problem: err.Error()}
	}
	return result{Verified: true}
}

func newVerifier(t task, config *httpsign.VerifyConfig) (*httpsign.Verifier, error) {
	if t.Algorithm == "hmac-sha256" {
		secret, err := base64.StdEncoding.DecodeString(t.Key)
		if err != nil {
			return nil, err
		}
		return httpsign.NewHMACSHA256Verifier(secret, config, t.fields())
	}
	block, _ := pem.Decode([]byte(t.Key))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	switch t.Algorithm {
	case "rsa-v1_5-sha256":
		return httpsign.NewRSAVerifier(*key.(*rsa.PublicKey), config, t.fields())
	case "rsa-pss-sha512":
		return httpsign.NewRSAPSSVerifier(*key.(*rsa.PublicKey), config, t.fields())
	case "PS256":
		return httpsign.NewJWSVerifierV3(jwa.PS256(), key.(*rsa.PublicKey), config, t.fields())
	case "ecdsa-p256-sha256":
		return httpsign.NewP256Verifier(*key.(*ecdsa.PublicKey), config, t.fields())
	case "ecdsa-p384-sha384":
		return httpsign.NewP384Verifier(*key.(*ecdsa.PublicKey), config, t.fields())
	case "ed25519":
		return httpsign.NewEd25519Verifier(key.(ed25519.PublicKey), config, t.fields())
	}
	return nil, fmt.Errorf("no algorithm %s", t.Algorithm)
}
