import { germanTexts } from './german-texts.ts';
import { englishTexts } from './english-texts.ts';
import type { MailLanguage } from './mail-language.ts';

/** What has changed in how a person signs in. */
export type SignInChange =
  | 'totp_added'
  | 'totp_removed'
  | 'recovery_codes_replaced'
  | 'passkey_added'
  | 'passkey_removed'
  | 'password_changed'
  | 'password_reset';

/** The words of an email. */
export interface Words {
  readonly subject: string;
  readonly text: string;
}

/** Every email in one language. Times are in milliseconds, and written in UTC: a recipient's time zone is not known. */
export interface MailTexts {
  readonly invitation: (facts: {
    readonly inviterName: string;
    readonly accountName: string;
    readonly serviceName: string;
    readonly role: string;
    readonly link: string;
    readonly expiresAtMs: number;
  }) => Words;
  readonly reset: (facts: {
    readonly name: string;
    readonly serviceName: string;
    readonly link: string;
    readonly minutes: number;
    readonly sourceAddress: string | undefined;
  }) => Words;
  readonly change: (facts: {
    readonly name: string;
    readonly serviceName: string;
    readonly change: SignInChange;
    readonly atMs: number;
  }) => Words;
  readonly earlierEnded: (facts: {
    readonly name: string;
    readonly serviceName: string;
    readonly providerName: string;
    readonly atMs: number;
  }) => Words;
  readonly notices: (facts: {
    readonly name: string;
    readonly serviceName: string;
    readonly count: number;
    /** A paragraph for each account, with a line for each notice. */
    readonly lists: readonly string[];
    readonly moreCount: number;
    readonly inboxLink: string;
    readonly preferencesLink: string;
  }) => Words;
}

const textsByLanguage: Readonly<Record<MailLanguage, MailTexts>> = { en: englishTexts, de: germanTexts };

export function mailTexts(language: MailLanguage): MailTexts {
  return textsByLanguage[language];
}
