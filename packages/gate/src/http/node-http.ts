import type * as NodeHttp from 'node:http';
import { createRequire } from 'node:module';

/**
 * `node:http`. An import of it would also load Node's fetch, for the WebSocket among its exports, which takes 16 MB and
 * 45 ms.
 */
export const http: typeof NodeHttp = createRequire(import.meta.url)('node:http') as typeof NodeHttp;
