package signer

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// The second column is what arrives; it must be what was signed.
var wireTargets = [][2]string{
	{"", "/"},
	{"?", "/?"},
	{"/", "/"},
	{"/v1/items?", "/v1/items?"},
	{"/v1/items?flag&x=", "/v1/items?flag&x="},
	{"/v1/items?b=2&a=1&b=1", "/v1/items?b=2&a=1&b=1"},
	{"/%7euser/~user", "/%7euser/~user"},
	{"/%c3%a9/%C3%A9", "/%c3%a9/%C3%A9"},
	{"/a%2fb/c%2Fd", "/a%2fb/c%2Fd"},
	{"/a/../b/./c//d", "/a/../b/./c//d"},
	{"//v1//items", "//v1//items"},
	{"/%2e%2e/items", "/%2e%2e/items"},
	{"/a;v=1,2/b:c@d/e!$&'()*+,=", "/a;v=1,2/b:c@d/e!$&'()*+,="},
	{"/[x]?filter[name]=x", "/[x]?filter[name]=x"},
	{"/?q=%5B%5d+%20~%7E", "/?q=%5B%5d+%20~%7E"},
	{"/?q=a#top", "/?q=a"},
	{"/é", "/%C3%A9"},
	{"/é%2Fb", "/%C3%A9%2Fb"}, // net/http alone sends /%C3%A9/b
	{"/a b%2Fc|d", "/a%20b%2Fc%7Cd"},
	{"/?q=é", "/?q=%C3%A9"}, // net/http alone sends the two bytes as they are
	{"/?q=a b", "/?q=a%20b"},
	{`/?q="<>\^` + "`{|}", `/?q="<>\^` + "`{|}"},
}

func TestSignsTheTargetThatArrives(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	verifier := newTestVerifier(t)
	client := freshClient(t, newTestSigner(t, Options{}))
	for _, pair := range wireTargets {
		response, err := client.Get("http://" + server.address + pair[0])
		if err != nil {
			t.Errorf("%s: %v", pair[0], err)
			continue
		}
		_ = response.Body.Close()
		all := server.received()
		request := all[len(all)-1]
		if request.target != pair[1] {
			t.Errorf("%s arrives as %s, not as %s", pair[0], request.target, pair[1])
		}
		verifyWire(t, verifier, request)
	}
}

func TestSignsTheHostThatArrives(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	verifier := newTestVerifier(t)
	client := freshClient(t, newTestSigner(t, Options{}))
	_, port, _ := strings.Cut(server.address, ":")
	for host, want := range map[string]string{
		"":                    server.address,
		"api.example.com":     "api.example.com",
		"API.Example.COM":     "api.example.com",
		"api.example.com:80":  "api.example.com",
		"api.example.com:443": "api.example.com:443",
		"[2001:DB8::1]:8080":  "[2001:db8::1]:8080",
		"[fe80::1%25eth0]":    "[fe80::1]",
	} {
		request, err := http.NewRequest("GET", "http://127.0.0.1:"+port+"/host", nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			request.Host = host
		}
		response, err := client.Do(request)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		_ = response.Body.Close()
		all := server.received()
		if got := all[len(all)-1].header.Get("Host"); got != want {
			t.Errorf("%s arrives as %s, not as %s", host, got, want)
		}
		verifyWire(t, verifier, all[len(all)-1])
	}
}

func TestRejectsURLsThatCannotBeSentAsSigned(t *testing.T) {
	client := newTestSigner(t, Options{}).Client()
	for name, change := range map[string]func(*http.Request){
		"international host":     func(r *http.Request) { r.Host = "bücher.example" },
		"host with a slash":      func(r *http.Request) { r.Host = "a.example/b" },
		"no host":                func(r *http.Request) { r.Host, r.URL.Host = "", "" },
		"path without a slash":   func(r *http.Request) { r.URL.Path = "v1/items" },
		"absolute Opaque":        func(r *http.Request) { r.URL.Opaque = "//other.example/v1" },
		"raw letter in Opaque":   func(r *http.Request) { r.URL.Opaque = "/é" },
		"asterisk":               func(r *http.Request) { r.URL.Path = "*" },
		"another scheme":         func(r *http.Request) { r.URL.Scheme = "unix" },
		"CONNECT":                func(r *http.Request) { r.Method = "CONNECT" },
		"a method with a space":  func(r *http.Request) { r.Method = "GET IT" },
		"a target of 9000 bytes": func(r *http.Request) { r.URL.RawQuery = strings.Repeat("x", 9000) },
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequest("GET", "http://127.0.0.1:1/v1/items", nil)
			if err != nil {
				t.Fatal(err)
			}
			change(request)
			_, err = client.Transport.RoundTrip(request)
			wantCode(t, err, RequestInvalid)
		})
	}
}

func TestSendsWhatOpaqueSays(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	request, err := http.NewRequest("GET", "http://"+server.address+"/ignored", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.URL.Opaque = "/a%2Fb/(c)"
	response, err := freshClient(t, newTestSigner(t, Options{})).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if got := server.received()[0].target; got != request.URL.Opaque {
		t.Errorf("%s arrives", got)
	}
	verifyWire(t, newTestVerifier(t), server.received()[0])
}

func TestSignsMethodsInUpperCase(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	verifier := newTestVerifier(t)
	client := freshClient(t, newTestSigner(t, Options{}))
	for method, want := range map[string]string{"": "GET", "get": "GET", "pAtCh": "PATCH", "PROPFIND": "PROPFIND", "query": "QUERY"} {
		request, err := http.NewRequest(method, "http://"+server.address+"/method", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Method = method
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		all := server.received()
		if got := all[len(all)-1].method; got != want {
			t.Errorf("%q arrives as %s", method, got)
		}
		verifyWire(t, verifier, all[len(all)-1])
	}
}

func TestSignsBodiesOfEveryKind(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	verifier := newTestVerifier(t)
	client := freshClient(t, newTestSigner(t, Options{BodyBytesMax: 70_000}))
	binary := bytes.Repeat([]byte{0, 0xff, '\r', '\n'}, 16_384)
	for name, test := range map[string]struct {
		body       *http.Request
		want       []byte
		withDigest bool
	}{
		"none":                  {newRequest(t, "POST", nil), nil, false},
		"empty, known length":   {newRequest(t, "POST", bytes.NewReader(nil)), nil, false},
		"empty, unknown length": {newRequest(t, "PUT", onlyReader{bytes.NewReader(nil)}), nil, false},
		"text":                  {newRequest(t, "POST", strings.NewReader("é\r\n")), []byte("é\r\n"), true},
		"binary, 64 KiB":        {newRequest(t, "PUT", bytes.NewReader(binary)), binary, true},
		"unknown length":        {newRequest(t, "POST", onlyReader{bytes.NewReader(binary)}), binary, true},
		"GET with a body":       {newRequest(t, "GET", strings.NewReader("{}")), []byte("{}"), true},
	} {
		t.Run(name, func(t *testing.T) {
			test.body.URL.Host = server.address
			test.body.Host = server.address
			response, err := client.Do(test.body)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			all := server.received()
			request := all[len(all)-1]
			if !bytes.Equal(request.body, test.want) {
				t.Errorf("%d bytes arrive, not %d", len(request.body), len(test.want))
			}
			if _, hasDigest := request.header["Content-Digest"]; hasDigest != test.withDigest {
				t.Errorf("Content-Digest is there: %t", hasDigest)
			}
			if _, isChunked := request.header["Transfer-Encoding"]; isChunked {
				t.Error("the length is not sent")
			}
			verifyWire(t, verifier, request)
		})
	}
}
