/** How sure a finding is. */
export type Certainty =
  /** The hash in the signature or digest is the hash of the text that this mistake produces. */
  | 'proven'
  /** Visible in the request itself. */
  | 'observed'
  /** Fits, but something else may be the cause. */
  | 'likely';

/** Two texts that should be equal. */
export interface Evidence {
  readonly expected: string;
  readonly received: string;
  /** Where they first differ, in code units. */
  readonly firstDifference: number;
}

/** Compares two texts. If one is a prefix of the other, they first differ where the shorter one ends. */
export function evidenceOf(expected: string, received: string): Evidence {
  const length = Math.min(expected.length, received.length);
  let firstDifference = 0;
  while (
    firstDifference < length &&
    expected.charCodeAt(firstDifference) === received.charCodeAt(firstDifference)
  )
    firstDifference++;
  return { expected, received, firstDifference };
}

/**
 * The role of the received text in a finding's evidence: signed, signed although something else arrived,
 * claimed to be signed, hashed, or simply received.
 */
export type EvidenceKind = 'signed' | 'changed' | 'claimed' | 'hashed' | 'received';

/** Returns the label for a finding's evidence. Accepts any code, because a newer service may send unknown ones. */
export function evidenceKind({
  code,
  certainty,
  evidence,
}: {
  readonly code: string;
  readonly certainty: Certainty;
  readonly evidence?: { readonly expected: string } | undefined;
}): EvidenceKind {
  const isProven = certainty === 'proven';
  const isOfBase = isProven && evidence !== undefined && baseLine.test(evidence.expected);
  // The service only knows what arrived, not which of the two was meant.
  if (isOfBase) return arrivedLine.test(evidence.expected) ? 'changed' : 'signed';
  // Only a base that the caller claims makes these likely.
  if (/^(?:url|method|base)_/.test(code) && certainty !== 'observed') return isProven ? 'signed' : 'claimed';
  return isProven && code.startsWith('body_') ? 'hashed' : 'received';
}

const baseLine = /^"@?[a-z-]+": /;
/** One line of the base, apart from the parameters. */
const arrivedLine = /^"(?!@signature-params")@?[a-z-]+": .*$/;

/** The place where two texts first differ, moved back to the start of a character if it falls inside one. */
export function firstDifferingCharacter({ expected, received, firstDifference }: Evidence): number {
  const isLow = (text: string): boolean => /[\udc00-\udfff]/.test(text[firstDifference] ?? '');
  const isInside = firstDifference > 0 && (isLow(expected) || isLow(received));
  return isInside ? firstDifference - 1 : firstDifference;
}

/** Returns true if two findings show the same texts: several mistakes in one text are one difference. */
export function isSameEvidence(one: Evidence | undefined, other: Evidence | undefined): boolean {
  return one !== undefined && one.expected === other?.expected && one.received === other.received;
}
