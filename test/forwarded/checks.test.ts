import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { freePort } from '@countersign/testing/free-port';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { addParty, codeFor, settingFor, signed } from '@countersign/testing/profiled-requests';
import { apiBaseUrl } from '@countersign/testing/running-service';
import { missingPrograms } from '../../packages/cli/test/installed.ts';
import { type Attack, attacks, profiledAttacks } from '../../packages/upstream/test/attacks.ts';
import {
  asRequest,
  directoryPath,
  openSignedApi,
  withHeader,
} from '../../packages/upstream/test/signed-api.ts';
import { readerFolder } from '../documents/reader-folder.ts';
import { readDocument } from '../documents/run-block.ts';

const { text: page } = readDocument('docs/forwarded-requests.md');

/** A program of the page, and the command that runs it. */
interface Language {
  readonly title: string;
  /** The language of its code block. */
  readonly fence: string;
  readonly codeFile: string;
  readonly mainFile: string;
  readonly commands: readonly string[];
  readonly skip: string | false;
}

const missingModule =
  spawnSync('python3', ['-c', 'import cryptography']).status === 0 ? false : 'not installed: cryptography';

const languages: readonly Language[] = [
  {
    title: 'Python',
    fence: 'python',
    codeFile: 'forwarded_check.py',
    mainFile: 'main.py',
    commands: ['python3 main.py'],
    skip: missingPrograms('python3') || missingModule,
  },
  {
    title: 'Go',
    fence: 'go',
    codeFile: 'forwarded_check.go',
    mainFile: 'main.go',
    commands: ['go run main.go forwarded_check.go'],
    skip: missingPrograms('go'),
  },
  {
    title: 'Java',
    fence: 'java',
    codeFile: 'ForwardedCheck.java',
    mainFile: 'Main.java',
    commands: ['javac ForwardedCheck.java Main.java', 'java Main'],
    skip: missingPrograms('javac', 'java'),
  },
  {
    title: 'PHP',
    fence: 'php',
    codeFile: 'ForwardedCheck.php',
    mainFile: 'main.php',
    commands: ['php main.php'],
    skip: missingPrograms('php'),
  },
];

/** One request for the programs, and their expected output. */
interface Case {
  readonly name: string;
  readonly line: string;
  readonly expected: string;
}

describe('the checks in other languages', () => {
  let folder: string;
  let cases: readonly Case[];
  let directoryUrl: string;
  let reads = 0;
  const closers: (() => unknown)[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-forwarded-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const { curl822, webBotAuth01 } = messageProfiles;
    const api = await openSignedApi(
      { after: (close) => void closers.unshift(close as () => unknown) },
      { environment: settingFor([curl822, webBotAuth01]) },
    );
    const keys = (await api.running.send({ method: 'GET', url: directoryPath })).text;
    const directory = createServer((_, response) => {
      reads += 1;
      response.end(keys);
    });
    directoryUrl = await listenOn(directory);
    closers.unshift(() => closeServer(directory));
    await api.call('POST', '/orders/7?a=1', { body: '{"amount":1}' });
    await api.call('GET', "/orders/a%20b'(x)?q=%7e&r=|{}");
    await api.call('DELETE', '/orders/7?');
    const draft = { method: 'POST', url: `${apiBaseUrl}/orders/7?a=1`, body: '{"amount":1}' };
    for (const profile of [curl822, webBotAuth01])
      for (const { url, ...changed } of [draft, { url: `${draft.url}&b` }]) {
        const created = Math.floor(Date.now() / 1000);
        const party = await addParty(api, profile);
        const sent = await signed(party, { ...changed, url, signature: { created } });
        assert.equal(await codeFor(api, sent), 'accepted');
      }
    const good = api.received.map((received): Case => {
      const { method, url, rawHeaders, body } = asRequest(received);
      const name = `${method} ${url} unchanged`;
      const [clientId, profile, covered] = ['client-id', 'profile', 'covered'].map(
        (one) => received.values(`countersign-${one}`)[0],
      );
      const told = profile === undefined ? '' : ` ${profile} ${covered}`;
      const expected = `accepted ${clientId} api-user ${apiBaseUrl}${url}${told}`;
      return {
        name,
        line: lineOf({ method: method!, url: url!, headers: rawHeaders!, body: body as Buffer }),
        expected,
      };
    });
    const [closed, profiled] = [asRequest(api.received[0]!), asRequest(api.received[3]!)];
    cases = [...good, ...refusedCases(closed, attacks), ...refusedCases(profiled, profiledAttacks), ...good];
    await writeFile(join(folder, 'cases'), cases.map(({ line }) => `${line}\n`).join(''));
  });
  after(async () => {
    for (const close of closers) await close();
  });

  for (const { title, fence, codeFile, mainFile, commands, skip } of languages) {
    it(
      `in ${title}: requests of the gateway are accepted, and changed ones are refused`,
      { skip },
      async () => {
        const code = new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1];
        await writeFile(join(folder, codeFile), code!);
        await copyFile(new URL(`programs/${mainFile}`, import.meta.url), join(folder, mainFile));
        for (const command of commands.slice(0, -1)) await run(command.split(' '), folder);
        reads = 0;
        const audience = `https://other.example.test,${apiBaseUrl}`;
        const output = await run([...commands.at(-1)!.split(' '), directoryUrl, audience, 'cases'], folder);
        const printed = output.trimEnd().split('\n');
        const wrong = cases.flatMap(({ name, expected }, index) =>
          printed[index]?.startsWith(expected) ? [] : `${name}: ${expected}, but ${printed[index]}`,
        );
        assert.deepEqual([wrong, printed.length], [[], cases.length], output);
        assert.equal(reads, 1, 'the keys are read once, also for an unknown one soon after');
      },
    );
  }
});

