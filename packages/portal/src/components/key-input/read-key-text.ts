import {
  holdsPrivateKey,
  keyFingerprint,
  readPublicKeyInTurns,
  type PublicKeyReading,
  type RsaPublicKey,
} from '@countersign/signature';
import type { AcceptedKey, KeyReading } from './key-input-state.ts';
import { refineProblem } from './key-problem.ts';
import { recognisePrivateKey } from './private-key-form.ts';

/** What is larger is no key, and is not looked at. */
export const keyTextLengthMax: number = 64 * 1024;

/**
 * Whether the text is a private key, asked before anything else is done with it, at once. Answers what was seen of it,
 * and keeps nothing else.
 */
export function privateKeyReading(text: string): Extract<KeyReading, { kind: 'private-key' }> | undefined {
  const looked = text.slice(0, keyTextLengthMax);
  return holdsPrivateKey(looked) ? { kind: 'private-key', ...recognisePrivateKey(looked) } : undefined;
}

/**
 * Tells what a text is as a public key, in the browser alone. Gives way to the page while it examines the modulus.
 *
 * Larger keys than most services let in pass here (8192 bits): which limit holds is the service's to say.
 */
export async function readKeyText(text: string): Promise<KeyReading> {
  const privateKey = privateKeyReading(text);
  if (privateKey !== undefined) return privateKey;
  if (text.trim() === '') return { kind: 'none' };
  const reading: PublicKeyReading = await readPublicKeyInTurns(text, { modulusBitsMax: 8192 }, nextTask);
  if (reading.ok) return { kind: 'accepted', key: await acceptedKey(reading.key) };
  if (reading.code === 'private_key') return { kind: 'private-key', ...recognisePrivateKey(text) };
  return { kind: 'refused', problem: refineProblem(reading.code, text), advice: reading.message };
}

/** The key in the form in which it is sent. */
export async function acceptedKey(key: RsaPublicKey): Promise<AcceptedKey> {
  return {
    publicKeyPem: key.spkiPem,
    fingerprint: await keyFingerprint(key).catch(() => undefined),
    modulusBits: key.modulusBits,
    format: key.format,
  };
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
