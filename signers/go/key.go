package signer

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"os"
	"sync"
	"time"
)

// keySource holds the key of a Signer. Each signature asks for it once, because a key file may be replaced by one of another
// algorithm at any time.
type keySource interface {
	current() signingKey
}

// signingKey is one key, with its keyid and algorithm.
type signingKey interface {
	keyid() string
	algorithm() Algorithm
	sign(ctx context.Context, message []byte) ([]byte, error)
}

func newKeySource(options Options, profile profile) (keySource, error) {
	given := 0
	for _, isGiven := range []bool{options.PrivateKey != nil, options.PrivateKeyFile != "", options.SignBytes != nil} {
		if isGiven {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, newError(PrivateKeyInvalid, "set exactly one of PrivateKey, PrivateKeyFile and SignBytes")
	case options.SignBytes != nil:
		return newBytesKey(options.SignBytes, options.Algorithm, profile)
	case options.Algorithm != "":
		return nil, newError(PrivateKeyInvalid, "Algorithm is only for SignBytes: PrivateKey and PrivateKeyFile have the algorithm of their key")
	case options.PrivateKey != nil:
		return newCryptoKey(options.PrivateKey, profile)
	default:
		return newFileKey(options.PrivateKeyFile, options.Passphrase, profile, newEvents(options.Logger))
	}
}

// cryptoKey is a key that signs hashes, or with Ed25519 messages.
type cryptoKey struct {
	signer    crypto.Signer
	publicKey crypto.PublicKey
	scheme    *scheme
	id        string
}

func newCryptoKey(signer crypto.Signer, profile profile) (*cryptoKey, error) {
	if err := checkComplete(signer); err != nil {
		return nil, err
	}
	publicKey := signer.Public()
	scheme, err := schemeOf(publicKey)
	if err != nil {
		return nil, err
	}
	id, err := profile.keyid(scheme, publicKey)
	if err != nil {
		return nil, err
	}
	return &cryptoKey{signer, publicKey, scheme, id}, nil
}

// checkComplete finds Go's own keys that would panic or never sign.
func checkComplete(signer crypto.Signer) error {
	isEmpty := false
	switch key := signer.(type) {
	case *rsa.PrivateKey:
		isEmpty = key == nil || key.N == nil
	case *ecdsa.PrivateKey:
		isEmpty = key == nil
	case ed25519.PrivateKey:
		isEmpty = len(key) == 0
		if !isEmpty && len(key) != ed25519.PrivateKeySize {
			return newError(PrivateKeyInvalid, "PrivateKey has %d bytes; an ed25519.PrivateKey has %d. "+
				"For a seed of %d bytes, use ed25519.NewKeyFromSeed", len(key), ed25519.PrivateKeySize, ed25519.SeedSize)
		}
	}
	if isEmpty {
		return newError(PrivateKeyInvalid, "PrivateKey is empty: read one with ParsePrivateKey")
	}
	return nil
}

func (k *cryptoKey) current() signingKey  { return k }
func (k *cryptoKey) keyid() string        { return k.id }
func (k *cryptoKey) algorithm() Algorithm { return k.scheme.algorithm }

func (k *cryptoKey) sign(_ context.Context, message []byte) ([]byte, error) {
	digest := k.scheme.digest(message)
	signature, err := k.signer.Sign(rand.Reader, digest, k.scheme.hash)
	if err != nil {
		return nil, wrapError(SigningFailed, err, "the private key failed to sign")
	}
	// A key outside this process may use another padding, such as PSS, and the service could only say "invalid".
	if !k.scheme.verify(k.publicKey, digest, signature) {
		return nil, newError(SigningFailed, "PrivateKey does not sign with %s for its public key, as a crypto.Signer does", k.scheme.title)
	}
	if signature, err = k.scheme.wireForm(signature); err != nil {
		return nil, wrapError(SigningFailed, err, "the private key's signature cannot be read")
	}
	return signature, nil
}

// bytesKey is a function that signs messages.
type bytesKey struct {
	signBytes func(ctx context.Context, message []byte) ([]byte, error)
	scheme    *scheme
	id        string
}

func newBytesKey(
	signBytes func(context.Context, []byte) ([]byte, error), algorithm Algorithm, profile profile,
) (*bytesKey, error) {
	scheme, err := schemeNamed(algorithm)
	if err != nil {
		return nil, err
	}
	id, err := profile.keyid(scheme, nil)
	if err != nil {
		return nil, err
	}
	return &bytesKey{signBytes, scheme, id}, nil
}

func (k *bytesKey) current() signingKey  { return k }
func (k *bytesKey) keyid() string        { return k.id }
func (k *bytesKey) algorithm() Algorithm { return k.scheme.algorithm }

func (k *bytesKey) sign(ctx context.Context, message []byte) ([]byte, error) {
	signature, err := k.signBytes(ctx, message)
	if err != nil {
		return nil, wrapError(SigningFailed, err, "SignBytes failed")
	}
	if len(signature) < k.scheme.bytesMin || len(signature) > k.scheme.bytesMax {
		return nil, newError(SigningFailed, "SignBytes returned %d bytes; a signature of %s has %s", len(signature), k.scheme.title, k.scheme.form)
	}
	return signature, nil
}

// fileCheckInterval keeps "within a second" with a margin.
const fileCheckInterval = 500 * time.Millisecond

// fileKey follows a key file.
type fileKey struct {
	path, passphrase string
	profile          profile
	events           events

	mutex       sync.Mutex
	checkedAt   time.Time
	content     []byte
	key         *cryptoKey
	lastProblem string
}

func newFileKey(path, passphrase string, profile profile, events events) (*fileKey, error) {
	file := &fileKey{path: path, passphrase: passphrase, profile: profile, events: events, checkedAt: time.Now()}
	if err := file.read(); err != nil {
		return nil, err
	}
	return file, nil
}

// read compares contents, because times of files are too coarse for two changes in a row.
func (f *fileKey) read() error {
	content, err := os.ReadFile(f.path)
	if err != nil {
		return wrapError(PrivateKeyInvalid, err, "PrivateKeyFile cannot be read")
	}
	if f.key != nil && bytes.Equal(content, f.content) {
		return nil
	}
	privateKey, err := ParsePrivateKey(string(content), f.passphrase)
	if err != nil {
		return err
	}
	key, err := newCryptoKey(privateKey, f.profile)
	if err != nil {
		return err
	}
	f.content, f.key = content, key
	return nil
}

func (f *fileKey) current() signingKey {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if now := time.Now(); now.Sub(f.checkedAt) >= fileCheckInterval {
		f.checkedAt = now
		f.readAgain()
	}
	return f.key
}

// readAgain keeps the key if the file is half written; the next check reads it again. A problem is logged once.
func (f *fileKey) readAgain() {
	err := f.read()
	if err == nil {
		f.lastProblem = ""
		return
	}
	if err.Error() != f.lastProblem {
		f.lastProblem = err.Error()
		f.events.keyNotRead(err)
	}
}
