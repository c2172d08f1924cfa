import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@countersign/contract';
import type { Logger } from 'pino';
import type { Mailer } from './mailer.ts';

/**
 * Used when no mail server is configured: each mail becomes a file that only its owner can read. The log names the file but
 * nothing in it, because its link grants access.
 */
export function folderMailer(folder: string, logger: Logger): Mailer {
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
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, file), `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
      logger.info({ file, subject }, 'a mail was written to the mail folder, because no mail server is set');
    },
    close: () => Promise.resolve(),
  };
}
