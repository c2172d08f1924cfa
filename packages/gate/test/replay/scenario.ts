import { readFileSync } from 'node:fs';

/** A signed request of the vectors. */
export interface ScenarioRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly base64: string } | null;
}

/** One step: a request, or an action that begins with `@`, at a time in seconds after the start. */
export interface ScenarioStep {
  readonly at: number;
  readonly request: string;
  readonly expect: string;
  readonly variant?: string | null;
  readonly node?: string;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly ScenarioStep[];
}

/** The file `vectors/profile/replay.json`. */
export interface ScenarioFile {
  /** Unix seconds at which each scenario starts. */
  readonly now: number;
  readonly clients: readonly { readonly clientId: string; readonly publicKey: 'rsa-2048-a' | 'rsa-2048-b' }[];
  readonly requests: Readonly<Record<string, ScenarioRequest>>;
  readonly scenarios: readonly Scenario[];
}

/** Reads the scenarios. */
export function readScenarios(): ScenarioFile {
  const file = new URL('../../../../vectors/profile/replay.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as ScenarioFile;
}

type Lines = readonly (readonly [name: string, value: string])[];

/** What a repetition changes outside of what is signed: the header lines that are sent instead. */
export const variants: Readonly<Record<string, (lines: Lines) => Lines>> = {
  'signature-unpadded': (lines) => withSignature(lines, (text) => text.replaceAll('=', '')),
  'signature-pad-bits': (lines) =>
    withSignature(lines, (text) => text.replace(/.(?==+$)/, (last) => alphabet[alphabet.indexOf(last) + 1]!)),
  'header-case': (lines) => lines.map(([name, value]) => [name.toUpperCase(), value]),
  'header-order': (lines) => lines.toReversed(),
  'extra-header': (lines) => [...lines, ['X-Attempt', '2']],
  'content-type': (lines) =>
    lines.map(([name, value]) => [name, name === 'Content-Type' ? 'application/json; charset=utf-8' : value]),
  ows: (lines) => lines.map(([name, value]) => [name, name === 'Content-Length' ? value : `  ${value} \t `]),
  'user-agent': (lines) => [...lines, ['User-Agent', 'another/2.0']],
  chunked: (lines) => [
    ...lines.filter(([name]) => name !== 'Content-Length'),
    ['Transfer-Encoding', 'chunked'],
  ],
  'other-connection': (lines) => lines,
  'other-source': (lines) => [...lines, ['X-Forwarded-For', '198.51.100.7']],
  'idempotency-key': (lines) => [...lines, ['Idempotency-Key', 'another-attempt']],
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function withSignature(lines: Lines, change: (base64: string) => string): Lines {
  return lines.map(([name, value]) => {
    if (name !== 'Signature') return [name, value];
    const base64 = /^sig=:(.+):$/.exec(value)![1]!;
    return [name, `sig=:${change(base64)}:`];
  });
}
