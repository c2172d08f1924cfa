import { readFileSync } from 'node:fs';
import { overConnection } from '../../directories/bounded-exchange.ts';
import { openTcpSocket, resolveOnInternet } from '../../directories/connection.ts';
import { sentenceOf } from '../delivery-problem.ts';
import { problemOfConnection } from '../webhook-url.ts';
import type { SentStream } from './sent-stream.ts';

/** A stream's receiver. */
export interface CheckedStream extends Pick<SentStream, 'name' | 'to'> {
  /** PEM file of the only authorities that the receiver's certificate may come from; undefined for those that Node trusts. */
  readonly certificateAuthorityFile: string | undefined;
}

/**
 * Opens a connection to the receiver of each stream, with TLS where it has that, and sends nothing over it.
 *
 * @returns one sentence for each that cannot be reached
 */
export async function checkStreams(streams: readonly CheckedStream[]): Promise<readonly string[]> {
  const found = await Promise.all(
    streams.map(async (stream) => {
      const problem = await problemOfReceiver(stream);
      return problem === undefined ? [] : [`COUNTERSIGN_STREAMS: ${stream.name}: ${problem}`];
    }),
  );
  return found.flat();
}

/** Reads the authorities of a stream's file, in PEM. */
export function readAuthorities({
  certificateAuthorityFile: path,
}: Pick<CheckedStream, 'certificateAuthorityFile'>): readonly string[] | undefined {
  return path === undefined ? undefined : [readFileSync(path, 'utf8')];
}

async function problemOfReceiver(stream: CheckedStream): Promise<string | undefined> {
  const { url, protocol } = stream.to;
  const signal = AbortSignal.timeout(answerMs);
  const means = {
    resolve: resolveOnInternet,
    openSocket: openTcpSocket,
    certificateAuthorities: readAuthorities(stream),
    ...(protocol === 'syslog' && { applicationProtocols: [] }),
  };
  try {
    await overConnection({ ok: true, url, isTrusted: true }, means, signal, async () => undefined);
    return undefined;
  } catch (error) {
    if (signal.aborted) return `The receiver did not answer within ${answerMs / 1000} seconds.`;
    return sentenceOf(problemOfConnection(error) ?? 'connection_failed');
  }
}

const answerMs = 5000;
