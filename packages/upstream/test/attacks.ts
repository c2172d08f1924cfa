import { apiBaseUrl } from '@countersign/testing/running-service';
import type { ForwardedRequest, RefusalCode } from '../src/index.ts';
import { withHeader } from './signed-api.ts';

/** A change of a signed request, and the reason for which it is then rejected. */
export type Attack = readonly [
  name: string,
  code: RefusalCode,
  change: (request: Required<ForwardedRequest>, headers: readonly string[]) => ForwardedRequest,
];

const set =
  (name: string, value: string | undefined): Attack[2] =>
  (request, headers) => ({ ...request, rawHeaders: withHeader(headers, name, value) });
const add =
  (...lines: readonly string[]): Attack[2] =>
  (request, headers) => ({ ...request, rawHeaders: [...headers, ...lines] });
/** Changes the line of the gateway. */
const line =
  (name: string, change: (text: string) => string): Attack[2] =>
  (request, headers) => ({
    ...request,
    rawHeaders: headers.map((text, index) =>
      index % 2 === 1 && headers[index - 1] === name && text.startsWith('countersign=') ? change(text) : text,
    ),
  });

const profiledNames = '"countersign-profile" "countersign-covered"';

/** Every way in which an attacker behind the gateway may change a request `POST /orders/7?a=1` with a body. */
export const attacks: readonly Attack[] = [
  ['another method', 'signature_invalid', (request) => ({ ...request, method: 'PUT' })],
  ['a method in lower case', 'signature_invalid', (request) => ({ ...request, method: 'post' })],
  ['another path', 'signature_invalid', (request) => ({ ...request, url: '/orders/8?a=1' })],
  ['another query', 'signature_invalid', (request) => ({ ...request, url: '/orders/7?a=2' })],
  ['no query', 'signature_invalid', (request) => ({ ...request, url: '/orders/7' })],
  [
    'another host',
    'audience_wrong',
    (request) => ({ ...request, url: 'https://other.example.test/orders/7?a=1' }),
  ],
  [
    'a host that begins the same',
    'audience_wrong',
    (request) => ({ ...request, url: `${apiBaseUrl}.example.net/orders/7?a=1` }),
  ],
  ['another body', 'digest_mismatch', (request) => ({ ...request, body: Buffer.from('{"amount":2}') })],
  ['no body', 'body_unsigned', (request) => ({ ...request, body: Buffer.alloc(0) })],
  ['a body that was not given', 'body_missing', ({ body: _body, ...request }) => request],
  ['a parsed body', 'body_missing', (request) => ({ ...request, body: { amount: 1 } })],
  [
    'another body with its digest',
    'signature_invalid',
    (request, headers) => ({
      ...request,
      body: Buffer.from('x'),
      rawHeaders: withHeader(
        headers,
        'Content-Digest',
        'sha-256=:LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=:',
      ),
    }),
  ],
  ['another client', 'signature_invalid', set('Countersign-Client-Id', 'client_other')],
  ['another account', 'signature_invalid', set('Countersign-Account', 'account_other')],
  ['more roles', 'signature_invalid', set('Countersign-Roles', 'api-user, admin')],
  ['no roles', 'signature_invalid', set('Countersign-Roles', '')],
  ['another key ID', 'signature_invalid', set('Countersign-Key', 'key_other')],
  ['another request ID', 'signature_invalid', set('Countersign-Request-Id', 'request_other')],
  ['no client', 'identity_missing', set('Countersign-Client-Id', undefined)],
  ['an empty client', 'identity_missing', set('Countersign-Client-Id', '')],
  ['no list of roles', 'identity_missing', set('Countersign-Roles', undefined)],
  ['no request ID', 'identity_missing', set('Countersign-Request-Id', undefined)],
  ['two clients', 'header_ambiguous', add('countersign-client-id', 'client_other')],
  ['two digests', 'header_ambiguous', add('Content-Digest', 'sha-256=:AAAA:')],
  ['a client with underscores', 'header_ambiguous', add('Countersign_Client_Id', 'client_other')],
  ['roles with dots', 'header_ambiguous', add('countersign.roles', 'admin')],
  ['a digest with an underscore', 'header_ambiguous', add('content_digest', 'x')],
  [
    'a line break in a value',
    'request_malformed',
    set('Countersign-Roles', 'api-user\n"countersign-key": key_other'),
  ],
  [
    'a character that becomes a line break in one byte',
    'request_malformed',
    set('Countersign-Roles', 'api-user\u010a'),
  ],
  ['a profile', 'header_unsigned', add('Countersign-Profile', 'curl-8.22')],
  ['covered components', 'header_unsigned', add('Countersign-Covered', '"@method"')],
  ['a profile in another spelling', 'header_ambiguous', add('Countersign_Profile', 'curl-8.22')],
  [
    'the words that nothing was proved',
    'header_unsigned',
    add('Countersign-Unproved', 'signature_missing', 'Countersign-Claimed', 'client_other'),
  ],
  ['another claimed client', 'header_unsigned', add('countersign-claimed', 'client_other')],
  [
    'a profile that the signature names',
    'signature_invalid',
    (request, headers) =>
      line('Signature-Input', (text) => text.replace('"countersign-request-id"', `$& ${profiledNames}`))(
        request,
        [...headers, 'Countersign-Profile', 'curl-8.22', 'Countersign-Covered', '"@method"'],
      ),
  ],
  ['no signature', 'signature_missing', set('Signature-Input', undefined)],
  ['no signature bytes', 'signature_malformed', set('Signature', undefined)],
  ['a line break in the target', 'request_malformed', (request) => ({ ...request, url: '/\n' })],
  [
    'a second member of the same name',
    'signature_malformed',
    add('Signature-Input', 'countersign=("@method");created=1', 'Signature', 'countersign=:AAAA:'),
  ],
  [
    'a second member on the same line',
    'signature_malformed',
    line('Signature-Input', (text) => `countersign=("@method"), ${text}`),
  ],
  ['a second member without a value', 'signature_malformed', add('Signature-Input', 'countersign')],
  ['two signatures', 'signature_malformed', add('Signature', 'countersign=:AAAA:')],
  [
    'fewer components',
    'signature_malformed',
    line('Signature-Input', (text) => text.replace('"countersign-roles" ', '')),
  ],
  [
    'two components written as one',
    'signature_malformed',
    line('Signature-Input', (text) => text.replace('"countersign-key" "', '"countersign-key ')),
  ],
  [
    'other components',
    'signature_malformed',
    line('Signature-Input', (text) => text.replace('"@method"', '"@method";req')),
  ],
  [
    'an uncovered body',
    'body_unsigned',
    line('Signature-Input', (text) => text.replace('"content-digest" ', '')),
  ],
  [
    'another algorithm',
    'signature_malformed',
    line('Signature-Input', (text) => text.replace('ed25519', 'hmac-sha256')),
  ],
  [
    'another purpose',
    'signature_malformed',
    line('Signature-Input', (text) => text.replace('countersign-forwarded', 'web-bot-auth')),
  ],
  ['one more parameter', 'signature_malformed', line('Signature-Input', (text) => `${text};nonce="x"`)],
  [
    'a later time',
    'signature_invalid',
    line('Signature-Input', (text) => text.replace(/expires=\d+/, 'expires=9999999999')),
  ],
  [
    'another key',
    'key_unknown',
    line('Signature-Input', (text) => text.replace(/(?<=keyid=")./, (first) => (first === '0' ? '1' : '0'))),
  ],
  [
    'other signature bytes',
    'signature_invalid',
    line('Signature', () => `countersign=:${Buffer.alloc(64, 7).toString('base64')}:`),
  ],
  ['too few signature bytes', 'signature_malformed', line('Signature', () => 'countersign=:AAAA:')],
];

/** Besides these, ways to change one that its client signed by another profile. */
export const profiledAttacks: readonly Attack[] = [
  ['another profile', 'signature_invalid', set('Countersign-Profile', 'gnap')],
  ['more covered components', 'signature_invalid', set('Countersign-Covered', '"@method" "content-digest"')],
  ['no profile', 'identity_missing', set('Countersign-Profile', undefined)],
  ['an empty profile', 'identity_missing', set('Countersign-Profile', '')],
  ['no covered components', 'identity_missing', set('Countersign-Covered', undefined)],
  ['two profiles', 'header_ambiguous', add('Countersign-Profile', 'gnap')],
  ['covered components with underscores', 'header_ambiguous', add('Countersign_Covered', '"@method"')],
  ['the words that nothing was proved', 'header_unsigned', add('Countersign-Unproved', 'signature_missing')],
  [
    'an uncovered profile',
    'header_unsigned',
    line('Signature-Input', (text) => text.replace(` ${profiledNames}`, '')),
  ],
  [
    'half of a covered profile',
    'signature_malformed',
    line('Signature-Input', (text) => text.replace(' "countersign-covered"', '')),
  ],
  [
    'nothing about its profile',
    'signature_invalid',
    (request, headers) =>
      line('Signature-Input', (text) => text.replace(` ${profiledNames}`, ''))(
        request,
        withHeader(withHeader(headers, 'Countersign-Profile', undefined), 'Countersign-Covered', undefined),
      ),
  ],
];
