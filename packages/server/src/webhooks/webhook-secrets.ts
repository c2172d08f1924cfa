import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Makes, stores and reads the secrets with which webhooks are signed, and the values of their custom headers. */
export interface WebhookSecrets {
  /** Returns a new secret as its owner gets it: `whsec_` and Base64 (Standard Webhooks 1.0.0). */
  readonly create: () => string;
  /** Returns the text to store for a webhook's secret. */
  readonly seal: (webhookId: string, secret: string) => string;
  /** Returns the key in a stored secret; undefined if it was encrypted with another setting. */
  readonly open: (webhookId: string, stored: string) => Buffer | undefined;
  /** Returns the text to store for the value of a custom header. */
  readonly sealHeader: (webhookId: string, name: string, value: string) => string;
  /** Returns the value of a custom header; undefined if it was encrypted with another setting. */
  readonly openHeader: (webhookId: string, name: string, stored: string) => string | undefined;
  /** A key for hashes of requests that may have such values; undefined if the operator sets none. */
  readonly hashKey: Buffer | undefined;
}

const prefix = 'whsec_';
const secretBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/**
 * Opens the secrets of webhooks. The service sends and signs with them, so it must be able to read them: they are stored
 * encrypted with AES-256-GCM if the operator sets a key, and as they are if not.
 *
 * @param key the operator's setting; undefined for none
 */
export function openWebhookSecrets(key: string | undefined): WebhookSecrets {
  const encryptionKey = key === undefined ? undefined : createHash('sha256').update(key).digest();
  return {
    create: () => prefix + randomBytes(secretBytes).toString('base64'),
    seal: (webhookId, secret) =>
      sealed(webhookId, Buffer.from(secret.slice(prefix.length), 'base64'), encryptionKey),
    open: (webhookId, stored) => opened(webhookId, stored, encryptionKey),
    sealHeader: (webhookId, name, value) => sealed(`${webhookId} ${name}`, Buffer.from(value), encryptionKey),
    openHeader: (webhookId, name, stored) =>
      opened(`${webhookId} ${name}`, stored, encryptionKey)?.toString(),
    hashKey: encryptionKey && Buffer.from(hkdfSync('sha256', encryptionKey, '', 'hashes of requests', 32)),
  };
}

/** @param place what the text belongs to: it can be read there only */
function sealed(place: string, bytes: Buffer, encryptionKey: Buffer | undefined): string {
  if (encryptionKey === undefined) return `plain:${bytes.toString('base64')}`;
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, encryptionKey, nonce).setAAD(Buffer.from(place));
  const all = Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return `${algorithm}:${all.toString('base64')}`;
}

function opened(place: string, stored: string, encryptionKey: Buffer | undefined): Buffer | undefined {
  const [form, text = ''] = stored.split(':');
  const bytes = Buffer.from(text, 'base64');
  if (form === 'plain') return bytes;
  if (form !== algorithm || encryptionKey === undefined) return undefined;
  return decrypt(place, bytes, encryptionKey);
}

function decrypt(place: string, bytes: Buffer, encryptionKey: Buffer): Buffer | undefined {
  const nonce = bytes.subarray(0, nonceBytes);
  const tag = bytes.subarray(bytes.length - tagBytes);
  try {
    const decipher = createDecipheriv(algorithm, encryptionKey, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(place))
      .setAuthTag(tag);
    return Buffer.concat([
      decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)),
      decipher.final(),
    ]);
  } catch {
    return undefined;
  }
}
