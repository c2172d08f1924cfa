/** A plain-text mail to one person. Its only link is the one in the text. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  readonly kind: 'smtp' | 'folder';
  /** Rejects when the mail could not be handed over. */
  send(letter: Letter): Promise<void>;
  close(): Promise<void>;
}
