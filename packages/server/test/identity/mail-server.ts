import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: string[];
  readonly text: string;
  readonly user: string | undefined;
}

/** A mail server that stores what it receives. It rejects addresses that begin with `refused`, and one that can be set. */
export interface MailServer {
  /** The value for the setting `mailUrl`; the password is `mail secret/1`. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  refuses: string;
  /** Waits for a mail to an address. */
  mailTo(email: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

export async function runMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'mail secret/1' ? done(null, { user: username }) : done(new Error('no')),
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('refused') || address === mailServer.refuses ? new Error('unknown') : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8').replaceAll('=\r\n', '').replaceAll('=3D', '='),
          user: session.user,
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailServer: MailServer = {
    url: `smtp://portal:mail%20secret%2F1@127.0.0.1:${port}`,
    received,
    refuses: '',
    mailTo: async (email) => {
      for (;;) {
        const mail = received.findLast(({ to }) => to.includes(email));
        if (mail !== undefined) return mail;
        await sleep(20);
      }
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return mailServer;
}
