import { formatNumber, plural } from './plural.ts';

export const explanation = {
  checkTitles: {
    framing: 'Method and URL are well-formed',
    presence: 'Signature headers are present',
    syntax: 'Signature headers are well-formed',
    parameters: 'Parameters are complete',
    algorithm: 'Algorithm is allowed',
    components: 'Required components are signed',
    time: 'Time is recent',
    signature: 'Signature matches one of the client’s keys',
    active: 'Client is active',
    network: 'Source address is allowed',
    permission: 'A role allows the operation',
    body: 'Body matches the signed digest',
    replay: 'Signature has not been used before',
  },
  checks: 'Checks, in order',
  states: { passed: 'passed', failed: 'failed', 'not-reached': 'not reached' },
  expected: 'Expected',
  received: 'Received',
  ageSeconds: (seconds: number): string =>
    seconds < 0 ? `${formatNumber(-seconds)} s ahead of the service` : `${formatNumber(seconds)} s old`,
  signatureBytes: (bytes: number): string => plural(bytes, 'byte', 'bytes'),
  keyid: (keyid: string): string => `keyid ${keyid}`,

  certainties: { proven: 'Proven', observed: 'Observed', likely: 'Likely' },
  certaintyTexts: {
    proven: 'The signature or the digest is exactly that of a text with this mistake.',
    observed: 'Visible in the request.',
    likely: 'It fits, but the cause could be something else.',
  },
  whatToDo: 'What to do',
  more: 'Read more',
  proof: 'Proof',
  differenceAt: (line: number, column: number): string =>
    `First difference: line ${line}, character ${column}`,
  differenceAtCharacter: (column: number): string => `First difference: character ${column}`,
  arrived: 'Arrived',
  builtByService: 'Expected by the service',
  builtBySigner: 'Signed by the client',
  claimedBySigner: 'Your signature base',
  bodyCame: 'Body received',
  bodyHashed: 'Text that was hashed',
  endsHere: 'ends here',
  firstDifference: 'first difference',

  foundNone: 'The service searched for every mistake it knows, and found none that explains this.',
  foundNoneInSignature:
    'The service searched for every mistake it knows, and found none that explains this. It looks like this when another private key has signed, or when something was changed on the way: compare the fingerprint of your key with the client’s.',
  notSearched:
    'Nobody has searched for the exact mistake: the service does so when it has capacity to spare, and deletes what it found together with the request. Paste the request into the signature debugger to have it searched now.',
  wanted: (profile: string): string => `What to send by ${profile}`,
  incomplete: 'The search stopped at its limit, so there may be more mistakes.',
  withheld: (count: number): string =>
    `${plural(count, 'finding', 'findings')} about keys ${count === 1 ? 'is' : 'are'} hidden because your role can’t see keys.`,
} as const;
