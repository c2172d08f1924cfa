import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type DemonstrationService, startDemonstration } from './demonstration-service.ts';
import { root } from './reader-folder.ts';
import { readDocument, runBlock } from './run-block.ts';

const firstRequest = '# First request in ';
const pages = readdirSync(join(root, 'docs/signing'))
  .map((name) => ({ name, text: readDocument(`docs/signing/${name}`).text }))
  .filter(({ text }) => text.startsWith(firstRequest));

/** The pages whose commands need nothing from a registry. */
const offline = [
  {
    name: 'shell.md',
    programs: [
      ['openssl', 'version'],
      ['curl', '--version'],
    ],
    accepted: '"method":"POST"',
  },
  { name: 'go.md', programs: [['go', 'version']], accepted: '200 OK' },
] as const;

/** The pages whose programs need no edit of the address. */
const addressed = ['javascript.md', 'php.md', 'python.md', 'ruby.md', 'rust.md', 'shell.md'];

describe('the first request of docs/signing', () => {
  for (const { name, text } of pages) {
    it(`${name} has no comments in commands, because zsh takes them for arguments`, () => {
      const commands = commandBlocks(text).join('\n');
      assert.match(commands, /^repository=\/path\/to\/countersign$/m);
      assert.match(text, /^.*["']client_…["']/m);
      assert.doesNotMatch(commands, /(^|\s)#/m);
    });
  }

  for (const { name, text } of pages.filter((page) => addressed.includes(page.name))) {
    it(`${name} takes the address from credentials.json`, () => {
      const setting =
        /^export COUNTERSIGN_BASE_URL="\$\(sed .*"\$repository\/data\/demo\/credentials\.json"\)"$/m;
      assert.match(commandBlocks(text).join('\n'), setting);
      assert.match(text, /COUNTERSIGN_BASE_URL.*http:\/\/127\.0\.0\.1:8421/);
    });
  }

  describe('as written, from an empty folder', () => {
    let service: DemonstrationService;
    let folder: string;
    let repository: string;

    before(async () => {
      service = await startDemonstration();
      folder = mkdtempSync(join(tmpdir(), 'countersign-first-request-'));
      repository = join(folder, 'repository');
      mkdirSync(repository);
      symlinkSync(join(root, 'signers'), join(repository, 'signers'), 'junction');
      symlinkSync(join(service.folder, 'data'), join(repository, 'data'), 'junction');
    });

    after(async () => {
      rmSync(folder, { recursive: true, force: true });
      await service.remove();
    });

    for (const { name, programs, accepted } of offline) {
      const missing = programs.filter(([program, flag]) => spawnSync(program, [flag]).error !== undefined);
      const skip =
        missing.length > 0 && `${missing.map(([program]) => program).join(' and ')} is not installed`;
      it(`${name} ends in an accepted request`, { skip }, async () => {
        const page = pages.find((each) => each.name === name)!.text;
        const empty = join(folder, name);
        mkdirSync(empty);
        const blocks = commandBlocks(page).map((block) => filledIn(block));
        // As in a reader's terminal, exported variables stay exported.
        const exported = join(empty, 'exported');
        await run(`${blocks.slice(0, -1).join('\n')}export -p > '${exported}'\n`, empty);
        saveFiles(filledIn(page), join(empty, 'first'));
        const output = await run(`. '${exported}'\n${blocks.at(-1)!}`, join(empty, 'first'));
        assert.match(output, new RegExp(accepted));
      });
    }

    async function run(text: string, cwd: string): Promise<string> {
      const block = { path: 'docs/signing', line: 0, language: 'sh', text } as const;
      const environment = { TMPDIR: folder, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '' };
      const { exitCode, output, errors } = await runBlock(block, cwd, environment);
      assert.equal(exitCode, 0, `${text}\n${output}\n${errors}`);
      return output;
    }

    function filledIn(commands: string): string {
      const credentials = readFileSync(join(service.folder, 'data/demo/credentials.json'), 'utf8');
      const { clientId, baseUrl } = JSON.parse(credentials) as { clientId: string; baseUrl: string };
      const filled = commands.replace('/path/to/countersign', repository).replaceAll('client_…', clientId);
      // The program takes the address from credentials.json.
      return filled.includes('COUNTERSIGN_BASE_URL')
        ? filled
        : filled.replace('http://127.0.0.1:8421', baseUrl);
    }
  });
});

/** Returns the commands up to the first accepted request, without the programs that a reader saves. */
function commandBlocks(page: string): string[] {
  const [steps = ''] = page.split('\n## Next\n');
  return [...steps.matchAll(/```sh\n([^]*?\n)```\n/g)]
    .map(([, text = '']) => text)
    .filter((text) => !text.startsWith('#!'));
}

/** Saves each program under the name that the page gives it. */
function saveFiles(page: string, folder: string): void {
  const shown = [...page.matchAll(/Save this as `([^`]+)`[^]*?```\w+\n([^]*?\n)```\n/g)];
  assert.notEqual(shown.length, 0, 'The page has no program to save.');
  for (const [, name = '', text = ''] of shown) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
