import type { Message } from './message.ts';
import { mutate, type Mutation } from './mutate.ts';
import { Random } from './random.ts';

/** What a campaign changes, and by what it judges. */
export interface Scene {
  readonly name: string;
  /** Signed and accepted before the campaign starts. */
  readonly originals: readonly Message[];
  /** Changes besides those of any text. */
  readonly mutations: readonly Mutation[];
  /** Returns the code, or `ok`. */
  readonly verify: (message: Message) => string | Promise<string>;
  /** Decides the same with Web Crypto; undefined for what has no such form. */
  readonly verifyWithWebCrypto?: (message: Message) => Promise<string>;
  /** True if everything that the original's signature covers is unchanged, whichever form the signature has. */
  readonly isTheSame: (message: Message, original: Message) => boolean | Promise<boolean>;
  /** True if the service has no memory, so that an unchanged message is accepted again. */
  readonly acceptsAgain: boolean;
  /** Reports more violations. */
  readonly examine?: (message: Message, violations: string[]) => void;
}

export interface CampaignReport {
  readonly name: string;
  readonly seed: number;
  readonly requests: number;
  readonly accepted: number;
  /** Verified, with everything that is signed unchanged: as replays, or as accepted again. */
  readonly unchanged: number;
  readonly refusedByCode: Readonly<Record<string, number>>;
  /** Accepted although something signed changed, or again, decided differently by Web Crypto, or thrown. */
  readonly violations: readonly string[];
  readonly slowestMs: number;
}

/**
 * Mutates signed requests at random, and verifies them, with `node:crypto` and with Web Crypto, after the originals were
 * accepted. A seed makes the changes repeatable.
 */
export async function runCampaign(
  scene: Scene,
  count: number,
  seed: number,
  onProgress?: (done: number) => void,
): Promise<CampaignReport> {
  const { name, originals, mutations, verify, verifyWithWebCrypto, isTheSame, acceptsAgain, examine } = scene;
  const violations: string[] = [];
  for (const original of originals)
    for (const verified of [verify, verifyWithWebCrypto]) {
      const outcome = (await verified?.(original)) ?? 'ok';
      if (outcome !== 'ok') violations.push(`${outcome}, not accepted: ${JSON.stringify(original)}`);
    }
  const random = new Random(seed);
  const refusedByCode: Record<string, number> = {};
  let accepted = 0;
  let unchanged = 0;
  let slowestMs = 0;
  for (let done = 0; done < count; done++) {
    const original = random.pick(originals);
    const message = mutate(original, random, mutations);
    try {
      const started = performance.now();
      const outcome = await verify(message);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      const onWeb = (await verifyWithWebCrypto?.(message)) ?? outcome;
      if (onWeb !== outcome) violations.push(`${outcome}, but ${onWeb}: ${JSON.stringify(message)}`);
      if (outcome === 'ok') accepted++;
      else refusedByCode[outcome] = (refusedByCode[outcome] ?? 0) + 1;
      const isVerified = outcome === 'ok' || outcome === 'signature_replayed';
      if (isVerified && (await isTheSame(message, original))) unchanged++;
      else if (isVerified) violations.push(`verified: ${JSON.stringify(message)}`);
      if (outcome === 'ok' && !acceptsAgain) violations.push(`accepted: ${JSON.stringify(message)}`);
      examine?.(message, violations);
    } catch (error) {
      violations.push(`threw ${(error as Error).stack}: ${JSON.stringify(message)}`);
    }
    if ((done + 1) % 10_000 === 0) onProgress?.(done + 1);
  }
  return { name, seed, requests: count, accepted, unchanged, refusedByCode, violations, slowestMs };
}
