package signer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// Transport is an http.RoundTripper that signs what it sends. It is safe for concurrent use.
type Transport struct {
	signer *Signer
	base   http.RoundTripper
	calls  *openCalls
}

// Transport returns a RoundTripper that signs requests and sends them through base, or http.DefaultTransport if base is
// nil. It should be the innermost wrapper: whatever changes the method, the URL or the body, or sends a request again,
// belongs outside, so that each attempt is signed in its final form.
//
// RoundTrip signs the request in the form that goes over the wire, buffers the body for its digest, and signs again when
// the request is sent again. It does not sign requests that http.Client makes to follow a redirect to another origin.
//
// A refusal is returned as a [*Refusal] error, which errors.As finds in the error of http.Client, unless
// Options.RefusalsAsResponses is set, or its status is 429 or 503, which clients retry. If the service says that the clock is wrong, RoundTrip takes over the service's
// clock and sends the request once more; not with Options.SignatureAgent, because any site could say so.
//
// If something sends a POST, a PATCH or an unknown method again that may have been carried out, nothing is signed and the
// error is [ErrRepeatNotSigned], unless the request has an Idempotency-Key.
func (s *Signer) Transport(base http.RoundTripper) *Transport {
	if base == nil {
		base = http.DefaultTransport
	}
	return &Transport{signer: s, base: base, calls: newOpenCalls()}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if leftOrigin(request) {
		return t.base.RoundTrip(t.withoutSignature(request))
	}
	final, covered, err := t.finalForm(request)
	if err != nil {
		return nil, err
	}
	guard := t.guard(request, &final, covered)
	ctx := request.Context()
	isClockCorrected, isSecondChanged := false, false
	var response *http.Response
	var refusal *Refusal
	for {
		if response, refusal, err = t.attempt(final, covered, guard); err != nil {
			if errors.Is(err, ErrRepeatNotSigned) {
				t.signer.events.repeatNotSigned(ctx, covered)
			}
			return nil, err
		}
		if refusal != nil {
			t.signer.events.refused(ctx, covered, refusal)
		}
		switch mayLearn := refusal != nil && t.signer.profile.learnsFromRefusals(); {
		case mayLearn && !isClockCorrected && t.signer.correctClock(ctx, refusal):
			isClockCorrected = true
		case mayLearn && !isSecondChanged && t.signer.becomeStrict(ctx, covered.method, refusal):
			isSecondChanged = true
		default:
			return t.result(response, refusal)
		}
		discard(response.Body)
	}
}

// result returns a response, or its refusal as an error.
func (t *Transport) result(response *http.Response, refusal *Refusal) (*http.Response, error) {
	if refusal != nil && !t.signer.refusalsAsResponses && !refusal.isTemporary() {
		discard(response.Body)
		return nil, refusal
	}
	return response, nil
}

// attempt signs and sends a request, unless a second time would be one too many.
func (t *Transport) attempt(final finalRequest, covered coveredParts, guard *guarded) (*http.Response, *Refusal, error) {
	if err := guard.begin(); err != nil {
		return nil, nil, err
	}
	response, err := t.sign(final, covered, guard.isOnce())
	if err != nil {
		guard.failed(err)
		return nil, nil, err
	}
	refusal := readRefusal(response)
	guard.answered(response.StatusCode, refusal)
	return response, refusal, nil
}

// finalRequest is a request in its final form, with its whole body, but without a signature.
type finalRequest struct {
	request *http.Request
	body    []byte
}

// finalForm copies a request, because a RoundTripper must not change it, and closes its body.
func (t *Transport) finalForm(request *http.Request) (finalRequest, coveredParts, error) {
	body, err := t.readBody(request)
	if err != nil {
		return finalRequest{}, coveredParts{}, err
	}
	final := t.withoutSignature(request)
	if final.Method == "" {
		final.Method = http.MethodGet
	}
	final.Method = upperCase(final.Method)
	url, err := fixTarget(final)
	if err != nil {
		return finalRequest{}, coveredParts{}, err
	}
	covered := coveredParts{method: final.Method, url: url}
	if err := covered.check(); err != nil {
		return finalRequest{}, coveredParts{}, err
	}
	if len(body) > 0 {
		covered.contentDigest = contentDigest(body)
	}
	return finalRequest{final, body}, covered, nil
}

func (t *Transport) readBody(request *http.Request) ([]byte, error) {
	if request.Body == nil || request.Body == http.NoBody {
		return nil, nil
	}
	defer request.Body.Close()
	if request.ContentLength > t.signer.bodyBytesMax {
		return nil, t.signer.bodyTooLarge()
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, t.signer.bodyBytesMax+1))
	if err != nil {
		return nil, wrapError(RequestInvalid, err, "the body cannot be read")
	}
	if int64(len(body)) > t.signer.bodyBytesMax {
		return nil, t.signer.bodyTooLarge()
	}
	return body, nil
}

// sign signs and sends a request, and does both again when its connection breaks before it is answered: one that is guarded
// only if nothing of it was written.
func (t *Transport) sign(final finalRequest, covered coveredParts, isGuarded bool) (*http.Response, error) {
	ctx := final.request.Context()
	for attempts := 1; ; attempts++ {
		created, err := t.signer.takeSecond(ctx, covered)
		if err != nil {
			return nil, err
		}
		signed, err := t.signer.signAt(ctx, covered, created, created)
		if err != nil {
			return nil, err
		}
		response, wasWritten, err := sendOnce(ctx, t.base, func(ctx context.Context) *http.Request { return final.with(ctx, signed.Header) })
		if err == nil && response.Request == nil {
			response.Request = final.request // some transports for tests leave it out
		}
		if err == errSentAgain && isGuarded && wasWritten && t.mayRepeatWhatWasWritten(final.request) {
			return nil, repeatNotSigned(covered.method)
		}
		if err != errSentAgain || attempts == attemptsMax || ctx.Err() != nil {
			return response, err
		}
	}
}

// mayRepeatWhatWasWritten reports whether what is below the signer sends a request again after it has written it. net/http
// does so for two headers, and the one that is asked for here counts for nothing in most APIs.
func (t *Transport) mayRepeatWhatWasWritten(request *http.Request) bool {
	_, isStandard := t.base.(*http.Transport)
	_, hasOtherKey := request.Header["X-Idempotency-Key"]
	return !isStandard || hasOtherKey
}

// with returns a copy with the headers of a signature and a fresh body.
func (f finalRequest) with(ctx context.Context, signature http.Header) *http.Request {
	signed := f.request.Clone(ctx)
	if signed.Header == nil {
		signed.Header = http.Header{}
	}
	for name, values := range signature {
		signed.Header[name] = values
	}
	signed.Body, signed.GetBody, signed.ContentLength = http.NoBody, nil, int64(len(f.body))
	if len(f.body) > 0 {
		signed.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.body)), nil }
		signed.Body, _ = signed.GetBody()
		if len(signed.Trailer) > 0 {
			signed.ContentLength = -1 // only chunked bodies have trailers
		} else {
			signed.TransferEncoding = nil
		}
	}
	return signed
}

func (t *Transport) withoutSignature(request *http.Request) *http.Request {
	unsigned := request.Clone(request.Context())
	for _, name := range t.signer.profile.headerNames() {
		unsigned.Header.Del(name)
	}
	return unsigned
}

// discard lets the connection be used again, unless the rest of the body is long.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	_ = body.Close()
}
