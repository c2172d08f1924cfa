/**
 * A URL with a password. Only `reveal` returns it; printed, logged or as JSON, the password is replaced by asterisks
 * and the query parameters, which may hold secrets too, are left out.
 */
export class SecretUrl {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the whole URL, for the code that connects. */
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
