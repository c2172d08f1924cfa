import { parentPort, workerData } from 'node:worker_threads';
import { type DocumentRequest, readOpenApiFile } from './read-openapi.ts';

/* A thread that reads one OpenAPI document, so that no request waits meanwhile. */

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage(readOpenApiFile(workerData as DocumentRequest));
