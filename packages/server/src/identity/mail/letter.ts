/** A mail to one person: plain text, and nothing to load or to click but the link that stands in it. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
