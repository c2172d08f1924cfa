/** A secret setting. Only `reveal` returns it; printed, logged or as JSON, it is replaced by asterisks. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the secret, for the code that uses it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return this.toString();
  }
}
