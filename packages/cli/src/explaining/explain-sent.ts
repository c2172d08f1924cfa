import { headerValues } from '@countersign/explain/request-text';
import { readHttpDate, type RefusalCode } from '@countersign/signature/node';
import { readAnswerJson, textMember } from '../sending/json-text.ts';
import type { ReceivedAnswer, RequestToSend } from '../sending/send-request.ts';
import { fingerprintOf } from '../signing/public-half.ts';
import type { Io } from '../terminal/io.ts';
import { explainGiven } from './explain-given.ts';
import type { ExplainedRequest } from './show-explanation.ts';

/** A request that this program sent and the service rejected. */
export interface RefusedRequest {
  readonly sent: RequestToSend;
  readonly answer: ReceivedAnswer;
  readonly refusedWith: RefusalCode;
  readonly clientId: string;
  readonly publicKeyPem: string;
}

/** Returns the code of a rejected signature. Undefined for any other response. */
export async function signatureRefusalOf({
  status,
  headers,
  body,
}: ReceivedAnswer): Promise<RefusalCode | undefined> {
  const isProblem = headerValues(headers, 'content-type')[0]?.startsWith('application/problem+json');
  if (status !== 401 || isProblem !== true) return undefined;
  const code = textMember(readAnswerJson(body)?.value, 'code');
  // Loaded on demand, because most requests are accepted.
  const { isProblemCode, isSignatureProblem } = await import('@countersign/contract/problems');
  return code !== undefined && isProblemCode(code) && isSignatureProblem(code)
    ? (code as RefusalCode)
    : undefined;
}

/** Explains a rejection from the request that was sent, using the service's clock if the response reveals it. */
export function explainSent(refused: RefusedRequest, io: Io): ExplainedRequest {
  const { sent, answer, refusedWith, clientId, publicKeyPem } = refused;
  const fingerprint = fingerprintOf(publicKeyPem) ?? 'unknown';
  const serviceSeconds = clockOfService(answer);
  const { method, url: targetUri, headers, body = new Uint8Array() } = sent;
  const explained = explainGiven(
    { source: 'the request that was sent', method, target: targetUri, headers, body, notes: [] },
    {
      targetUri,
      candidates: [{ spkiPem: publicKeyPem, fingerprint, clientId, keyState: 'active' }],
      nowSeconds: serviceSeconds ?? Math.floor(io.nowMs() / 1000),
      clockSource: serviceSeconds === undefined ? 'of this machine' : 'of the service',
      claimedBase: undefined,
      options: { refusedWith },
    },
  );
  if (explained.conclusion.findings.length > 0) return explained;
  const whatElse =
    refusedWith === 'signature_invalid'
      ? `So the service knows something else: another key for ${clientId} (compare ${fingerprint} with the registered one), ` +
        `an unknown client ID, or a base URL other than ${new URL(targetUri).origin} as its own; or something on the way ` +
        'changed the request.'
      : 'So something on the way changed the request: look at what proxies between here and the service do to it.';
  const advice = `What was sent is right by your key: method, URL, headers and body are what was signed. ${whatElse}`;
  return { ...explained, advice: [advice, ...explained.advice] };
}

/** In Unix seconds, from the rejection itself or else from the response's Date. */
function clockOfService({ headers, body }: ReceivedAnswer): number | undefined {
  const serverTime = Date.parse(textMember(readAnswerJson(body)?.value, 'serverTime') ?? '');
  if (!Number.isNaN(serverTime)) return Math.floor(serverTime / 1000);
  return readHttpDate(headerValues(headers, 'date')[0] ?? '');
}
