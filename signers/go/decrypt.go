package signer

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"hash"
)

// iterationsMax keeps a hostile file from costing minutes.
const iterationsMax = 10_000_000

// The ASN.1 of RFC 5958 section 3 and RFC 8018 appendix A.
type (
	encryptedPrivateKeyInfo struct {
		Algorithm struct {
			OID        asn1.ObjectIdentifier
			Parameters pbes2Parameters
		}
		EncryptedData []byte
	}
	pbes2Parameters struct {
		KeyDerivation struct {
			OID        asn1.ObjectIdentifier
			Parameters pbkdf2Parameters
		}
		Encryption struct {
			OID asn1.ObjectIdentifier
			IV  []byte
		}
	}
	pbkdf2Parameters struct {
		Salt       []byte
		Iterations int
		KeyLength  int                      `asn1:"optional"`
		PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
	}
)

const derSequence = 0x30

const (
	oidPBES2  = "1.2.840.113549.1.5.13"
	oidPBKDF2 = "1.2.840.113549.1.5.12"
)

var (
	hashByPRF = map[string]func() hash.Hash{
		"":                    sha1.New, // the default of RFC 8018 appendix A.2
		"1.2.840.113549.2.7":  sha1.New,
		"1.2.840.113549.2.9":  sha256.New,
		"1.2.840.113549.2.10": sha512.New384,
		"1.2.840.113549.2.11": sha512.New,
	}
	keyLengthByCipher = map[string]int{
		"2.16.840.1.101.3.4.1.2":  16, // AES-128-CBC
		"2.16.840.1.101.3.4.1.22": 24, // AES-192-CBC
		"2.16.840.1.101.3.4.1.42": 32, // AES-256-CBC
	}
)

// isEncryptedPKCS8 recognizes an EncryptedPrivateKeyInfo, whatever its encryption.
func isEncryptedPKCS8(der []byte) bool {
	var info struct {
		Algorithm     pkix.AlgorithmIdentifier
		EncryptedData []byte
	}
	rest, err := asn1.Unmarshal(der, &info)
	return err == nil && len(rest) == 0
}

// decryptPKCS8 returns the PKCS#8 inside an EncryptedPrivateKeyInfo.
func decryptPKCS8(der []byte, passphrase string) ([]byte, error) {
	notSupported := newError(PrivateKeyInvalid, "the private key's encryption is not supported; "+convertAdvice)
	var info encryptedPrivateKeyInfo
	if rest, err := asn1.Unmarshal(der, &info); err != nil || len(rest) > 0 {
		return nil, notSupported
	}
	derivation, encryption := info.Algorithm.Parameters.KeyDerivation, info.Algorithm.Parameters.Encryption
	newHash := hashByPRF[derivation.Parameters.PRF.Algorithm.String()]
	keyLength := keyLengthByCipher[encryption.OID.String()]
	iterations := derivation.Parameters.Iterations
	if info.Algorithm.OID.String() != oidPBES2 || derivation.OID.String() != oidPBKDF2 || newHash == nil || keyLength == 0 ||
		len(encryption.IV) != aes.BlockSize || iterations < 1 || iterations > iterationsMax {
		return nil, notSupported
	}
	if passphrase == "" {
		return nil, newError(PrivateKeyInvalid, "the private key is encrypted: provide its passphrase")
	}
	wrong := newError(PrivateKeyInvalid, "the passphrase is wrong, or the private key is damaged")
	key, err := pbkdf2.Key(newHash, passphrase, derivation.Parameters.Salt, iterations, keyLength)
	if err != nil || len(info.EncryptedData) == 0 || len(info.EncryptedData)%aes.BlockSize != 0 {
		return nil, wrong
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, wrong
	}
	plain := make([]byte, len(info.EncryptedData))
	cipher.NewCBCDecrypter(block, encryption.IV).CryptBlocks(plain, info.EncryptedData)
	padding := int(plain[len(plain)-1])
	if padding < 1 || padding > aes.BlockSize || !bytes.HasSuffix(plain, bytes.Repeat([]byte{byte(padding)}, padding)) {
		return nil, wrong
	}
	plain = plain[:len(plain)-padding]
	if !bytes.HasPrefix(plain, []byte{derSequence}) {
		return nil, wrong // a wrong key whose padding is valid by chance
	}
	return plain, nil
}
