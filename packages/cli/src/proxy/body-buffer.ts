import type { IncomingMessage } from 'node:http';
import { ProxyRefusal } from './refusals.ts';

/** Buffers bodies, because a signature covers the digest of the whole body but is sent before it. */
export interface BodyBuffer {
  /** Throws a ProxyRefusal for a body above the limit, or when too many are buffered. Call `release` after use. */
  read(request: IncomingMessage): Promise<BufferedBody>;
  readonly bytes: number;
}

export interface BufferedBody {
  readonly body: Buffer;
  readonly release: () => void;
}

/**
 * @param bodyBytesMax the limit of each body; all together may have as many bytes as `bodiesMax` bodies of
 * this size
 */
export function bodyBuffer(bodyBytesMax: number, bodiesMax: number): BodyBuffer {
  let held = 0;
  const tooLarge = (): ProxyRefusal =>
    new ProxyRefusal(
      'body_too_large',
      `Send at most ${bodyBytesMax} bytes, or start the proxy with a larger --body-bytes-max.`,
    );
  return {
    get bytes() {
      return held;
    },
    async read(request) {
      if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw tooLarge();
      const chunks: Buffer[] = [];
      let bytes = 0;
      const release = (): void => {
        held -= bytes;
        bytes = 0;
      };
      try {
        for await (const chunk of request as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          held += chunk.length;
          if (bytes > bodyBytesMax) throw tooLarge();
          if (held > bodyBytesMax * bodiesMax)
            throw new ProxyRefusal('proxy_busy', 'Send fewer large bodies at once.');
          chunks.push(chunk);
        }
      } catch (error) {
        release();
        throw error;
      }
      return { body: Buffer.concat(chunks), release };
    },
  };
}
