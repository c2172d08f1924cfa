import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { pino } from 'pino';
import { skipWithoutOpenssl, makeCertificates } from '../directories/certificates.ts';
import { checkChain } from './check-chain.ts';
import { openStreamReceiver, type ReceivedLine, type StreamReceiver } from './receiver.ts';
import { type StreamScene, streamScene } from './scene.ts';
import { openSyslogReceiver, type SyslogReceiver } from './syslog-receiver.ts';

const [backend] = backends;
const secret = 'Bearer hunter2hunter2hunter2';

describe('a stream over TLS', { skip: backend!.skip || skipWithoutOpenssl }, () => {
  let on: StreamScene;
  let stranger: StreamReceiver;
  let syslog: SyslogReceiver;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-streams-'));
  const log: string[] = [];
  before(async () => {
    const { authority, server, stranger: unknown } = makeCertificates(['DNS:localhost']);
    const certificateAuthorityFile = join(folder, 'authority.pem');
    writeFileSync(certificateAuthorityFile, authority);
    stranger = await openStreamReceiver(unknown);
    syslog = await openSyslogReceiver(server);
    on = await streamScene(backend!, {
      receiver: await openStreamReceiver(server),
      logger: pino({ level: 'trace' }, { write: (line: string) => void log.push(line) }),
      settings: { COUNTERSIGN_STREAM_SECRETS: JSON.stringify({ siem: secret, lost: secret }) },
      streams: ({ origin }) => ({
        siem: { what: 'audit', to: `${origin}/in?token=open`, from: 'oldest', certificateAuthorityFile },
        logs: {
          what: 'audit',
          to: `syslog+tls://${syslog.host}`,
          from: 'oldest',
          certificateAuthorityFile,
        },
        lost: { what: 'audit', to: `${stranger.origin}/in`, from: 'oldest', certificateAuthorityFile },
      }),
    });
  });
  after(async () => {
    await on.close();
    await stranger.close();
    await syslog.close();
    rmSync(folder, { recursive: true });
  });

  test('goes to a receiver with a certificate of the authority in the file, with the secret', async () => {
    await on.addClient();
    await on.send();
    assert.ok(checkChain(on.receiver.lines()) > 0);
    const [batch] = on.receiver.batches;
    assert.deepEqual([batch?.path, batch?.headers['authorization']], ['/in?token=open', secret]);
  });

  test('goes by syslog too', () => {
    const lines = syslog.messages.map(
      (message) => JSON.parse(message.slice(message.indexOf('] ') + 2)) as ReceivedLine,
    );
    assert.ok(checkChain(lines) > 0);
  });

  test('nothing goes to a receiver that only claims the name, and the log says why', () => {
    assert.deepEqual(stranger.batches, []);
    assert.match(log.join(''), /"stream":"lost".*certificate/);
  });

  test('the secret is in no log, and not among the settings that the operator sees', () => {
    assert.ok(!log.join('').includes('hunter2'));
    const shown = JSON.stringify(on.scene.running.service.configuration);
    assert.ok(!shown.includes('hunter2') && !shown.includes('token=open'), shown);
  });
});
