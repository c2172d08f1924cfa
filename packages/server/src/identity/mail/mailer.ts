import type { Letter } from './letter.ts';

/** Takes mails to people. */
export interface Mailer {
  readonly kind: 'smtp' | 'folder';
  /** Sends a mail. Rejects when it could not be handed over. */
  send(letter: Letter): Promise<void>;
  close(): Promise<void>;
}
