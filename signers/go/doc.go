// Package signer signs HTTP requests with an RSA, Ed25519 or ECDSA key, as services behind Countersign require (RFC 9421).
//
// [Signer.Client] returns an [http.Client] that signs everything it sends; [Signer.Transport] wraps any other
// [http.RoundTripper]; [Signer.Sign] is the plain function for everything else. Package
// countersign.dev/signer/signertest verifies requests in the tests of your own program.
//
// The private key can be any [crypto.Signer] with such a key, so it may live in a file, an HSM or a key management
// service. It determines the [Algorithm]. [OptionsFromEnvironment] takes it from the variables that signers in other languages read too.
//
// With Options.SignatureAgent, requests are signed by Web Bot Auth instead, for services that know an agent by the URL of its keys.
//
// # Errors
//
// A request that cannot be signed fails with an [*Error], a request that the service rejects with a [*Refusal]. errors.As finds
// both in what http.Client returns. Other responses are the API's own.
//
// # Retries
//
// Each attempt is signed again, but one call never makes two payments: see [ErrRepeatNotSigned].
//
// # Logs
//
// Options.Logger gets what the signer decides on its own. At slog.LevelInfo: a request waits for a second of its own, and a
// service turns out to reject equal reads. At slog.LevelWarn: the service rejects a request, a repeat is not signed, the clock is
// corrected, and a key file cannot be read again. The attributes are method, url (without its query), status, code, request_id,
// offset and error.
package signer
