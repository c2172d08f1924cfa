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
  if (finer) {
    const more = { detail: value, action: finer[1]! };
    return { seconds: Number(finer[1]), findings: [finding('created_milliseconds', 'observed', more)] };
  }
  return {
    seconds: secondsOfLiteral(value) ?? readMeantDate(value)?.seconds,
    findings: [finding('created_format', 'observed', { detail: raw })],
  };
}

/** Reads a number as languages print it: 1767225600L, 1.7672256e+09. */
function secondsOfLiteral(value: string): number | undefined {
  if (!/^(?:\d{9,10}[Ll]|\d\.\d{1,9}[eE]\+?0?9)$/.test(value)) return undefined;
  return Math.round(Number(value.replace(/[Ll]$/, '')));
}
