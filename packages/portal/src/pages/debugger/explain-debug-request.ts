import {
  type CandidateKey,
  explainGiven,
  explainHops,
  portableHashes,
  portableSha256,
  type RequestToExplain,
} from '@countersign/explain';
import type { Judge, MessageProfile } from '@countersign/explain/profiles';
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

/** Explains a pasted request, and what changed it in transit. Sends and stores nothing. */
export async function explainDebugRequest(input: DebugRequest, nowMs: number): Promise<DebugAnswer> {
  let part: 'request' | 'sent' = 'request';
  try {
    const received = await readSource(input);
    const baseUrls = readBaseUrls(input.baseUrls);
    part = 'sent';
    const sent =
      input.sent === undefined ? undefined : await readRequestText(withLineEndsOfWire(input.sent), {});
    const nowSeconds = secondsOf(input.clock, received, nowMs);
    const rules = input.messageProfile && (await readRules(input.messageProfile));
    const keyid = rules ? rules.keyidOf(toExplain(received, '')) : declaredKeyid(received);
    // A pasted key counts as the key of the client the request names.
    const candidates = input.candidates.map((key) =>
      key.clientId === '' ? { ...key, clientId: keyid ?? '' } : key,
    );
    const options = {
      nowSeconds,
      sha256: portableSha256,
      hashes: portableHashes,
      inflate: await inflaterFor([received.body, sent?.body]),
      baseUrls: input.baseUrls,
      profile: input.profile,
      ...(rules && { judge: rules.judge }),
    };
    const hops =
      sent &&
      explainHops(
        [
          { ...sent, name: sentName },
          { ...received, name: receivedName },
        ],
        candidates,
        options,
      );
    part = 'request';
    // If the program itself signed something else, the request it sent explains why.
    const request = sent && hops?.verdict === 'never-valid' ? sent : received;
    const { targetUri, internalHost, note } = targetUriOf(request, baseUrls);
    const { method, body, notes } = request;
    const { conclusion, isClaimTrimmed } = explainGiven(toExplain(request, targetUri), candidates, {
      ...options,
      monotonicMs: () => performance.now(),
      ...(internalHost !== undefined && { internalHosts: [internalHost] }),
      ...(input.claimedBase !== undefined && { claimedBase: input.claimedBase }),
    });
    return {
      ok: true,
      conclusion,
      hops,
      method,
      targetUri,
      bodyBytes: body?.length,
      keyid,
      namedClientId: rules ? rules.ownerOf(keyid, candidates) : ownerOf(keyid, candidates),
      nowSeconds,
      notes: note === undefined ? notes : [...notes, note],
      isClaimTrimmed,
    };
  } catch (error) {
    if (!(error instanceof RequestTextError)) throw error;
    return { ok: false, part, message: error.message, advice: error.advice, choices: error.choices };
  }
}

/** Another profile than the closed ones, ready to judge by. */
interface Rules {
  readonly judge: Judge;
  /** Returns the `keyid` of the signature that counts. */
  readonly keyidOf: (request: RequestToExplain) => string | undefined;
  /** Returns the client that a `keyid` names, perhaps by one of its keys. */
  readonly ownerOf: typeof ownerOf;
}

/** Loads the judge of other profiles, which the closed ones do without. */
async function readRules(profile: MessageProfile): Promise<Rules> {
  const { defineProfile, judgeBy, keyidBy, keyidOf } = await import('@countersign/explain/profiles');
  const defined = defineProfile(profile);
  return {
    judge: judgeBy(defined),
    keyidOf: (request) => keyidBy(defined, request),
    ownerOf: (keyid, candidates) => ownerOf(keyidOf(keyid, candidates), candidates),
  };
}

function ownerOf(clientId: string | undefined, candidates: readonly CandidateKey[]): string | undefined {
  return candidates.some((key) => key.clientId === clientId) ? clientId : undefined;
}

