/**
 * Exports everything about people and their sign-in that the rest of the service may use.
 *
 * @module
 */
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the tables
import type {} from '../../registry/person-tables.ts';

export { checkIdentityProvider } from './identity-provider.ts';
export { germanRole } from './mail/german-texts.ts';
export { type MailLanguage, mailLanguageOf } from './mail/mail-language.ts';
export { checkMailServer } from './mail/mailer.ts';
export { openPeople } from './open-people.ts';
export type { PasswordCost } from './passwords.ts';
export type { DemoCredentials, NoticeDigest, People, PersonSession } from './people.ts';
