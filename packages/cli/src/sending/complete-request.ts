import type { SignedRequest } from '@countersign/signature/node';
import type { OutgoingRequest } from '../signing/outgoing-request.ts';
import { signatureLines } from '../signing/sign-outgoing.ts';
import { version } from '../version.ts';
import { frameHeaders, type RequestToSend } from './send-request.ts';

/** Builds the complete request as it will be sent. */
export function completeRequest(signed: SignedRequest, { headers }: OutgoingRequest): RequestToSend {
  const { method, url, body } = signed;
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const usual = [
    ['User-Agent', `countersign/${version()}`],
    ['Accept', '*/*'],
  ] as const;
  return {
    method,
    url,
    body,
    headers: [
      ...frameHeaders(method, url, body),
      ...usual.filter(([name]) => !given.has(name.toLowerCase())),
      ...headers,
      ...signatureLines(signed),
    ],
  };
}
