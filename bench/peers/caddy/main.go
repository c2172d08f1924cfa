// Caddy with a handler that verifies an RS256 JWT in each request.
package main

import (
	"crypto/rsa"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

func main() {
	caddy.RegisterModule(bearerToken{})
	caddycmd.Main()
}

// bearerToken rejects requests without a valid token.
type bearerToken struct {
	PublicKeyFile string `json:"public_key_file"`
	key           *rsa.PublicKey
}

func (bearerToken) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.bearer_token", New: func() caddy.Module { return new(bearerToken) }}
}

// Provision reads the key.
func (handler *bearerToken) Provision(caddy.Context) (err error) {
	handler.key, err = readPublicKey(handler.PublicKeyFile)
	return err
}

func (handler *bearerToken) ServeHTTP(response http.ResponseWriter, request *http.Request, next caddyhttp.Handler) error {
	if !isValid(request.Header.Get("Authorization"), handler.key) {
		return caddyhttp.Error(http.StatusUnauthorized, nil)
	}
	return next.ServeHTTP(response, request)
}
