// Signs and verifies with @fedify/fedify: reads one task in JSON from each line, writes one result to each line.
import { createPrivateKey } from 'node:crypto';
import { createInterface } from 'node:readline';
import { signRequest, verifyRequest } from '@fedify/fedify/sig';

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await resultOf(JSON.parse(line))));
}

async function resultOf(task) {
  try {
    return task.operation === 'sign' ? await signed(task) : await verified(task);
  } catch (error) {
    return { problem: String(error) };
  }
}

/** Fedify chooses what it covers, and adds a Date. */
async function signed({ key, request, texts }) {
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
  const { headers } = await signRequest(requestOf(request), imported, new URL(texts.keyid), {
    spec: 'rfc9421',
  });
  return { lines: ['signature-input', 'signature', 'date'].map((name) => [name, headers.get(name)]) };
}

async function verified({ key, request, texts }) {
  const owner = texts.keyid.replace(/#.*/, '');
  const actor = {
    '@context': ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1'],
    id: owner,
    type: 'Person',
    publicKey: { id: texts.keyid, owner, publicKeyPem: key },
  };
  const documentLoader = async (documentUrl) => ({ contextUrl: null, documentUrl, document: actor });
  const found = await verifyRequest(requestOf(request), { spec: 'rfc9421', documentLoader });
  return { verified: found !== null };
}

function requestOf({ url, ...init }) {
  return new Request(url, init);
}
