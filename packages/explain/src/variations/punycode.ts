/** Converts a Punycode host (RFC 3492) to Unicode. Undefined if no label is in Punycode, or one is damaged. */
export function unicodeHost(host: string): string | undefined {
  const labels = host.split('.').map((label) => (/^xn--/i.test(label) ? decodeLabel(label.slice(4)) : label));
  const text = labels.includes(undefined) ? undefined : labels.join('.');
  return text === host ? undefined : text;
}

const base = 36;
const delimiter = '-';

/** RFC 3492 section 6.2. */
function decodeLabel(label: string): string | undefined {
  if (label.length > 63) return undefined;
  const basicEnd = Math.max(label.lastIndexOf(delimiter), 0);
  const output = Array.from(label.slice(0, basicEnd), (character) => character.codePointAt(0)!);
  let point = 128;
  let bias = 72;
  let position = 0;
  for (let index = basicEnd > 0 ? basicEnd + 1 : 0; index < label.length;) {
    const before = position;
    for (let weight = 1, step = base; ; step += base) {
      const digit = digitValue(label.charCodeAt(index++));
      if (digit === undefined) return undefined;
      position += digit * weight;
      const threshold = Math.min(Math.max(step - bias, 1), 26);
      if (digit < threshold) break;
      weight *= base - threshold;
      if (weight > 2 ** 31) return undefined;
    }
    const count = output.length + 1;
    bias = adapt(position - before, count, before === 0);
    point += Math.floor(position / count);
    position %= count;
    if (point > 0x10ffff) return undefined;
    output.splice(position++, 0, point);
  }
  return String.fromCodePoint(...output);
}

/** RFC 3492 section 6.1. */
function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / 700) : Math.floor(delta / 2);
  rest += Math.floor(rest / count);
  let steps = 0;
  for (; rest > 455; steps += base) rest = Math.floor(rest / 35);
  return steps + Math.floor((36 * rest) / (rest + 38));
}

function digitValue(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 22;
  const letter = (code | 0x20) - 0x61;
  return letter >= 0 && letter < 26 ? letter : undefined;
}
