import { explainGiven, portableHashes, portableSha256 } from '@countersign/explain';
import {
  declaredKeyid,
  headerValues,
  readBaseUrls,
  readRequestText,
  requestOfFields,
  RequestTextError,
  type PastedRequest,
  targetUriOf,
  withBody,
} from '@countersign/explain/request-text';
import type { DebugAnswer, DebugClock, DebugRequest } from './debug-request.ts';
import { inflaterFor } from './inflate-body.ts';
import { withLineEndsOfWire } from './wire-line-ends.ts';

/** Explains a pasted request. Pure but for the clock: nothing is sent, nothing is kept. */
export async function explainDebugRequest(input: DebugRequest, nowMs: number): Promise<DebugAnswer> {
  try {
    const request = await readSource(input);
    const { targetUri, internalHost, note } = targetUriOf(request, readBaseUrls(input.baseUrls));
    const { method, headers, body, notes } = request;
    const nowSeconds = secondsOf(input.clock, request, nowMs);
    const keyid = declaredKeyid(request);
    // A key that was pasted counts as registered for the client that the request names.
    const candidates = input.candidates.map((key) =>
      key.clientId === '' ? { ...key, clientId: keyid ?? '' } : key,
    );
    const { conclusion, isClaimTrimmed } = explainGiven({ method, targetUri, headers, body }, candidates, {
      nowSeconds,
      sha256: portableSha256,
      hashes: portableHashes,
      inflate: await inflaterFor(body),
      monotonicMs: () => performance.now(),
      baseUrls: input.baseUrls,
      ...(internalHost !== undefined && { internalHosts: [internalHost] }),
      acceptWithoutDate: input.acceptWithoutDate,
      ...(input.claimedBase !== undefined && { claimedBase: input.claimedBase }),
    });
    return {
      ok: true,
      conclusion,
      method,
      targetUri,
      bodyBytes: body?.length,
      keyid,
      nowSeconds,
      notes: note === undefined ? notes : [...notes, note],
      isClaimTrimmed,
    };
  } catch (error) {
    if (!(error instanceof RequestTextError)) throw error;
    return { ok: false, message: error.message, advice: error.advice, choices: error.choices };
  }
}

async function readSource({ source, body }: DebugRequest): Promise<PastedRequest> {
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  if (source.kind === 'fields') return requestOfFields({ ...source, body: bytes });
  const { entry } = source;
  const text = source.kind === 'bytes' ? source.bytes : withLineEndsOfWire(source.text);
  const request = await readRequestText(text, { entry });
  return bytes === undefined ? request : withBody(request, bytes);
}

/** In Unix seconds. A request that does not say when it was signed is looked at now. */
function secondsOf(clock: DebugClock, { headers, recordedAt }: PastedRequest, nowMs: number): number {
  const nowSeconds = Math.floor(nowMs / 1000);
  if (clock.kind === 'at') return clock.seconds;
  if (clock.kind === 'now') return nowSeconds;
  const recordedMs = Date.parse(recordedAt ?? '');
  if (!Number.isNaN(recordedMs)) return Math.floor(recordedMs / 1000);
  const [input = ''] = headerValues(headers, 'signature-input');
  const [, created] = /;\s*created\s*=\s*"?(\d{9,11})(?!\d)/.exec(input) ?? [];
  return created === undefined ? nowSeconds : Number(created);
}
