package signer

import (
	"crypto"
	"crypto/rand"
	"net/http"
	"strconv"
	"time"
)

// profile is what a signature consists of. A Signer has one for good.
type profile interface {
	// headerNames are the fields that it sets. Those that a request already has are removed.
	headerNames() []string
	// hasNonce reports whether no two signatures are equal, so that equal requests need no separate second.
	hasNonce() bool
	// learnsFromRefusals reports whether a refusal may change how later requests are signed: not if it may be from any site.
	learnsFromRefusals() bool
	// keyid returns the keyid of a key, or an error if such a key must not be used. The public key of SignBytes is nil.
	keyid(scheme *scheme, publicKey crypto.PublicKey) (string, error)
	// compose returns everything but the signature itself.
	compose(covered coveredParts, key signingKey, created, date time.Time) *composition
}

func newProfile(options Options) (profile, error) {
	if options.SignatureAgent != "" {
		return newAgentProfile(options)
	}
	return newClosedProfile(options)
}

// composition is what is signed, and the fields that a request gets besides the signature.
type composition struct {
	header            http.Header
	components, lines []string // the lines are those of the base
	parameters        string
}

func (c *composition) cover(component, value string) {
	c.components = append(c.components, component)
	c.lines = append(c.lines, component+": "+value)
}

// send also adds the field to the request.
func (c *composition) send(name, component, value string) {
	c.header.Set(name, value)
	c.cover(component, value)
}

// closedProfile is the one of docs/profile.md.
type closedProfile struct {
	clientID string
	omitDate bool
	nonce    bool
}

func newClosedProfile(options Options) (*closedProfile, error) {
	if !isKeyid(options.ClientID) {
		return nil, newError(KeyIDInvalid,
			"ClientID must be the client ID from the portal: 1 to %d visible ASCII characters without spaces", keyidLengthMax)
	}
	return &closedProfile{options.ClientID, options.OmitDate, options.Nonce}, nil
}

func (p *closedProfile) headerNames() []string {
	return []string{"Signature-Input", "Signature", "Content-Digest", "Date"}
}

func (p *closedProfile) hasNonce() bool { return p.nonce }

func (p *closedProfile) learnsFromRefusals() bool { return true }

func (p *closedProfile) keyid(*scheme, crypto.PublicKey) (string, error) { return p.clientID, nil }

func (p *closedProfile) compose(covered coveredParts, key signingKey, created, date time.Time) *composition {
	fields := &composition{header: http.Header{}}
	fields.cover(`"@method"`, covered.method)
	fields.cover(`"@target-uri"`, covered.url)
	if covered.contentDigest != "" {
		fields.send("Content-Digest", `"content-digest"`, covered.contentDigest)
	}
	if !p.omitDate {
		fields.send("Date", `"date"`, date.UTC().Format(http.TimeFormat))
	}
	fields.parameters = ";created=" + strconv.FormatInt(created.Unix(), 10) +
		`;keyid="` + escapeString(key.keyid()) + `";alg="` + string(key.algorithm()) + `"`
	if p.nonce {
		fields.parameters += `;nonce="` + rand.Text() + `"`
	}
	return fields
}
