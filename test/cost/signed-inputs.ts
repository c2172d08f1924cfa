import { createHash } from 'node:crypto';
import { createSigner, type Signer } from '@countersign/signature/node';
import { apiBaseUrl, publishedKeyPair } from '@countersign/testing/running-service';
import { anywhere } from '../../packages/server/test/management/scene.ts';
import type { Ground } from './ground.ts';

/** A request to a protected API, as bytes. */
export interface SignedInput {
  readonly what: string;
  readonly bytes: () => Uint8Array;
}

/**
 * Requests to a protected API that make each part of the gate's own check work as hard as possible: the head,
 * the signature's fields, the key, the target, the digest and the body.
 */
export async function signedInputs(ground: Ground): Promise<readonly SignedInput[]> {
  const { signer, clientId } = await callerOfApi(ground);
  const request = signedBy(signer);
  const head = (fields: Readonly<Record<string, string>>): SignedInput['bytes'] => request({ fields });
  const input = `sig=("@method" "@target-uri" "date");created=1;keyid="${clientId}";alg="rsa-v1_5-sha256"`;
  return [
    { what: 'an ordinary request, with a key of 4096 bits', bytes: request({}) },
    { what: 'a body of 1 MiB', bytes: request({ method: 'POST', body: Buffer.alloc(1_048_576, 'x') }) },
    {
      what: 'a body of 1 MiB in 64 KiB chunks',
      bytes: request({ method: 'POST', body: Buffer.alloc(1_048_576, 'x'), chunkBytes: 65_536 }),
    },
    {
      what: 'a body of 128 KiB in chunks of one byte',
      bytes: request({ method: 'POST', body: Buffer.alloc(131_072, 'x'), chunkBytes: 1 }),
    },
    {
      what: 'a body with another digest',
      bytes: request({
        method: 'POST',
        body: Buffer.alloc(1_048_576, 'x'),
        fields: { 'Content-Digest': `sha-256=:${createHash('sha256').digest('base64')}:` },
      }),
    },
    ...targets.map(({ what, target }) => ({ what: `target: ${what}`, bytes: request({ target }) })),
    ...signatureInputs(input).map(({ what, value }) => ({
      what: `Signature-Input: ${what}`,
      bytes: head({ 'Signature-Input': value }),
    })),
    ...signatures.map(({ what, value }) => ({
      what: `Signature: ${what}`,
      bytes: head({ Signature: value }),
    })),
    ...['Date', 'Content-Digest', 'Cookie', 'X-Forwarded-For', 'Forwarded', 'Accept-Encoding'].flatMap(
      (name) =>
        ['x', ', ', '=:A', '"\\', ';a=1', '127.0.0.1, '].map((part) => ({
          what: `${name}: ${part.trim()} again and again`,
          bytes: head({ [name]: filled(part, 12_000) }),
        })),
    ),
    { what: 'a hundred header lines', bytes: request({ fields: manyFields(90, 100) }) },
    { what: 'a thousand header lines', bytes: request({ fields: manyFields(1000, 2) }) },
    { what: 'a head of 64 KiB', bytes: request({ fields: { Cookie: 'x'.repeat(65_536) } }) },
  ];
}

/** A client with the largest key that can be registered by default. */
async function callerOfApi({ play }: Ground): Promise<{ signer: Signer; clientId: string }> {
  const { publicKey, privateKey } = publishedKeyPair('rsa-4096-a');
  const { scene } = play;
  const body = { name: 'Calls the API', networkWhitelist: anywhere, publicKey, roles: ['api-user'] };
  const { clientId } = await scene.succeed<{ clientId: string }>(scene.administrator, 'addClient', { body });
  return { clientId, signer: createSigner({ keyid: clientId, privateKey, nowMs: scene.nowMs }) };
}

interface Unsigned {
  readonly method?: string;
  readonly target?: string;
  readonly body?: Buffer;
  /** They replace the signature's own. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Sends the body in chunks of this many bytes. */
  readonly chunkBytes?: number;
}

let requests = 0;

