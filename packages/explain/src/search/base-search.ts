import { encodeBase64 } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import { isEqual, latin1Bytes, latin1Text, utf16Bytes, utf32Bytes } from '../byte-text.ts';
import type { Dimension } from '../drafts/alternatives.ts';
import {
  type BaseDraft,
  type Charset,
  type OtherValues,
  writeBase,
  type WrittenLines,
} from '../drafts/base-draft.ts';
import { forgetLines } from '../drafts/written-lines.ts';
import type { Hashes, HashFunction } from '../explanation.ts';
import type { Note } from '../findings/finding.ts';
import { type EncodedMessage, type IsSigned, pssPayload } from '../keys/signing-key.ts';
import type { Budget } from './budget.ts';
import { notesOf, type Visit, visitVariations } from './enumeration.ts';

/** Recognizes the bytes that were signed. */
export interface SearchTarget {
  readonly fits: (bytes: Uint8Array, draft: BaseDraft) => boolean;
  /** Does the same for a text that was hashed once in UTF-8, the most common case. */
  readonly fitsText?: (text: string) => boolean;
  /** True if each text costs as much as hundreds of hashes. */
  readonly isCostly?: true;
  /** Deviations that the form of the target itself shows. */
  readonly notes: readonly Note[];
}

/** The text that was signed, in its parts, and how it deviates. */
export interface BaseMatch {
  readonly draft: BaseDraft;
  readonly notes: readonly Note[];
  readonly text: string;
}

/** Searches the variations of a draft for the text that matches the target. Leaves the draft unchanged. */
export function searchBase(
  draft: BaseDraft,
  dimensions: readonly Dimension<BaseDraft>[],
  others: OtherValues,
  target: SearchTarget,
  budget: Budget,
): BaseMatch | undefined {
  let found: BaseMatch | undefined;
  const usualCharset = draft.charset;
  const costs = new Map<string, number>();
  const written: WrittenLines = [];
  const onChange = (field: keyof BaseDraft): void => forgetLines(written, field, draft.structure);
  const visit: Visit = (chosen, cost) => {
    const text = writeBase(draft, others, written);
    // A change to the hash does not show in the text.
    if (cost !== undefined && draft.finish === undefined && draft.charset === usualCharset) {
      const before = costs.get(text);
      if (before !== undefined && before <= cost) return 'repeated';
      costs.set(text, cost);
      // A cheaper variation already produced this text; use that one in combinations.
      if (before !== undefined) return 'other';
    }
    if (target.fitsText && draft.charset === 'utf-8' && draft.finish === undefined) {
      if (!budget.spend(text.length)) return 'spent';
      if (!target.fitsText(text)) return 'other';
    } else {
      const bytes = encodeBase(text, draft.charset);
      if (!budget.spend(bytes.length)) return 'spent';
      if (!target.fits(bytes, draft)) return 'other';
    }
    found = { draft: { ...draft }, notes: [...notesOf(chosen), ...target.notes], text };
    return 'found';
  };
  visitVariations(draft, dimensions, visit, onChange, target.isCostly);
  return found;
}

/** Builds the target that a signature reveals, with each of its meanings. Undefined if no hash function of them is available. */
export function targetOfReadings(
  readings: readonly EncodedMessage[],
  hashes: Hashes,
): SearchTarget | undefined {
  const targets = readings.flatMap((one) => targetOf(one, hashes) ?? []);
  const [only] = targets;
  if (only === undefined || targets.length === 1) return only;
  return { notes: [], fits: (bytes, draft) => targets.some(({ fits }) => fits(bytes, draft)) };
}

/** Returns the first of several meanings of a signature by which the text that was found was signed. */
export function readingOfMatch(
  readings: readonly EncodedMessage[],
  { text, draft }: BaseMatch,
  hashes: Hashes,
): EncodedMessage | undefined {
  const bytes = encodeBase(text, draft.charset);
  return readings.find((one) => targetOf(one, hashes)?.fits(bytes, draft));
}

