import { KeyStoreError } from '@countersign/key-store';
import { FollowedFile, optionsInvalid } from '@countersign/key-store/building';

/** At most one of the two. Without either, a Vault agent adds the token. */
export interface TokenOptions {
  /** A token, or a function that returns the current one. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** A file with the token, as a Vault agent writes it. A change takes effect within a second. */
  readonly tokenFile?: string | undefined;
}

export interface Token {
  readonly value: () => Promise<string | undefined>;
  /** Returns true if the token differs from the one that `value` returned last. */
  readonly hasChanged: () => Promise<boolean>;
}

export function openToken({ token, tokenFile }: TokenOptions): Token {
  if (token !== undefined && tokenFile !== undefined)
    throw optionsInvalid('Give token or tokenFile, not both.');
  if (tokenFile !== undefined) return followed(tokenFile);
  if (token === undefined) return { value: async () => undefined, hasChanged: async () => false };
  if (typeof token === 'string') {
    const value = checked(token, 'token');
    return { value: async () => value, hasChanged: async () => false };
  }
  return changing(async () => checked(await token(), 'token'));
}

function followed(path: string): Token {
  const file = new FollowedFile(path);
  return changing(async (now) => {
    let text: string;
    try {
      text = await file.text(now);
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new KeyStoreError('access_denied', `The token file ${path} cannot be read (${code}).`);
    }
    return checked(text, `the text of ${path}`);
  });
}

function changing(read: (now: boolean) => Promise<string>): Token {
  let last: string | undefined;
  return {
    value: async () => (last = await read(false)),
    hasChanged: async () => {
      const before = last;
      return (await read(true)) !== before;
    },
  };
}

/** A line break would add a header to the request. */
function checked(token: unknown, name: string): string {
  if (typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new KeyStoreError(
    'options_invalid',
    `Vault's token: ${name} must be one line of visible ASCII characters.`,
  );
}
