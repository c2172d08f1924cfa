import { createHmac } from 'node:crypto';

/**
 * Computes the code of an authenticator app (RFC 6238 with SHA-1, 30 s, six digits).
 *
 * @param secret Base32, as the page shows it
 */
export function totpCode(secret: string, nowMs: number = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const mac = createHmac('sha1', readBase32(secret)).update(counter).digest();
  const offset = mac.at(-1)! & 15;
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

function readBase32(text: string): Buffer {
  const letters = text.replaceAll(/[\s=]/g, '').toUpperCase().split('');
  const bits = letters
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
