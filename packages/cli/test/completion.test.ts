import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { loadCommands } from '../src/commands/load-command.ts';
import { exits } from '../src/exits.ts';
import { run } from './run.ts';

const commands = await loadCommands();

const folder = tmpdir();
const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const skipOf = (shell: string): string | false => !isThere(shell) && `not installed: ${shell}`;

async function scriptOf(shell: string): Promise<string> {
  const { code, out, errors } = await run(['completion', shell], { folder });
  assert.equal(code, exits.ok.code, errors);
  return out;
}

/** Asks a shell for the completions of a line. The last word is the one being typed. */
const askers: Readonly<Record<string, (script: string, words: readonly string[]) => string[]>> = {
  bash: (script, words) => {
    const array = words.map((word) => `'${word}'`).join(' ');
    const asked = `${script}\nCOMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _countersign; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return output('bash', ['--norc', '-c', asked]);
  },
  zsh: (script, words) => {
    // Replaces the functions of zsh's completion system, without a terminal: they print the suggestions.
    const stand = `
      compdef() { }
      _files() { print -- FILES }
      compadd() { shift; print -l -- $@ }
      _describe() { [[ $1 == -o ]] && shift; local each; for each in \${(P)2}; do print -- \${each%%:*}; done }`;
    const array = words.map((word) => `'${word}'`).join(' ');
    const asked = `${stand}\n${script}\nwords=(${array}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'; _countersign`;
    return output('zsh', ['-f', '-c', asked]);
  },
  fish: (script, words) => {
    const asked = `${script}\ncomplete -C '${words.join(' ')}'`;
    return output('fish', ['--no-config', '-c', asked]).map((line) => line.split('\t')[0]!);
  },
};

function output(shell: string, argv: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(shell, argv, { encoding: 'utf8', cwd: folder });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('countersign completion', () => {
  for (const [shell, ask] of Object.entries(askers)) {
    it(
      `completes commands, groups, options and operations in ${shell}`,
      { skip: skipOf(shell) },
      async () => {
        const script = await scriptOf(shell);
        const offered = (...words: string[]): string[] => ask(script, ['countersign', ...words]);
        const all = offered('');
        for (const { name } of commands) assert.ok(all.includes(name.split(' ')[0]!), name);
        for (const word of ['list', 'add', 'disable']) assert.ok(offered('clients', '').includes(word), word);
        for (const { name, options } of commands) {
          const given = offered(...name.split(' '), '--');
          for (const option of Object.keys(options))
            assert.ok(given.includes(`--${option}`), `${name} --${option}`);
        }
        assert.ok(!offered('keygen', '--').includes('--overlap'));
        assert.ok(offered('api', '').includes('addNetworkEntry'));
        assert.ok(offered('request', '').includes('PATCH'));
        assert.ok(offered('completion', '').includes('fish'));
      },
    );
  }

  it('is for three shells', async () => {
    const { code, errors } = await run(['completion', 'tcsh'], { folder });
    assert.equal(code, exits.usage.code);
    assert.match(errors, /"tcsh" is not bash, zsh or fish/);
  });
});
