// Needs Node 18 or newer.
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const baseUrl = process.env.COUNTERSIGN_BASE_URL ?? 'http://127.0.0.1:8421';
const clientId = 'client_…';
const privateKey = createPrivateKey(readFileSync('private.pem'));

async function send(method, url, body) {
  const now = new Date();
  const created = Math.floor(now.getTime() / 1000);
  const headers = { Date: now.toUTCString() };
  const lines = ['"@method": ' + method, '"@target-uri": ' + url];
  let components = '"@method" "@target-uri"';
  if (body !== undefined) {
    const digest = createHash('sha256').update(body).digest('base64');
    headers['Content-Type'] = 'application/json';
    headers['Content-Digest'] = 'sha-256=:' + digest + ':';
    lines.push('"content-digest": ' + headers['Content-Digest']);
    components += ' "content-digest"';
  }
  const params =
    '(' + components + ' "date");created=' + created + ';keyid="' + clientId + '";alg="rsa-v1_5-sha256"';
  lines.push('"date": ' + headers.Date, '"@signature-params": ' + params);

  // A line feed between the lines, and none at the end.
  const signature = sign('sha256', Buffer.from(lines.join('\n')), privateKey).toString('base64');
  headers['Signature-Input'] = 'sig=' + params;
  headers.Signature = 'sig=:' + signature + ':';

  // A redirect would carry the signature of another URL.
  const options = { method, headers, body, redirect: 'manual' };
  const answer = await fetch(url, options);
  console.log(await answer.text());
  console.log('status', answer.status);
}

await send('GET', baseUrl + '/v1/signature-test');
await send('POST', baseUrl + '/v1/signature-test', JSON.stringify({ hello: 'from Node' }));
