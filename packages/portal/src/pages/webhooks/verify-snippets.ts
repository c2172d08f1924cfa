/** A function that verifies an event with a webhook's secret, in one language. */
export interface VerifySnippet {
  readonly language: 'js' | 'python';
  readonly title: string;
  readonly code: string;
}

/** The secret is an environment variable, so that nobody commits it with the code. */
export const verifySnippets: readonly [VerifySnippet, ...VerifySnippet[]] = [
  {
    language: 'js',
    title: 'JavaScript',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64');

/** \`headers\` have lower-case names; \`body\` is the bytes as they arrived. */
export function verifyWebhook(headers, body) {
  const id = headers['webhook-id'];
  const time = headers['webhook-timestamp'];
  const isRecent = Math.abs(Date.now() / 1000 - Number(time)) <= 300;
  const expected = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest();
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  const isSigned = signatures.some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isRecent && isSigned;
}
`,
  },
  {
    language: 'python',
    title: 'Python',
    code: `import base64
import hashlib
import hmac
import os
import time

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def verify_webhook(headers, body):
    """\`headers\` have lower-case names; \`body\` is the bytes as they arrived."""
    event_id = headers.get("webhook-id", "")
    sent_at = headers.get("webhook-timestamp", "")
    is_recent = sent_at.isdigit() and abs(time.time() - int(sent_at)) <= 300
    signed = f"{event_id}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    is_signed = any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures)
    return is_recent and is_signed
`,
  },
];
