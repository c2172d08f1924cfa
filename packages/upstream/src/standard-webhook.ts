import { createHmac, timingSafeEqual } from 'node:crypto';
import { wrongType } from '@countersign/signature/profile';
import type { ReceivedRequest } from './received-request.ts';
import { refuseWebhook, type WebhookRefusal } from './webhook-refusal.ts';

/**
 * Reads secrets as the service shows them: `whsec_` and Base64.
 *
 * @throws TypeError if one is something else; its message does not contain it
 */
export function readSecrets(secret: string | readonly string[]): readonly Buffer[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0 || secrets.length > secretsMax)
    throw new TypeError(`secret must be 1 to ${secretsMax} secrets.`);
  return secrets.map((each) => {
    if (typeof each !== 'string') throw wrongType('secret', each, 'a string');
    const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(each) ?? [];
    const bytes = Buffer.from(base64 ?? '', 'base64');
    if (bytes.length < secretBytesMin)
      throw new TypeError(
        'A secret is whsec_ and Base64, as the service showed it when the webhook was added.',
      );
    return bytes;
  });
}

const secretsMax = 4;
/** Standard Webhooks 1.0.0 asks for 24 to 64. */
const secretBytesMin = 24;

/** The time at which a request was signed, in Unix seconds; or why it was not signed by one of the secrets. */
export function verifyStandardWebhook(
  { fields }: ReceivedRequest,
  body: Uint8Array,
  secrets: readonly Buffer[],
): { readonly created: number } | WebhookRefusal {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => fields.get(`webhook-${name}`)?.[0] ?? '',
  ) as [string, string, string];
  if (id === '' || timestamp === '' || signatures === '')
    return refuseWebhook(
      'signature_missing',
      'webhook-id, webhook-timestamp or webhook-signature is missing',
    );
  if (!/^[0-9]{1,12}$/.test(timestamp))
    return refuseWebhook('signature_malformed', 'webhook-timestamp is not a time in Unix seconds');
  const given = signatures.split(' ', signaturesMax).flatMap((each) => {
    const [, base64 = ''] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each) ?? [];
    return base64 === '' ? [] : [Buffer.from(base64, 'base64')];
  });
  if (given.length === 0)
    return refuseWebhook('signature_malformed', 'webhook-signature has no signature of version v1');
  const isSigned = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((signature) => timingSafeEqual(signature, expected));
  });
  if (isSigned) return { created: Number(timestamp) };
  return refuseWebhook('signature_invalid', 'the request was changed, or signed with another secret');
}

/** While a secret is rotated, there are two. */
const signaturesMax = 10;
