package signer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"time"
)

const (
	// aheadSecondsMax limits how far created runs ahead of the clock; the service allows 60 seconds.
	aheadSecondsMax = 30
	// waitMax limits how long a request waits for a second of its own.
	waitMax = 30 * time.Second
	// targetLengthMax is the longest URL that services accept.
	targetLengthMax = 8492
)

// Request is what a signature covers. Send exactly this method, URL and body.
type Request struct {
	// Method is signed, and must be sent, in upper case.
	Method string
	// URL is the absolute URL as sent: percent-encoded, with a path, without user information and fragment.
	URL string
	// Body holds the bytes as sent. Nil or empty means no body.
	Body []byte
}

// Signed is a signed request.
type Signed struct {
	// Method is the request's method in upper case.
	Method string
	// Header holds the headers to add: Signature-Input, Signature, Date unless it is omitted, and Content-Digest if
	// there is a body. With Options.SignatureAgent, Signature-Agent takes the place of Date.
	Header http.Header
	// Created is the time of the signature, in whole seconds.
	Created time.Time
	// Base is the text that was signed (RFC 9421 section 2.5), for display and comparison.
	Base string
}

// Sign signs a request that you send yourself. Sign each attempt again: a signature is accepted once. Its errors are of
// type [*Error].
func (s *Signer) Sign(ctx context.Context, request Request) (*Signed, error) {
	covered := coveredParts{method: upperCase(request.Method), url: request.URL}
	if err := covered.check(); err != nil {
		return nil, err
	}
	if int64(len(request.Body)) > s.bodyBytesMax {
		return nil, s.bodyTooLarge()
	}
	if len(request.Body) > 0 {
		covered.contentDigest = contentDigest(request.Body)
	}
	created, err := s.takeSecond(ctx, covered)
	if err != nil {
		return nil, err
	}
	return s.signAt(ctx, covered, created, created)
}

// coveredParts are the parts of a request that a signature covers, in their final form.
type coveredParts struct {
	method, url, contentDigest string
}

var (
	methodToken = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$")
	absoluteURL = regexp.MustCompile(`^https?://[!-.0->A-\[\]-~]+/[!-"$-~]*$`)
)

func (c coveredParts) check() *Error {
	switch {
	case !methodToken.MatchString(c.method):
		return newError(RequestInvalid, "the method is not a token such as GET")
	case c.method == http.MethodConnect:
		return newError(RequestInvalid, "a CONNECT request has no URL to sign")
	case len(c.url) > targetLengthMax:
		return newError(RequestInvalid, "the URL has more than %d characters; send long data in the body", targetLengthMax)
	case strings.Contains(c.url, "#"):
		return newError(RequestInvalid, "remove the fragment (#…) from the URL; it is never sent")
	case !absoluteURL.MatchString(c.url):
		return newError(RequestInvalid,
			"the URL must be absolute, http or https, with a path, percent-encoded, and without user information")
	case !namesHostAsServicesDo(c.url):
		return newError(RequestInvalid, "write the URL's host in lower case and without the default port, as services compare it")
	}
	return nil
}

func namesHostAsServicesDo(absolute string) bool {
	scheme, host := originIn(absolute)
	return host == canonicalHost(scheme, host)
}

// originIn returns the scheme, and the host with its port, of a URL that has a path.
func originIn(absolute string) (scheme, host string) {
	scheme, rest, _ := strings.Cut(absolute, "://")
	host, _, _ = strings.Cut(rest, "/")
	return scheme, host
}

