import { checksOf, Examination, readSignatureHeaders } from '@countersign/signature/profile';
import { profileTimeWindow, type Refusal } from '@countersign/signature';
import { latin1Bytes } from '../byte-text.ts';
import { hashesOf, meansOf } from '../checks.ts';
import type { ExplainOptions } from '../explanation.ts';
import { type SigningKey, verifies } from '../keys/signing-key.ts';
import type { ReadView } from './request-view.ts';

/** The relation between the signature of a view and the rest of it. */
export type ViewState =
  /** Neither Signature nor Signature-Input is present. */
  | 'unsigned'
  /** The key proves that this request was signed; the body matches, if it is known. */
  | 'valid'
  /** The signature or the digest belongs to something else, or the service could not read it. */
  | 'invalid'
  /** Nothing is wrong, but no given key fits the signature. */
  | 'unproven';

export interface CheckedView {
  readonly state: ViewState;
  /** Why the verifier would reject an invalid one. */
  readonly refusal?: Refusal;
  /** The URL that was verified. */
  readonly targetUri: string;
}

/** Checks a view at each URL that its signature may cover. */
export function checkView(read: ReadView, checkAt: (targetUri: string) => CheckedView): CheckedView {
  const { headers, targetUris } = read;
  if (!headers.has('signature') && !headers.has('signature-input'))
    return { state: 'unsigned', targetUri: targetUris[0] };
  let last: CheckedView | undefined;
  for (const targetUri of new Set(targetUris)) {
    const checked = checkAt(targetUri);
    if (checked.state === 'valid') return checked;
    // What no key fits may fit another URL: not every signature reveals its key.
    if (last === undefined || last.state === 'invalid') last = checked;
  }
  return last!;
}

/**
 * Checks a view at one URL as the verifier would, whenever it was signed. A URL that is invalid on the wire may still be
 * what was signed, so its form is not checked.
 */
export function checkViewAt(
  { view, headers }: ReadView,
  targetUri: string,
  keys: readonly SigningKey[],
  options: ExplainOptions,
): CheckedView {
  const { body } = view;
  const examination = new Examination<readonly SigningKey[]>(
    {
      method: view.method,
      targetUri,
      headers: readSignatureHeaders(
        [...headers].flatMap(([name, values]) => values.map((value) => [name, value] as const)),
      ),
      hasBody: body && body.length > 0,
      nowSeconds: options.nowSeconds,
    },
    { window: options.window ?? profileTimeWindow, nonce: options.nonce ?? 'optional' },
  );
  examination.body = body ?? new Uint8Array();
  let hasFittingKey = false;
  const means = meansOf(() => keys, options);
  const list = checksOf('head', ...(body ? (['body'] as const) : [])).filter(
    ({ codes }) => !codes.includes('created_expired'),
  );
  for (const check of list) {
    // These means are synchronous, so the check is too.
    const refusal = check.run(examination, {
      ...means,
      findClient: () => keys,
      findVerifyingKey: (client, examined) => {
        hasFittingKey = keys.some((key) => fits(key, examined, options));
        // Without the right key, the other checks continue.
        return hasFittingKey ? means.findVerifyingKey(client, examined) : 0;
      },
    }) as Refusal | undefined;
    if (refusal) return { state: 'invalid', refusal, targetUri };
  }
  return { state: hasFittingKey ? 'valid' : 'unproven', targetUri };
}

/** Returns true if this key made the signature: over any text, if the signature reveals its key. */
function fits(
  key: SigningKey,
  { base, signature }: { readonly base: string; readonly signature: Uint8Array },
  options: ExplainOptions,
): boolean {
  const hashes = hashesOf(options);
  return key.recover(signature, hashes) !== undefined || verifies(key, latin1Bytes(base), signature, hashes);
}
