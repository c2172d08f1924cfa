import type { ForwardingKey } from '@countersign/gate';
import type { NetworkMeans } from '../../directories/connection.ts';
import { showProblem } from '../delivery-problem.ts';
import { postEvent, type PostOutcome } from '../post-event.ts';
import { signByPublishedKey } from '../sign-webhook.ts';
import { readRetryAfterMs } from '../retry-times.ts';
import { ecsLine } from './ecs-fields.ts';
import { otlpBody, rejectedByOtlp } from './otlp-body.ts';
import { sendSyslog } from './send-syslog.ts';
import type { StreamRecord } from '../../registry/stream-records.ts';
import type { SentStream } from './sent-stream.ts';

/** What a batch is sent with. */
export interface SendingMeans {
  readonly means: NetworkMeans;
  /** Aborts after some milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Aborts when the service stops. */
  readonly closing: AbortSignal;
  readonly nowMs: () => number;
  /** The published key; undefined if there is none now. */
  readonly signingKey: () => Promise<ForwardingKey | undefined>;
  /** The value of `Authorization`, if the receiver wants one. */
  readonly authorization: string | undefined;
}

/** What became of a batch. */
export interface SendOutcome {
  /** Says why it failed, without anything that the receiver sent; undefined if it was acknowledged. */
  readonly problem: string | undefined;
  /** The pause that the receiver asks for; 0 for none. */
  readonly retryAfterMs: number;
  /** Records that the receiver will never take. */
  readonly rejected: number;
}

/** Sends a batch, and waits until the receiver has acknowledged it. Never rejects. */
export async function sendBatch(
  stream: SentStream,
  records: readonly StreamRecord[],
  sending: SendingMeans,
): Promise<SendOutcome> {
  const { protocol } = stream.to;
  if (protocol === 'syslog') {
    const problem = await sendSyslog(stream, records, sending);
    return { problem, retryAfterMs: 0, rejected: 0 };
  }
  const published = await sending.signingKey();
  if (published === undefined)
    return { problem: 'There is no published key to sign with.', retryAfterMs: 0, rejected: 0 };
  const isOtlp = protocol === 'otlp';
  const body = Buffer.from(isOtlp ? otlpBody(stream, records, sending.nowMs()) : ndjsonBody(stream, records));
  const type = isOtlp ? 'application/json' : 'application/x-ndjson';
  const outcome = await post(stream, { records, body, type, published }, sending);
  const { problem, status = null } = outcome;
  return {
    problem: problem && showProblem(problem, status).sentence,
    retryAfterMs: readRetryAfterMs(outcome.retryAfter, sending.nowMs()),
    rejected: isOtlp && problem === undefined ? rejectedByOtlp(outcome.answer) : 0,
  };
}

function ndjsonBody({ format }: Pick<SentStream, 'format'>, records: readonly StreamRecord[]): string {
  return records.map((record) => `${format === 'ecs' ? ecsLine(record) : record.line}\n`).join('');
}

interface SignedBatch {
  readonly records: readonly StreamRecord[];
  readonly body: Buffer;
  readonly type: string;
  readonly published: ForwardingKey;
}

function post(
  { name, to: { url } }: SentStream,
  { records, body, type, published }: SignedBatch,
  { means, deadline, closing, nowMs, authorization }: SendingMeans,
): Promise<PostOutcome> {
  const first = records[0]!;
  const last = records.at(-1)!;
  // The same records are the same batch, however often they are sent.
  const batchId = `${name}.${first.source}.${first.position ?? first.id}-${last.position ?? last.id}`;
  const signed = signByPublishedKey(
    { eventId: batchId, targetUri: url.href, body },
    type,
    published,
    nowMs(),
  );
  return postEvent({
    target: { ok: true, url, isTrusted: true },
    headers: {
      ...signed,
      'countersign-stream': name,
      'countersign-records': String(records.length),
      ...(last.hash !== undefined && {
        'countersign-first-position': String(first.position),
        'countersign-last-position': String(last.position),
        'countersign-chain-head': last.hash,
      }),
      ...(authorization !== undefined && { authorization }),
    },
    body,
    means,
    deadline,
    closing,
  });
}
