package signer

import (
	"context"
	"crypto"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// Options configures a [Signer]. Required are exactly one of PrivateKey, PrivateKeyFile and SignBytes, and ClientID or
// SignatureAgent.
type Options struct {
	// ClientID is the client ID from the portal. It becomes the keyid of every signature.
	ClientID string
	// SignatureAgent is the https URL of a JWK Set with the public key. It makes the signer sign by Web Bot Auth
	// (draft-ietf-webbotauth-httpsig-protocol-01), for services that know agents and crawlers by such a URL. The key must be
	// Ed25519 or ECDSA over P-256. The keyid is its JWK thumbprint: leave ClientID empty with a key, and set it to the thumbprint with
	// SignBytes, whose public key the signer cannot derive. OmitDate, Nonce and SharedFolder have no effect with Web Bot Auth.
	SignatureAgent string
	// PrivateKey is an RSA key of 2048 to 8192 bits, an Ed25519 key, or an ECDSA key over P-256 or P-384: what [ParsePrivateKey]
	// returns, or a key in an HSM or a key management service. It determines the algorithm.
	PrivateKey crypto.Signer
	// PrivateKeyFile names a file in one of the forms that [ParsePrivateKey] reads. A change takes effect within a
	// second, also to a key of another algorithm; while the file is missing or unreadable, the previous key stays in use.
	PrivateKeyFile string
	// Passphrase decrypts PrivateKeyFile.
	Passphrase string
	// SignBytes returns the signature of a message, by Algorithm. It hashes the message itself. An ECDSA signature is r and s,
	// each padded to the curve's length, not DER.
	SignBytes func(ctx context.Context, message []byte) ([]byte, error)
	// Algorithm is how SignBytes signs. The default is RSAv15SHA256. Only with SignBytes.
	Algorithm Algorithm
	// OmitDate leaves Date unsent and unsigned. Only for clients registered to do without.
	OmitDate bool
	// Nonce adds a random nonce to each signature, for services that require one.
	Nonce bool
	// BodyBytesMax limits the body, which is buffered for its digest. The default is 10 MiB.
	BodyBytesMax int64
	// SharedFolder names a folder in which processes with the same key record the seconds they have used, so that
	// equal requests from several processes get different signatures. It is created if missing.
	SharedFolder string
	// RefusalsAsResponses makes a refusal an ordinary response. By default it is a [*Refusal] error.
	RefusalsAsResponses bool
	// IdempotencyKeys adds a random Idempotency-Key to each POST, PATCH and unknown method that has none, the same one to all
	// attempts of a call. Only for APIs that honor the header.
	IdempotencyKeys bool
	// Logger gets what the signer decides on its own: a request waits for a second, a repeat is not signed, the service
	// rejects a request, the clock is corrected, a key file cannot be read again. Nil logs nothing.
	Logger *slog.Logger
	// Now is the clock, for tests. The default is time.Now.
	Now func() time.Time
}

const (
	bodyBytesMaxDefault = 10 << 20
	keyidLengthMax      = 256
)

// Signer signs requests for one client. It is safe for concurrent use.
type Signer struct {
	profile             profile
	clientID            string
	key                 keySource
	bodyBytesMax        int64
	refusalsAsResponses bool
	idempotencyKeys     bool
	events              events
	now                 func() time.Time
	clockOffset         atomic.Int64 // nanoseconds, learned from a refusal
	strictUntil         atomic.Int64 // Unix milliseconds until which the service is taken to accept equal reads once
	used                *usedSeconds
	shared              *sharedFolder // nil for a single process
}

// New returns a Signer. Its errors are of type [*Error].
func New(options Options) (*Signer, error) {
	profile, err := newProfile(options)
	if err != nil {
		return nil, err
	}
	key, err := newKeySource(options, profile)
	if err != nil {
		return nil, err
	}
	signer := &Signer{
		profile:             profile,
		clientID:            options.ClientID,
		key:                 key,
		bodyBytesMax:        options.BodyBytesMax,
		refusalsAsResponses: options.RefusalsAsResponses,
		idempotencyKeys:     options.IdempotencyKeys,
		events:              newEvents(options.Logger),
		now:                 options.Now,
		used:                processSeconds,
	}
	if signer.bodyBytesMax <= 0 {
		signer.bodyBytesMax = bodyBytesMaxDefault
	}
	if signer.now == nil {
		signer.now = time.Now
	} else {
		// A clock of its own gives seconds of its own.
		signer.used = newUsedSeconds()
		signer.used.clock = signer.now
	}
	if options.SharedFolder != "" {
		if err := os.MkdirAll(options.SharedFolder, 0o700); err != nil {
			return nil, wrapError(SigningFailed, err, "SharedFolder cannot be created")
		}
		signer.shared = &sharedFolder{path: options.SharedFolder}
	}
	return signer, nil
}

// Client returns an http.Client that signs every request, over http.DefaultTransport.
func (s *Signer) Client() *http.Client {
	return &http.Client{Transport: s.Transport(nil)}
}

func isKeyid(text string) bool {
	return text != "" && len(text) <= keyidLengthMax && isVisible(text)
}

func isVisible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < 0x21 || r > 0x7e }) < 0
}

// escapeString escapes a structured-field String (RFC 8941 section 3.3.3).
func escapeString(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
}
