import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@countersign/contract';
import type { Logger } from 'pino';
import type { Mailer } from './mailer.ts';

/**
 * Where no mail server is set: each mail becomes a file that only its owner can read, and a line in the log says which. The
 * line has nothing of what stands in the mail, because a link in it lets whoever reads it in.
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
