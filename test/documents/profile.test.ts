import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  builtInRoles,
  operations,
  pageLimits,
  type ProblemCode,
  problems,
} from '../../packages/contract/src/index.ts';
import { headLimits } from '../../packages/gate/src/http/framing.ts';
import { profileListenerLimits } from '../../packages/gate/src/http/listener.ts';
import {
  acceptReplaysUnsafely,
  createSigner,
  createVerificationKey,
  profileLimits,
  type Verification,
  verifyRequest,
} from '../../packages/signature/src/node.ts';
import { checks } from '../../packages/signature/src/profile/index.ts';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';
import { codesIn, section, tableRows } from './tables.ts';

const { text, markdown } = readDocument('docs/profile.md');
const example = section(text, 'A worked example');
const fence = (language: string): string =>
  markdown.fences.find((one) => one.words[0] === language && example.includes(one.text))?.text ?? '';

describe('the worked example of docs/profile.md', () => {
  it('is refused when one character of it is changed', () => {
    const changes: [string, string][] = [
      ['POST', 'PUT'],
      ['ref=373', 'ref=374'],
      ['16:28:42', '16:28:43'],
      ['146515', '946515'],
      ['uXAhj', 'vXAhj'],
      ['created=1779899322', 'created=1779899323'],
    ];
    for (const [from, to] of changes) {
      const changed = fence('http').replace(from, to);
      assert.notEqual(changed, fence('http'));
      assert.equal(verify(changed).ok, false, from);
    }
  });

  it('verifies', () => {
    assert.equal(verify(fence('http')).ok, true);
  });

  it('has the body, the base and the signature that our signer makes', () => {
    const { method, targetUri, headers, body } = readRequest(fence('http'));
    const signer = createSigner({ keyid, privateKey: key.privateKeyPem });
    const signed = signer.sign({ method, url: targetUri, body }, { created });
    assert.equal(fence('json'), body);
    assert.equal(Buffer.byteLength(body), 63);
    assert.equal(fence('text'), signed.signatureBase);
    for (const [name, value] of Object.entries(signed.headers)) {
      assert.deepEqual(
        headers.filter(([one]) => one === name),
        [[name, value]],
      );
    }
  });
});

describe('docs/profile.md', () => {
  it('lists the checks with the codes and the status of the table of problems', () => {
    const rows = tableRows(section(text, '2.1 The checks, in order'));
    assert.ok(rows.length >= 13);
    for (const row of rows) {
      const codes = codesIn(row[2] ?? '') as ProblemCode[];
      const statuses = new Set(codes.map((code) => problems[code].status));
      assert.deepEqual([...statuses].join(', '), row[3], String(row[2]));
    }
  });

  it('lists the checks in the order in which they run', () => {
    const rows = tableRows(section(text, '2.1 The checks, in order')).map((row) => codesIn(row[2] ?? ''));
    const places = [0];
    for (const { name, codes } of checks) {
      // What cannot be decided is 503, and has a paragraph of its own.
      const decided = codes.filter((code) => problems[code].status !== 503);
      const from = places.at(-1)!;
      const place = rows.findIndex(
        (row, index) => index >= from && decided.every((code) => row.includes(code)),
      );
      assert.notEqual(
        place,
        -1,
        `no row from ${from + 1} on has the codes of the check ${name}: ${decided.join(', ')}`,
      );
      places.push(place);
    }
    assert.deepEqual([...new Set(places)], [...rows.keys()]);
  });

  it('names only codes that exist', () => {
    const codes = codesIn(section(text, '2.1 The checks, in order')).filter((word) => word.includes('_'));
    for (const code of codes) assert.ok(Object.hasOwn(problems, code), code);
  });

  it('has the limits of the code', () => {
    const limits = Object.fromEntries(
      tableRows(section(text, '2.6 Limits')).map(([what = '', limit = '']) => [what, limit]),
    );
    const number = (value: number): string => value.toLocaleString('en-US');
    assert.deepEqual(limits, {
      'Header section': `${number(profileListenerLimits.headerBytesMax)} bytes, ${headLimits.headerLinesMax} lines`,
      'Request target': `${number(headLimits.targetBytesMax)} bytes`,
      '`Signature-Input`, `Signature`': `${number(profileLimits.signatureFieldLengthMax)} characters each`,
      Body: '1,048,576 bytes (a setting)',
      'Time for the headers': `${profileListenerLimits.headersTimeoutMs / 1000} s`,
      'Time for the whole request': `${profileListenerLimits.requestTimeoutMs / 1000} s`,
      '`keyid`': `${profileLimits.keyidLengthMax} characters`,
    });
    const lists = `\`limit\` (1 to ${pageLimits.limitMax}, default ${pageLimits.limitDefault})`;
    assert.ok(text.includes(lists), lists);
  });

  it('lists the operations of the sandbox with their permissions', () => {
    const rows = tableRows(section(text, '2.8 The sandbox API')).map(([operation, permission]) => [
      operation,
      permission,
    ]);
    const expected = Object.values(operations)
      .filter(({ path }) => /^\/v1\/(?:whoami|signature-test|payments)/.test(path))
      .map(({ method, path, permission }) => [
        `\`${method} ${path}\``,
        permission === undefined ? 'none' : `\`${permission}\``,
      ]);
    assert.deepEqual(rows, expected);
    for (const role of Object.keys(builtInRoles).filter((name) => name.startsWith('payments-')))
      assert.ok(text.includes(`\`${role}\``), role);
  });
});

const created = 1_779_899_322;
const keyid = '05515749-5a68-4df1-8954-058c9d74c2cf';
const { keys } = JSON.parse(readFileSync(join(root, 'vectors/profile/keys.json'), 'utf8')) as {
  keys: Record<string, { publicKeyPem: string; privateKeyPem: string }>;
};
const key = keys['rsa-2048-a']!;

interface ReadRequest {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: [string, string][];
  readonly body: string;
}

function readRequest(raw: string): ReadRequest {
  const [head = '', body = ''] = raw.split('\n\n');
  const [requestLine = '', ...lines] = head.split('\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const host = headers.find(([name]) => name === 'Host')?.[1] ?? '';
  return { method, targetUri: `https://${host}${target}`, headers, body };
}

function verify(raw: string): Verification<unknown> {
  const { method, targetUri, headers, body } = readRequest(raw);
  const client = { keys: [createVerificationKey(key.publicKeyPem)] };
  return verifyRequest(
    { method, targetUri, headers, body: new TextEncoder().encode(body) },
    {
      clientByKeyid: (id) => (id === keyid ? client : undefined),
      guard: acceptReplaysUnsafely,
      nowSeconds: () => created + 2,
    },
  );
}
