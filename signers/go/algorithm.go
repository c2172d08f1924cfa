package signer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	_ "crypto/sha256" // for hash
	_ "crypto/sha512"
	"encoding/asn1"
	"math/big"
	"slices"
)

// Algorithm names a signature algorithm as the alg parameter does (RFC 9421 section 6.2.2).
type Algorithm string

const (
	// RSAv15SHA256 is RSASSA-PKCS1-v1_5 with SHA-256.
	RSAv15SHA256 Algorithm = "rsa-v1_5-sha256"
	// Ed25519 signs the message itself, without hashing it first.
	Ed25519 Algorithm = "ed25519"
	// ECDSAP256SHA256 is ECDSA over P-256 with SHA-256. A signature is r and s, 32 bytes each, not DER.
	ECDSAP256SHA256 Algorithm = "ecdsa-p256-sha256"
	// ECDSAP384SHA384 is ECDSA over P-384 with SHA-384. A signature is r and s, 48 bytes each, not DER.
	ECDSAP384SHA384 Algorithm = "ecdsa-p384-sha384"
)

// scheme is how an algorithm signs.
type scheme struct {
	algorithm          Algorithm
	title              string
	hash               crypto.SignerOpts // crypto.Hash(0) signs the message itself
	bytesMin, bytesMax int               // a signature's length
	form               string            // the same, in words
}

var (
	rsaScheme     = &scheme{RSAv15SHA256, "RSASSA-PKCS1-v1_5 with SHA-256", crypto.SHA256, modulusBitsMin / 8, modulusBitsMax / 8, "256 to 1024 bytes"}
	ed25519Scheme = &scheme{Ed25519, "Ed25519", crypto.Hash(0), 64, 64, "64 bytes"}
	p256Scheme    = &scheme{ECDSAP256SHA256, "ECDSA P-256 with SHA-256", crypto.SHA256, 64, 64, "64 bytes (r and s, not DER)"}
	p384Scheme    = &scheme{ECDSAP384SHA384, "ECDSA P-384 with SHA-384", crypto.SHA384, 96, 96, "96 bytes (r and s, not DER)"}
)

func schemeNamed(algorithm Algorithm) (*scheme, error) {
	if algorithm == "" {
		return rsaScheme, nil
	}
	schemes := []*scheme{rsaScheme, ed25519Scheme, p256Scheme, p384Scheme}
	found := slices.IndexFunc(schemes, func(one *scheme) bool { return one.algorithm == algorithm })
	if found < 0 {
		return nil, newError(PrivateKeyInvalid, "Algorithm must be %s, %s, %s or %s",
			RSAv15SHA256, Ed25519, ECDSAP256SHA256, ECDSAP384SHA384)
	}
	return schemes[found], nil
}

// schemeOf returns the only scheme that a key is used with.
func schemeOf(publicKey crypto.PublicKey) (*scheme, error) {
	switch key := publicKey.(type) {
	case *rsa.PublicKey:
		return rsaScheme, checkRSA(key)
	case ed25519.PublicKey:
		if len(key) == ed25519.PublicKeySize {
			return ed25519Scheme, nil
		}
	case *ecdsa.PublicKey:
		_, err := key.ECDH() // checks the point
		switch {
		case err == nil && key.Curve == elliptic.P256():
			return p256Scheme, nil
		case err == nil && key.Curve == elliptic.P384():
			return p384Scheme, nil
		}
	}
	return nil, newError(PrivateKeyInvalid, notAccepted)
}

const (
	modulusBitsMin = 2048
	modulusBitsMax = 8192
	exponent       = 65537
)

func checkRSA(key *rsa.PublicKey) error {
	if bits := key.N.BitLen(); bits < modulusBitsMin || bits > modulusBitsMax {
		return newError(PrivateKeyInvalid, "the private key has %d bits; %d to %d are allowed. "+createAdvice, bits, modulusBitsMin, modulusBitsMax)
	}
	if key.E != exponent {
		return newError(PrivateKeyInvalid, "the private key's public exponent is not %d. "+createAdvice, exponent)
	}
	return nil
}

// digest returns what a crypto.Signer signs.
func (s *scheme) digest(message []byte) []byte {
	hash := s.hash.HashFunc()
	if hash == 0 {
		return message
	}
	state := hash.New()
	state.Write(message)
	return state.Sum(nil)
}

// verify takes a signature as a crypto.Signer makes it: ECDSA in DER.
func (s *scheme) verify(publicKey crypto.PublicKey, digest, signature []byte) bool {
	switch key := publicKey.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, s.hash.HashFunc(), digest, signature) == nil
	case ed25519.PublicKey:
		return ed25519.Verify(key, digest, signature)
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, digest, signature)
	default:
		return false
	}
}

// wireForm returns a verified signature as it is sent: ECDSA as r and s, each padded to the curve's length.
func (s *scheme) wireForm(signature []byte) ([]byte, error) {
	if s != p256Scheme && s != p384Scheme {
		return signature, nil
	}
	var numbers struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(signature, &numbers); err != nil {
		return nil, err
	}
	wire := make([]byte, s.bytesMax)
	numbers.R.FillBytes(wire[:len(wire)/2])
	numbers.S.FillBytes(wire[len(wire)/2:])
	return wire, nil
}
