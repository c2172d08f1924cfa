package signer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// agentLifetime is the time from created to expires.
const agentLifetime = 300 * time.Second

// agentProfile is Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01), with the method, the URL and the body covered too.
type agentProfile struct {
	agentURL        string
	functionsKeyid  string // only with SignBytes
	lifetimeSeconds int64
	nonce           func() string
}

func newAgentProfile(options Options) (*agentProfile, error) {
	switch {
	case !isAgentURL(options.SignatureAgent):
		return nil, newError(RequestInvalid, "The signature agent must be the https URL of a JWK Set: visible ASCII without user, "+
			"fragment, quotes and backslashes; http only for localhost.")
	case options.SignBytes == nil && options.ClientID != "":
		return nil, newError(KeyIDInvalid, "leave out ClientID: with SignatureAgent and a key, the keyid is the key's JWK thumbprint")
	case options.SignBytes != nil && !isKeyid(options.ClientID):
		return nil, newError(KeyIDInvalid, "set ClientID to the JWK thumbprint of the key that SignBytes signs with: "+
			"with SignatureAgent it is the keyid, and the signer cannot derive the public key")
	}
	return &agentProfile{options.SignatureAgent, options.ClientID, int64(agentLifetime / time.Second), agentNonce}, nil
}

const agentURLLengthMax = 2048

var agentURLForm = regexp.MustCompile(`^(https?)://([0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\])(?::([1-9][0-9]{0,4}))?(?:[/?][!$-\[\]-~]*)?$`)

// isAgentURL follows the grammar of all signers, which is narrower than that of net/url.
func isAgentURL(text string) bool {
	parts := agentURLForm.FindStringSubmatch(text)
	if len(text) > agentURLLengthMax || parts == nil {
		return false
	}
	scheme, host, port := parts[1], parts[2], parts[3]
	if address, isBracketed := strings.CutPrefix(host, "["); isBracketed {
		ip, err := netip.ParseAddr(strings.TrimSuffix(address, "]"))
		if err != nil || !ip.Is6() {
			return false
		}
	}
	if number, err := strconv.Atoi(port); port != "" && (err != nil || number > 65535) {
		return false
	}
	return scheme == "https" || host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

func agentNonce() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return base64.StdEncoding.EncodeToString(b[:])
}

func (p *agentProfile) headerNames() []string {
	return []string{"Signature-Agent", "Signature-Input", "Signature", "Content-Digest"}
}

func (p *agentProfile) hasNonce() bool { return true }

// learnsFromRefusals: an agent calls sites that it need not trust, and none of them may shift the clock for the others.
func (p *agentProfile) learnsFromRefusals() bool { return false }

func (p *agentProfile) keyid(scheme *scheme, publicKey crypto.PublicKey) (string, error) {
	switch {
	case scheme != ed25519Scheme && scheme != p256Scheme:
		return "", newError(PrivateKeyInvalid, "Web Bot Auth is signed with Ed25519 or ECDSA P-256 here, not with %s. "+
			"Create a key (openssl genpkey -algorithm ed25519 -out private.pem), or set the Algorithm of SignBytes", scheme.title)
	case publicKey == nil:
		return p.functionsKeyid, nil
	default:
		return thumbprint(publicKey)
	}
}

// thumbprint returns the JWK thumbprint of an Ed25519 or P-256 key (RFC 7638 section 3, RFC 8037 appendix A.3).
func thumbprint(publicKey crypto.PublicKey) (string, error) {
	encode := base64.RawURLEncoding.EncodeToString
	var jwk string
	switch key := publicKey.(type) {
	case ed25519.PublicKey:
		jwk = `{"crv":"Ed25519","kty":"OKP","x":"` + encode(key) + `"}`
	case *ecdsa.PublicKey:
		point, err := key.ECDH()
		if err != nil {
			return "", newError(PrivateKeyInvalid, notAccepted)
		}
		numbers := point.Bytes()[1:] // after the 4 of an uncompressed point
		jwk = `{"crv":"P-256","kty":"EC","x":"` + encode(numbers[:32]) + `","y":"` + encode(numbers[32:]) + `"}`
	}
	sum := sha256.Sum256([]byte(jwk))
	return encode(sum[:]), nil
}

func (p *agentProfile) compose(covered coveredParts, key signingKey, created, _ time.Time) *composition {
	fields := &composition{header: http.Header{}}
	_, authority := originIn(covered.url)
	fields.cover(`"@authority"`, authority)
	fields.cover(`"@method"`, covered.method)
	fields.cover(`"@target-uri"`, covered.url)
	if covered.contentDigest != "" {
		fields.send("Content-Digest", `"content-digest"`, covered.contentDigest)
	}
	member := `"` + p.agentURL + `"`
	fields.header.Set("Signature-Agent", "sig="+member)
	fields.cover(`"signature-agent";key="sig"`, member)
	fields.parameters = fmt.Sprintf(`;created=%d;expires=%d;keyid="%s";alg="%s";nonce="%s";tag="web-bot-auth"`,
		created.Unix(), created.Unix()+p.lifetimeSeconds, escapeString(key.keyid()), key.algorithm(), p.nonce())
	return fields
}