function signedBy(signer: Signer): (unsigned: Unsigned) => SignedInput['bytes'] {
  return ({ method = 'GET', target = '/orders', body, fields = {}, chunkBytes }) =>
    () => {
      requests += 1;
      const own = `${target}${target.includes('?') ? '&' : '?'}n=${requests}`;
      const url =
        target.length > 8000 || /[^!-~]/.test(target)
          ? `${apiBaseUrl}/orders?n=${requests}`
          : apiBaseUrl + own;
      const signed = signer.sign({ method, url, ...(body && { body }) });
      const framing: Record<string, string> =
        body === undefined
          ? {}
          : chunkBytes === undefined
            ? { 'Content-Length': String(body.length) }
            : { 'Transfer-Encoding': 'chunked' };
      const all = {
        Host: new URL(apiBaseUrl).host,
        Connection: 'close',
        ...framing,
        ...signed.headers,
        ...fields,
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = Buffer.from(`${method} ${own} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
      if (body === undefined) return head;
      return Buffer.concat([head, chunkBytes === undefined ? body : chunked(body, chunkBytes)]);
    };
}

function chunked(body: Buffer, chunkBytes: number): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; start += chunkBytes) {
    const part = body.subarray(start, start + chunkBytes);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

const targets = [
  { what: 'a long query', target: `/orders?${filled('a=b&', 7900)}` },
  { what: 'a query of escapes', target: `/orders?${filled('%41', 7900)}` },
  { what: 'many segments', target: filled('/a', 7900) },
  { what: 'dot segments', target: filled('/..', 7900) },
  { what: 'escaped dots and slashes', target: filled('/%2e%2e%2f', 7900) },
  { what: 'escapes of escapes', target: `/${filled('%25', 7900)}` },
  { what: 'semicolons and backslashes', target: `/${filled(';%5c', 7900)}` },
  { what: 'escapes that are no UTF-8', target: `/${filled('%ff', 7900)}` },
  { what: 'more than the limit', target: `/${'a'.repeat(8190)}` },
];

/** 4 KiB are read at most. */
const fieldCharacters = 4000;

function signatureInputs(input: string): readonly { readonly what: string; readonly value: string }[] {
  const room = fieldCharacters - input.length;
  return [
    { what: 'many parameters', value: `${input}${filled(';a=1', room)}` },
    { what: 'many components', value: `sig=(${filled('"date" ', room)});created=1` },
    { what: 'components with parameters', value: `sig=(${filled('"date";key="a" ', room)});created=1` },
    { what: 'many members', value: `${filled('a=(),', room)}${input}` },
    { what: 'a long string', value: `sig=("@method");keyid="${filled('\\"', room)}"` },
    { what: 'a long clientId', value: input.replace(/keyid="[^"]*"/, `keyid="${filled('x', 256)}"`) },
    { what: 'an open string', value: `sig=("${filled('x', room)}` },
    { what: 'open lists', value: `sig=${filled('(', room)}` },
    { what: 'digits', value: `sig=();created=${filled('1', room)}` },
    { what: 'spaces', value: `sig=(${filled(' ', room)})` },
    { what: 'Base64', value: `sig=:${filled('A', room)}:` },
  ];
}

const signatures = [
  { what: 'all of 4096 bits', value: `sig=:${Buffer.alloc(512, 0xff).toString('base64')}:` },
  { what: 'nothing', value: `sig=:${Buffer.alloc(512).toString('base64')}:` },
  { what: 'of 8192 bits', value: `sig=:${Buffer.alloc(1024, 7).toString('base64')}:` },
  { what: 'long', value: `sig=:${Buffer.alloc(2900, 7).toString('base64')}:` },
  { what: 'many members', value: `${filled('a=:AA==:,', fieldCharacters)}sig=:AA==:` },
];

function filled(part: string, characters: number): string {
  return part.repeat(Math.max(1, Math.floor(characters / part.length)));
}

function manyFields(count: number, characters: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`X-${index}`, 'x'.repeat(characters)]),
  );
}
