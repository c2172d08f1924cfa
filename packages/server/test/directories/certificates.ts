import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority, a server's certificate from it, and one that nobody trusts. */
export interface Certificates {
  readonly authority: string;
  readonly server: Certificate;
  readonly stranger: Certificate;
}

export const skipWithoutOpenssl: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

/** Makes the certificates of a test. The names are those that the server's certificate is valid for. */
export function makeCertificates(names: readonly string[]): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-directories-'));
  const file = (name: string): string => join(folder, name);
  const openssl = (command: string, ...others: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', [...command.split(' '), ...others]);
    assert.equal(status, 0, stderr.toString());
  };
  const make = (name: string, ...others: readonly string[]): Certificate => {
    const newKey = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
    openssl(newKey, '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`), ...others);
    return {
      cert: readFileSync(file(`${name}.pem`), 'utf8'),
      key: readFileSync(file(`${name}.key`), 'utf8'),
    };
  };
  try {
    const alternativeNames = ['-addext', `subjectAltName=${names.join(',')}`];
    const authority = make('authority');
    const byAuthority = ['-CA', file('authority.pem'), '-CAkey', file('authority.key')];
    const notAnAuthority = ['-addext', 'basicConstraints=critical,CA:FALSE'];
    const server = make('server', ...byAuthority, ...alternativeNames, ...notAnAuthority);
    const stranger = make('stranger', ...alternativeNames);
    return { authority: authority.cert, server, stranger };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
