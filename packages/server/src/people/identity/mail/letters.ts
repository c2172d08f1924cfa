import type { InvitationMail } from '../people.ts';
import type { PersonRecord } from '../persons.ts';
import type { Letter } from './mailer.ts';

type Addressee = Pick<PersonRecord, 'email' | 'name'>;

export function invitationLetter(
  { email, accountName, inviterName, role, expiresAtMs }: InvitationMail,
  link: string,
  serviceName: string,
): Letter {
  return {
    to: email,
    subject: `${inviterName} invited you to ${accountName}`,
    text: `Hello,

${inviterName} has invited you to join the account "${accountName}" on ${serviceName} as ${role}.

Accept the invitation here:
${link}

The link works once and expires on ${dayOf(expiresAtMs)}. If you were not expecting this, you can ignore it.
`,
  };
}

/** Sends the link to a new password. `sourceAddress` asked for it. */
export function resetLetter(
  { email, name }: Addressee,
  {
    link,
    serviceName,
    minutes,
    sourceAddress,
  }: {
    readonly link: string;
    readonly serviceName: string;
    readonly minutes: number;
    readonly sourceAddress: string | undefined;
  },
): Letter {
  const from = sourceAddress === undefined ? '' : ` from the address ${sourceAddress}`;
  return {
    to: email,
    subject: `Reset your password for ${serviceName}`,
    text: `Hello ${name},

We received a request${from} to reset your password for ${serviceName}. Choose a new one here:
${link}

The link works once and expires in ${minutes} minutes. If you did not ask for this, ignore it. Your password stays the same.
`,
  };
}

/** Reports a security-relevant change to a person's sign-in, so that they can object. */
export function changeLetter(
  { email, name }: Addressee,
  what: string,
  serviceName: string,
  atMs: number,
): Letter {
  return {
    to: email,
    subject: `Your sign-in to ${serviceName} has changed`,
    text: `Hello ${name},

${what} (${new Date(atMs).toUTCString()}).

If this was you, no action is needed. If it was not, reset your password now with "Forgot your password?" on the sign-in page, and
tell an account owner.
`,
  };
}

/** Reports that earlier credentials have ended because the identity provider has now identified the person. */
export function earlierEndedLetter({
  email,
  name,
  providerName,
  serviceName,
  atMs,
}: {
  readonly email: string;
  readonly name: string;
  readonly providerName: string;
  readonly serviceName: string;
  readonly atMs: number;
}): Letter {
  return {
    to: email,
    subject: `Your sign-in to ${serviceName} has changed`,
    text: `Hello ${name},

You signed in with ${providerName} for the first time (${new Date(atMs).toUTCString()}).

Someone had already set up a password for your email address without proving that they own it. That password no
longer works, nor do the passkeys, authenticator app and recovery codes set up with it, and all sessions were signed out.

If that was you, no action is needed. Sign in with ${providerName} from now on. If it was not, someone else acted in your name.
Tell an account owner, because the audit log shows what was done.
`,
  };
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toUTCString();
}
