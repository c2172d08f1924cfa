import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { loadCommands } from '../src/commands/load-command.ts';
import { exits } from '../src/exits.ts';
import { run } from './run.ts';

const commands = await loadCommands();

const folder = tmpdir();
const escapeCode = '\u001b';

describe('wrong use', () => {
  const cases: readonly { readonly argv: readonly string[]; readonly says: RegExp }[] = [
    { argv: ['reqest'], says: /no command "reqest"\. Did you mean "request"/ },
    { argv: ['clients', 'ad'], says: /Did you mean "clients add"/ },
    { argv: ['keys', 'delete', 'x'], says: /The commands are keys add, keys revoke/ },
    { argv: ['--json=1', 'request'], says: /Put the command first/ },
    { argv: ['keygen', '--bitz', '2048'], says: /no option --bitz\. Did you mean --bits\?/ },
    { argv: ['keygen', '-z'], says: /no option -z\. Its options are --algorithm, --bits, --out/ },
    { argv: ['keygen', '--__proto__'], says: /no option --__proto__/ },
    { argv: ['keygen', '--bits'], says: /--bits needs a value/ },
    { argv: ['keygen', '--out', '--force'], says: /--out needs a value.*write --out=--force/ },
    { argv: ['keygen', '--force=yes'], says: /--force takes no value/ },
    { argv: ['keygen', '--bits', '2048', '--bits', '3072'], says: /--bits is repeated/ },
    { argv: ['keygen', 'extra'], says: /"extra" is one argument too many/ },
    { argv: ['keygen', '--bits', '1024'], says: /from 2048 to 8192/ },
    { argv: ['keygen', '--bits', '2e3'], says: /from 2048 to 8192/ },
    { argv: ['keygen', '--out', '-'], says: /written only to files/ },
    { argv: ['keygen', '--out', 'a.pem', '--public-out', './a.pem'], says: /must be different files/ },
    { argv: ['request'], says: /METHOD is missing: countersign request METHOD URL/ },
    { argv: ['request', 'GET'], says: /URL is missing/ },
    { argv: ['verify', 'a.http'], says: /--key FILE/ },
    { argv: ['verify', '--key', 'k', '--scheme', 'ftp'], says: /--scheme must be http or https/ },
    { argv: ['verify', '--key', 'k', '--at', 'yesterday'], says: /"yesterday" is not a time/ },
    { argv: ['verify', '--key', 'k', '--at', '2026-01-31T08:00:00'], says: /is not a time/ },
    { argv: ['verify', '--key', 'k', '--at', '2026-13-31T08:00:00Z'], says: /is not a time/ },
    { argv: ['clients', 'add', '--key', 'k'], says: /--name NAME/ },
    { argv: ['clients', 'add', '--name', 'n'], says: /--key FILE/ },
    {
      argv: ['clients', 'add', '--name', 'n', '--key', 'k'],
      says: /--network 0\.0\.0\.0 to allow any address/,
    },
    { argv: ['clients', 'show'], says: /CLIENT_ID is missing/ },
    { argv: ['keys', 'add', 'client_x'], says: /--key FILE/ },
  ];
  for (const { argv, says } of cases) {
    it(`countersign ${argv.join(' ')}`, async () => {
      const { code, out, errors } = await run(argv, { folder });
      assert.equal(code, exits.usage.code);
      assert.match(errors, says);
      assert.equal(out, '');
    });
  }

  it('is one JSON object for scripts', async () => {
    const { code, out, errors } = await run(['keygen', '--bitz', '1', '--json'], { folder });
    assert.equal(code, exits.usage.code);
    assert.equal((JSON.parse(out) as { code: string }).code, 'usage');
    assert.equal(errors, '');
  });

  it('cannot send control characters to the terminal', async () => {
    const { errors } = await run([`x${escapeCode}[2J`], { folder });
    assert.ok(!errors.includes(escapeCode));
    assert.match(errors, /x\\u001b\[2J/);
  });
});

describe('help', () => {
  it('is shown, as wrong use, when there is no command', async () => {
    const { code, out, errors } = await run([], { folder });
    assert.equal(code, exits.usage.code);
    assert.equal(out, '');
    for (const { name } of commands) assert.ok(errors.includes(`  ${name} `), name);
  });

  it('lists all commands and exit codes', async () => {
    const { code, out } = await run(['--help'], { folder });
    assert.equal(code, exits.ok.code);
    for (const { name, summary } of commands) assert.ok(out.includes(summary), name);
    for (const { meaning } of Object.values(exits)) assert.ok(out.includes(meaning));
  });

  it('lists the commands of a group', async () => {
    const asked = await run(['clients', '--help'], { folder });
    assert.equal(asked.code, exits.ok.code);
    assert.match(asked.out, /clients disable/);
    assert.equal((await run(['clients'], { folder })).code, exits.usage.code);
  });

  for (const command of commands) {
    it(`of ${command.name} has every option and an example`, async () => {
      const { code, out, errors } = await run([...command.name.split(' '), '--help'], { folder });
      assert.equal(code, exits.ok.code);
      assert.equal(errors, '');
      for (const name of Object.keys(command.options)) assert.ok(out.includes(`--${name}`), name);
      assert.ok(out.includes(`countersign ${command.name}`));
      assert.equal((await run(['help', ...command.name.split(' ')], { folder })).out, out);
    });
  }

  it('shows examples that the command can read', async () => {
    // With --help, a command reads all its arguments and does nothing.
    for (const { name, examples } of commands) {
      for (const { line } of examples) {
        const words = line.replace(/^eval "\$\((.*)\)"$/, '$1').match(/'[^']*'|\S+/g) ?? [];
        const argv = words.slice(1).map((word) => word.replace(/^'|'$/g, ''));
        const { code, errors } = await run([...argv, '--help'], { folder });
        assert.equal(code, exits.ok.code, `${name}: ${line}: ${errors}`);
      }
    }
  });

  it('says the version of the package', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    assert.equal((await run(['--version'], { folder })).out, `${manifest.version}\n`);
  });
});

describe('README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

  it('names every command', () => {
    for (const { name } of commands) assert.ok(readme.includes(`countersign ${name}`), name);
  });

  it('has the exit codes of the program', () => {
    const rows = [...readme.matchAll(/^\| (\d) \| (.+) \|$/gm)].map(([, code, meaning]) => [
      Number(code),
      meaning,
    ]);
    assert.deepEqual(
      rows,
      Object.values(exits).map(({ code, meaning }) => [code, meaning]),
    );
  });
});
