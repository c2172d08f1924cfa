import { constants, createPrivateKey, hash, type KeyObject, privateEncrypt, sign } from 'node:crypto';
import { privateKeys } from '../account.ts';
import type { MistakeCase } from '../corpus.ts';

/** A request that a person wants to send. */
export interface Wish {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly clientId: string;
  readonly key: string;
  /** In Unix seconds. */
  readonly clock: number;
}

export type Line = readonly [name: string, value: string];

/** A parameter of Signature-Input, with the quotes around its value. */
export type Parameter = readonly [name: string, raw: string];

/** A signing program, in stages that are each correct. A slip replaces or wraps some of them. */
export interface Program {
  signedMethod: (method: string) => string;
  sentMethod: (method: string) => string;
  signedUrl: (url: string) => string;
  sentUrl: (url: string) => string;
  /** The hashed and the sent form of the body. */
  hashedBody: (body: Buffer) => Buffer;
  sentBody: (body: Buffer) => Buffer;
  digestHash: (body: Buffer) => Buffer;
  /** In base and header. */
  digestText: (digest: Buffer) => string;
  signedDigest: (text: string) => string;
  sentDigest: (text: string) => string;
  clock: (seconds: number) => number;
  dateText: (seconds: number) => string;
  signedDate: (text: string) => string;
  sentDate: (text: string) => string;
  created: (seconds: number) => string;
  components: (names: readonly string[]) => readonly string[];
  parameters: (parameters: readonly Parameter[]) => readonly Parameter[];
  /** The base's text instead of the sent parameters. */
  signedParameters: (parameters: readonly Parameter[]) => readonly Parameter[];
  signedComponents: (names: readonly string[]) => readonly string[];
  signedParams: (params: string) => string;
  keyid: (clientId: string) => string;
  key: (name: string) => string;
  lines: (lines: readonly Line[]) => readonly Line[];
  writeLine: (line: Line, index: number) => string;
  joined: (lines: readonly string[]) => string;
  base: (base: string) => string;
  bytes: (base: string) => Buffer;
  sign: (bytes: Buffer, key: KeyObject) => Buffer;
  signatureText: (signature: Buffer) => string;
  signatureHeader: (text: string) => string;
  inputHeader: (text: string) => string;
  headers: (headers: readonly Line[]) => readonly Line[];
}

const same = <Value>(value: Value): Value => value;
const keys = new Map<string, KeyObject>();

function keyNamed(name: string): KeyObject {
  const known = keys.get(name) ?? createPrivateKey(privateKeys().get(name)!);
  keys.set(name, known);
  return known;
}

export function rightProgram(): Program {
  return {
    signedMethod: same,
    sentMethod: same,
    signedUrl: same,
    sentUrl: same,
    hashedBody: same,
    sentBody: same,
    digestHash: (body) => hash('sha256', body, 'buffer'),
    digestText: (digest) => `sha-256=:${digest.toString('base64')}:`,
    signedDigest: same,
    sentDigest: same,
    clock: same,
    dateText: (seconds) => new Date(seconds * 1000).toUTCString(),
    signedDate: same,
    sentDate: same,
    created: String,
    components: same,
    parameters: same,
    signedParameters: same,
    signedComponents: same,
    signedParams: same,
    keyid: same,
    key: same,
    lines: same,
    writeLine: ([name, value]) => `"${name}": ${value}`,
    joined: (lines) => lines.join('\n'),
    base: same,
    bytes: (base) => Buffer.from(base),
    sign: (bytes, key) => sign('sha256', bytes, key),
    signatureText: (signature) => signature.toString('base64'),
    signatureHeader: (text) => `sig=:${text}:`,
    inputHeader: (text) => `sig=${text}`,
    headers: same,
  };
}

export interface Run {
  readonly request: MistakeCase['request'];
  readonly context: MistakeCase['context'];
  readonly base: string;
  /** As the Signature header holds it. */
  readonly signatureText: string;
}

/** Signs and sends. */
export function run(program: Program, wish: Wish): Run {
  const body = Buffer.from(wish.body);
  const seconds = program.clock(wish.clock);
  const digest = program.digestText(program.digestHash(program.hashedBody(body)));
  const date = program.dateText(seconds);
  const usual = ['@method', '@target-uri', ...(body.length > 0 ? ['content-digest'] : []), 'date'];
  const names = program.components(usual);
  const parameters = program.parameters([
    ['created', program.created(seconds)],
    ['keyid', `"${program.keyid(wish.clientId)}"`],
    ['alg', '"rsa-v1_5-sha256"'],
  ]);
  const params = paramsText(names, parameters);
  const signed = paramsText(program.signedComponents(names), program.signedParameters(parameters));
  const values: Record<string, string> = {
    '@method': program.signedMethod(wish.method),
    '@target-uri': program.signedUrl(wish.url),
    'content-digest': program.signedDigest(digest),
    date: program.signedDate(date),
    host: new URL(wish.url).host,
    'content-type': 'application/json',
    'content-length': String(body.length),
    '@authority': new URL(wish.url).host,
  };
  const lines = program.lines([
    ...names.map((name): Line => [name.toLowerCase(), values[name.toLowerCase()] ?? '']),
    ['@signature-params', program.signedParams(signed)],
  ]);
  const base = program.base(program.joined(lines.map(program.writeLine)));
  const signature = program.sign(program.bytes(base), keyNamed(program.key(wish.key)));
  const signatureText = program.signatureText(signature);
  const sentBody = program.sentBody(body);
  const url = program.sentUrl(wish.url);
  const headers = program.headers([
    ['Host', /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''],
    ['Date', program.sentDate(date)],
    ...(body.length > 0
      ? [
          ['Content-Type', 'application/json'] as const,
          ['Content-Length', String(sentBody.length)] as const,
          ['Content-Digest', program.sentDigest(digest)] as const,
        ]
      : []),
    ['Signature-Input', program.inputHeader(params)],
    ['Signature', program.signatureHeader(signatureText)],
  ]);
  return {
    request: {
      method: program.sentMethod(wish.method),
      targetUri: url,
      headers,
      ...(sentBody.length > 0 && { bodyBase64: sentBody.toString('base64') }),
    },
    context: { nowSeconds: wish.clock + 2 },
    base,
    signatureText,
  };
}

export function paramsText(names: readonly string[], parameters: readonly Parameter[]): string {
  return `(${names.map((name) => `"${name}"`).join(' ')})${parameters.map(([name, raw]) => `;${name}=${raw}`).join('')}`;
}

/** PKCS#1 type 1 padding around anything. */
export function encryptPrivately(content: Buffer, key: KeyObject): Buffer {
  return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, content);
}
