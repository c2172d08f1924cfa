import { alternatives, keyTitles, signingAlgorithms, usualAlgorithm } from '../signing-algorithms.ts';
import type { OpenApiSecurityScheme } from './document.ts';

/** `A (alg="a"), B (alg="b") or C (alg="c")`. */
const schemes = alternatives(
  Object.entries(signingAlgorithms).map(([name, { scheme }]) => `${scheme} (\`alg="${name}"\`)`),
);

/** The security requirements of a request by its callers: everything in one of the alternatives. */
export const security: Readonly<Record<'clients' | 'people', Readonly<Record<string, readonly string[]>>>> = {
  clients: { signature: [], signatureInput: [] },
  people: { session: [] },
};

/** The description of the whole API. */
export const introduction = `Every request from an application is signed with a client's ${keyTitles} key (RFC 9421), as the security scheme \`signature\` describes. The signature covers the method, the URL, the date and the body, so nobody can change them on the way.

Error responses are \`application/problem+json\` (RFC 9457) with a \`code\` to match on, and a \`requestId\` to quote when you ask about one. Times are RFC 3339 in UTC. Lists are paginated: pass a page's \`nextCursor\` as \`cursor\` to get the next page. A page can be short or empty without being the last. Responses may get new fields, so ignore those you don't know. Requests with unknown fields are rejected.

Every \`GET\` operation also supports \`HEAD\`.`;

/** How callers authenticate: with both header fields of a signature, or with a person's session. */
export const securitySchemes: Readonly<Record<string, OpenApiSecurityScheme>> = {
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
    description: `\`sig=:<base64>:\`, an HTTP message signature (RFC 9421): ${schemes}, with a registered key of the client, over these lines, separated by single line feeds:

\`\`\`
"@method": <the method, upper case>
"@target-uri": <the full URL as called>
"content-digest": <the field>         (only with a body)
"date": <the field>
"@signature-params": <Signature-Input after sig=>
\`\`\`

A request also has the header \`Date\` and, with a body, \`Content-Digest: sha-256=:<base64 of the SHA-256 of the body>:\`. Sign every request separately: a signature works only once.`,
  },
  signatureInput: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature-Input',
    description: `\`sig=("@method" "@target-uri" "content-digest" "date");created=<unix seconds>;keyid="<clientId>";alg="${usualAlgorithm}"\`; without \`"content-digest"\` if there is no body.`,
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-countersign-session',
    description:
      "A person's portal session, for the portal's own pages only. Every request names the account in `Countersign-Account`, and every change has `Countersign-CSRF: 1`. To change keys, clients, roles, members or accounts, the person must have confirmed their identity within the last 10 minutes.",
  },
};
