import type { Permission, ProblemCode } from '@countersign/contract';
import { type Answer, ProblemError } from '@countersign/gate';
import { RegistryError } from '../../registry/registry-error.ts';
import { problemOfRegistryError } from '../registry-problem.ts';
import type { ReportRequest } from './report-handlers.ts';
import type { ReportId, Reports } from './reports.ts';

/** A task for the report thread, as JSON. */
export interface ReportTask {
  readonly query: unknown;
  readonly parameters: ReportRequest['parameters'];
  readonly nowMs: number;
  readonly caller: {
    readonly kind: 'client' | 'person';
    readonly accountId: string;
    readonly permissions: readonly Permission[];
  };
}

/**
 * A task's result: a response with its bytes, or the parts of an error, because an instance of our own error
 * class would arrive as a plain `Error`.
 */
export type ReportResult =
  | { readonly answer: Answer & { readonly bytes: Uint8Array } }
  | {
      readonly refusal: {
        readonly code: ProblemCode;
        readonly detail: string | undefined;
        readonly members: Readonly<Record<string, unknown>>;
        readonly headers: ProblemError['headers'];
      };
    };

/** Returns the task for a request. */
export function reportTask(query: unknown, { parameters, nowMs, caller }: ReportRequest): ReportTask {
  const { kind, accountId, permissions } = caller;
  return { query, parameters, nowMs, caller: { kind, accountId, permissions: [...permissions] } };
}

/** Makes a report in the report thread. */
export async function makeReport(reports: Reports, id: ReportId, task: ReportTask): Promise<ReportResult> {
  const { query, parameters, nowMs, caller } = task;
  const request = { parameters, nowMs, caller: { ...caller, permissions: new Set(caller.permissions) } };
  const report = reports[id] as (input: object, request: ReportRequest) => Promise<Answer>;
  try {
    return { answer: inBytes(await report({ query }, request)) };
  } catch (error) {
    const problem = error instanceof RegistryError ? problemOfRegistryError(error) : error;
    if (!(problem instanceof ProblemError)) throw error;
    const { code, detail, members, headers } = problem;
    return { refusal: { code, detail, members, headers } };
  }
}

/** Returns the memory of a report's bytes if nothing else is in it: short bytes share their memory with others. */
export function memoryOf(result: ReportResult): readonly ArrayBuffer[] {
  if (!('answer' in result)) return [];
  const { buffer, byteLength } = result.answer.bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Returns a result's response, in the thread that sent the task. */
export function answerOf(result: ReportResult): Answer {
  if ('answer' in result) return result.answer;
  const { code, detail, ...rest } = result.refusal;
  throw new ProblemError(code, { ...rest, ...(detail !== undefined && { detail }) });
}

/** Serializes JSON here, to save the other thread the work. */
function inBytes(answer: Answer): Answer & { readonly bytes: Uint8Array } {
  const { status, headers, body, bytes } = answer;
  if (bytes instanceof Uint8Array) return { status, ...(headers && { headers }), bytes };
  const json = Buffer.from(JSON.stringify(body));
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, bytes: json };
}