describe('the server of the page, in Node', () => {
  it('answers what comes through the gateway, and nobody else', async (t) => {
    const [consolePort, serverPort] = [await freePort(), await freePort()];
    const consoleUrl = `http://127.0.0.1:${consolePort}`;
    const api = await openSignedApi(t, {
      environment: {
        COUNTERSIGN_PORT: String(consolePort),
        COUNTERSIGN_API_PORT: '0',
        COUNTERSIGN_PUBLIC_BASE_URLS: consoleUrl,
        COUNTERSIGN_UPSTREAM: `http://127.0.0.1:${serverPort}`,
      },
    });
    const code = /^```js\n([^]*?)^```$/m.exec(page)?.[1] ?? '';
    const program = code
      .replace('https://auth.example.com', consoleUrl)
      .replace('https://api.example.com', apiBaseUrl)
      .replace('listen(3000)', `listen(${serverPort}, '127.0.0.1', () => console.log('listening'))`);
    const { folder, remove } = readerFolder();
    t.after(remove);
    await writeFile(join(folder, 'server.mjs'), program);
    const server = spawn(process.execPath, ['server.mjs'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const closed = once(server, 'close');
    t.after(async () => {
      server.kill('SIGKILL');
      await closed;
    });
    await once(server.stdout, 'data');
    const answer = await api.call('POST', '/orders?a=%20', { body: '{"amount":1}' });
    assert.deepEqual([answer.status, answer.text], [200, `Hello ${api.clientId}, api-user\n`]);
    const direct = await fetch(`http://127.0.0.1:${serverPort}/orders`, {
      headers: { 'Countersign-Client-Id': api.clientId, 'Countersign-Roles': 'api-user' },
    });
    assert.deepEqual([direct.status, await direct.text()], [401, '']);
  });
});

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

function lineOf({ method, url, headers, body }: Sent, ageSeconds = 0): string {
  const now = String(Math.floor(Date.now() / 1000) + ageSeconds);
  const encoded = [method, url, body, ...headers].map((part) =>
    (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)).toString('base64'),
  );
  return [...encoded.slice(0, 3), now, ...encoded.slice(3)].join('\t');
}

/** Every attack that the check for Node rejects, as far as a file of lines can express it, and replays. */
function refusedCases(request: ReturnType<typeof asRequest>, changes: readonly Attack[]): readonly Case[] {
  const changed = changes.flatMap(([name, , change]): Case[] => {
    const { method, url, rawHeaders, body } = change(request, request.rawHeaders!);
    if (!(body instanceof Uint8Array)) return [];
    return [
      { name, line: lineOf({ method: method!, url: url!, headers: rawHeaders!, body }), expected: 'refused' },
    ];
  });
  const { method, url, rawHeaders } = request;
  const same = { method: method!, url: url!, headers: rawHeaders!, body: request.body as Uint8Array };
  const otherLabel = withHeader(rawHeaders!, 'Signature', 'sig=:AAAA:');
  return [
    ...changed,
    { name: 'after a minute', line: lineOf(same, 65), expected: 'refused' },
    { name: 'a minute before', line: lineOf(same, -60), expected: 'refused' },
    { name: 'no signature of ours', line: lineOf({ ...same, headers: otherLabel }), expected: 'refused' },
  ];
}

async function run([program = '', ...arguments_]: readonly string[], folder: string): Promise<string> {
  const child = spawn(program, arguments_, {
    cwd: folder,
    env: { ...process.env, GO111MODULE: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  assert.equal(code, 0, errors + output);
  return output;
}
