/**
 * A URL with a password in it. It gives the password away only when it is asked to; printed, logged or made JSON, it
 * shows stars in its place, and leaves out the parameters, which may hold secrets too.
 */
export class SecretUrl {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The whole URL, for the one who connects. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    const { protocol, username, password, host, pathname } = new URL(this.#text);
    const user = username === '' ? '' : `${username}${password === '' ? '' : ':***'}@`;
    return `${protocol}//${user}${host}${pathname}`;
  }

  toJSON(): string {
    return this.toString();
  }
}
