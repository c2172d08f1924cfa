import { passwordLimits } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { PeopleParts } from './endpoint.ts';
import type { PersonRecord } from './persons.ts';

/**
 * Hashes a newly chosen password.
 *
 * @throws ProblemError `password_too_weak`, `password_breached`, `storage_unavailable`
 */
export async function hashNewPassword(
  { passwords, breachedPasswords, serviceName }: PeopleParts,
  password: string,
  { email, name }: Pick<PersonRecord, 'email' | 'name'>,
): Promise<string> {
  if (isWeakPassword(password, { email, name, serviceName })) throw new ProblemError('password_too_weak');
  if (await breachedPasswords?.has(password)) throw new ProblemError('password_breached');
  return passwords.hash(password);
}

/**
 * Returns true if a password is too easy to guess: outside the length limits, or little more than words that
 * attackers try first (common passwords, the person's and the service's names), repetitions and runs.
 *
 * It requires no particular kinds of characters, because that makes passwords worse (NIST SP 800-63B section
 * 3.1.1.2).
 */
export function isWeakPassword(
  password: string,
  about: { readonly email: string; readonly name: string; readonly serviceName: string },
): boolean {
  const { length } = Array.from(password);
  if (length < passwordLimits.charactersMin || length > passwordLimits.charactersMax) return true;
  const own = [about.email, about.name, about.serviceName]
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .map(withoutDisguise)
    .filter((word) => word.length >= 3);
  const words = [...own, ...knownWords].toSorted((left, right) => right.length - left.length);
  // Also check the password as typed: `12345` is a run, but the letters it may stand for aren't.
  return [withoutDisguise(password), password.toLowerCase()].some((text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ''), text);
    return new Set(withoutRuns(rest)).size < unguessableMin;
  });
}

/** Minimum number of different characters that must remain. */
const unguessableMin = 5;

/** Replaces look-alikes with the letters they stand for, as in `P@ssw0rd`. */
function withoutDisguise(text: string): string {
  const meant: Readonly<Record<string, string>> = {
    '@': 'a',
    '4': 'a',
    '3': 'e',
    '1': 'i',
    '!': 'i',
    '0': 'o',
    $: 's',
    '5': 's',
    '7': 't',
  };
  return Array.from(text.toLowerCase(), (character) => meant[character] ?? character).join('');
}

/** Drops characters that repeat or continue a run: `aaaa`, `abcdef`, `qwerty`. */
function withoutRuns(text: string): string {
  let kept = '';
  for (let index = 0; index < text.length; index += 1) {
    const before = text.charAt(index - 1);
    const character = text.charAt(index);
    const step = character.charCodeAt(0) - before.charCodeAt(0);
    const isNeighbour = rows.some(
      (row) => row.includes(before + character) || row.includes(character + before),
    );
    if (index === 0 || (Math.abs(step) > 1 && !isNeighbour)) kept += character;
  }
  return kept;
}

/** Keyboard rows. */
const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop'];

/** The most common parts of leaked passwords. */
const knownWords = `
  password passwort passphrase welcome willkommen letmein iloveyou sunshine princess football baseball
  superman batman trustno monkey dragon master shadow michael jordan hello secret changeme default
  administrator admin root login access account portal test user guest demo company summer winter
  spring autumn monday january correcthorsebatterystaple
`
  .trim()
  .split(/\s+/)
  .map(withoutDisguise);
