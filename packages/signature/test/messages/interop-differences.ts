import type { InteropRow } from './interop-rounds.ts';

/** A place where a library does not do what RFC 9421 says. A test fails when it starts to. */
export interface KnownDifference {
  readonly applies: (row: InteropRow) => boolean;
  /** What the library does, and the section that says otherwise. */
  readonly why: string;
  /** What the verifier says. */
  readonly problem: RegExp;
}

/** RFC 9421 section 3.3.1 demands a salt of 64 bytes, so its signatures are rejected; those of others it accepts. */
const longestSalt = {
  why: 'signs RSASSA-PSS with the longest salt that fits (190 bytes with 2048 bits), not with 64: section 3.3.1',
  problem: /^signature_invalid/,
};

const differences: readonly KnownDifference[] = [
  {
    ...longestSalt,
    applies: ({ library, algorithm, direction }) =>
      library === 'http-message-signatures (npm)' &&
      algorithm === 'rsa-pss-sha512' &&
      direction === 'they sign',
  },
  {
    applies: ({ library, profile }) => library === 'web-bot-auth (npm)' && profile === 'webBotAuth01',
    why: 'writes the parameter "key" but signs and verifies the whole field, not the member: section 2.1.2',
    problem: /^signature_invalid|invalid signature/,
  },
  {
    // The only row whose parameters we write in its order.
    applies: ({ library, profile, direction }) =>
      library === 'httpsig-hyper (crates.io)' && direction === 'we sign' && profile !== 'ucpResponse2026',
    why: 'verifies the parameters in an order of its own, and without those that it does not know: sections 2.3 and 3.2',
    problem: /Invalid signature for the verifying key/,
  },
];

/** Returns the difference that explains a row. */
export function knownDifference(row: InteropRow): KnownDifference | undefined {
  return differences.find(({ applies }) => applies(row));
}
