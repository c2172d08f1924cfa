import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createWebhookCheck } from '@countersign/upstream';
import { missingPrograms } from '../../packages/cli/test/installed.ts';
import { readDocument } from '../documents/run-block.ts';

const { text: page } = readDocument('docs/webhooks-receivers.md');

/** One request of the vectors. */
interface Case {
  readonly name: string;
  readonly secret: string;
  /** Unix seconds. */
  readonly now: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
  readonly verdict: 'accept' | 'reject';
}

/** A function of the page, and how it is run. */
interface Language {
  readonly title: string;
  /** The language of its code block. */
  readonly fence: string;
  readonly codeFile: string;
  readonly mainFile: string;
  /** The last one prints a verdict for each case. */
  readonly commands: readonly string[];
  readonly skip: string | false;
}

const programs = fileURLToPath(new URL('programs/', import.meta.url));
/** Kept, so that the crates are compiled once. */
const rustFolder = join(programs, 'rust/dist');

const languages: readonly Language[] = [
  {
    title: 'JavaScript',
    fence: 'js',
    codeFile: 'webhooks.mjs',
    mainFile: 'main.mjs',
    commands: [`${process.execPath} main.mjs`],
    skip: false,
  },
  {
    title: 'Python',
    fence: 'python',
    codeFile: 'webhooks.py',
    mainFile: 'main.py',
    commands: ['python3 main.py'],
    skip: missingPrograms('python3'),
  },
  {
    title: 'Go',
    fence: 'go',
    codeFile: 'webhooks.go',
    mainFile: 'main.go',
    commands: ['go run main.go webhooks.go'],
    skip: missingPrograms('go'),
  },
  {
    title: 'Java',
    fence: 'java',
    codeFile: 'Webhooks.java',
    mainFile: 'Main.java',
    commands: ['javac Webhooks.java Main.java', 'java Main'],
    skip: missingPrograms('javac', 'java'),
  },
  {
    title: 'C#',
    fence: 'csharp',
    codeFile: 'Webhooks.cs',
    mainFile: 'Main.cs',
    commands: ['mcs -out:receiver.exe Webhooks.cs Main.cs', 'mono receiver.exe'],
    skip: missingPrograms('mcs', 'mono'),
  },
  {
    title: 'PHP',
    fence: 'php',
    codeFile: 'webhooks.php',
    mainFile: 'main.php',
    commands: ['php main.php'],
    skip: missingPrograms('php'),
  },
  {
    title: 'Ruby',
    fence: 'ruby',
    codeFile: 'webhooks.rb',
    mainFile: 'main.rb',
    commands: ['ruby main.rb'],
    skip: missingPrograms('ruby'),
  },
  {
    title: 'Rust',
    fence: 'rust',
    codeFile: 'webhooks.rs',
    mainFile: 'rust',
    commands: [
      `cargo build --locked --quiet --manifest-path rust/Cargo.toml --target-dir ${rustFolder}`,
      `${rustFolder}/debug/receiver`,
    ],
    skip: missingPrograms('cargo'),
  },
  {
    title: 'shell',
    fence: 'sh',
    codeFile: 'webhooks.sh',
    mainFile: 'main.sh',
    commands: ['sh main.sh'],
    skip: missingPrograms('openssl'),
  },
];

describe('receivers of webhooks', () => {
  let folder: string;
  let cases: readonly Case[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-receivers-'));
    const file = new URL('../../vectors/webhooks.json', import.meta.url);
    ({ cases } = JSON.parse(await readFile(file, 'utf8')) as { cases: readonly Case[] });
    const lines = cases.map(({ secret, headers, body, now }) => {
      const values = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
        (name) => headers[name] ?? '',
      );
      return `${[secret, ...values, body, now].join('|')}\n`;
    });
    await writeFile(join(folder, 'cases'), lines.join(''));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const compare = (verdicts: readonly string[]): void => {
    const wrong = cases.flatMap(({ name, verdict }, index) =>
      verdicts[index] === verdict ? [] : [`${name}: ${verdict}, but ${verdicts[index]}`],
    );
    assert.deepEqual([wrong, verdicts.length], [[], cases.length]);
  };

  it('have vectors of both kinds', () => {
    const count = (kind: Case['verdict']): number => cases.filter(({ verdict }) => verdict === kind).length;
    assert.ok(count('accept') >= 10 && count('reject') >= 25, `${count('accept')}, ${count('reject')}`);
  });

  it('with @countersign/upstream: what is signed is accepted, and nothing else', async () => {
    const verdicts = cases.map(async ({ secret, headers, body, now }) => {
      const check = createWebhookCheck({ secret, nowMs: () => now * 1000 });
      const result = await check({ headers, body: Buffer.from(body, 'base64') });
      // Some vectors are signed and not JSON: it is the receiver's turn to reject them.
      return result.ok || result.code === 'event_malformed' ? 'accept' : 'reject';
    });
    compare(await Promise.all(verdicts));
  });

  for (const { title, fence, codeFile, mainFile, commands, skip } of languages) {
    it(`in ${title}: what is signed is accepted, and nothing else`, { skip }, async () => {
      const code = new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1];
      await writeFile(join(folder, codeFile), code!);
      if (fence === 'rust')
        await cp(join(programs, mainFile), join(folder, mainFile), {
          recursive: true,
          filter: (path) => !path.endsWith('dist'),
        });
      else await copyFile(join(programs, mainFile), join(folder, mainFile));
      for (const command of commands.slice(0, -1)) await run(command.split(' '), folder);
      const output = await run(commands.at(-1)!.split(' '), folder);
      compare(output.trimEnd().split('\n'));
    });
  }

  it('in shell: the linter finds nothing', { skip: missingPrograms('shellcheck') }, async () => {
    await run(['shellcheck', '--shell=sh', 'webhooks.sh'], folder);
  });
});

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
