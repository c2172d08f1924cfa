/** The way in which a program spoiled a text that it should have sent unchanged. */
export type SpoiledForm = 'url_encoded' | 'escaped' | 'printed';

export interface CleanText {
  readonly text: string;
  readonly forms: readonly SpoiledForm[];
}

interface Step {
  readonly form: SpoiledForm;
  readonly pattern: RegExp;
  readonly write: (...match: string[]) => string;
}

const ofHex = (_: string, hex = ''): string => String.fromCharCode(Number.parseInt(hex, 16));

/** Sequences that never occur in Base64, so that undoing them is always safe. */
const steps: readonly Step[] = [
  { form: 'url_encoded', pattern: /%25(?=25|2B|2F|3D|22|27)/gi, write: () => '%' },
  { form: 'url_encoded', pattern: /%(2B|2F|3D|22|27|3A|5C|5B|5D)/gi, write: ofHex },
  { form: 'escaped', pattern: /\\u00([0-9a-f]{2})/gi, write: ofHex },
  { form: 'escaped', pattern: /&#x([0-9a-f]{2});/gi, write: ofHex },
  { form: 'escaped', pattern: /&#(\d{2,3});/g, write: (_, digits) => String.fromCharCode(Number(digits)) },
  { form: 'escaped', pattern: /&(?:quot|apos);/g, write: () => '"' },
  { form: 'escaped', pattern: /\\([/"'])/g, write: (_, character) => character },
  { form: 'escaped', pattern: /=3D/g, write: () => '=' },
];

/** Text that programming languages put around a value that they print. */
const wrappers: readonly RegExp[] = [
  /^b?(?<quote>["'])(?<inner>.*)\k<quote>$/s,
  /^\{\s*"type"\s*:\s*"Buffer"\s*,\s*"data"\s*:\s*(?<inner>\[[^\]]*\])\s*\}$/,
  /^<(?:Buffer )?(?<inner>[^<>]*)>$/,
  /^(?:Optional|Some|Just|String|Bytes)?[[(](?<inner>.*)[\])]$/s,
  /^data:[^,]{0,100},(?<inner>.*)$/s,
  /^-----BEGIN [A-Z0-9 ]{1,40}-----(?<inner>[^-]*)-----END [A-Z0-9 ]{1,40}-----\s*$/,
  /^(?:Uint8Array|Buffer|bytes|base64)[:(]\s*(?<inner>.*?)\)?$/s,
];

const wrappersMax = 4;

/** Undoes escapes, and removes text that was printed around a value. */
export function cleanText(text: string): CleanText {
  const forms = new Set<SpoiledForm>();
  let clean = text.trim();
  if (clean.length > textLengthMax) return { text: clean, forms: [] };
  for (const { form, pattern, write } of steps) {
    const before = clean;
    clean = clean.replace(pattern, write);
    if (clean !== before) forms.add(form);
  }
  for (let count = 0; count < wrappersMax; count++) {
    const inner = innerText(clean);
    if (inner === undefined) break;
    clean = inner.trim();
    forms.add('printed');
  }
  return { text: clean, forms: [...forms] };
}

const textLengthMax = 16 * 1024;

function innerText(text: string): string | undefined {
  for (const wrapper of wrappers) {
    const inner = wrapper.exec(text)?.groups?.['inner'];
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Reads bytes that were printed as decimal numbers, signed or not. */
export function bytesOfNumbers(text: string): Uint8Array | undefined {
  if (!/^-?\d{1,3}(?:\s*[,\s]\s*-?\d{1,3}){15,}$/.test(text)) return undefined;
  const numbers = text.split(/[\s,]+/).map(Number);
  return numbers.every((one) => one >= -128 && one <= 255) ? Uint8Array.from(numbers) : undefined;
}
