import type { MailTexts, SignInChange } from './mail-texts.ts';

const changes: Readonly<Record<SignInChange, string>> = {
  totp_added: 'An authenticator app was added',
  totp_removed: 'Your authenticator app was removed',
  recovery_codes_replaced: 'New recovery codes were created, and the old ones no longer work',
  passkey_added: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  password_changed: 'Your password was changed',
  password_reset: 'Your password was changed and all sessions were signed out',
};

/** Emails in English. */
export const englishTexts: MailTexts = {
  invitation: ({ inviterName, accountName, serviceName, role, link, expiresAtMs }) => ({
    subject: `${inviterName} invited you to ${accountName}`,
    text: `Hello,

${inviterName} has invited you to join the account "${accountName}" on ${serviceName} as ${role}.

Accept the invitation here:
${link}

The link works once and expires on ${timeOf(expiresAtMs)}. If you were not expecting this, you can ignore it.
`,
  }),
  reset: ({ name, serviceName, link, minutes, sourceAddress }) => ({
    subject: `Reset your password for ${serviceName}`,
    text: `Hello ${name},

We received a request${sourceAddress === undefined ? '' : ` from the address ${sourceAddress}`} to reset your password for ${serviceName}. Choose a new one here:
${link}

The link works once and expires in ${minutes} minutes. If you did not ask for this, ignore it. Your password stays the same.
`,
  }),
  change: ({ name, serviceName, change, atMs }) => ({
    subject: changed(serviceName),
    text: `Hello ${name},

${changes[change]} (${timeOf(atMs)}).

If this was you, no action is needed. If it was not, reset your password now with "Forgot your password?" on the sign-in page, and
tell an account owner.
`,
  }),
  earlierEnded: ({ name, serviceName, providerName, atMs }) => ({
    subject: changed(serviceName),
    text: `Hello ${name},

You signed in with ${providerName} for the first time (${timeOf(atMs)}).

Someone had already set up a password for your email address without proving that they own it. That password no
longer works, nor do the passkeys, authenticator app and recovery codes set up with it, and all sessions were signed out.

If that was you, no action is needed. Sign in with ${providerName} from now on. If it was not, someone else acted in your name.
Tell an account owner, because the audit log shows what was done.
`,
  }),
  notices: ({ name, serviceName, count, lists, moreCount, inboxLink, preferencesLink }) => ({
    subject: `${count === 1 ? '1 new notice' : `${count} new notices`} from ${serviceName}`,
    text: `Hello ${name},

${[...lists, ...(moreCount === 0 ? [] : [`${moreCount} more in the inbox.`])].join('\n\n')}

Read them in your inbox:
${inboxLink}

Choose which notices you get by email:
${preferencesLink}
`,
  }),
};

function changed(serviceName: string): string {
  return `Your sign-in to ${serviceName} has changed`;
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toUTCString();
}
