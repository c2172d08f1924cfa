import type { KeyProblem } from '#messages/key-input.ts';
import { onDraft } from '../../session/drafts.ts';
import type { AcceptedKey } from './key-input-state.ts';
import { isPrivateKey } from './private-key-guard.ts';
import type { PrivateKeyReading } from './private-key-reading.ts';

type PublicKeyReader = (text: string, rejectsPss: boolean) => Promise<KeyReading>;

const loadReader = async (): Promise<PublicKeyReader> =>
  (await import('./read-public-key.ts')).readPublicKeyText;
onDraft(() => void loadReader().catch(() => undefined));

/**
 * Reads a text as a public key without the service. Accepts up to 8192 bits, more than most services: the limit is the
 * service's to enforce.
 *
 * @param rejectsPss rejects keys that say that they are for RSASSA-PSS
 */
export async function readKeyText(text: string, rejectsPss: boolean = true): Promise<KeyReading> {
  if (isPrivateKey(text)) return readPrivateKeyText(text);
  if (text.trim() === '') return { kind: 'none' };
  const read = await loadReader().catch(() => undefined);
  return read?.(text, rejectsPss) ?? { kind: 'refused', problem: 'reader_not_loaded', advice: '' };
}

/** Whatever cannot be said about it, it is recognized as a private key. */
async function readPrivateKeyText(text: string): Promise<PrivateKeyReading> {
  const reading = await import('./private-key-reading.ts').then(
    ({ privateKeyReading }) => privateKeyReading(text),
    () => undefined,
  );
  return reading ?? { kind: 'private-key', form: 'unknown', bits: undefined };
}

export type KeyReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading' }
  | PrivateKeyReading
  | { readonly kind: 'refused'; readonly problem: KeyProblem; readonly advice: string }
  | { readonly kind: 'accepted'; readonly key: AcceptedKey };
