import { type Finding, finding } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { readMeantDate } from './lenient-date.ts';

/** The intended value of `created`, in Unix seconds, and what is wrong with its form. */
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
  const finer = finerDigits.exec(value);
  if (finer)
    return { seconds: Number(finer[1]), findings: [finerFinding(value, finer[1]!, finer[2]!.length)] };
  const grouped = groupedDigits.exec(value);
  if (grouped) return readGrouped(value, grouped[2] ?? '');
  return {
    seconds: secondsOfLiteral(value) ?? readMeantDate(value)?.seconds,
    findings: [finding('created_format', 'observed', { detail: raw })],
  };
}

/** Only a number with as many digits as the current time is a time. Otherwise the intended time is unknown. */
function readGrouped(value: string, fraction: string): MeantCreated {
  const digits = value.slice(0, value.length - fraction.length).replace(/\D/g, '');
  const finer = finerDigits.exec(digits);
  const seconds = digits.length === 10 ? digits : finer?.[1];
  const isFraction = fraction !== '' && finer === null;
  const unit = finer ? `is in ${unitOf(finer[2]!.length)[0]} and ` : '';
  const what = `The parameter created ${unit}has thousands separators${isFraction ? ' and a fraction' : ''}: ${value}.`;
  const number = finer || seconds === undefined ? 'whole Unix seconds in plain digits' : 'plain digits';
  const example = seconds === undefined ? '' : `: ${seconds}`;
  const mend = `Write created as ${number}, without formatting it for a locale${example}.`;
  const alsoCodes: readonly FindingCode[] = [
    ...(finer ? (['created_milliseconds'] as const) : []),
    ...(isFraction ? (['created_fraction'] as const) : []),
  ];
  const words = { what, mend, ...(alsoCodes.length > 0 && { alsoCodes }) };
  return {
    seconds: seconds === undefined ? undefined : Number(seconds),
    findings: [finding('created_format', 'observed', words)],
  };
}

/** Unix seconds, followed by the digits of a finer unit. */
const finerDigits = /^(\d{10})(\d{3}|\d{6}|\d{9})(?:\.\d+)?$/;

function unitOf(digitCount: number): readonly [unit: string, divisor: string] {
  if (digitCount === 3) return ['milliseconds', '1,000'];
  return digitCount === 6 ? ['microseconds', '1,000,000'] : ['nanoseconds', '1,000,000,000'];
}

function finerFinding(value: string, seconds: string, digitCount: number): Finding {
  if (digitCount === 3)
    return finding('created_milliseconds', 'observed', { detail: value, action: seconds });
  const [unit, divisor] = unitOf(digitCount);
  return finding('created_milliseconds', 'observed', {
    what: `The parameter created is in ${unit}, not in seconds: ${value}.`,
    mend: `Divide by ${divisor} and drop the fraction: ${seconds}.`,
  });
}

/** A number as people read it: 1,767,225,600 or 1 767 225 600, and 1.767.225.600,5. */
const groupedDigits =
  /^\d{1,3}([,._' ]|\u00a0|\u00c2\u00a0|\u00e2\u0080[\u0089\u00af])\d{3}(?:\1\d{3})+((?!\1)[.,]\d+)?$/;

/** Reads a number as languages print it: 1767225600L, 1.7672256e+09. */
function secondsOfLiteral(value: string): number | undefined {
  if (!/^(?:\d{9,10}[Ll]|\d\.\d{1,9}[eE]\+?0?9)$/.test(value)) return undefined;
  return Math.round(Number(value.replace(/[Ll]$/, '')));
}
