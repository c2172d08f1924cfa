import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { keyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { missingPrograms } from '../../cli/test/installed.ts';
import { readSnippets } from '../documents/snippets.ts';
import { snippetCode } from '../src/snippets/snippet.ts';
import { oddClientId, oddFile } from './odd-values.ts';

const languages = readSnippets();

/** The software that each program without a package needs, by language. */
const programs: Readonly<Record<string, readonly string[]>> = {
  shell: ['openssl', 'curl'],
  javascript: [],
  python: ['python3', 'openssl'],
  java: ['java'],
  go: ['go'],
  php: ['php'],
  csharp: ['dotnet'],
};

/** The output of `dotnet new console`. */
const projectOfDotnet = `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework>
    <RollForward>Major</RollForward>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
  </PropertyGroup>
</Project>
`;

describe('the code examples', () => {
  let running: RunningService;
  let folder: string;
  let baseUrl: string;
  let clientId: string;

  before(async () => {
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    running = await runService({
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
    });
    ({ clientId } = await running.addClient({ clientId: oddClientId }));
    folder = await mkdtemp(join(tmpdir(), 'countersign-snippets-'));
    await writeFile(join(folder, oddFile), keyPair.privateKey, { mode: 0o600 });
    await writeFile(join(folder, 'signed-request.csproj'), projectOfDotnet);
  });
  after(async () => {
    await running.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('name each value once', () => {
    const values = { baseUrl: '<base URL>', clientId: '<client>', privateKeyFile: '<file>' };
    for (const { id, withPackage, withoutPackage } of languages) {
      for (const snippet of withoutPackage ? [withPackage, withoutPackage] : [withPackage]) {
        const code = snippetCode(snippet, values);
        const found = [...code.matchAll(/["'](<[^>]*>)["']/g)].map(([, value]) => value);
        assert.equal(found.length, 3, code);
        assert.deepEqual(new Set(found), new Set(Object.values(values)), code);
        assert.doesNotMatch(code, /client_…|private\.pem|127\.0\.0\.1/, id);
      }
    }
  });

  it('can be run without a package in these languages', () => {
    const bare = languages.filter(({ withoutPackage }) => withoutPackage !== undefined).map(({ id }) => id);
    assert.deepEqual(bare, Object.keys(programs));
  });

  for (const { id, title, withoutPackage: snippet } of languages) {
    if (snippet === undefined) continue;
    const skip = missingPrograms(...(programs[id] ?? []));
    it(`in ${title}, without a package: both requests are accepted`, { skip }, async () => {
      await writeFile(
        join(folder, snippet.fileName),
        snippetCode(snippet, { baseUrl, clientId, privateKeyFile: oddFile }),
      );
      const output = await run(snippet.run, folder);
      const statuses = [...output.matchAll(/^(?:status|HTTP\/1\.1) (\d+)/gm)].map(([, status]) => status);
      assert.deepEqual(statuses, ['200', '200'], output);
      const answers = output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.deepEqual(
        answers.map((answer) => [answer['clientId'], answer['method'], answer['targetUri']]),
        [
          [clientId, 'GET', `${baseUrl}/v1/signature-test`],
          [clientId, 'POST', `${baseUrl}/v1/signature-test`],
        ],
      );
      assert.match(String(answers[1]?.['contentDigest']), /^sha-256=:/);
    });
  }

  it('with another private key are refused, so that the tests above can fail', async () => {
    const shell = languages.find(({ id }) => id === 'shell')!.withoutPackage!;
    const refusing = await mkdtemp(join(tmpdir(), 'countersign-snippets-'));
    try {
      await writeFile(
        join(refusing, shell.fileName),
        snippetCode(shell, { baseUrl, clientId: 'client_nobody', privateKeyFile: 'private.pem' }),
      );
      await writeFile(join(refusing, 'private.pem'), keyPair.privateKey, { mode: 0o600 });
      const output = await run(shell.run, refusing);
      assert.match(output, /signature_invalid[^]*^status 401$/m);
    } finally {
      await rm(refusing, { recursive: true, force: true });
    }
  });
});

/** Runs a command in a folder and gives all that it printed. */
async function run(command: string, folder: string): Promise<string> {
  const [program = '', ...arguments_] = command.split(' ');
  const child = spawn(program === 'node' ? process.execPath : program, arguments_, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  return output;
}
