// Package signertest verifies signed requests in the tests of your own program, without a service.
//
// It checks what a service checks about a request alone and answers with the service's codes. It is not meant to protect
// an API: it knows one client, and it remembers signatures without a limit.
package signertest

import (
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// The profile's limits.
const (
	maxAgeSeconds            = 300
	maxFutureSeconds         = 60
	maxDateDifferenceSeconds = 60
	targetLengthMax          = 8492
	fieldLengthMax           = 4096
	keyidLengthMax           = 256
)

// NoncePolicy tells whether signatures carry a nonce.
type NoncePolicy int

const (
	// NonceOff rejects a nonce. This is the default of services.
	NonceOff NoncePolicy = iota
	// NonceOptional accepts signatures with and without a nonce.
	NonceOptional
	// NonceRequired rejects signatures without a nonce.
	NonceRequired
)

// Verifier verifies the requests of one client. Set its fields before the first request. It is safe for concurrent use.
type Verifier struct {
	// AcceptWithoutDate accepts signatures that do not cover Date, as for a client registered to do without.
	AcceptWithoutDate bool
	// Nonce is the service's setting.
	Nonce NoncePolicy
	// Strict accepts no signature twice. By default, equal GET, HEAD and OPTIONS requests are accepted for two seconds.
	Strict bool
	// Now is the service's clock. The default is time.Now.
	Now func() time.Time

	clientID string
	key      *verifyingKey
	mutex    sync.Mutex
	used     map[string]time.Time
}

// NewVerifier returns a verifier for one client. The key must be an *rsa.PublicKey of 2048 to 8192 bits with the exponent 65537,
// an ed25519.PublicKey, or an *ecdsa.PublicKey over P-256 or P-384. Services check more when a key is registered: they refuse
// Ed25519 keys of small order, for which anyone can sign.
func NewVerifier(clientID string, publicKey crypto.PublicKey) (*Verifier, error) {
	key := newVerifyingKey(publicKey)
	if key == nil {
		return nil, errors.New("signertest: the public key must be an *rsa.PublicKey of 2048 to 8192 bits with the exponent 65537, " +
			"an ed25519.PublicKey, or an *ecdsa.PublicKey over P-256 or P-384")
	}
	return &Verifier{clientID: clientID, key: key, used: map[string]time.Time{}}, nil
}

// Request is a request as received.
type Request struct {
	// Method is the method as received.
	Method string
	// URL is the origin that was called followed by the raw request target, such as http.Request.RequestURI.
	URL string
	// Header holds all header lines.
	Header http.Header
	// Body holds the bytes as received.
	Body []byte
}

// Refusal says why a request was rejected.
type Refusal struct {
	// Code is the code with which a service answers.
	Code string
	// Reason is more than a service tells about a signature that does not verify.
	Reason string
}

func (r *Refusal) Error() string { return fmt.Sprintf("signertest: %s: %s", r.Code, r.Reason) }

func refuse(code, format string, arguments ...any) *Refusal {
	return &Refusal{Code: code, Reason: fmt.Sprintf(format, arguments...)}
}

// Verify returns nil for a request that a service accepts, and a [*Refusal] for any other. It checks, in the service's
// order, the method and URL, the signature fields, the time, the signature by the algorithm of the key, the digest, and that the
// signature (with ECDSA, the signed text, because anyone can make another signature of it) is new.
//
// It does not check whether a client is active, its networks, permissions and rate.
func (v *Verifier) Verify(request Request) error {
	// Not a *Refusal variable: a nil one would be an error.
	if refusal := v.verify(request); refusal != nil {
		return refusal
	}
	return nil
}

func (v *Verifier) verify(request Request) *Refusal {
	if refusal := checkTarget(request.Method, request.URL); refusal != nil {
		return refusal
	}
	input, signature, refusal := readFields(request.Header)
	if refusal != nil {
		return refusal
	}
	if refusal := v.checkParameters(input); refusal != nil {
		return refusal
	}
	covers, refusal := checkComponents(input.components, len(request.Body) > 0)
	if refusal != nil {
		return refusal
	}
	date, refusal := v.checkTime(input, covers, request.Header)
	if refusal != nil {
		return refusal
	}
	digest, refusal := checkDigestForm(covers, request.Header)
	if refusal != nil {
		return refusal
	}
	base := signatureBase(request, digest, date, input.text)
	if refusal := v.checkSignature(input, base, signature); refusal != nil {
		return refusal
	}
	if !covers.date && !v.AcceptWithoutDate {
		return refuse("components_invalid", `"date" is not covered, and AcceptWithoutDate is not set`)
	}
	if covers.contentDigest && digest != contentDigest(request.Body) {
		return refuse("digest_mismatch", "Content-Digest is not the digest of the %d bytes that were received", len(request.Body))
	}
	if v.key.isMalleable {
		return v.use(request.Method, base)
	}
	return v.use(request.Method, string(signature))
}

var (
	methodToken = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$")
	absoluteURL = regexp.MustCompile(`^https?://[!-"$-.0->A-\[\]-~]+/[!-"$-~]*$`)
)

func checkTarget(method, url string) *Refusal {
	if !methodToken.MatchString(method) {
		return refuse("request_malformed", "the method is not a token")
	}
	if len(url) > targetLengthMax || !absoluteURL.MatchString(url) {
		return refuse("request_malformed", "the URL is too long, or not an absolute http or https URL with a path, in visible ASCII")
	}
	return nil
}

// checkParameters is for exactly created, keyid, alg and perhaps nonce, each of its type.
func (v *Verifier) checkParameters(input *signatureInput) *Refusal {
	types := map[string]itemType{"created": integerItem, "keyid": stringItem, "alg": stringItem, "nonce": stringItem}
	for name, item := range input.parameters {
		wanted, isKnown := types[name]
		if !isKnown {
			return refuse("parameters_invalid", "the profile has no parameter %q", name)
		}
		if item.kind != wanted {
			return refuse("parameters_invalid", "the parameter %q has the wrong type", name)
		}
	}
	for _, name := range []string{"created", "keyid", "alg"} {
		if _, isThere := input.parameters[name]; !isThere {
			return refuse("parameters_invalid", "the parameter %q is missing", name)
		}
	}
	if keyid := input.keyid(); keyid == "" || len(keyid) > keyidLengthMax || !isVisible(keyid) {
		return refuse("parameters_invalid", "keyid must have 1 to %d visible ASCII characters without spaces", keyidLengthMax)
	}
	nonce, hasNonce := input.parameters["nonce"]
	switch {
	case hasNonce && v.Nonce == NonceOff:
		return refuse("parameters_invalid", `the parameter "nonce" is not allowed`)
	case !hasNonce && v.Nonce == NonceRequired:
		return refuse("parameters_invalid", `the parameter "nonce" is missing`)
	case hasNonce && (len(nonce.text) < 16 || len(nonce.text) > 64 || !isVisible(nonce.text)):
		return refuse("parameters_invalid", "the nonce must have 16 to 64 visible characters")
	}
	if !slices.Contains(algorithms, input.alg()) {
		return refuse("algorithm_not_allowed", "alg is %q, not one of %s", input.alg(), strings.Join(algorithms, ", "))
	}
	return nil
}

type coverage struct{ contentDigest, date bool }

var coverageByComponents = map[string]coverage{
	`("@method" "@target-uri" "content-digest" "date")`: {contentDigest: true, date: true},
	`("@method" "@target-uri" "date")`:                  {date: true},
	`("@method" "@target-uri" "content-digest")`:        {contentDigest: true},
	`("@method" "@target-uri")`:                         {},
}

func checkComponents(components string, hasBody bool) (coverage, *Refusal) {
	covers, isKnown := coverageByComponents[components]
	switch {
	case !isKnown:
		return covers, refuse("components_invalid", "the covered components %s are not those of the profile", components)
	case hasBody && !covers.contentDigest:
		return covers, refuse("components_invalid", `"content-digest" must be covered because there is a body`)
	case !hasBody && covers.contentDigest:
		return covers, refuse("components_invalid", `"content-digest" must be covered only when there is a body`)
	}
	return covers, nil
}

// checkTime returns the Date header if it is covered.
func (v *Verifier) checkTime(input *signatureInput, covers coverage, header http.Header) (string, *Refusal) {
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	created := input.parameters["created"].number
	age := now().Unix() - created
	if age > maxAgeSeconds {
		return "", refuse("created_expired", "created is %d s old; the limit is %d s", age, maxAgeSeconds)
	}
	if -age > maxFutureSeconds {
		return "", refuse("created_in_future", "created is %d s ahead; the limit is %d s", -age, maxFutureSeconds)
	}
	if !covers.date {
		return "", nil
	}
	lines := header.Values("Date")
	if len(lines) != 1 {
		return "", refuse("date_invalid", "there are %d Date headers, not one", len(lines))
	}
	date := strings.Trim(lines[0], " \t")
	parsed, err := time.Parse(http.TimeFormat, date)
	// Parsing is lenient, so the text must survive a round trip.
	if err != nil || parsed.Format(http.TimeFormat) != date {
		return "", refuse("date_invalid", "the Date header is not an IMF-fixdate")
	}
	if apart := parsed.Unix() - created; apart > maxDateDifferenceSeconds || -apart > maxDateDifferenceSeconds {
		return "", refuse("date_mismatch", "Date and created are %d s apart; the limit is %d s", max(apart, -apart), maxDateDifferenceSeconds)
	}
	return date, nil
}

var digestForm = regexp.MustCompile(`^sha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:$`)

// checkDigestForm returns the Content-Digest header if it is covered.
func checkDigestForm(covers coverage, header http.Header) (string, *Refusal) {
	if !covers.contentDigest {
		return "", nil
	}
	lines := header.Values("Content-Digest")
	if len(lines) == 0 {
		return "", refuse("digest_missing", "the Content-Digest header is covered but missing")
	}
	digest := strings.Trim(lines[0], " \t")
	if len(lines) > 1 || !digestForm.MatchString(digest) {
		return "", refuse("digest_malformed", "Content-Digest is not one sha-256 digest")
	}
	return digest, nil
}

func signatureBase(request Request, digest, date, parameters string) string {
	lines := []string{`"@method": ` + request.Method, `"@target-uri": ` + request.URL}
	if digest != "" {
		lines = append(lines, `"content-digest": `+digest)
	}
	if date != "" {
		lines = append(lines, `"date": `+date)
	}
	return strings.Join(append(lines, `"@signature-params": `+parameters), "\n")
}

func (v *Verifier) checkSignature(input *signatureInput, base string, signature []byte) *Refusal {
	if input.keyid() != v.clientID {
		return refuse("signature_invalid", "the keyid is %q, not the client ID %q", input.keyid(), v.clientID)
	}
	if input.alg() != v.key.algorithm {
		return refuse("signature_invalid", "alg is %q, but the public key is for %q", input.alg(), v.key.algorithm)
	}
	if !v.key.verify([]byte(base), signature) {
		return refuse("signature_invalid", "the public key does not verify the signature of %d bytes over this base:\n%s", len(signature), base)
	}
	return nil
}

func contentDigest(body []byte) string {
	digest := sha256.Sum256(body)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"
}

// equalReadsFor is how long services accept equal reads.
const equalReadsFor = 2 * time.Second

// use takes what two uses of one signature have in common.
func (v *Verifier) use(method, used string) *Refusal {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	isRead := method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
	firstUse, isUsed := v.used[used]
	if isUsed && (v.Strict || !isRead || time.Since(firstUse) > equalReadsFor) {
		return refuse("signature_replayed", "this signature was used before")
	}
	if !isUsed {
		v.used[used] = time.Now()
	}
	return nil
}

func isVisible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < 0x21 || r > 0x7e }) < 0
}
