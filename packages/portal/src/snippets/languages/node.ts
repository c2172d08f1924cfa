import { doubleQuoted, type Snippet } from '../snippet.ts';

/** Needs Node 18 or later. */
export const node: Snippet = {
  id: 'node',
  title: 'Node',
  language: 'js',
  guide: 'signing/javascript',
  fileName: 'signed-request.mjs',
  command: 'node signed-request.mjs',
  quote: doubleQuoted,
  program: String.raw`// Needs Node 18 or newer.
import { createHash, createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";

const baseUrl = @@baseUrl@@;
const clientId = @@clientId@@;
const privateKey = createPrivateKey(readFileSync(@@privateKeyFile@@));

async function send(method, url, body) {
  const now = new Date();
  const created = Math.floor(now.getTime() / 1000);
  const headers = { Date: now.toUTCString() };
  const lines = ['"@method": ' + method, '"@target-uri": ' + url];
  let components = '"@method" "@target-uri"';
  if (body !== undefined) {
    const digest = createHash("sha256").update(body).digest("base64");
    headers["Content-Type"] = "application/json";
    headers["Content-Digest"] = "sha-256=:" + digest + ":";
    lines.push('"content-digest": ' + headers["Content-Digest"]);
    components += ' "content-digest"';
  }
  const params = "(" + components + ' "date");created=' + created + ';keyid="' + clientId + '";alg="rsa-v1_5-sha256"';
  lines.push('"date": ' + headers.Date, '"@signature-params": ' + params);

  // A line feed between the lines, and none at the end.
  const signature = sign("sha256", Buffer.from(lines.join("\n")), privateKey).toString("base64");
  headers["Signature-Input"] = "sig=" + params;
  headers.Signature = "sig=:" + signature + ":";

  // A redirect would carry the signature of another URL.
  const answer = await fetch(url, { method, headers, body, redirect: "manual" });
  console.log(await answer.text());
  console.log("status", answer.status);
}

await send("GET", baseUrl + "/v1/signature-test");
await send("POST", baseUrl + "/v1/signature-test", JSON.stringify({ hello: "from Node" }));
`,
};
