import type { Features } from '@countersign/contract';
import { keyTitles, publicKeyForms, usualAlgorithm } from '@countersign/contract/signing-algorithms';
import { messageProfiles } from './message-profiles.ts';
import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';
import { requestsKept } from './requests.ts';

export const signatureDebugger = {
  title: pageTitles.signatureDebugger,
  description:
    'Paste a rejected request to see what is wrong with it, proven with the public key. Everything happens in your browser, and nothing is sent.',
  staysHere: 'What you paste stays in your browser.',

  request: 'Request',
  requestText: 'The rejected request, as your program sent it or as the service received it',
  howGiven: 'Input format',
  asText: 'Text',
  asFields: 'Fields',
  text: 'HTTP request, curl command, curl -v output, or HAR entry',
  textPlaceholder: `POST /v1/payments HTTP/1.1\nHost: api.example.com\nDate: Tue, 20 Apr 2021 02:07:55 GMT\nContent-Digest: sha-256=:…:\nSignature-Input: sig=("@method" "@target-uri" "content-digest" "date");created=…;keyid="client_…";alg="${usualAlgorithm}"\nSignature: sig=:…:\n\n{"amount":1200}`,
  openFile: 'Open a file',
  openFileHint: 'Read byte for byte: a saved HTTP request or HAR archive',
  file: (name: string, bytes: number): string => `${name}, ${plural(bytes, 'byte', 'bytes')}`,
  removeFile: 'Remove file',
  fileTooLarge: 'This file is larger than 20 MB. Extract just the one request.',
  fileUnreadable: 'This file could not be read.',
  method: 'Method',
  url: 'Requested URL',
  headers: 'Headers, one per line',
  hasBody: 'Enter the body separately',
  body: 'Body',
  bodyHint: 'Exactly the bytes that were sent, without a trailing newline.',
  entry: 'Request in the archive',
  privateKey:
    'Your input contained a private key. We removed it and did not send it. You need only the public key.',

  compare: 'Compare with the request as your program sent it',
  sent: 'As your program sent it',
  sentHint:
    'Optional. If a proxy or gateway stands between your program and the service, paste the request above as it arrived, and here as it was sent. We’ll find what changed in between.',
  hops: 'On the way',
  hopVerdicts: {
    unsigned: 'Neither request has a signature',
    'never-valid':
      'Nothing on the way broke the signature. It wasn’t valid when your program sent the request',
    broken: 'The request changed between your program and the service',
    intact: 'Nothing that is signed changed between your program and the service',
  },
  hopProven: 'The signature is valid for the request as it was sent, and no longer as it arrived.',
  hopUnproven: 'The signature covers this. Add the public key to prove it.',
  hopUnseen: 'The two texts don’t show what changed. One of them may lack its body.',
  hopNeverValid: 'What is wrong with the request as it was sent is explained below.',
  hopIntactProven: 'The signature is valid in both.',
  hopIntact: 'Add the public key to prove it.',
  sideSent: 'Sent by your program',
  sideReceived: 'Received by the service',
  hopDoneBy: 'Often done by',
  hopByte: (offset: number, before: number, after: number): string =>
    before === after
      ? `Byte ${formatNumber(offset + 1)} of ${formatNumber(before)}`
      : `Byte ${formatNumber(offset + 1)}; ${plural(before, 'byte', 'bytes')} became ${formatNumber(after)}`,
  hopUnsigned: 'Also changed, but not signed',
  hopMoreHeaders: (count: number): string => plural(count, 'more header', 'more headers'),

  key: 'Key',
  keyText:
    'With the public key we can prove what was signed. Without it, we can report only what is visible.',
  keyFrom: 'Key source',
  ofClient: 'Client',
  pasted: 'Public key',
  noKey: 'None',
  client: 'Client',
  chooseClient: 'Choose a client',
  noClientFound: 'No matches',
  keysLoading: 'Loading public keys…',
  keysFound: (count: number): string =>
    `${plural(count, 'key', 'keys')} of this client, including expired and revoked ones`,
  noKeys: 'This client has no keys',
  profile: messageProfiles.title,
  profileHint: 'The rules that the request is judged by. Chosen with the client.',
  profileOption: (title: string, name: string): string => (title === name ? name : `${title} (${name})`),
  profileNotOfClient: (name: string): string => `This client signs by another profile: ${name}.`,
  publicKey: 'Public key',
  publicKeyHint: publicKeyForms,
  publicKeyRefused: `We couldn’t read an ${keyTitles} public key in this text.`,
  mayNotSeeKeys: 'Your role can’t see clients’ keys. Paste the public key.',

  more: 'Clock, URL and signature base',
  clock: 'Service clock',
  clocks: { signed: 'When it was signed', now: 'Now', at: 'Specific time' },
  clockHint: 'The request is checked as of this time.',
  at: 'Arrival time',
  baseUrl: 'Service URL',
  baseUrlHint:
    'The service’s public URL, which it puts before the path, whatever a proxy in between calls it.',
  claimedBase: 'Signature base that your application built',
  claimedBaseHint: 'Optional, if you can print it. It is compared with the service’s byte by byte.',
  mayOmitDate: 'The client may omit Date',

  explain: 'Explain',
  clear: 'Clear',
  errors: {
    request: 'Paste a request.',
    method: 'Enter the method.',
    url: 'Enter the full URL.',
    publicKey: 'Enter a valid public key, or choose “None”.',
    at: 'Enter the arrival time.',
    profile:
      'This service doesn’t accept the client’s profile and rejects all its requests. To explain one, choose another profile.',
  },
  failed:
    'We couldn’t explain this request. Reload the page. If it fails again, contact support and say what kind of text you pasted.',
  unreadableTitle: 'More information is needed',
  unreadableSent: 'The request as your program sent it:',

  result: 'Result',
  staleTitle: 'The input has changed',
  staleText: 'Explain it again to see the result.',
  verdicts: {
    valid: 'No mistakes found. This request passes every check we can run here',
    validWithoutBody: 'No mistake found so far, but the body is unknown',
    validWithoutBodyText: 'The signature is valid. Add the body to check that Content-Digest matches it.',
    mistakes: (count: number): string => `${plural(count, 'mistake', 'mistakes')} found`,
    refusedUnexplained: 'The request is rejected, but we found no mistake in it',
    undecided: 'No visible mistakes. Add the public key to verify the signature',
  },
  explained: 'Input',
  explainedUrl: 'URL',
  explainedBody: 'Body',
  bodyNone: 'none',
  bodyUnknown: 'unknown',
  bodyBytes: (bytes: number): string => plural(bytes, 'byte', 'bytes'),
  explainedClock: 'Clock',
  explainedKeys: 'Keys',
  keyCount: (count: number): string => (count === 0 ? 'none' : plural(count, 'key', 'keys')),
  keyid: 'keyid',
  explainedProfile: 'Profile',
  findings: 'What is wrong',
  checks: 'Checks',
  checksText:
    'These need only the request, keys and a clock. Only the service can check the client, network, roles and replays.',
  base: 'Signature base',
  baseText: 'Sign exactly these bytes. Line ends and other invisible characters are shown.',
  baseMended:
    'The base of this request with every mistake fixed. Use a new created and Date when you send it again.',
  baseMendedByProfile:
    'The base of this request with every mistake fixed. Use a new created when you send it again.',
  copyBase: 'signature base',
  claimTrimmed:
    'We ignored the newline after your base, assuming that an editor added it. If you signed it, remove it, because nothing may follow the last line.',
  incomplete: 'The search stopped at its limit, so there may be more mistakes.',
  useClient: (name: string): string => `Prove it with ${name}’s keys`,
  useClientText: (name: string): string => `The request names ${name}, a client of this account.`,

  findClient: 'Find the client',
  findClientText: 'The request names a key. If a client of this account has it, we can prove more.',
  findClientHint: 'Only the keyid is sent to the service, and nothing else of the request.',
  noClientOfKey: 'No client of this account has this key, or its profile doesn’t name keys in this way.',

  kept: 'What we know about this request',
  keptText:
    'The service stores neither bodies nor signatures. For a byte-by-byte proof, paste the request as your application sent it: the output of curl -v, or your application’s log.',
  keptGone: (kept: Features['requestsKept']): string =>
    `The linked request was not found. ${requestsKept(kept)}`,

  advice: {
    'give-body': 'Paste it below under “Enter the body separately”.',
    'give-body-instead': 'Remove that option and paste the body under “Enter the body separately”.',
    'give-verbose-output':
      'Run it with -v and paste the output, and paste the body under “Enter the body separately”.',
    'give-base-url': 'Enter the service URL below.',
    'choose-entry': 'Choose one.',
    'give-fields': 'Or enter it in fields.',
  },
} as const;
