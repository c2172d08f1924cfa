/** A signature in the form of the drafts that preceded RFC 9421 (draft-cavage-http-signatures). */
export interface CavageSignature {
  readonly keyid: string | undefined;
  readonly algorithm: string | undefined;
  /** Lower-case line names. The default is `date` alone. */
  readonly lines: readonly string[];
  readonly signature: string | undefined;
  readonly created: string | undefined;
}

/** Finds an old-draft signature in `Authorization: Signature …` or in a `Signature` header. */
export function readCavageSignature(
  lines: readonly (readonly [string, string])[],
): CavageSignature | undefined {
  for (const [name, value] of lines) {
    const lower = name.toLowerCase();
    const text =
      lower === 'authorization' && /^signature\s/i.test(value)
        ? value.slice('signature'.length)
        : lower === 'signature' && /\bkeyid\s*=\s*"/i.test(value) && !/=\s*\(/.test(value)
          ? value
          : undefined;
    if (text !== undefined && text.length <= textLengthMax) return readMembers(text);
  }
  return undefined;
}

const textLengthMax = 8192;
const linesMax = 16;

function readMembers(text: string): CavageSignature {
  const members = new Map<string, string>();
  for (const [, name = '', quoted, plain] of text.matchAll(/([A-Za-z]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/g))
    members.set(name.toLowerCase(), quoted ?? plain ?? '');
  const headers = members.get('headers') ?? 'date';
  return {
    keyid: members.get('keyid'),
    algorithm: members.get('algorithm'),
    lines: headers.toLowerCase().split(/\s+/).filter(Boolean).slice(0, linesMax),
    signature: members.get('signature'),
    created: members.get('created'),
  };
}
