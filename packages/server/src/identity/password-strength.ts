import { passwordLimits } from '@countersign/contract';

/**
 * Whether a password is too easy to guess to be taken: outside of the limits of length, or hardly more than words that are
 * guessed first (the well-known ones, and the person's and the service's own names), repeats and runs.
 *
 * It asks for no kinds of characters, because those make passwords worse (NIST SP 800-63B section 3.1.1.2).
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
  // As it is written too: `12345` is a run, what it may be a disguise of is none.
  return [withoutDisguise(password), password.toLowerCase()].some((text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ''), text);
    return new Set(withoutRuns(rest)).size < unguessableMin;
  });
}

/** So many different characters must be left. */
const unguessableMin = 5;

/** Letters as they are meant: people write `P@ssw0rd`. Only letters and digits count. */
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

/** Each character once where it is repeated, and where it follows from those before it: `abcdef`, `2468`, `qwerty`. */
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

/** The rows of keyboards. */
const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop'];

/** What leaked passwords are made of most. In the form that `withoutDisguise` gives. */
const knownWords = [
  'password',
  'passwort',
  'passphrase',
  'welcome',
  'willkommen',
  'letmein',
  'iloveyou',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'batman',
  'trustno',
  'monkey',
  'dragon',
  'master',
  'shadow',
  'michael',
  'jordan',
  'hello',
  'secret',
  'changeme',
  'default',
  'administrator',
  'admin',
  'root',
  'login',
  'access',
  'account',
  'portal',
  'test',
  'user',
  'guest',
  'demo',
  'company',
  'summer',
  'winter',
  'spring',
  'autumn',
  'monday',
  'january',
  'correcthorsebatterystaple',
].map(withoutDisguise);
