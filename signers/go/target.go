package signer

import (
	"net"
	"net/http"
	"strings"
)

// fixTarget gives a request's URL and Host the form that net/http sends unchanged, and returns it as text. Request.Host
// counts, not the host that is connected to, because the service sees nothing else.
//
// net/http sends a raw "é" or space in the query, and in the path encodes everything again when one character needs it,
// which turns "%2F" into "/". Both are encoded here first, character by character.
func fixTarget(request *http.Request) (string, error) {
	u := request.URL
	if u == nil || (u.Scheme != "http" && u.Scheme != "https") {
		return "", newError(RequestInvalid, "the URL must be absolute, with http or https")
	}
	host := canonicalHost(u.Scheme, hostOf(request))
	if host == "" || strings.ContainsAny(host, `/?#@\`) || !isVisible(host) {
		return "", newError(RequestInvalid, "the URL's host must be in ASCII: write an international name in its xn-- form")
	}
	request.Host = host
	u.RawPath = escapeWhere(u.RawPath, func(c byte) bool { return !isVisibleByte(c) || strings.IndexByte("\"#<>?\\^`{|}", c) >= 0 })
	u.RawQuery = escapeWhere(u.RawQuery, func(c byte) bool { return !isVisibleByte(c) || c == '#' })
	if u.Opaque != "" && (!strings.HasPrefix(u.Opaque, "/") || strings.HasPrefix(u.Opaque, "//") || !isVisible(u.Opaque)) {
		return "", newError(RequestInvalid, "URL.Opaque must be a percent-encoded path that begins with one slash; use RawPath instead")
	}
	target := u.RequestURI()
	if !strings.HasPrefix(target, "/") {
		return "", newError(RequestInvalid, "the URL's path must begin with a slash")
	}
	return u.Scheme + "://" + host + target, nil
}

func hostOf(request *http.Request) string {
	if request.Host != "" {
		return request.Host
	}
	return request.URL.Host
}

// canonicalHost writes a host as services compare it: in lower case, without the scheme's own port, and without an IPv6
// zone, which net/http drops too.
func canonicalHost(scheme, host string) string {
	host = strings.ToLower(host)
	if zone := strings.IndexByte(host, '%'); strings.HasPrefix(host, "[") && zone > 0 {
		if end := strings.IndexByte(host, ']'); end > zone {
			host = host[:zone] + host[end:]
		}
	}
	defaultPort := map[string]string{"http": ":80", "https": ":443"}[scheme]
	host = strings.TrimSuffix(host, ":")
	if _, port, err := net.SplitHostPort(host); err == nil && ":"+port == defaultPort {
		host = strings.TrimSuffix(host, defaultPort)
	}
	return host
}

func isVisibleByte(c byte) bool { return 0x21 <= c && c <= 0x7e }

// escapeWhere percent-encodes some bytes and leaves what is encoded already as it is.
func escapeWhere(text string, isEscaped func(byte) bool) string {
	const digits = "0123456789ABCDEF"
	var escaped strings.Builder
	for i := 0; i < len(text); i++ {
		if c := text[i]; isEscaped(c) {
			escaped.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			escaped.WriteByte(c)
		}
	}
	return escaped.String()
}

// leftOrigin reports whether a request follows a redirect, now or earlier in the chain, to another origin than the first
// request's. That origin chose the URL, so nothing is signed for it, not even on the way back.
func leftOrigin(request *http.Request) bool {
	for request.Response != nil {
		previous := request.Response.Request
		if previous == nil || originOf(previous) != originOf(request) {
			return true
		}
		request = previous
	}
	return false
}

// origin is where a request goes and the name it asks for there.
type origin struct{ scheme, host, address string }

func originOf(request *http.Request) origin {
	scheme := request.URL.Scheme
	return origin{scheme, canonicalHost(scheme, hostOf(request)), canonicalHost(scheme, request.URL.Host)}
}
