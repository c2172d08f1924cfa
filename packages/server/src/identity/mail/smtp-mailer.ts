import type { Transporter } from 'nodemailer';
import type { SecretUrl } from '../../configuration/secret-url.ts';
import type { Mailer } from './mailer.ts';

/** Sends mails through a mail server: `smtp://` with STARTTLS if offered, `smtps://` with TLS from the start. */
export function smtpMailer(url: SecretUrl, from: string): Mailer {
  let transport: Promise<Transporter> | undefined;
  return {
    kind: 'smtp',
    send: async ({ to, subject, text }) => {
      transport ??= openTransport(url);
      await (
        await transport
      ).sendMail({
        from,
        // As an object, so that nothing in an address can become a second recipient.
        to: { name: '', address: to },
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    close: async () => (await transport)?.close(),
  };
}

/** Loads the library with the first mail, which keeps the start fast. */
async function openTransport(url: SecretUrl): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    ...optionsOf(url),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Mails never need files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

const timeoutMs = 10_000;

function optionsOf(url: SecretUrl): {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
} {
  const { protocol, hostname, port, username, password } = new URL(url.reveal());
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
  };
}
