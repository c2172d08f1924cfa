import { createPublicKey, sign } from 'node:crypto';
import { makeKeyPair } from '@countersign/testing/key-pair';

/** Requests that prove their sender with a JWT (RFC 7519) signed with RS256, each with a token of its own. */
export class BearerRequests {
  readonly #pair = makeKeyPair();
  readonly #expires = Math.floor(Date.now() / 1000) + 86_400;
  #count = 0;

  /** The key that verifies the tokens, as PEM. */
  get publicKey(): string {
    return this.#pair.publicKey;
  }

  /** The same as a JWK Set (RFC 7517), which also has the key as SPKI in Base64. */
  get jwks(): string {
    const publicKey = createPublicKey(this.publicKey);
    const key = { ...publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'RS256' };
    const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    return JSON.stringify({ keys: [key], spki });
  }

  /** Signs this many GETs and serialises them. No two are equal. */
  next(count: number): Buffer[] {
    return Array.from({ length: count }, () => this.#request());
  }

  #request(): Buffer {
    const number = this.#count++;
    const claims = {
      iss: 'https://bench.example.com',
      sub: `bench-${number % 16}`,
      iat: this.#expires - 86_400,
      exp: this.#expires,
      jti: String(number),
    };
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), this.#pair.privateKey).toString('base64url');
    const lines = [
      `GET /invoices/invoice_${number}?expand=lines HTTP/1.1`,
      'Host: api.example.com',
      'User-Agent: bench/1',
      'Accept: application/json',
      `Authorization: Bearer ${signed}.${signature}`,
    ];
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  }
}

const keyId = 'bench';

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
