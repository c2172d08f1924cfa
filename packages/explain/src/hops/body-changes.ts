import { varyBody } from '../bodies/body-draft.ts';
import type { ExplainOptions } from '../explanation.ts';
import type { Note } from '../findings/finding.ts';
import { readChunkedBody } from '../request-text/chunked-body.ts';
import { Budget } from '../search/budget.ts';
import { isEqual } from '../byte-text.ts';
import { notesOf, visitVariations } from '../search/enumeration.ts';
import { byteDifference } from './byte-difference.ts';
import type { ChangeCode } from './change-kinds.ts';
import { type HopChange, namedByNotes, namedChange } from './hop-change.ts';

/** Compares two bodies. Undefined if they are equal. */
export function bodyChange(
  before: Uint8Array,
  after: Uint8Array,
  inflate: ExplainOptions['inflate'],
): HopChange | undefined {
  const difference = byteDifference(before, after);
  if (!difference) return undefined;
  const plain = plainCode(before, after, inflate);
  const kinds = plain ? ([namedChange(plain)] as const) : namesOfBody(before, after, difference.offset);
  return { part: 'body', kinds, difference, isSigned: true };
}

function plainCode(
  before: Uint8Array,
  after: Uint8Array,
  inflate: ExplainOptions['inflate'],
): ChangeCode | undefined {
  if (after.length === 0) return 'body_removed';
  if (before.length === 0) return 'body_added';
  if (isInflated(after, before, inflate)) return 'body_compressed';
  if (isInflated(before, after, inflate)) return 'body_decompressed';
  const unchunked = readChunkedBody(after);
  return unchunked && isEqual(unchunked, before) ? 'body_chunked' : undefined;
}

function isInflated(packed: Uint8Array, plain: Uint8Array, inflate: ExplainOptions['inflate']): boolean {
  return (['gzip', 'deflate'] as const).some((format) => {
    const isFormat = format === 'gzip' ? packed[0] === 0x1f && packed[1] === 0x8b : (packed[0]! & 0x0f) === 8;
    const inflated = isFormat ? inflate?.(packed, format) : undefined;
    return inflated !== undefined && isEqual(inflated, plain);
  });
}

/** Names the change by the explainer's variations, in both directions, or by the place of the difference. */
function namesOfBody(before: Uint8Array, after: Uint8Array, offset: number): HopChange['kinds'] {
  const found = search(before, after) ?? search(after, before);
  if (found) return namedByNotes(found, 'body_changed', () => undefined);
  if (offset === after.length) return [namedChange('body_truncated')];
  if (offset === before.length) return [namedChange('body_extended')];
  const isJson = isJsonText(before) && isJsonText(after);
  return [namedChange(isJson ? 'body_json_rewritten' : 'body_changed')];
}

function search(body: Uint8Array, wanted: Uint8Array): readonly Note[] | undefined {
  if (body.length > searchedBytesMax || wanted.length > searchedBytesMax) return undefined;
  const { draft, dimensions, write } = varyBody(body);
  const budget = new Budget({ hypothesesMax, budgetMs: 0, monotonicMs: undefined });
  let found: readonly Note[] | undefined;
  visitVariations(
    draft,
    // A hash of the body is not a body.
    dimensions.filter(({ field }) => field !== 'finish'),
    (chosen) => {
      const bytes = write();
      if (!budget.spend(bytes?.length ?? body.length)) return 'spent';
      if (!bytes || !isEqual(bytes, wanted)) return 'other';
      found = notesOf(chosen);
      return 'found';
    },
  );
  return found;
}

/** Longer bodies are only compared. */
const searchedBytesMax = 64 * 1024;
const hypothesesMax = 6000;

function isJsonText(bytes: Uint8Array): boolean {
  if (bytes.length > searchedBytesMax) return false;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
