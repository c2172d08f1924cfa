/*
 * The thread that explains: receives a task and responds with the outcome. It has no access to the database or
 * settings, and keeps no state between tasks.
 */
import { performance } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';
import { explainRequest } from '@countersign/explain/node';
import type { ExplanationOutcome, ExplanationTask, ThreadResponse } from './explainer.ts';
import { keptExplanation } from './kept-explanation.ts';

parentPort?.on('message', (task: ExplanationTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(responseTo(task));
});

/** Runs a task. An error fails only this task: the thread continues with the next one. */
function responseTo(task: ExplanationTask): ThreadResponse {
  try {
    return { outcome: outcomeOf(task) };
  } catch (error) {
    return { error };
  }
}

function outcomeOf({ request, candidates, options, unkept }: ExplanationTask): ExplanationOutcome {
  const startedMs = performance.now();
  const before = process.threadCpuUsage();
  const explanation = explainRequest(request, candidates, options);
  const kept = unkept && keptExplanation(explanation, unkept);
  const { user, system } = process.threadCpuUsage(before);
  return { explanation, kept, durationMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 };
}
