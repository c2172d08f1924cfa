import { createHash } from 'node:crypto';
import { ErrorReply } from '@redis/client';
import type { SendCommand } from './redis-connection.ts';

/** A Lua script that runs atomically on the server. */
export interface RedisScript {
  readonly text: string;
  /** The server's name for the script: the SHA-1 of its text, in hex. */
  readonly sha1: string;
}

export function redisScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** Runs a script on one key. The text is sent only if the server does not know the script. */
export async function runScript(
  send: SendCommand,
  script: RedisScript,
  key: string,
  ...values: readonly string[]
): Promise<unknown> {
  try {
    return await send('EVALSHA', script.sha1, '1', key, ...values);
  } catch (error) {
    if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
    return send('EVAL', script.text, '1', key, ...values);
  }
}
