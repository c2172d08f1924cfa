const either = new Intl.ListFormat('en', { style: 'long', type: 'disjunction' });
const lists = new Intl.ListFormat('en', { style: 'long', type: 'conjunction' });

/** Lists parts of a request: `method, path and body`. */
function list(parts: readonly string[]): string {
  return lists.format(parts).replace(/, and /, ' and ');
}

const themIn = (parts: readonly string[]): string => (parts.length === 1 ? 'it' : 'them');

/** The rules that a client signs by. */
export const messageProfiles = {
  title: 'Signature profile',
  description: 'The rules that this client signs by, and what its signatures cover.',
  about: 'About signature profiles',
  binds: (parts: readonly string[]): string => `Binds the ${list(parts)}.`,
  signsWith: (algorithms: readonly string[]): string => `Signs with ${either.format(algorithms)}.`,
  bindsNothing: 'Binds no part of the request.',
  leavesOpen: (parts: readonly string[]): string => `Does not bind the ${list(parts)}`,
  mayChange: (parts: readonly string[]): string => `Someone on the way could change ${themIn(parts)}.`,
  openTitle: (parts: readonly string[]): string => `This profile does not bind the ${list(parts)}`,
  openText: (parts: readonly string[]): string =>
    `Someone on the way could change ${themIn(parts)}, and the signature would still be valid. Choose this profile only if the client can’t sign by another.`,
  notAccepted: 'Not accepted by this service',
  notAcceptedTitle: 'This service does not accept this client’s profile',
  notAcceptedText: (name: string): string =>
    `It rejects all requests of this client. Choose another profile, or have the service accept ${name}.`,
  signing: {
    other: (title: string): string =>
      `This client’s profile is “${title}”. The code examples sign by Countersign’s closed profile, so they don’t work for it.`,
    rules: 'What its signatures must cover',
    service: 'How this service treats them',
    keyidHint:
      'A signature’s `keyid` is one of these. The thumbprint is the key’s JWK thumbprint (RFC 7638).',
    clientId: 'Client ID',
    thumbprint: 'Key thumbprint',
  },
  curl: {
    intro: 'curl signs the request itself, from version 8.22 on.',
    keyKind: (kind: string): string => `curl can’t sign with the client’s ${kind} key`,
    keyKindText: 'It signs only with Ed25519 keys. Add an Ed25519 key to this client.',
    convert: 'Convert the private key',
    convertText:
      'curl reads the key as hexadecimal digits, not as PEM. Keep the new file as secret as the old one.',
    convertCommand: 'command to convert the private key',
    send: 'Send a signed request',
    sendText: 'It calls /v1/signature-test, which has no side effects.',
    sendCommand: 'curl command',
  },
} as const;
