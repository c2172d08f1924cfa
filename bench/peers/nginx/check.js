const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

// njs has no await within expressions, and no destructuring. Each request has a virtual machine of its own, so the
// key is imported in each; its file is read once (js_preload_object).
async function token(r) {
  const valid = await isValid(r.headersIn.Authorization || '');
  r.return(valid ? 204 : 401);
}

async function isValid(authorization) {
  const parts = authorization.slice('Bearer '.length).split('.');
  if (parts.length !== 3) return false;
  if (JSON.parse(Buffer.from(parts[0], 'base64url')).alg !== 'RS256') return false;
  const spki = Buffer.from(keys.spki, 'base64');
  const key = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify']);
  const signature = Buffer.from(parts[2], 'base64url');
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  const proved = await crypto.subtle.verify(algorithm, key, signature, signed);
  return proved && JSON.parse(Buffer.from(parts[1], 'base64url')).exp > Date.now() / 1000;
}

export default { token };
