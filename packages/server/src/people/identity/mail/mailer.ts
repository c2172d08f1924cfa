import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@countersign/contract';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import type { Transporter } from 'nodemailer';
import type { Logger } from 'pino';
import type { Configuration } from '../../../configuration/load.ts';
import type { SecretUrl } from '../../../configuration/secret-url.ts';

/** A plain-text mail to one person. Its only link is the one in the text. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  readonly kind: 'smtp' | 'folder';
  /** Rejects if the mail could not be handed over. */
  send(letter: Letter): Promise<void>;
  close(): Promise<void>;
}

/** Opens the configured mail server, or the folder that replaces one. */
export function openMailer(configuration: Configuration, logger: Logger): Mailer {
  const { mailUrl, mailFrom = '', mailRequireTls, dataFolder } = configuration;
  return mailUrl === undefined
    ? folderMailer(join(dataFolder, 'mail'), logger)
    : smtpMailer({ url: mailUrl, requireTls: mailRequireTls }, mailFrom);
}

/** Wraps a mailer to report how long each mail took, and whether it failed. */
export function measuredMailer(
  mailer: Mailer,
  onMail: ((durationMs: number, isFailed: boolean) => void) | undefined,
): Mailer {
  return {
    kind: mailer.kind,
    async send(letter) {
      const startedMs = performance.now();
      let isFailed = true;
      try {
        await mailer.send(letter);
        isFailed = false;
      } finally {
        onMail?.(performance.now() - startedMs, isFailed);
      }
    },
    close: () => mailer.close(),
  };
}

/** Connects to the mail server, if there is one, and signs in. Rejects if that fails. */
export async function checkMailServer({ mailUrl, mailRequireTls }: Configuration): Promise<void> {
  if (mailUrl === undefined) return;
  const transport = await openTransport({ url: mailUrl, requireTls: mailRequireTls });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

interface MailServer {
  readonly url: SecretUrl;
  /** Without TLS, sends nothing, not even the password. */
  readonly requireTls: boolean;
}

/**
 * Replaces a mail server if none is configured: each mail becomes a file that only its owner can read. The log
 * names the file but none of its content, because its link grants access.
 */
function folderMailer(folder: string, logger: Logger): Mailer {
  return {
    kind: 'folder',
    send: async ({ to, subject, text }) => {
      const file = `${newId('mail')}.eml`;
      const lines = [
        `To: ${to}`,
        `Subject: ${subject}`,
        `Date: ${new Date().toUTCString()}`,
        'Content-Type: text/plain; charset=utf-8',
        '',
        text,
      ];
      makePrivateFolder(folder);
      // Programs that watch the folder see only complete mails.
      const unfinished = join(folder, `.${file}`);
      await writeFile(unfinished, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
      await rename(unfinished, join(folder, file));
      logger.info(
        { file, subject },
        'an email was written to the mail folder, because no mail server is set',
      );
    },
    close: () => Promise.resolve(),
  };
}

/** Sends mails through a mail server: `smtp://` with STARTTLS if offered or required, `smtps://` with TLS from the start. */
function smtpMailer(server: MailServer, from: string): Mailer {
  let transport: Promise<Transporter> | undefined;
  return {
    kind: 'smtp',
    send: async ({ to, subject, text }) => {
      transport ??= openTransport(server);
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
async function openTransport({ url, requireTls }: MailServer): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    ...optionsOf(url),
    requireTLS: requireTls,
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
