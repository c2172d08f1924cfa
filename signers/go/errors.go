package signer

import "fmt"

// ErrorCode tells why a request could not be signed. Match on it; messages may change.
type ErrorCode string

const (
	// KeyIDInvalid: the client ID cannot be a keyid, or is set although the key determines the keyid.
	KeyIDInvalid ErrorCode = "keyid_invalid"
	// PrivateKeyInvalid: the private key cannot be read or is not of an accepted kind, or Algorithm does not fit.
	PrivateKeyInvalid ErrorCode = "private_key_invalid"
	// RequestInvalid: the method, the URL, the body or SignatureAgent cannot be sent as signed.
	RequestInvalid ErrorCode = "request_invalid"
	// BodyTooLarge: the body is larger than Options.BodyBytesMax.
	BodyTooLarge ErrorCode = "body_too_large"
	// TooManyEqualRequests: equal requests were signed half a minute ahead, and no second became free for this one.
	TooManyEqualRequests ErrorCode = "too_many_equal_requests"
	// SigningFailed: the key or the shared folder failed.
	SigningFailed ErrorCode = "signing_failed"
	// RepeatNotSigned: the request was sent before and may have been carried out. See [ErrRepeatNotSigned].
	RepeatNotSigned ErrorCode = "repeat_not_signed"
)

// ErrRepeatNotSigned is what errors.Is finds when something repeated a POST, a PATCH or an unknown method without
// Idempotency-Key, and the API may have carried out the first attempt. Don't retry it: look up the outcome first.
var ErrRepeatNotSigned = &Error{Code: RepeatNotSigned, Message: "a request that may have been carried out was not signed again"}

func repeatNotSigned(method string) *Error {
	return wrapError(RepeatNotSigned, nil, "This "+method+" was sent once already, and it is not known whether the API carried it out. "+
		"Signing it again could carry it out twice, so it was not signed. "+
		"Look up the outcome first, or send an Idempotency-Key that the API honors.")
}

// Error reports a request that was not sent because it could not be signed, or not again ([ErrRepeatNotSigned]). It never
// contains key material.
type Error struct {
	Code ErrorCode
	// Message says what to do.
	Message string
	cause   error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("signer: %s: %v", e.Message, e.cause)
	}
	return "signer: " + e.Message
}

// Unwrap returns the underlying error, for example of the file system.
func (e *Error) Unwrap() error { return e.cause }

// Is matches ErrRepeatNotSigned by its code.
func (e *Error) Is(target error) bool {
	return target == ErrRepeatNotSigned && e.Code == RepeatNotSigned
}

func newError(code ErrorCode, format string, arguments ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

func wrapError(code ErrorCode, cause error, message string) *Error {
	return &Error{Code: code, Message: message, cause: cause}
}