/** Builds the target that a signature reveals. Undefined if its hash function is not available. */
export function targetOf(encoded: EncodedMessage, hashes: Hashes): SearchTarget | undefined {
  if (encoded.scheme === 'bare')
    return encoded.otherHash === undefined ? bareTarget(encoded.payload, hashes) : undefined;
  const hash = hashes[encoded.hash];
  if (!hash) return undefined;
  const { payload } = encoded;
  // Code that hashes twice uses SHA-256 first, whatever the signing function uses.
  const inner = hashes.sha256 ?? hash;
  const digest = (bytes: Uint8Array, draft: BaseDraft): Uint8Array =>
    draft.finish ? draft.finish(bytes, hash, inner) : hash(bytes);
  if (encoded.scheme === 'pss')
    return {
      notes: [],
      fits: (bytes, draft) => isEqual(pssPayload(digest(bytes, draft), encoded.salt, hash), payload),
    };
  const { ofText } = hash;
  const wanted = latin1Text(payload);
  return {
    notes: [],
    fits: (bytes, draft) => isEqual(digest(bytes, draft), payload),
    ...(ofText && { fitsText: (text: string) => ofText(text) === wanted }),
  };
}

/** Builds the target of a key whose signatures only tell whether it signed a text: its algorithm hashes what it is given. */
export function targetOfTest(isSigned: IsSigned, { sha256, sha384, sha512 }: Hashes): SearchTarget {
  const asGiven: HashFunction = (bytes) => bytes;
  return {
    isCostly: true,
    notes: [],
    fits: (bytes, { finish }) =>
      finish === undefined
        ? isSigned(bytes)
        : [sha256, sha512, sha384].some((hash) => hash && isSigned(finish(bytes, asGiven, hash))),
  };
}

/** Builds a target from the base that the caller claims to have built. */
export function claimedTarget(claimedBase: string): SearchTarget {
  const claimed = encoder.encode(claimedBase);
  return { notes: [], fits: (bytes, draft) => draft.finish === undefined && isEqual(bytes, claimed) };
}

/** Encodes a text. The next call overwrites the result. */
export function encodeBase(text: string, charset: Charset): Uint8Array {
  if (charset === 'utf-8') {
    if (text.length * 3 > room.length) room = new Uint8Array(text.length * 3);
    return room.subarray(0, encoder.encodeInto(text, room).written);
  }
  if (charset === 'latin-1') return /[^\x00-\xff]/.test(text) ? encoder.encode(text) : latin1Bytes(text);
  if (charset === 'utf-32le') return utf32Bytes(text);
  const isMarked = charset.endsWith('-bom');
  const marked = isMarked ? `\uFEFF${text}` : text;
  if (charset === 'utf-8-bom') return encoder.encode(marked);
  return utf16Bytes(marked, charset.startsWith('utf-16le'));
}

const encoder = new TextEncoder();
let room = new Uint8Array(16 * 1024);

/** Without a DigestInfo, the length and the alphabet show what was signed. */
function bareTarget(payload: Uint8Array, hashes: Hashes): SearchTarget | undefined {
  const text = String.fromCharCode(...payload);
  const { sha256 } = hashes;
  const target = (hash: HashFunction | undefined, notes: readonly Note[]): SearchTarget | undefined =>
    hash && {
      notes,
      fits: (bytes, draft) =>
        isEqual(draft.finish ? draft.finish(bytes, hash, sha256 ?? hash) : hash(bytes), payload),
    };
  if (payload.length === 64 && /^[0-9a-f]+$/i.test(text)) {
    const isUpper = /[A-F]/.test(text);
    const hex = (bytes: Uint8Array): Uint8Array => {
      const lower = hexadecimal(sha256!(bytes));
      return encoder.encode(isUpper ? lower.toUpperCase() : lower);
    };
    return target(hex, [{ code: 'signature_of_hex_hash' }]);
  }
  if (/^[A-Za-z0-9+/]{43}=$/.test(text))
    return target(
      (bytes) => encoder.encode(encodeBase64(sha256!(bytes))),
      [{ code: 'signature_of_base64_hash' }],
    );
  const hash = {
    32: sha256,
    20: hashes.sha1,
    28: hashes.sha224,
    48: hashes.sha384,
    64: hashes.sha512,
    16: hashes.md5,
  }[payload.length];
  return hash ? target(hash, []) : { notes: [], fits: (bytes) => isEqual(bytes, payload) };
}
