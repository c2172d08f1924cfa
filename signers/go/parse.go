package signer

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

const keyTextLengthMax = 64 << 10

var pemBlock = regexp.MustCompile(`(?s)-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END ([A-Z0-9 ]+)-----`)

// ParsePrivateKey reads one key: RSA of 2048 to 8192 bits, Ed25519, or ECDSA over P-256 or P-384. It returns an
// *rsa.PrivateKey, an ed25519.PrivateKey or an *ecdsa.PrivateKey.
//
// The text is PKCS#8, PKCS#1 or SEC1, as PEM or bare Base64, with or without line breaks. Encrypted PKCS#8 (PBES2 with PBKDF2 and
// AES-CBC, the form that OpenSSL writes) needs its passphrase; other keys ignore it. Errors are of type [*Error] and contain
// nothing of the text.
func ParsePrivateKey(text, passphrase string) (crypto.Signer, error) {
	if len(text) > keyTextLengthMax {
		return nil, newError(PrivateKeyInvalid, "the text is too long to be a private key")
	}
	encoding, der, err := unwrapKeyText(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")))
	if err != nil {
		return nil, err
	}
	if encoding == encryptedPKCS8 || (encoding == unknownEncoding && isEncryptedPKCS8(der)) {
		if der, err = decryptPKCS8(der, passphrase); err != nil {
			return nil, err
		}
		encoding = pkcs8
	}
	key, err := parseDER(encoding, der)
	if err != nil {
		return nil, err
	}
	if _, err := schemeOf(key.Public()); err != nil {
		return nil, err
	}
	return key, nil
}

type keyEncoding int

const (
	unknownEncoding keyEncoding = iota
	pkcs8
	pkcs1
	sec1
	encryptedPKCS8
)

var encodingByLabel = map[string]keyEncoding{
	"PRIVATE KEY":           pkcs8,
	"RSA PRIVATE KEY":       pkcs1,
	"EC PRIVATE KEY":        sec1,
	"ENCRYPTED PRIVATE KEY": encryptedPKCS8,
}

const (
	createAdvice  = "Create one: openssl genrsa -out private.pem 3072"
	convertAdvice = "convert the private key: openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem"
	// openssl ec alone would write an encrypted key unencrypted.
	nameCurveAdvice = "Convert it: openssl ec -param_enc named_curve -in old.pem | openssl pkcs8 -topk8 -v2 aes-256-cbc -out new.pem"
	notAccepted     = "the private key is not an RSA, Ed25519 or ECDSA key (P-256 or P-384). " + createAdvice
)

// adviceByLabel answers the mistakes that are made most often.
var adviceByLabel = map[string]string{
	"PUBLIC KEY":          "this is a public key, which cannot sign: use the private key instead",
	"RSA PUBLIC KEY":      "this is a public key, which cannot sign: use the private key instead",
	"CERTIFICATE":         "this is a certificate, which cannot sign: use the private key instead",
	"DSA PRIVATE KEY":     notAccepted,
	"OPENSSH PRIVATE KEY": "OpenSSH private keys are not supported. Convert a copy of the file: ssh-keygen -p -m PKCS8 -f copy-of-key",
}

func unwrapKeyText(text string) (keyEncoding, []byte, error) {
	damaged := newError(PrivateKeyInvalid, "the private key is damaged or incomplete: use the whole key file")
	if text == "" {
		return 0, nil, newError(PrivateKeyInvalid, "the private key is empty")
	}
	if !strings.Contains(text, "-----") {
		der, err := decodeBase64(text)
		if err != nil {
			return 0, nil, damaged
		}
		return unknownEncoding, der, nil
	}
	if strings.Contains(text, "Proc-Type:") {
		return 0, nil, newError(PrivateKeyInvalid, "the private key uses OpenSSL's legacy encryption, which is not supported; "+convertAdvice)
	}
	// openssl ecparam -genkey writes the curve first; the key names it again.
	blocks := slices.DeleteFunc(pemBlock.FindAllStringSubmatch(text, -1), func(block []string) bool { return block[1] == "EC PARAMETERS" })
	switch {
	case len(blocks) == 0 || blocks[0][1] != blocks[0][3]:
		return 0, nil, damaged
	case len(blocks) > 1:
		return 0, nil, newError(PrivateKeyInvalid, "the text contains more than one key: use exactly one private key")
	}
	label := blocks[0][1]
	if advice, isKnown := adviceByLabel[label]; isKnown {
		return 0, nil, newError(PrivateKeyInvalid, "%s", advice)
	}
	encoding, isKnown := encodingByLabel[label]
	// Environment variables often hold line breaks as backslash and n.
	der, err := decodeBase64(strings.ReplaceAll(blocks[0][2], `\n`, ""))
	if !isKnown || err != nil {
		return 0, nil, damaged
	}
	return encoding, der, nil
}

func decodeBase64(text string) ([]byte, error) {
	return base64.StdEncoding.Strict().DecodeString(strings.Join(strings.Fields(text), ""))
}

// primeField begins the parameters of a curve that is written out (RFC 3279 section 2.3.5): 1.2.840.10045.1.1 in DER.
var primeField = []byte{0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x01, 0x01}

// parseDER tries every encoding when the text does not name one.
func parseDER(encoding keyEncoding, der []byte) (crypto.Signer, error) {
	if encoding == pkcs1 || encoding == unknownEncoding {
		if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
			return key, nil
		}
	}
	if bytes.Contains(der, primeField) {
		return nil, newError(PrivateKeyInvalid, "the private key writes out the parameters of its curve instead of naming it. "+nameCurveAdvice)
	}
	if encoding == sec1 || encoding == unknownEncoding {
		if key, err := x509.ParseECPrivateKey(der); err == nil {
			return key, nil
		}
	}
	if encoding == pkcs8 || encoding == unknownEncoding {
		if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
			if signer, canSign := key.(crypto.Signer); canSign {
				return signer, nil
			}
		}
	}
	return nil, newError(PrivateKeyInvalid,
		"this is not an RSA, Ed25519 or ECDSA key (P-256 or P-384) in PKCS#8, PKCS#1 or SEC1 form, or it is damaged. "+createAdvice)
}
