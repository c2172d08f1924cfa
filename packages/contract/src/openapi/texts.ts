import type { OpenApiSecurityScheme } from './document.ts';

/** What a request needs by its callers: one of the alternatives, and all that stands in it. */
export const security: Readonly<Record<'clients' | 'people', Readonly<Record<string, readonly string[]>>>> = {
  clients: { signature: [], signatureInput: [] },
  people: { session: [] },
};

/** What stands above everything else. */
export const introduction = `Every request of a program is signed with the RSA key of a client (RFC 9421), as the security scheme \`signature\` describes. The method, the URL, the date and the body are covered, so nobody on the way can change them.

What is refused is answered as \`application/problem+json\` (RFC 9457) with a \`code\` to match on, and a \`requestId\` to ask about. Times are RFC 3339 in UTC. Lists come in pages: \`nextCursor\` of one page is \`cursor\` of the next; a page may be short, or empty, and not be the last. Members may be added to answers; ignore those that you do not know. Members that a request does not have are refused.

Where there is a \`GET\`, there is a \`HEAD\`.`;

/** How callers prove who they are: the two fields of a signature, of which both are needed, or the session of a person. */
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

A request also has the field \`Date\`, and with a body \`Content-Digest: sha-256=:<base64 of the SHA-256 of the body>:\`. Sign every request separately: a signature works only once.`,
  },
  signatureInput: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature-Input',
    description:
      '`sig=("@method" "@target-uri" "content-digest" "date");created=<unix seconds>;keyid="<clientId>";alg="rsa-v1_5-sha256"`; without `"content-digest"` when there is no body.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-countersign-session',
    description:
      'The session of a person in the portal, for its own pages only. Each request names the account in `Countersign-Account`, and one that changes something has `Countersign-CSRF: 1`. Where it changes keys, clients, roles, people or accounts, the person has proved within 10 minutes who they are.',
  },
};
