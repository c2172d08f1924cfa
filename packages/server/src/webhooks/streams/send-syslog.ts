import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { overConnection } from '../../directories/bounded-exchange.ts';
import { sentenceOf } from '../delivery-problem.ts';
import { problemOfConnection } from '../webhook-url.ts';
import type { SendingMeans } from './send-batch.ts';
import type { StreamRecord } from '../../registry/stream-records.ts';
import type { SentStream } from './sent-stream.ts';

const totalMs = 15_000;
const settleMsMin = 50;
const settleMsMax = 1000;

/**
 * Sends a batch by syslog, over a connection of its own: messages of RFC 5424, framed by their lengths (RFC 5425 section 4.3, over
 * plain TCP RFC 6587). Returns why it failed; undefined if it was acknowledged.
 *
 * Syslog has no acknowledgements. What comes nearest: when all is sent, this side ends the connection, and waits for the
 * receiver to end it too, without an error (RFC 5425 section 4.4). A receiver that dies before it has read everything resets the
 * connection instead. What it has read and then loses, nobody can know.
 */
export async function sendSyslog(
  stream: SentStream,
  records: readonly StreamRecord[],
  { means, deadline, closing }: Pick<SendingMeans, 'means' | 'deadline' | 'closing'>,
): Promise<string | undefined> {
  const signal = AbortSignal.any([closing, deadline(totalMs)]);
  const target = { ok: true, url: stream.to.url, isTrusted: true } as const;
  const startedMs = performance.now();
  try {
    await overConnection(target, { ...means, applicationProtocols: [] }, signal, (socket) => {
      // At least one round trip.
      const settleMs = Math.min(Math.max(performance.now() - startedMs, settleMsMin), settleMsMax);
      return exchange(socket, syslogFrames(stream, records), { signal, settleMs });
    });
    return undefined;
  } catch (error) {
    if (signal.aborted) return 'The receiver did not take everything within 15 seconds.';
    const problem = problemOfConnection(error);
    return problem === undefined
      ? 'The receiver ended the connection before it had taken everything.'
      : sentenceOf(problem);
  }
}

/** @param settleMs how long to wait, after everything was written, for the end of a receiver that was gone before */
async function exchange(
  socket: Socket,
  frames: Buffer,
  { signal, settleMs }: { readonly signal: AbortSignal; readonly settleMs: number },
): Promise<void> {
  let isSent = false;
  const ended = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    // An end that comes before everything is sent is a failure.
    socket.on('end', () => {
      if (!isSent) reject(new Error('ended early'));
    });
    socket.on('close', (hadError: boolean) =>
      isSent && !hadError && socket.readableEnded ? resolve() : reject(new Error('closed')),
    );
  });
  ended.catch(() => undefined);
  // Receivers say nothing. Reading is what notices their end.
  socket.resume();
  const written = new Promise<void>((resolve) => socket.write(frames, () => resolve()));
  await Promise.race([written, ended]);
  // A receiver that was gone before it could read has ended the connection too: only an end after ours is an answer to it.
  await Promise.race([sleep(settleMs, undefined, { signal }), ended]);
  isSent = true;
  socket.end();
  await ended;
}

/** Returns the messages of some records as they are sent, each after its length in bytes and a space. */
function syslogFrames(
  stream: Pick<SentStream, 'enterpriseNumber'>,
  records: readonly StreamRecord[],
): Buffer {
  return Buffer.concat(
    records.flatMap((record) => {
      const message = Buffer.from(syslogMessage(stream, record), 'latin1');
      return [Buffer.from(`${message.length} `, 'latin1'), message];
    }),
  );
}

const facilities = { audit: 13, requests: 16 } as const;
const severities = { notice: 5, information: 6, warning: 4 } as const;

/** Returns a message of RFC 5424, in ASCII: so it needs no byte order mark (section 6.4), which many receivers would keep. */
function syslogMessage(
  { enterpriseNumber }: Pick<SentStream, 'enterpriseNumber'>,
  record: StreamRecord,
): string {
  const { source, atMs, isWarning, line } = record;
  const ordinary = source === 'audit' ? severities.notice : severities.information;
  const priority = facilities[source] * 8 + (isWarning ? severities.warning : ordinary);
  const time = atMs === 0 ? '-' : new Date(atMs).toISOString();
  const data = structuredData(enterpriseNumber, record);
  return `<${priority}>1 ${time} ${hostField()} countersign - ${source} ${data} ${asciiJson(line)}`;
}

/** A name with `@` needs the operator's own number (section 7.2.2): 32473 is for examples only (RFC 5612). */
function structuredData(
  enterpriseNumber: number | undefined,
  { id, name, position, hash }: StreamRecord,
): string {
  const origin = '[origin software="countersign"]';
  if (enterpriseNumber === undefined) return origin;
  const chain = position === undefined ? '' : ` position="${position}" hash="${hash}"`;
  return `${origin}[countersign@${enterpriseNumber} id="${quoted(id)}" name="${quoted(name)}"${chain}]`;
}

/** Section 6.3.3. */
function quoted(value: string): string {
  return value.replaceAll(/["\\\]]/g, String.raw`\$&`);
}

function hostField(): string {
  const name = hostname();
  return /^[\x21-\x7e]{1,255}$/.test(name) ? name : '-';
}

function asciiJson(line: string): string {
  return line.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
