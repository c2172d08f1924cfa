import type { DebugRequest } from './debug-request.ts';
import { explainDebugRequest } from './explain-debug-request.ts';

/*
 * The worker of the signature debugger: explaining may take two seconds, and the page goes on meanwhile. The policy that its
 * file is served with lets it load scripts of the service and nothing else, so it could not send anything if it wanted to.
 */

addEventListener('message', (event: MessageEvent<DebugRequest>) => {
  void explainDebugRequest(event.data, Date.now()).then(
    (answer) => postMessage(answer),
    // The error may contain part of the request.
    () => postMessage(undefined),
  );
});