function toExplain({ method, headers, body }: PastedRequest, targetUri: string): RequestToExplain {
  return { method, targetUri, headers, body };
}

/** The names of the two requests in the result. */
const sentName = 'your program';
const receivedName = 'the service';

async function readSource({ source, body }: DebugRequest): Promise<PastedRequest> {
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  if (source.kind === 'fields') return requestOfFields({ ...source, body: bytes });
  const { entry } = source;
  const text = source.kind === 'bytes' ? source.bytes : withLineEndsOfWire(source.text);
  const request = await readRequestText(text, { entry });
  return bytes === undefined ? request : withBody(request, bytes);
}

/** Returns Unix seconds; the current time if the request does not say when it was signed. */
function secondsOf(clock: DebugClock, { headers, recordedSeconds }: PastedRequest, nowMs: number): number {
  const nowSeconds = Math.floor(nowMs / 1000);
  if (clock.kind === 'at') return clock.seconds;
  if (clock.kind === 'now') return nowSeconds;
  if (recordedSeconds !== undefined) return recordedSeconds;
  // Signature-Input may have arrived under another name.
  const inputs = [...headerValues(headers, 'signature-input'), ...headers.map(([, value]) => value)];
  const [created] = inputs.flatMap((input) => /;\s*created\s*=\s*"?(\d{9,11})(?!\d)/.exec(input)?.[1] ?? []);
  return created === undefined ? nowSeconds : Number(created);
}

/**
 * Encodes typed or pasted text. Text fields turn CRLF into LF, in bodies too: if Content-Length exceeds the body by one
 * byte per line end, the line ends were CRLF on the wire.
 */
export function withLineEndsOfWire(text: string): Uint8Array<ArrayBuffer> {
  const headEnd = text.indexOf('\n\n');
  const encoder = new TextEncoder();
  if (headEnd < 0 || text.includes('\r')) return encoder.encode(text);
  const body = text.slice(headEnd + 2);
  const [, announced] = /^content-length:[ \t]*(\d{1,9})[ \t]*$/im.exec(text.slice(0, headEnd)) ?? [];
  const lineEnds = body.split('\n').length - 1;
  const missing = Number(announced ?? 0) - encoder.encode(body).length;
  const isOfWire = announced !== undefined && lineEnds > 0 && missing === lineEnds;
  return encoder.encode(isOfWire ? text.slice(0, headEnd + 2) + body.replaceAll('\n', '\r\n') : text);
}

/** A few kilobytes can inflate to gigabytes. */
const inflatedBytesMax = 4 * 1024 * 1024;

/** Returns a synchronous inflater for these bodies. Browsers only decompress asynchronously, so it runs ahead of time. */
async function inflaterFor(
  bodies: readonly (Uint8Array | undefined)[],
): Promise<(bytes: Uint8Array, format: 'gzip' | 'deflate') => Uint8Array | undefined> {
  const known = await Promise.all(
    bodies.map(async (body) => {
      const isGzip = body?.[0] === 0x1f && body[1] === 0x8b;
      const isZlib = body !== undefined && !isGzip && body.length > 2 && ((body[0] ?? 0) & 0x0f) === 8;
      const format = isGzip ? 'gzip' : isZlib ? 'deflate' : undefined;
      return { body, format, plain: body && format && (await inflated(body, format)) };
    }),
  );
  return (bytes, asked) => known.find(({ body, format }) => body === bytes && format === asked)?.plain;
}

async function inflated(bytes: Uint8Array, format: 'gzip' | 'deflate'): Promise<Uint8Array | undefined> {
  const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new DecompressionStream(format));
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      length += value.length;
      if (length > inflatedBytesMax) {
        void reader.cancel();
        return undefined;
      }
    }
  } catch {
    return undefined;
  }
  const whole = new Uint8Array(length);
  let position = 0;
  for (const piece of pieces) {
    whole.set(piece, position);
    position += piece.length;
  }
  return whole;
}
