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
    proven: 'Repeating this mistake produces exactly the signature or digest that was sent.',
    observed: 'Visible in the request.',
    likely: 'This would explain the failure, but we can’t be certain.',
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

  foundNone: 'We searched for every known mistake, and none explains this.',
  foundNoneInSignature:
    'We searched for every known mistake, and none explains this. Most often, the request was signed with another private key, or something changed it on the way. To find out which, compare the fingerprint of your private key, which this command prints, with those on the client’s Keys tab.',
  fingerprintCommand: 'command that prints the fingerprint',
  notSearched:
    'We haven’t searched for the exact mistake in this request, because the service searches only while it has spare capacity. To search now, paste the request into the signature debugger.',
  wanted: (profile: string): string => `What to send by ${profile}`,
  incomplete: 'The search stopped at its limit, so there may be more mistakes.',
  withheld: (count: number): string =>
    `${plural(count, 'finding', 'findings')} about keys ${count === 1 ? 'is' : 'are'} hidden because your role can’t see keys.`,
} as const;
