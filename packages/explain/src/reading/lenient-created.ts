import { type Finding, finding } from '../findings/finding.ts';
import { readMeantDate } from './lenient-date.ts';

/** `created` as it was meant, in Unix seconds, and what is wrong with its form. */
export interface MeantCreated {
  readonly seconds: number | undefined;
  readonly findings: readonly Finding[];
}

/** Reads the `created` parameter in any form that signers write. `raw` includes quotes. */
export function readMeantCreated(raw: string): MeantCreated {
  const value = raw.replace(/^(["'])(.*)\1$/, '$2');
  const whole = /^(-?\d{1,11})$/.exec(value);
  if (whole) {
    const findings = value === raw ? [] : [finding('created_format', 'observed', { detail: raw })];
    return { seconds: Number(value), findings };
  }
  const fraction = /^(\d{9,10})\.\d+$/.exec(value);
  if (fraction) {
    const more = { detail: value, action: fraction[1]! };
    return { seconds: Number(fraction[1]), findings: [finding('created_fraction', 'observed', more)] };
  }
  const finer = /^(\d{10})(\d{3}|\d{6}|\d{9})(?:\.\d+)?$/.exec(value);
  if (finer)
    return { seconds: Number(finer[1]), findings: [finerFinding(value, finer[1]!, finer[2]!.length)] };
  const grouped = groupedDigits.exec(value);
  if (grouped) {
    const digits = value.replace(/\D/g, '');
    const what = `The parameter created has thousands separators: ${value}.`;
    const mend = `Write created as plain digits, without formatting it for a locale: ${digits}.`;
    return { seconds: Number(digits), findings: [finding('created_format', 'observed', { what, mend })] };
  }
  return {
    seconds: secondsOfLiteral(value) ?? readMeantDate(value)?.seconds,
    findings: [finding('created_format', 'observed', { detail: raw })],
  };
}

function finerFinding(value: string, seconds: string, digitCount: number): Finding {
  if (digitCount === 3)
    return finding('created_milliseconds', 'observed', { detail: value, action: seconds });
  const [unit, divisor] = digitCount === 6 ? ['microseconds', '1,000,000'] : ['nanoseconds', '1,000,000,000'];
  return finding('created_milliseconds', 'observed', {
    what: `The parameter created is in ${unit}, not in seconds: ${value}.`,
    mend: `Divide by ${divisor} and drop the fraction: ${seconds}.`,
  });
}

/** A whole number as people read it: 1,767,225,600 or 1 767 225 600. */
const groupedDigits = /^\d{1,3}([,._' ]|\u00a0|\u00c2\u00a0|\u00e2\u0080[\u0089\u00af])\d{3}(?:\1\d{3})+$/;

/** Reads a number as languages print it: 1767225600L, 1.7672256e+09. */
function secondsOfLiteral(value: string): number | undefined {
  if (!/^(?:\d{9,10}[Ll]|\d\.\d{1,9}[eE]\+?0?9)$/.test(value)) return undefined;
  return Math.round(Number(value.replace(/[Ll]$/, '')));
}
