import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditAction } from '@countersign/contract';
import type { Signer } from '@countersign/signature/node';
import { baseUrl } from '@countersign/testing/running-service';
import type { Answer, Prepared } from '../crash/caller.ts';
import { anyOf } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import {
  anyChange,
  type Change,
  type ClientSubject,
  etagOf,
  type RoleSubject,
  type Subject,
} from './subjects.ts';

export interface Administrator {
  readonly signer: Signer;
  /** A client of the account with which to call. */
  readonly client: ClientSubject;
  readonly clientSigner: Signer;
}

export interface WriterFigures {
  acknowledged: number;
  /** Changes with a lost response or an unknown outcome. */
  inDoubt: number;
  /** The ones that turned out to be done when repeated. */
  doneBefore: number;
  refused: number;
}

/** Makes changes in one account, each at a random node and repeated until it is known to be made, and records the expected state. */
export class Writer {
  readonly clients: ClientSubject[];
  readonly roles: RoleSubject[] = [];
  readonly administrator: Administrator;
  readonly figures: WriterFigures = { acknowledged: 0, inDoubt: 0, doneBefore: 0, refused: 0 };
  /** Acknowledged requests, with their effects. */
  readonly acknowledged: Map<string, AuditAction> = new Map();
  /** Rejected requests. */
  readonly refused: Set<string> = new Set();
  readonly #nodes: readonly NodeProcess[];
  readonly #onViolation: (text: string) => void;
  #number = 0;
  #isPaused = true;
  #isStopped = false;
  #working: Promise<void> = Promise.resolve();

  constructor(
    nodes: readonly NodeProcess[],
    administrator: Administrator,
    onViolation: (text: string) => void,
  ) {
    this.#nodes = nodes;
    this.administrator = administrator;
    this.clients = [administrator.client];
    this.#onViolation = onViolation;
  }

  go(): void {
    this.#isPaused = false;
    this.#working = this.#work();
  }

  /** Stops at once, whatever the outcome of the current change. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.pause();
  }

  /** Stops when the current change is made. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    while (!this.#isPaused) {
      const { clients, roles } = this;
      await this.#make(anyChange({ clients, roles, next: () => ++this.#number }));
    }
  }

  async #make(change: Change): Promise<void> {
    const { action, method, path, json, subject, takesIdempotencyKey } = change;
    const headers: Record<string, string> = takesIdempotencyKey
      ? { 'Idempotency-Key': randomUUID() }
      : { 'If-Match': subject!.etag };
    const body = json === undefined ? undefined : JSON.stringify(json);
    let isInDoubt = false;
    // Equal requests differ by the second in which they are signed, so they must not follow too quickly.
    for (let waitMs = 25; !this.#isStopped; waitMs = Math.min(waitMs * 1.5, 1000)) {
      const signed = this.administrator.signer.sign({
        method,
        url: baseUrl + path,
        ...(body !== undefined && { body }),
      });
      const answer = await this.#send({ signed, headers });
      if (answer !== undefined && this.#isMade(change, answer, isInDoubt)) {
        if (isInDoubt) this.figures.inDoubt++;
        return;
      }
      if (answer === undefined || answer.code === 'outcome_unknown') isInDoubt = true;
      // A connection that ended while another node makes the same change: its outcome is not decided yet.
      else if (answer.status === 503 || answer.code === 'idempotency_key_in_use') this.figures.refused++;
      else return this.#onViolation(`${action}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await sleep(waitMs * (1 + Math.random()));
    }
  }

  /** Undefined if the response was lost. */
  async #send(prepared: Prepared): Promise<Answer | undefined> {
    const running = this.#nodes.filter(({ isRunning }) => isRunning);
    if (running.length === 0) return undefined;
    const answer = await anyOf(running)
      .send(prepared)
      .catch(() => undefined);
    if (answer !== undefined && answer.status >= 400 && answer.code !== 'outcome_unknown')
      this.refused.add(requestIdOf(answer));
    return answer;
  }

  #isMade(change: Change, answer: Answer, isInDoubt: boolean): boolean {
    const isRepeated = answer.headers['idempotency-replayed'] === 'true';
    const isOvertaken = answer.code === 'precondition_failed';
    if (answer.status >= 300 && !isOvertaken) return false;
    if (isRepeated || isOvertaken) {
      if (!isInDoubt) this.#onViolation(`${change.action}: made, though every answer said that it was not`);
      this.figures.doneBefore++;
    } else this.acknowledged.set(requestIdOf(answer), change.action);
    this.figures.acknowledged++;
    const subject = change.made(isOvertaken ? undefined : answer);
    subject.etag = etagOf(answer);
    subject.actions.push(change.action);
    this.#keep(subject);
    return true;
  }

  #keep(subject: Subject): void {
    if (subject.type === 'client' && !this.clients.includes(subject)) this.clients.push(subject);
    if (subject.type === 'role' && !this.roles.includes(subject)) this.roles.push(subject);
  }
}

function requestIdOf({ headers }: Answer): string {
  return String(headers['request-id']);
}
