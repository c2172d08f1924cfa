/** Names by which a client could tell an upstream another sender, another origin, or another request. */
export const spoofedNames: readonly string[] = [
  // Ours.
  ...['Client-Id', 'Account', 'Roles', 'Key', 'Request-Id', 'Anything'].map((name) => `Countersign-${name}`),
  // Where it comes from.
  ...'Forwarded X-Forwarded X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Port'.split(' '),
  ...'X-Forwarded-Server X-Forwarded-Ssl X-Forwarded-Scheme X-Forwarded-Prefix X-Forwarded-Uri'.split(' '),
  ...'X-Forwarded-Method X-Forwarded-Path X-Forwarded-By X-Real-Ip X-Client-Ip Client-Ip'.split(' '),
  ...'True-Client-Ip X-Cluster-Client-Ip CF-Connecting-IP Fastly-Client-Ip Fly-Client-Ip'.split(' '),
  ...'X-Host X-Backend-Host X-Originating-Ip X-ProxyUser-Ip WL-Proxy-Client-Ip Front-End-Https'.split(' '),
  ...'X-Arr-Ssl X-Real-Port X-Forwarder-For Cloudfront-Forwarded-Proto X-Proto'.split(' '),
  ...'X-Scheme X-Url-Scheme X-Custom-Ip-Authorization X-Envoy-External-Address'.split(' '),
  // What it is.
  ...'X-Http-Method-Override X-Http-Method X-Method-Override X-Original-Url X-Original-Method'.split(' '),
  ...'X-Original-Uri X-Rewrite-Url X-Override-Url X-Http-Host-Override X-Http-DestinationUrl'.split(' '),
  ...'X-Envoy-Original-Path X-Middleware-Subrequest X-Middleware-Prefetch Proxy Proxy-Host'.split(' '),
  ...'Http-Method-Override X-Tunnel-Method Script-Name X-Script-Name Path-Info'.split(' '),
  // Who sent it.
  ...'Remote-User Remote-Groups Remote-Email X-Remote-User X-Forwarded-User X-Forwarded-Email'.split(' '),
  ...'X-Forwarded-Groups X-Forwarded-Access-Token X-Auth-Request-User X-Authenticated-User'.split(' '),
  ...'X-Authenticated-Userid X-Webauth-User X-Authentik-Username X-Pomerium-Jwt-Assertion'.split(' '),
  ...'X-Vouch-User Cf-Access-Jwt-Assertion Tailscale-User-Login X-Consumer-Username'.split(' '),
  ...'X-Credential-Identifier X-Anonymous-Consumer X-Endpoint-Api-Userinfo X-Goog-Iap-Jwt-Assertion'.split(
    ' ',
  ),
  ...'X-Amzn-Oidc-Identity X-Ms-Client-Principal X-Ms-Client-Principal-Id Client-Cert'.split(' '),
  ...'Client-Cert-Chain X-Client-Cert X-Forwarded-Client-Cert X-Ssl-Client-Verify Ssl-Client-Cert'.split(' '),
  ...'X-Arr-ClientCert Proxy-Authorization'.split(' '),
];

/** Names that belong to one connection. Proxies that use an authorizer frame what they forward by themselves. */
export const framingNames: readonly string[] = ['Keep-Alive', 'TE', 'Trailer', 'Via', 'Http2-Settings'];

/** Every way to write a name that CGI, WSGI, Rack or PHP take for the same. */
export function spellings(name: string): readonly string[] {
  return [
    name,
    name.toUpperCase(),
    name.toLowerCase(),
    name.replaceAll('-', '_'),
    name.replaceAll('-', '.'),
    name.replace('-', '_'),
    name.toUpperCase().replaceAll('-', '_'),
  ].filter((spelling, index, all) => all.indexOf(spelling) === index);
}
