import { generateKeyPairSync } from 'node:crypto';

export const clientId = 'client_01m7xpht4ya6hy6swme76qzc7p';

/** One pair for a test file: making one takes a tenth of a second. */
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });

export const privateKey = pair.privateKey;
export const privateKeyPem: string = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
export const publicKeyPem: string = pair.publicKey.export({ type: 'spki', format: 'pem' });
