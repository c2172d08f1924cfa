import { readCookie } from '@countersign/gate';

/** Identifies a sign-in that waits for its second factor. */
export const signInCookie = '__Host-countersign-sign-in';
/** Identifies a passkey challenge. */
export const passkeyCookie = '__Host-countersign-passkey';
/** Identifies a round trip to the identity provider. */
export const identityProviderCookie = '__Host-countersign-oidc';
/** Identifies a browser in which a person has signed in before. */
export const browserCookie = '__Host-countersign-browser';

/** The cookies of one request, and the `Set-Cookie` lines for its response, whether it succeeds or not. */
export class Cookies {
  readonly #header: string | undefined;
  readonly lines: string[] = [];

  constructor(header: string | undefined) {
    this.#header = header;
  }

  read(name: string): string | undefined {
    return readCookie(this.#header, name);
  }

  /**
   * Sets a cookie that scripts can't read and other sites can't make the browser send.
   *
   * @param sameSite `Lax` only if another site leads back here
   */
  set(name: string, value: string, maxAgeSeconds: number, sameSite: 'Strict' | 'Lax' = 'Strict'): void {
    const maxAge = Math.floor(maxAgeSeconds);
    this.lines.push(`${name}=${value}; Path=/; Max-Age=${maxAge}; Secure; HttpOnly; SameSite=${sameSite}`);
  }

  remove(name: string): void {
    this.set(name, '', 0);
  }
}
