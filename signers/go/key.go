package signer

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"os"
	"sync"
	"time"
)

const (
	modulusBitsMin = 2048
	modulusBitsMax = 8192
	exponent       = 65537
)

// signingKey makes RSASSA-PKCS1-v1_5 signatures with SHA-256.
type signingKey interface {
	sign(ctx context.Context, message []byte) ([]byte, error)
}

func newSigningKey(options Options) (signingKey, error) {
	given := 0
	for _, isGiven := range []bool{options.PrivateKey != nil, options.PrivateKeyFile != "", options.SignBytes != nil} {
		if isGiven {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, newError(PrivateKeyInvalid, "set exactly one of PrivateKey, PrivateKeyFile and SignBytes")
	case options.PrivateKey != nil:
		return newCryptoKey(options.PrivateKey)
	case options.SignBytes != nil:
		return bytesKey(options.SignBytes), nil
	default:
		return newFileKey(options.PrivateKeyFile, options.Passphrase, newEvents(options.Logger))
	}
}

// cryptoKey is a key that signs hashes.
type cryptoKey struct {
	signer    crypto.Signer
	publicKey *rsa.PublicKey
}

func newCryptoKey(signer crypto.Signer) (*cryptoKey, error) {
	publicKey, isRSA := signer.Public().(*rsa.PublicKey)
	if !isRSA {
		return nil, newError(PrivateKeyInvalid, "the private key is not an RSA key. Create one: openssl genrsa -out private.pem 3072")
	}
	if err := checkPublicKey(publicKey); err != nil {
		return nil, err
	}
	return &cryptoKey{signer, publicKey}, nil
}

func checkPublicKey(key *rsa.PublicKey) error {
	if bits := key.N.BitLen(); bits < modulusBitsMin || bits > modulusBitsMax {
		return newError(PrivateKeyInvalid, "the private key has %d bits; %d to %d are allowed. Create a new one: openssl genrsa -out private.pem 3072",
			bits, modulusBitsMin, modulusBitsMax)
	}
	if key.E != exponent {
		return newError(PrivateKeyInvalid, "the private key's public exponent is not %d. Create a new one: openssl genrsa -out private.pem 3072", exponent)
	}
	return nil
}

func (k *cryptoKey) sign(_ context.Context, message []byte) ([]byte, error) {
	digest := sha256.Sum256(message)
	signature, err := k.signer.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		return nil, wrapError(SigningFailed, err, "the private key failed to sign")
	}
	// A key outside this process may use another padding, such as PSS, and the service could only say "invalid".
	if err := rsa.VerifyPKCS1v15(k.publicKey, crypto.SHA256, digest[:], signature); err != nil {
		return nil, newError(SigningFailed, "PrivateKey does not make RSASSA-PKCS1-v1_5 signatures with SHA-256 for its public key")
	}
	return signature, nil
}

// bytesKey is a function that signs messages.
type bytesKey func(ctx context.Context, message []byte) ([]byte, error)

func (k bytesKey) sign(ctx context.Context, message []byte) ([]byte, error) {
	signature, err := k(ctx, message)
	if err != nil {
		return nil, wrapError(SigningFailed, err, "SignBytes failed")
	}
	if len(signature) < modulusBitsMin/8 || len(signature) > modulusBitsMax/8 {
		return nil, newError(SigningFailed, "SignBytes returned %d bytes, which is not an RSA signature", len(signature))
	}
	return signature, nil
}

// fileCheckInterval keeps "within a second" with a margin.
const fileCheckInterval = 500 * time.Millisecond

// fileKey follows a key file.
type fileKey struct {
	path, passphrase string
	events           events

	mutex       sync.Mutex
	checkedAt   time.Time
	content     []byte
	key         *cryptoKey
	lastProblem string
}

func newFileKey(path, passphrase string, events events) (*fileKey, error) {
	file := &fileKey{path: path, passphrase: passphrase, events: events, checkedAt: time.Now()}
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
	key, err := newCryptoKey(privateKey)
	if err != nil {
		return err
	}
	f.content, f.key = content, key
	return nil
}

func (f *fileKey) current() *cryptoKey {
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

func (f *fileKey) sign(ctx context.Context, message []byte) ([]byte, error) {
	return f.current().sign(ctx, message)
}
