import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** SoftHSM2, a token in software: Debian's packages softhsm2 and opensc. */
const modules = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

export const softHsmModule: string = modules.find((path) => existsSync(path)) ?? modules[0]!;

/** Why the tests cannot run here, or false. */
export function missingSoftHsm(): string | false {
  if (!existsSync(softHsmModule)) return 'SoftHSM2 is not installed (softhsm2)';
  const isThere = (program: string): boolean => spawnSync(program, ['--help']).error === undefined;
  return !isThere('pkcs11-tool') && 'pkcs11-tool is not installed (opensc)';
}

/** Tokens of their own for a test run. */
export interface SoftHsm {
  readonly folder: string;
  /** Makes a token. */
  initialize(label: string, pin: string): void;
  /** Makes a key pair with OpenSC's tool, as an administrator does. */
  makeKeyPair(
    token: string,
    pin: string,
    key: { readonly label: string; readonly id: string; readonly type?: string },
  ): void;
  /** Runs OpenSC's tool on a token, logged in. */
  tool(token: string, pin: string, ...argv: readonly string[]): string;
  serialOf(label: string): string;
  remove(): void;
}

/** Prepares a folder for tokens. The module reads its path from the environment of this process. */
export function openSoftHsm(): SoftHsm {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-softhsm-'));
  mkdirSync(join(folder, 'tokens'));
  const configuration = join(folder, 'softhsm2.conf');
  writeFileSync(
    configuration,
    `directories.tokendir = ${folder}/tokens\nobjectstore.backend = file\nlog.level = ERROR\n`,
  );
  const before = process.env['SOFTHSM2_CONF'];
  process.env['SOFTHSM2_CONF'] = configuration;
  const run = (program: string, argv: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, argv, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} failed: ${stdout}${stderr}`);
    return stdout;
  };
  const tool: SoftHsm['tool'] = (token, pin, ...argv) =>
    run('pkcs11-tool', ['--module', softHsmModule, '--token-label', token, '--login', '--pin', pin, ...argv]);
  return {
    folder,
    initialize: (label, pin) => {
      run('softhsm2-util', [
        '--init-token',
        '--free',
        '--label',
        label,
        '--so-pin',
        '12345678',
        '--pin',
        pin,
      ]);
    },
    makeKeyPair: (token, pin, { label, id, type = 'rsa:2048' }) => {
      tool(token, pin, '--keypairgen', '--key-type', type, '--label', label, '--id', id, '--usage-sign');
    },
    tool,
    serialOf: (label) => {
      const slots = run('softhsm2-util', ['--show-slots']).split('Slot info:');
      const slot = slots.find((each) => new RegExp(`Label: +${label}\\s`).test(each)) ?? '';
      return /Serial number: +(\w+)/.exec(slot)?.[1] ?? '';
    },
    remove: () => {
      if (before === undefined) delete process.env['SOFTHSM2_CONF'];
      else process.env['SOFTHSM2_CONF'] = before;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
