import type { InvitationMail } from '../people.ts';
import type { PersonRecord } from '../persons.ts';
import { type MailLanguage, mailLanguageOf } from './mail-language.ts';
import { mailTexts, type SignInChange } from './mail-texts.ts';
import type { Letter } from './mailer.ts';

type Addressee = Pick<PersonRecord, 'email' | 'name' | 'language'>;

export function invitationLetter(
  { email, accountName, inviterName, role, expiresAtMs }: InvitationMail,
  link: string,
  serviceName: string,
  language: MailLanguage,
): Letter {
  const facts = { accountName, inviterName, role, expiresAtMs, link, serviceName };
  return { to: email, ...mailTexts(language).invitation(facts) };
}

/** Sends the link to a new password. `sourceAddress` asked for it. */
export function resetLetter(
  { email, name, language }: Addressee,
  facts: {
    readonly link: string;
    readonly serviceName: string;
    readonly minutes: number;
    readonly sourceAddress: string | undefined;
    /** That of the request, for a person who has not used the portal in any. */
    readonly language: MailLanguage;
  },
): Letter {
  return { to: email, ...mailTexts(mailLanguageOf(language, facts.language)).reset({ ...facts, name }) };
}

/** Reports a security-relevant change to a person's sign-in, so that they can object. */
export function changeLetter(
  { email, name, language }: Addressee,
  facts: {
    readonly change: SignInChange;
    readonly serviceName: string;
    readonly atMs: number;
    /** That of the request. */
    readonly language: MailLanguage;
  },
): Letter {
  return { to: email, ...mailTexts(mailLanguageOf(language, facts.language)).change({ ...facts, name }) };
}

/** Reports that earlier credentials have ended because the identity provider has now identified the person. */
export function earlierEndedLetter(
  { email, name, language }: Addressee,
  facts: {
    readonly providerName: string;
    readonly serviceName: string;
    readonly atMs: number;
    /** That of the request. */
    readonly language: MailLanguage;
  },
): Letter {
  const words = mailTexts(mailLanguageOf(language, facts.language)).earlierEnded({ ...facts, name });
  return { to: email, ...words };
}
