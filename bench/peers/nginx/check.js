// njs has no node: names.
// oxlint-disable-next-line unicorn/prefer-node-protocol
import fs from 'fs';

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
let key;

// njs has no await within expressions, and no destructuring.
async function token(r) {
  const valid = await isValid(r.headersIn.Authorization || '');
  r.return(valid ? 204 : 401);
}

async function isValid(authorization) {
  const parts = authorization.slice('Bearer '.length).split('.');
  if (parts.length !== 3) return false;
  if (JSON.parse(Buffer.from(parts[0], 'base64url')).alg !== 'RS256') return false;
  if (key === undefined) key = await crypto.subtle.importKey('spki', readKey(), algorithm, false, ['verify']);
  const signature = Buffer.from(parts[2], 'base64url');
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  const proved = await crypto.subtle.verify(algorithm, key, signature, signed);
  return proved && JSON.parse(Buffer.from(parts[1], 'base64url')).exp > Date.now() / 1000;
}

function readKey() {
  const lines = fs.readFileSync('/etc/bench/public.pem', 'utf8').split('\n');
  return Buffer.from(lines.filter((line) => !line.startsWith('-')).join(''), 'base64');
}

export default { token };
