import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Makes, stores and reads the secrets with which webhooks are signed. */
export interface WebhookSecrets {
  /** Returns a new secret as its owner gets it: `whsec_` and Base64 (Standard Webhooks 1.0.0). */
  readonly create: () => string;
  /** Returns the text to store for a webhook's secret. */
  readonly seal: (webhookId: string, secret: string) => string;
  /** Returns the key in a stored secret; undefined if it was encrypted with another setting. */
  readonly open: (webhookId: string, stored: string) => Buffer | undefined;
}

const prefix = 'whsec_';
const secretBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/**
 * Opens the secrets of webhooks. The service signs with them, so it must be able to read them: they are stored encrypted
 * with AES-256-GCM if the operator sets a key, and as they are if not.
 *
 * @param key the operator's setting; undefined for none
 */
export function openWebhookSecrets(key: string | undefined): WebhookSecrets {
  const encryptionKey = key === undefined ? undefined : createHash('sha256').update(key).digest();
  return {
    create: () => prefix + randomBytes(secretBytes).toString('base64'),
    seal: (webhookId, secret) => {
      const bytes = Buffer.from(secret.slice(prefix.length), 'base64');
      if (encryptionKey === undefined) return `plain:${bytes.toString('base64')}`;
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, encryptionKey, nonce).setAAD(Buffer.from(webhookId));
      const sealed = Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
      return `${algorithm}:${sealed.toString('base64')}`;
    },
    open: (webhookId, stored) => {
      const [form, text = ''] = stored.split(':');
      const bytes = Buffer.from(text, 'base64');
      if (form === 'plain') return bytes;
      if (form !== algorithm || encryptionKey === undefined) return undefined;
      return decrypt(webhookId, bytes, encryptionKey);
    },
  };
}

function decrypt(webhookId: string, bytes: Buffer, encryptionKey: Buffer): Buffer | undefined {
  const nonce = bytes.subarray(0, nonceBytes);
  const tag = bytes.subarray(bytes.length - tagBytes);
  try {
    const decipher = createDecipheriv(algorithm, encryptionKey, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(webhookId))
      .setAuthTag(tag);
    return Buffer.concat([
      decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)),
      decipher.final(),
    ]);
  } catch {
    return undefined;
  }
}
