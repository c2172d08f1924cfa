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
    subject: `${inviterName} invites you to ${accountName}`,
    text: `Hello,

${inviterName} invites you to work in the account "${accountName}" on ${serviceName}, as ${role}.

Accept the invitation here:
${link}

The link works once, until ${dayOf(expiresAtMs)}. If you do not know what this is about, leave it: nothing happens then.
`,
  };
}

export function resetLetter(
  { email, name }: Addressee,
  link: string,
  serviceName: string,
  minutes: number,
): Letter {
  return {
    to: email,
    subject: `A new password for ${serviceName}`,
    text: `Hello ${name},

somebody, we hope you, has asked for a new password for ${serviceName}. Set it here:
${link}

The link works once, for ${minutes} minutes. If it was not you, leave it: your password stays as it is.
`,
  };
}

/** Reports a security-relevant change of somebody's sign-in, so that they can object. */
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

If it was you, there is nothing to do. If it was not, set a new password at once with "Forgot password" on the sign-in page, and
tell the owner of your account.
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

you have signed in with ${providerName} for the first time (${new Date(atMs).toUTCString()}).

Somebody had set up a password for your address before, without a proof that the address is theirs. If that was you, there is
nothing to do: sign in with ${providerName} from now on. That password, passkeys, authenticator app and recovery codes no longer
work, and all sessions have ended.

If it was not you, somebody else has worked in your name. Tell the owner of your account: the audit log says what was done.
`,
  };
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toUTCString();
}
