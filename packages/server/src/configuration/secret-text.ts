/** A secret of the settings. It gives itself away only when it is asked to; printed, logged or made JSON, it shows stars. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The secret, for the one who uses it. */
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
