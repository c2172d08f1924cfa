import { usageError } from '../exits.ts';
import type { Io } from '../terminal/io.ts';
import { fieldLines, signatureBaseText } from '../terminal/layout.ts';
import { coloursFor } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';
import type { ReceivedAnswer, RequestToSend } from './send-request.ts';
import { bodyForOutput } from './show-answer.ts';

/** What `--print` can show, by its letter. */
const printableParts = {
  S: 'the signature base',
  H: "the request's headers",
  B: "the request's body",
  h: "the answer's headers",
  b: "the answer's body",
  m: 'how long each step took',
} as const;

type Part = keyof typeof printableParts;

/** Reads the letters of `--print`. Throws a usage error. */
export function readParts(text: string): ReadonlySet<Part> {
  const letters = text.split('');
  const known = letters.filter((letter): letter is Part => Object.hasOwn(printableParts, letter));
  if (known.length === letters.length && letters.length > 0) return new Set(known);
  throw usageError(
    `--print takes letters: ${Object.entries(printableParts)
      .map(([letter, what]) => `${letter} for ${what}`)
      .join(', ')}.`,
  );
}

/** Prints parts of a request and its response on standard output, in the order in which they went over the wire. */
export function printParts(
  parts: ReadonlySet<Part>,
  exchange: {
    readonly signatureBase: string;
    readonly sent: RequestToSend;
    readonly answer: ReceivedAnswer;
  },
  io: Io,
): void {
  const { signatureBase, sent, answer } = exchange;
  const target = sent.url.slice(new URL(sent.url).origin.length);
  if (parts.has('S'))
    io.output.write(`${signatureBaseText('Signature base', signatureBase, coloursFor(io, io.output))}\n`);
  if (parts.has('H')) writeHead(`${sent.method} ${target} HTTP/1.1`, sent.headers, io);
  if (parts.has('B') && sent.body !== undefined) writeBody(sent.body, io);
  if (parts.has('h')) writeHead(`HTTP/1.1 ${answer.status} ${answer.statusText}`, answer.headers, io);
  if (parts.has('b')) io.output.write(bodyForOutput(answer.body, io));
  if (parts.has('m')) io.output.write(`${parts.has('b') ? '\n' : ''}${timingText(answer)}`);
}

/** How long each step of an exchange took, until the end of the response. */
export function timingText({ timing, durationMs }: ReceivedAnswer): string {
  const shown = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : `${ms.toFixed(1)} ms`;
  return fieldLines([
    ['name', shown(timing.nameMs)],
    ['connection', shown(timing.connectionMs)],
    ['TLS', shown(timing.tlsMs)],
    ['first byte', shown(timing.firstByteMs)],
    ['body', shown(timing.bodyMs)],
    ['all', shown(durationMs)],
  ]);
}

function writeHead(startLine: string, headers: readonly (readonly [string, string])[], io: Io): void {
  const lines = [startLine, ...headers.map(([name, value]) => `${name}: ${value}`)];
  io.output.write(`${lines.map((line) => `${visible(line)}\n`).join('')}\n`);
}

function writeBody(body: Uint8Array, io: Io): void {
  io.output.write(bodyForOutput(Buffer.from(body), io));
  if (body.at(-1) !== 10) io.output.write('\n');
  io.output.write('\n');
}