// takeSecond returns a second for a request. Equal reads share one, as services allow, unless one of them has turned out to
// be strict. Everything else gets a second of its own, and waits for it, up to half a minute, when too many are taken.
func (s *Signer) takeSecond(ctx context.Context, covered coveredParts) (time.Time, error) {
	if s.profile.hasNonce() {
		return time.Unix(s.serviceSeconds(), 0), nil
	}
	hash := hashRequest(s.clientID, covered)
	isShared := isRead(covered.method) && s.now().UnixMilli() >= s.strictUntil.Load()
	timeOut := time.NewTimer(waitMax)
	defer timeOut.Stop()
	for waits := 0; ; waits++ {
		second, isFound, err := s.freeSecond(hash, isShared)
		if err != nil || isFound {
			return time.Unix(second, 0), err
		}
		if waits == 0 {
			s.events.waits(ctx, covered)
		}
		if !waitForNextSecond(ctx, timeOut) {
			return time.Time{}, newError(TooManyEqualRequests,
				"more than %d identical requests ahead: at most one a second can be signed in the long run; "+
					"send fewer, or make them differ, for example by a query parameter",
				aheadSecondsMax)
		}
	}
}

func (s *Signer) serviceSeconds() int64 {
	return s.now().Add(time.Duration(s.clockOffset.Load())).Unix()
}

// freeSecond finds the first second, from now on, in which this process, and every process that shares the folder, has not
// signed the same request.
func (s *Signer) freeSecond(hash string, isShared bool) (second int64, isFound bool, err error) {
	now := s.serviceSeconds()
	for second = now; second <= now+aheadSecondsMax; second++ {
		if isShared {
			if s.used.takeShared(hash, second, equalReadsFor) {
				return second, true, nil
			}
			continue
		}
		if !s.used.take(hash, second) {
			continue
		}
		if s.shared != nil {
			isOurs, err := s.shared.take(hash, second)
			if err != nil {
				return 0, false, wrapError(SigningFailed, err, "SharedFolder cannot be written")
			}
			if !isOurs {
				continue
			}
		}
		return second, true, nil
	}
	return 0, false, nil
}

// waitForNextSecond reports false if there is no time left to wait.
func waitForNextSecond(ctx context.Context, timeOut *time.Timer) bool {
	next := time.NewTimer(time.Second - time.Duration(time.Now().Nanosecond()))
	defer next.Stop()
	select {
	case <-next.C:
		return true
	case <-timeOut.C:
		return false
	case <-ctx.Done():
		return false
	}
}

// isRead reports whether services accept equal requests of this method for two seconds.
func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// strictFor is how long each read gets a second of its own after one was refused for the second that it shared. A read that
// came late is refused for it too, and nobody can poll twice a second for long with a second for each read.
const strictFor = 10 * time.Second

// becomeStrict reports whether a read was refused for the second that it shared. For a while, each one gets its own then.
func (s *Signer) becomeStrict(ctx context.Context, method string, refusal *Refusal) bool {
	if refusal.Code != "signature_replayed" || !isRead(method) {
		return false
	}
	s.strictUntil.Store(s.now().Add(strictFor).UnixMilli())
	s.events.becameStrict(ctx)
	return true
}

// signAt signs with given times. They are equal, except in tests.
func (s *Signer) signAt(ctx context.Context, covered coveredParts, created, date time.Time) (*Signed, error) {
	key := s.key.current()
	fields := s.profile.compose(covered, key, created, date)
	params := "(" + strings.Join(fields.components, " ") + ")" + fields.parameters
	base := strings.Join(append(fields.lines, `"@signature-params": `+params), "\n")
	signature, err := key.sign(ctx, []byte(base))
	if err != nil {
		return nil, err
	}
	header := fields.header
	header.Set("Signature-Input", "sig="+params)
	header.Set("Signature", "sig=:"+base64.StdEncoding.EncodeToString(signature)+":")
	return &Signed{Method: covered.method, Header: header, Created: created, Base: base}, nil
}

// contentDigest formats the Content-Digest field of a body (RFC 9530 section 2).
func contentDigest(body []byte) string {
	digest := sha256.Sum256(body)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"
}

// upperCase leaves everything but ASCII letters as it is.
func upperCase(method string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, method)
}

func (s *Signer) bodyTooLarge() *Error {
	return newError(BodyTooLarge, "the body has more than %d bytes: send less, or raise Options.BodyBytesMax", s.bodyBytesMax)
}
