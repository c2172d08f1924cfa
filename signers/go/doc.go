// Package signer signs HTTP requests with an RSA key, as services behind Countersign require (RFC 9421, RSASSA-PKCS1-v1_5
// with SHA-256).
//
// [Signer.Client] returns an [http.Client] that signs everything it sends; [Signer.Transport] wraps any other
// [http.RoundTripper]; [Signer.Sign] is the plain function for everything else. Package
// countersign.dev/signer/signertest verifies requests in the tests of your own program.
//
// The private key can be any [crypto.Signer] with an RSA key, so it may live in a file, an HSM or a key management
// service.
package signer
