import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { HttpMessage, MessageVerification, MessageVerifyingKey } from '../../src/on-web/messages.ts';
import type { MessagesPlatform } from './platforms.ts';

/** The suites of other projects; its README.md says where each comes from, and where they are wrong. */
const folder = new URL('../../../../../shared/vectors/suites/', import.meta.url);
/** RFC 9421's own examples, for suites that name its keys and do not have them. */
export const exampleFile: URL = new URL('../rfc9421.json', folder);

export const skip: string | false = [folder, exampleFile].every((file) => existsSync(file))
  ? false
  : 'the suites of other projects are not here';

/** Reads a JSON file of a suite. */
export function readVectors(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
}

/** Returns the names of a folder's JSON files, without their endings, in order. */
export function vectorNames(path: string): readonly string[] {
  return readdirSync(new URL(`${path}/`, folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();
}

/** A case of a suite: what it expects, in our words, and what we answer. */
export interface SuiteCase {
  readonly id: string;
  /** Or several answers that all mean what the suite expects. */
  readonly expected: string | readonly string[];
  readonly outcome: () => string | Promise<string>;
}

/** Where we answer something else than a suite expects, by the case's id. */
export type Disagreements = Readonly<Record<string, { readonly ours: string; readonly reason: string }>>;

export interface Suite {
  readonly cases: () => readonly SuiteCase[];
  /** The number of cases that run, so that none vanishes unnoticed. */
  readonly total: number;
  /** Ours is right, or both are: the reason names the text. */
  readonly differs?: Disagreements;
  /** Cases about something that the library does not do. */
  readonly outOfScope?: () => readonly { readonly id: string; readonly reason: string }[];
  readonly outOfScopeTotal?: number;
}

/** Runs a suite: every case agrees, or is listed with our answer. One that is listed and agrees is a failure. */
export function testSuite(title: string, suite: Suite): void {
  if (skip !== false) {
    test(title, { skip });
    return;
  }
  describe(title, () => {
    const cases = suite.cases();
    const outOfScope = suite.outOfScope?.() ?? [];
    const { differs = {} } = suite;
    const listed = Object.keys(differs);

    for (const { id, expected, outcome } of cases) {
      const listing = differs[id];
      test(listing === undefined ? id : `${id}: ${listing.reason}`, async () => {
        const answers = [expected].flat();
        const ours = await outcome();
        if (listing === undefined) {
          assert.ok(answers.includes(ours), `ours: ${ours}; expected: ${answers.join(' or ')}`);
        } else {
          assert.ok(!answers.includes(listing.ours), 'listed as a disagreement, which it is not');
          assert.equal(ours, listing.ours);
        }
      });
    }

    test('every case ran, once', () => {
      const ids = [...cases, ...outOfScope].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal(cases.length, suite.total);
      assert.equal(outOfScope.length, suite.outOfScopeTotal ?? 0);
      assert.equal(new Set(listed).size, listed.length);
      const unknown = listed.filter((id) => !cases.some((one) => one.id === id));
      assert.deepEqual(unknown, []);
    });
  });
}

/** Returns `accepted`, or the code of the refusal. */
export async function verdict(
  platform: MessagesPlatform,
  message: HttpMessage,
  verification: MessageVerification,
): Promise<string> {
  const outcome = await platform.verifyMessage(message, verification);
  return outcome.ok ? 'accepted' : outcome.code;
}

/** Accepts every signature, for cases that end before or after its check. */
export const credulousKey: MessageVerifyingKey = { algorithm: 'ed25519', id: 'any', verifies: () => true };

/** Returns an SPKI in PEM. */
export function spkiPem(hexadecimal: string): string {
  const base64 = Buffer.from(hexadecimal, 'hex').toString('base64');
  return `-----BEGIN PUBLIC KEY-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END PUBLIC KEY-----\n`;
}

/** Returns the 32 bytes of an Ed25519 key as a JWK. */
export function ed25519Jwk(hexadecimal: string): Record<string, string> {
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(hexadecimal, 'hex').toString('base64url') };
}

/** Returns an uncompressed point as a JWK. */
export function pointJwk(curve: 'P-256' | 'P-384', hexadecimal: string): Record<string, string> {
  const bytes = Buffer.from(hexadecimal, 'hex');
  const middle = (bytes.length + 1) / 2;
  const x = bytes.subarray(1, middle).toString('base64url');
  const y = bytes.subarray(middle).toString('base64url');
  return { kty: 'EC', crv: curve, x, y };
}

/** Returns whether a key accepts a signature, or that the key itself is rejected. */
export async function keyVerdict(
  key: () => MessageVerifyingKey | Promise<MessageVerifyingKey>,
  base: Buffer,
  signature: string,
): Promise<string> {
  let verifyingKey: MessageVerifyingKey;
  try {
    verifyingKey = await key();
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return 'rejected';
  }
  const isValid = await verifyingKey.verifies(
    new Uint8Array(base),
    new Uint8Array(Buffer.from(signature, 'hex')),
  );
  return isValid ? 'accepted' : 'rejected';
}
