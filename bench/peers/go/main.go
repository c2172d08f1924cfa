// A proxy with Go's ReverseProxy that verifies an RS256 JWT in each request: go run . SETTINGS_FILE
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

type settings struct{ Listen, Upstream, PublicKeyFile string }

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var settings settings
	if err := json.Unmarshal(text, &settings); err != nil {
		log.Fatal(err)
	}
	upstream, err := url.Parse(settings.Upstream)
	if err != nil {
		log.Fatal(err)
	}
	key, err := readPublicKey(settings.PublicKeyFile)
	if err != nil {
		log.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(request *httputil.ProxyRequest) { request.SetURL(upstream) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}
	handler := func(response http.ResponseWriter, request *http.Request) {
		if !isValid(request.Header.Get("Authorization"), key) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(response, request)
	}
	log.Fatal(http.ListenAndServe(settings.Listen, http.HandlerFunc(handler)))
}
