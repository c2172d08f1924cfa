import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@countersign/testing/wait-until';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: string[];
  readonly text: string;
  readonly user: string | undefined;
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
}

/** A key and the certificate of 127.0.0.1 for it, in PEM. */
export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
}

/** Makes a certificate that signs itself. */
export function makeServerCertificate(): ServerCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mail-'));
  try {
    const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names, ...files], {
      stdio: 'ignore',
    });
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { key: read('key.pem'), cert: read('certificate.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A mail server that stores what it receives. It rejects addresses that begin with `refused`, and one that can be set. */
export interface MailServer {
  /** The value for the setting `mailUrl`; the password is `mail secret/1`. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** The number of times that a password was sent. */
  readonly signIns: number;
  refuses: string;
  /** Waits for a mail to an address. */
  mailTo(email: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** @param tls what it offers STARTTLS with; without it, it offers none */
export async function runMailServer(tls?: ServerCertificate): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let signIns = 0;
  const server = new SMTPServer({
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    onAuth: ({ username, password }, _session, done) => {
      signIns += 1;
      if (password === 'mail secret/1') done(null, { user: username });
      else done(new Error('no'));
    },
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
          isSecure: session.secure,
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
    get signIns() {
      return signIns;
    },
    refuses: '',
    mailTo: (email) => waitFor(() => received.findLast(({ to }) => to.includes(email)), `a mail to ${email}`),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return mailServer;
}
