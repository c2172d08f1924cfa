/** The digits and the exponent of a number: 12.5 is 125 and 1. */
interface Parts {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

export function isInteger(raw: string): boolean {
  return /^-?\d+$/.test(raw);
}

/** Double.toString: 1.0E-7, 9.007199254740992E15, 1250.0. */
export function javaDouble(raw: string): string {
  const parts = partsOf(raw);
  if (!parts) return raw;
  return parts.exponent < -3 || parts.exponent >= 7
    ? scientific(parts, 'E', '', 1, '.0')
    : plain(parts, '.0');
}

/** The repr of a float: 1e-07, 1e+21, 1000.0. */
export function pythonFloat(raw: string): string {
  const parts = partsOf(raw);
  if (!parts) return raw;
  return parts.exponent < -4 || parts.exponent >= 16
    ? scientific(parts, 'e', '+', 2, '')
    : plain(parts, '.0');
}

/** What %v and, with 21 as the limit, encoding/json write: 1e-07, 1e+06. */
export function goFloat(raw: string, limit: number): string {
  const parts = partsOf(raw);
  if (!parts) return raw;
  return parts.exponent < -4 || parts.exponent >= limit
    ? scientific(parts, 'e', '+', 2, '')
    : plain(parts, '');
}

/** Double.ToString of .NET: 1E-07, 1E+21. */
export function netDouble(raw: string): string {
  const parts = partsOf(raw);
  if (!parts) return raw;
  return parts.exponent < -5 || parts.exponent >= 15 ? scientific(parts, 'E', '+', 2, '') : plain(parts, '');
}

/** The %g of printf. */
export function cDouble(raw: string, precision: number): string {
  const parts = partsOf(raw, precision);
  if (!parts) return raw;
  return parts.exponent < -4 || parts.exponent >= precision
    ? scientific(parts, 'e', '+', 2, '')
    : plain(parts, '');
}

/** Without an exponent, as long as that is short. */
export function plainNumber(raw: string): string {
  const parts = partsOf(raw);
  return parts && Math.abs(parts.exponent) <= plainExponentMax ? plain(parts, '') : raw;
}

const plainExponentMax = 40;

/** Undefined if a double cannot hold the number. */
function partsOf(raw: string, precision?: number): Parts | undefined {
  const value = Number(raw);
  if (!Number.isFinite(value)) return undefined;
  const text = value.toExponential(precision === undefined ? undefined : precision - 1);
  const [mantissa = '', exponent = '0'] = text.split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '');
  return {
    sign: Object.is(value, -0) || value < 0 ? '-' : '',
    digits: digits || '0',
    exponent: Number(exponent),
  };
}

function scientific(
  { sign, digits, exponent }: Parts,
  letter: string,
  plus: string,
  exponentDigits: number,
  ofInteger: string,
): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ofInteger;
  const power = String(Math.abs(exponent)).padStart(exponentDigits, '0');
  return `${sign}${digits[0]}${fraction}${letter}${exponent < 0 ? '-' : plus}${power}`;
}

function plain({ sign, digits, exponent }: Parts, ofInteger: string): string {
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction === '' ? ofInteger : `.${fraction}`}`;
}
