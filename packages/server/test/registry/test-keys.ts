import { generateKeyPairSync } from 'node:crypto';

/** A fresh RSA key pair: the public half as PEM, the private half as PEM. */
export interface TestKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

const made: TestKey[] = [];

/** The test key with a number: made when it is first asked for, and then the same for all tests of the process. */
export function testKey(number: number): TestKey {
  const { publicKey, privateKey } = (made[number] ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }));
  return { publicKey, privateKey };
}
