// A program of somebody else, in plain JavaScript: signs with both entry points, verifies, and prints what came of it.
import { generateKeyPairSync } from 'node:crypto';
import * as everywhere from '@countersign/signature';
import * as onNode from '@countersign/signature/node';
import { readSignatureHeaders } from '@countersign/signature/profile';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const outcomes = {};

for (const [name, library] of Object.entries({ everywhere, onNode })) {
  const signer = await library.createSigner({ keyid: 'shop', privateKey });
  const { method, url, headers, body } = await signer.sign({
    method: 'POST',
    url: 'https://api.example.com/v1/payments?dry=1',
    body: '{"amount":1250}',
  });
  const client = { keys: [await library.createVerificationKey(publicKey)] };
  const clients = new Map([['shop', client]]);
  const guard = new library.MemoryReplayGuard();
  const verify = async (/** @type {object} */ change) => {
    const request = { method, targetUri: url, headers: Object.entries(headers), body, ...change };
    const options = { clientByKeyid: (/** @type {string} */ keyid) => clients.get(keyid), guard };
    const result = await library.verifyRequest(request, options);
    return result.ok ? 'accepted' : result.code;
  };
  outcomes[name] = {
    unsigned: await verify({ headers: [] }),
    otherUrl: await verify({ targetUri: `${url}0` }),
    otherBody: await verify({ body: new TextEncoder().encode('{"amount":9999}') }),
    asSigned: await verify({}),
    again: await verify({}),
    signatures: readSignatureHeaders(Object.entries(headers)).signature.count,
  };
}

const { key } = onNode.readPublicKey(publicKey);
const fingerprints = new Set([onNode.keyFingerprint(key), await everywhere.keyFingerprint(key)]);
console.log(JSON.stringify({ ...outcomes, fingerprints: fingerprints.size }));
