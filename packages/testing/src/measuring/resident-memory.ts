import { readFileSync } from 'node:fs';

/** The resident memory of a process, as Linux says it. */
export function residentBytes(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}
