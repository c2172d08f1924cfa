import type { OpenApiSecurityScheme } from './document.ts';

/** What stands above everything else. */
export const introduction = `Every request is signed with the RSA key of a client (RFC 9421), as the security scheme \`signature\` describes. The method, the URL, the date and the body are covered, so nobody on the way can change them.

What is refused is answered as \`application/problem+json\` (RFC 9457) with a \`code\` to match on, and a \`requestId\` to ask about. Times are RFC 3339 in UTC. Lists come in pages: \`nextCursor\` of one page is \`cursor\` of the next; a page may be short, or empty, and not be the last. Members may be added to answers; ignore those that you do not know. Members that a request does not have are refused.

Where there is a \`GET\`, there is a \`HEAD\`.`;

/** The groups of operations by the first segment of their paths, in the order in which they are shown. */
export const groups: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  whoami: { name: 'Caller', description: 'Try your signature: who you are, and how your request is seen.' },
  'signature-test': { name: 'Caller', description: '' },
  payments: { name: 'Payments', description: 'The sandbox: something to call while you build your client.' },
  clients: { name: 'Clients', description: 'The programs that may call the API.' },
  'clients/network-whitelist': {
    name: 'Network whitelist',
    description: 'The addresses that a client may call from.',
  },
  'clients/keys': {
    name: 'Keys',
    description:
      'The public keys of a client. A second key starts a rollover: the old one ends some time after the new one was first used.',
  },
  keys: { name: 'Keys', description: '' },
  roles: {
    name: 'Roles and permissions',
    description: 'Named sets of permissions. Nobody grants a permission that they do not hold.',
  },
  permissions: { name: 'Roles and permissions', description: '' },
  requests: { name: 'Requests', description: 'What the clients have asked, and why some of it was refused.' },
  explanations: { name: 'Requests', description: '' },
  'audit-events': { name: 'Audit events', description: 'Who changed what, and when.' },
  accounts: { name: 'Accounts', description: 'For the operator of the service.' },
};

/** The two fields of a signature. Both are needed, so they stand together in `security`. */
export const securitySchemes: Readonly<Record<string, OpenApiSecurityScheme>> = {
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
    description: `\`sig=:<base64>:\`, an HTTP message signature (RFC 9421): RSASSA-PKCS1-v1_5 with SHA-256, by a registered key of the client, over these lines, joined by one line feed:

\`\`\`
"@method": <the method, upper case>
"@target-uri": <the full URL as called>
"content-digest": <the field>         (only with a body)
"date": <the field>
"@signature-params": <Signature-Input after sig=>
\`\`\`

A request also has the field \`Date\`, and with a body \`Content-Digest: sha-256=:<base64 of the SHA-256 of the body>:\`. Each request is signed anew: a signature counts once.`,
  },
  signatureInput: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature-Input',
    description:
      '`sig=("@method" "@target-uri" "content-digest" "date");created=<unix seconds>;keyid="<clientId>";alg="rsa-v1_5-sha256"`; without `"content-digest"` when there is no body.',
  },
};
