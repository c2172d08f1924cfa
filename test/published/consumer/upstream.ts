// Compiled against the declarations; never run.
import type { IncomingMessage } from 'node:http';
import { createForwardedCheck, type ForwardedCheck, type RefusalCode } from '@countersign/upstream';

export const check: ForwardedCheck = createForwardedCheck({
  audience: ['https://api.example.com'],
  directoryUrl: 'https://auth.example.com/keys',
});

// @ts-expect-error without an audience, a signature for another API would be accepted
createForwardedCheck({ directoryUrl: 'https://auth.example.com/keys' });

export async function clientOf(request: IncomingMessage, body: Buffer): Promise<string> {
  const { method, url, rawHeaders } = request;
  const result = await check({ method, url, rawHeaders, body });
  // @ts-expect-error only an accepted request has a client
  void result.clientId;
  if (result.ok) return result.clientId;
  const code: RefusalCode = result.code;
  return code;
}
