package signertest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"math/big"
)

const (
	rsaAlgorithm     = "rsa-v1_5-sha256"
	ed25519Algorithm = "ed25519"
	p256Algorithm    = "ecdsa-p256-sha256"
	p384Algorithm    = "ecdsa-p384-sha384"
)

var algorithms = []string{rsaAlgorithm, ed25519Algorithm, p256Algorithm, p384Algorithm}

// verifyingKey is a public key with the only algorithm that it is used with.
type verifyingKey struct {
	algorithm string
	// isMalleable tells that anyone can turn a signature into another one of the same base: r, s into r, n-s.
	isMalleable bool
	verify      func(base, signature []byte) bool
}

// newVerifyingKey returns nil for a key of a kind or size that cannot be registered.
func newVerifyingKey(publicKey crypto.PublicKey) *verifyingKey {
	switch key := publicKey.(type) {
	case *rsa.PublicKey:
		if key != nil && key.N.BitLen() >= 2048 && key.N.BitLen() <= 8192 && key.E == 65537 {
			return &verifyingKey{rsaAlgorithm, false, func(base, signature []byte) bool {
				digest := sha256.Sum256(base)
				return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
			}}
		}
	case ed25519.PublicKey:
		if len(key) == ed25519.PublicKeySize {
			return &verifyingKey{ed25519Algorithm, false, func(base, signature []byte) bool {
				return ed25519.Verify(key, base, signature)
			}}
		}
	case *ecdsa.PublicKey:
		return newECDSAKey(key)
	}
	return nil
}

func newECDSAKey(key *ecdsa.PublicKey) *verifyingKey {
	if key == nil {
		return nil
	}
	if _, err := key.ECDH(); err != nil { // not on its curve
		return nil
	}
	switch key.Curve {
	case elliptic.P256():
		return &verifyingKey{p256Algorithm, true, func(base, signature []byte) bool {
			digest := sha256.Sum256(base)
			return len(signature) == 64 && verifyNumbers(key, digest[:], signature)
		}}
	case elliptic.P384():
		return &verifyingKey{p384Algorithm, true, func(base, signature []byte) bool {
			digest := sha512.Sum384(base)
			return len(signature) == 96 && verifyNumbers(key, digest[:], signature)
		}}
	}
	return nil
}

// verifyNumbers verifies r and s, one after the other.
func verifyNumbers(key *ecdsa.PublicKey, digest, signature []byte) bool {
	r, s := signature[:len(signature)/2], signature[len(signature)/2:]
	return ecdsa.Verify(key, digest, new(big.Int).SetBytes(r), new(big.Int).SetBytes(s))
}
