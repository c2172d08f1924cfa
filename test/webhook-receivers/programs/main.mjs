// Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now.
import { readFileSync } from 'node:fs';

const { isFromService } = await import(new URL('webhooks.mjs', import.meta.url).href);
for (const line of readFileSync('cases', 'utf8').trimEnd().split('\n')) {
  const [secret, id, timestamp, signature, body, now] = line.split('|');
  const headers = { id, timestamp, signature };
  console.log(isFromService(secret, headers, Buffer.from(body, 'base64'), Number(now)) ? 'accept' : 'reject');
}
