import { formatNumber, plural } from './plural.ts';

export const explanation = {
  checkTitles: {
    framing: 'Method and URL are well-formed',
    presence: 'Signature headers are there',
    syntax: 'Signature headers have the right form',
    parameters: 'Parameters are complete',
    algorithm: 'Algorithm is the allowed one',
    components: 'The right parts are signed',
    time: 'Time is recent',
    signature: 'Signature fits a key of the client',
    active: 'Client is active',
    network: 'Source address is allowed',
    permission: 'A role permits the operation',
    body: 'Body is the one that was signed',
    replay: 'Signature was not used before',
  },
  checks: 'Checks, in their order',
  states: { passed: 'passed', failed: 'failed', 'not-reached': 'not reached' },
  expected: 'Expected',
  received: 'Received',
  ageSeconds: (seconds: number): string =>
    seconds < 0 ? `${formatNumber(-seconds)} s ahead of the service` : `${formatNumber(seconds)} s old`,
  signatureBytes: (bytes: number): string => plural(bytes, 'byte', 'bytes'),
  keyid: (keyid: string): string => `keyid ${keyid}`,

  certainties: { proven: 'Proven', observed: 'Observed', likely: 'Likely' },
  certaintyTexts: {
    proven: 'The hash that the signer made is the hash of the text with this mistake.',
    observed: 'It can be seen in the request.',
    likely: 'It fits, but could be something else.',
  },
  whatToDo: 'What to do',
  more: 'Read more about it',
  proof: 'The proof',
  differenceAt: (line: number, column: number): string =>
    `They first differ in line ${line}, character ${column}`,
  differenceAtCharacter: (column: number): string => `They first differ at character ${column}`,
  builtByService: 'What the service builds',
  builtBySigner: 'What the signer signed',
  claimedBySigner: 'What you say that was signed',
  bodyCame: 'The body that came',
  bodyHashed: 'The text that was hashed',
  endsHere: 'ends here',
  firstDifference: 'first difference',

  none: 'There is no explanation for this request. Explanations are made in spare time, and kept as long as their requests at most.',
  incomplete: 'The search ended before everything was tried: there may be more to find.',
  withheld: (count: number): string =>
    `${plural(count, 'finding', 'findings')} about keys ${count === 1 ? 'is' : 'are'} not shown, because your role may not see keys.`,
} as const;
