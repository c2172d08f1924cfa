import type { DebugRequest } from './debug-request.ts';
import { explainDebugRequest } from './explain-debug-request.ts';

/*
 * The worker of the signature debugger: explaining may take seconds, during which the page stays
 * responsive. The policy that its file is served with only allows scripts of the service, so the worker
 * cannot send anything.
 */

addEventListener('message', (event: MessageEvent<DebugRequest>) => {
  void explainDebugRequest(event.data, Date.now()).then(
    (answer) => postMessage(answer),
    // The error may contain part of the request.
    () => postMessage(undefined),
  );
});
