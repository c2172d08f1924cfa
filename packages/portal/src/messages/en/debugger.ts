import type { Features } from '@countersign/contract';
import { formatNumber, plural } from './plural.ts';
import { requestsKept } from './requests.ts';

export const signatureDebugger = {
  title: 'Signature debugger',
  description:
    'Paste a request that was refused, and see which mistake was made, proved with the public key. It is explained in this page: nothing of it is sent anywhere.',
  staysHere: 'What you paste stays in this page.',

  request: 'Request',
  requestText: 'The request, as your program sent it',
  howGiven: 'How you have the request',
  asText: 'As text',
  asFields: 'In fields',
  text: 'HTTP request, curl line, output of curl -v, or HAR entry',
  textPlaceholder:
    'POST /v1/payments HTTP/1.1\nHost: api.example.com\nDate: Tue, 20 Apr 2021 02:07:55 GMT\nContent-Digest: sha-256=:…:\nSignature-Input: sig=("@method" "@target-uri" "content-digest" "date");created=…;keyid="client_…";alg="rsa-v1_5-sha256"\nSignature: sig=:…:\n\n{"amount":1200}',
  openFile: 'Open a file',
  openFileHint: 'Byte for byte: an HTTP request or a HAR archive that was saved',
  file: (name: string, bytes: number): string => `${name}, ${plural(bytes, 'byte', 'bytes')}`,
  removeFile: 'Remove the file',
  fileTooLarge: 'This file is larger than 20 MB. Take the one request out of it.',
  fileUnreadable: 'This file could not be read.',
  method: 'Method',
  url: 'URL as it was called',
  headers: 'Headers, one in a line',
  hasBody: 'The body is given apart',
  body: 'Body',
  bodyHint: 'Exactly the bytes that were sent, without a line end after them.',
  entry: 'Which request of the archive',
  privateKey:
    'This held a private key. It was removed, and nothing of it was sent: only its public half is needed.',

  key: 'Key',
  keyText: 'With a public key it can be proved what was signed; without one, only what can be seen is told.',
  keyFrom: 'Whose key',
  ofClient: 'Client',
  pasted: 'Public key',
  noKey: 'None',
  client: 'Client',
  chooseClient: 'Choose the client',
  noClientFound: 'No client of this name',
  keysLoading: 'The public keys are being loaded',
  keysFound: (count: number): string =>
    `${plural(count, 'key', 'keys')} of this client, also those that have ended`,
  noKeys: 'This client has no key.',
  publicKey: 'Public key',
  publicKeyHint: 'PEM, Base64, JWK or an ssh-rsa line',
  publicKeyRead: (bits: number): string => `RSA, ${formatNumber(bits)} bits`,
  publicKeyRefused: 'This is no RSA public key that can be read.',
  mayNotSeeKeys: 'Your role may not see the keys of clients. Paste the public key.',

  more: 'Clock, URL and what your program built',
  clock: 'Clock of the service',
  clocks: { signed: 'When it was signed', now: 'Now', at: 'At a time' },
  clockHint: 'By which time the request is looked at.',
  at: 'Time of arrival',
  baseUrl: 'URL of the service',
  baseUrlHint:
    'What the service puts in front of the path, whatever the request was called by behind a proxy.',
  claimedBase: 'Signature base that your program built',
  claimedBaseHint: 'If you can print it: it is compared with the one of the service, byte by byte.',
  acceptWithoutDate: 'The client may leave out Date',

  explain: 'Explain',
  clear: 'Clear',
  errors: {
    request: 'Give the request that shall be explained.',
    method: 'Give the method.',
    url: 'Give the whole URL.',
    publicKey: 'Give a public key that can be read, or choose none.',
    at: 'Give the time of arrival.',
  },
  failed:
    'The request could not be explained. Load the page again; if it fails again, tell the operator what kind of text it was.',
  unreadableTitle: 'This cannot be explained yet',

  result: 'Result',
  verdicts: {
    valid: 'Nothing is wrong: this request passes every check that it can be tried on',
    mistakes: (count: number): string => `${plural(count, 'mistake', 'mistakes')} found`,
    refusedUnexplained: 'It is refused, and nothing wrong can be seen in the request',
    undecided: 'Nothing wrong can be seen. Whether the signature fits, only the public key tells',
  },
  explained: 'What was explained',
  explainedUrl: 'URL',
  explainedBody: 'Body',
  bodyNone: 'none',
  bodyUnknown: 'not known',
  bodyBytes: (bytes: number): string => plural(bytes, 'byte', 'bytes'),
  explainedClock: 'Clock',
  explainedKeys: 'Keys',
  keyCount: (count: number): string => (count === 0 ? 'none' : plural(count, 'key', 'keys')),
  keyid: 'keyid',
  findings: 'What is wrong',
  checks: 'Checks',
  checksText:
    'Those that a request, keys and a clock decide. Client, network, roles and replay only the service knows.',
  base: 'Signature base',
  baseText: 'Exactly these bytes must be signed. Line ends and what else cannot be seen is shown.',
  baseMended: 'The base that must be signed, once the headers are in order.',
  copyBase: 'signature base',
  claimTrimmed:
    'The line end after your base is taken for that of an editor. If it was signed, it is a mistake: nothing comes after the last line.',
  incomplete: 'The search ended at its limit: there may be more to find.',
  useClient: (name: string): string => `Prove it with the keys of ${name}`,
  useClientText: (name: string): string => `The request names ${name}, a client of this account.`,

  kept: 'What is known of this request',
  keptText:
    'Of a request neither its body nor its signature is kept. To see the proof byte by byte, paste the request as your program sent it: what curl -v prints, or what your program logs.',
  keptGone: (kept: Features['requestsKept']): string =>
    `The request of the link is not there. ${requestsKept(kept)}`,

  advice: {
    'give-body': 'Paste it below, under “The body is given apart”.',
    'give-body-instead':
      'Take that option out of the line, and paste the body under “The body is given apart”.',
    'give-verbose-output': 'Run it with -v, paste that output, and the body under “The body is given apart”.',
    'give-base-url': 'Give the URL of the service below.',
    'choose-entry': 'Choose one.',
    'give-fields': 'Or give it in fields.',
  },
} as const;
