// Signs as a gateway does, and checks, in plain JavaScript.
import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { createForwardedCheck } from '@countersign/upstream';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const { x } = publicKey.export({ format: 'jwk' });
const keyid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
const identity = {
  'countersign-client-id': 'shop',
  'countersign-account': 'account',
  'countersign-roles': 'one, two',
  'countersign-key': 'key',
  'countersign-request-id': 'request',
};
const names = ['@method', '@target-uri', ...Object.keys(identity)];
const created = Math.floor(Date.now() / 1000);
const parameters = `(${names.map((name) => `"${name}"`).join(' ')});created=${created};expires=${created + 60};keyid="${keyid}";alg="ed25519";tag="countersign-forwarded"`;
const values = { '@method': 'GET', '@target-uri': 'https://api.example.com/orders', ...identity };
const lines = names.map((name) => `"${name}": ${values[name]}\n`).join('');
const signature = sign(null, Buffer.from(`${lines}"@signature-params": ${parameters}`), privateKey);
const headers = {
  ...identity,
  'signature-input': `countersign=${parameters}`,
  signature: `countersign=:${signature.toString('base64')}:`,
};

const check = createForwardedCheck({
  audience: ['https://api.example.com'],
  directoryUrl: 'https://auth.example.com/keys',
  fetch: async () => Response.json({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] }),
});
const accepted = await check({ method: 'GET', url: '/orders', headers });
const refused = await check({ method: 'GET', url: '/orders/7', headers });
console.log(JSON.stringify({ roles: accepted.roles, refused: refused.code }));
