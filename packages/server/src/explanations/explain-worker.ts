/*
 * The thread that explains: receives a task and responds with the outcome. It has no access to the database or
 * settings, and keeps no state between tasks.
 */
import { performance } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';
import { explainRequest } from '@countersign/explain/node';
import type { Judge, MessageProfile } from '@countersign/explain/profiles';
import type { ExplanationOutcome, ExplanationTask, ThreadResponse } from './explainer.ts';
import { keptExplanation } from './kept-explanation.ts';

parentPort?.on('message', (task: ExplanationTask) => {
  void respond(task);
});

async function respond(task: ExplanationTask): Promise<void> {
  const response = await responseTo(task);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(response);
}

/** Runs a task. An error fails only this task: the thread continues with the next one. */
async function responseTo(task: ExplanationTask): Promise<ThreadResponse> {
  try {
    const judge = task.messageProfile && (await judgeOf(task.messageProfile));
    return { outcome: outcomeOf(task, judge) };
  } catch (error) {
    return { error };
  }
}

/** Loaded for the first client that has such a profile. */
async function judgeOf(profile: MessageProfile): Promise<Judge> {
  const { defineProfile, judgeBy } = await import('@countersign/explain/profiles');
  return judgeBy(defineProfile(profile));
}

function outcomeOf(
  { request, candidates, options, unkept }: ExplanationTask,
  judge: Judge | undefined,
): ExplanationOutcome {
  const startedMs = performance.now();
  const before = process.threadCpuUsage();
  const explanation = explainRequest(request, candidates, { ...options, judge });
  const kept = unkept && keptExplanation(explanation, unkept);
  const { user, system } = process.threadCpuUsage(before);
  return { explanation, kept, durationMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 };
}
