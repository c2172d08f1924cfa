import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner, type Signer } from '@countersign/signature/node';
import { baseUrl, keyPair } from '@countersign/testing/running-service';
import { type Answer, Caller, type Prepared } from '../crash/caller.ts';
import { FailingCalls, type Fault, type LifeCalls } from './failing-calls.ts';
import type { Ground } from './ground.ts';
import { Ledger, type SentPayment, type Word } from './ledger.ts';
import { ServiceLives } from './service-lives.ts';

/** The result of one run. */
export interface RunReport {
  /** The calls in each life, and the failed ones. */
  readonly lives: readonly LifeCalls[];
  readonly violations: readonly string[];
}

let runs = 0;

/**
 * Lets a call of a service fail in each of three lives, or in some of them, or in none: payments,
 * cancellations, repeats and a forged request, ended by kill, by a signal, and by a signal again. The checks
 * hold for every order of the calls: a signature passes once, every response stays true, even in the next
 * life, and the process with the fault soon responds normally again.
 */
export async function runScenario(ground: Ground, faults: readonly Fault[] = []): Promise<RunReport> {
  return withRun(ground, faults, (run) => run.go());
}

/** The outcome of a payment whose commit the disk did not confirm. */
export interface CommitReport {
  /** Status and code: of the payment, and of its repetition after a kill. */
  readonly answers: readonly string[];
  readonly paymentsFound: number;
}

/** Fails the sync of a payment's commit, kills the service at once, and repeats the payment with its Idempotency-Key. */
export async function runCommitScenario(ground: Ground): Promise<CommitReport> {
  let report: CommitReport | undefined;
  const { violations } = await withRun(ground, [], async (run) => {
    report = await run.failCommit();
  });
  if (report === undefined) throw new Error(violations.join('\n'));
  return report;
}

async function withRun(
  ground: Ground,
  faults: readonly Fault[],
  work: (run: Run) => Promise<void>,
): Promise<RunReport> {
  const folder = join(ground.folder, `run-${++runs}`);
  mkdirSync(folder);
  const dataFolder = join(folder, 'data');
  cpSync(ground.template, dataFolder, { recursive: true });
  const calls = new FailingCalls(ground.library, join(folder, 'control'), dataFolder);
  const store = await ground.openStore();
  const run = new Run(ground, dataFolder, { calls, settings: store.settings }, faults);
  try {
    await work(run);
  } catch (error) {
    run.ledger.violate((error as Error).message);
  } finally {
    await run.lives.kill();
    await store.close();
  }
  const report = { lives: calls.lives, violations: run.ledger.violations };
  calls.close();
  rmSync(folder, { recursive: true, force: true });
  return report;
}

class Run {
  readonly ledger = new Ledger();
  readonly lives: ServiceLives;
  readonly #signer: Signer;
  readonly #forger: Signer;
  readonly #logFile: string;

  readonly #calls: FailingCalls;
  readonly #faults: readonly Fault[];
  #life = 0;
  readonly #mayBeSlow: boolean;

  constructor(
    { clientId, folder, store }: Ground,
    dataFolder: string,
    { calls, settings: more }: { calls: FailingCalls; settings: Readonly<Record<string, string>> },
    faults: readonly Fault[],
  ) {
    this.#calls = calls;
    this.#faults = faults;
    this.#mayBeSlow = store !== 'files';
    this.#logFile = join(dataFolder, 'log.jsonl');
    const settings = {
      ...more,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      COUNTERSIGN_LOG_FILE: this.#logFile,
      COUNTERSIGN_LOG_LEVEL: 'info',
      // After a crash, signatures are made for the time after the rejected seconds.
      COUNTERSIGN_CREATED_MAX_FUTURE_SECONDS: '600',
      // A busy machine is not a fault.
      COUNTERSIGN_GUARD_TIMEOUT_MS: '5000',
      // None of the payments completes while this runs, so all can be cancelled.
      COUNTERSIGN_PAYMENTS_COMPLETE_AFTER_SECONDS: '3600',
    };
    this.lives = new ServiceLives(dataFolder, settings, calls, (text) => this.ledger.violate(text));
    const nowMs = (): number => Date.now() + this.lives.count * 15_000;
    const { privateKey } = keyPair;
    this.#signer = createSigner({ keyid: clientId, privateKey, nowMs });
    this.#forger = createSigner({ keyid: clientId, privateKey, nowMs });
  }

  async go(): Promise<void> {
    await this.#begin();
    await this.#work();
    await this.#sendForged();
    // Requests are written to the log of their owners once in a second.
    if (!this.lives.hasEnded) await sleep(1100);
    if (!this.#killsAfterRefusal) await this.#recover();
    await this.lives.end('SIGKILL');

    await this.#begin();
    await this.#checkWords();
    await this.#checkAccepted();
    await this.#work();
    await this.#recover();
    await this.lives.end('SIGTERM');

    await this.#begin();
    await this.#checkWords();
    await this.#checkAccepted();
    await this.#repeat();
    await this.#recover();
    await this.#checkWords();
    await this.lives.end('SIGTERM');
    this.#checkLog();
  }

  async #begin(): Promise<void> {
    this.#life += 1;
    this.#calls.begin(this.#fault);
    await this.lives.start();
  }

  /** The one of this life. */
  get #fault(): Fault | undefined {
    return this.#faults.find(({ life }) => life === this.#life);
  }

  get #killsAfterRefusal(): boolean {
    return this.#fault?.thenKill ?? false;
  }

  async failCommit(): Promise<CommitReport> {
    await this.#begin();
    const created = Math.floor(Date.now() / 1000) + 10;
    await this.#sendPayment(this.ledger.newPayment(true), created);
    await this.#untilNothingIsWritten();
    this.#calls.fail({ life: 1, kind: 'sync', position: this.#calls.counts.sync + 1, effect: 'EIO' });
    const payment = this.ledger.newPayment(true);
    // The guard has recorded that it accepts this second, so the commit is the first thing to be synced.
    const answers = [await this.#sendPayment(payment, created)];
    await this.lives.end('SIGKILL');
    await this.#begin();
    const listed = await this.#list();
    answers.push(await this.#sendPayment(payment));
    return {
      answers: answers.map((answer) => [answer?.status, answer?.code].filter(Boolean).join(' ')),
      paymentsFound: listed?.filter(({ reference }) => reference === payment.reference).length ?? 0,
    };
  }

  /** Requests are written to the log of their owners once in a second. */
  async #untilNothingIsWritten(): Promise<void> {
    let written = -1;
    await this.lives.until('nothing is written for some time', async () => {
      const before = written;
      await sleep(1500);
      written = this.#calls.counts.sync;
      return written === before;
    });
  }

  /** Payments one after the other and at once, a cancellation, a read, and everything again. */
  async #work(): Promise<void> {
    const first = await this.#pay(true);
    await Promise.all([this.#pay(true), this.#pay(false), this.#pay(true)]);
    await this.#cancel(first);
    await this.#read();
    await this.#checkAccepted();
  }

  /**
   * True if the service may reject without a mistake: a fault has occurred in this life, no caller is known,
   * or a server that it needs did not respond in time, as on a busy machine.
   */
  get #mayFail(): boolean {
    return this.lives.hasFailed || this.lives.hasEnded || this.#mayBeSlow;
  }

  async #pay(hasKey: boolean): Promise<SentPayment> {
    const payment = this.ledger.newPayment(hasKey);
    await this.#sendPayment(payment);
    return payment;
  }

  async #sendPayment(payment: SentPayment, created?: number): Promise<Answer | undefined> {
    const { reference, idempotencyKey } = payment;
    const body = JSON.stringify({ amount: 100, currency: 'EUR', reference });
    const prepared: Prepared = {
      signed: this.#signer.sign(
        { method: 'POST', url: `${baseUrl}/v1/payments`, body },
        created === undefined ? {} : { created },
      ),
      ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
    };
    const answer = await this.#send(prepared);
    const word = this.#wordOf(`payment ${reference}`, answer);
    if (word !== 'done') {
      // A repetition that fails says nothing about the first time.
      if (payment.word === undefined || payment.word === 'nothing done') payment.word = word;
      return answer;
    }
    this.ledger.accepted.push(prepared);
    const paymentId = String(answer!.body['paymentId']);
    if (payment.paymentId !== undefined && payment.paymentId !== paymentId)
      this.ledger.violate(`payment ${reference}, with its Idempotency-Key again, is another one`);
    payment.word = 'done';
    payment.paymentId = paymentId;
    return answer;
  }

  async #cancel(payment: SentPayment): Promise<void> {
    const { paymentId, reference } = payment;
    if (paymentId === undefined) return;
    const url = `${baseUrl}/v1/payments/${paymentId}/cancel`;
    const prepared = { signed: this.#signer.sign({ method: 'POST', url }) };
    const answer = await this.#send(prepared);
    payment.cancellation = this.#wordOf(`cancellation of ${reference}`, answer);
    if (payment.cancellation === 'done') this.ledger.accepted.push(prepared);
  }

  async #read(): Promise<boolean> {
    const signed = this.#signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
    return this.#wordOf('a read', await this.#send({ signed })) === 'done';
  }

  /** Explained in a thread that is started for the first one. */
  async #sendForged(): Promise<boolean> {
    const signed = this.#forger.sign({ method: 'GET', url: `${baseUrl}/v1/signature-test?a=1` });
    const answer = await this.#send({ signed: { ...signed, url: `${baseUrl}/v1/signature-test?a=2` } });
    if (answer !== undefined && answer.status < 300) this.ledger.violate('a forged request was accepted');
    if (answer?.code !== 'signature_invalid' && !this.#mayFail)
      this.ledger.violate(`a forged request: ${answer?.status} ${answer?.code}`);
    return answer?.body['explanation'] !== undefined;
  }

  /** No accepted request passes again. */
  async #checkAccepted(): Promise<void> {
    for (const prepared of this.ledger.accepted) {
      const answer = await this.#send(prepared);
      if (answer === undefined && !this.#mayFail) this.ledger.violate('a repeated signature: no answer');
      if (answer !== undefined && answer.status < 300) this.ledger.violate('a signature was accepted twice');
    }
  }

  /** The same process responds normally to everything, soon after the fault. */
  async #recover(): Promise<void> {
    if (!this.lives.hasFailed) return;
    await this.lives.startIfKilled();
    const { count } = this.lives;
    await this.lives.until('a payment and a read are accepted again', async () => {
      const payment = await this.#pay(true);
      return this.lives.hasEnded || (payment.word === 'done' && (await this.#read()));
    });
    await this.lives.until('a forged request is explained again', async () => {
      if (this.lives.hasEnded || (await this.#sendForged())) return true;
      // The budget for explanations builds up slowly.
      await sleep(500);
      return false;
    });
    await this.lives.startIfKilled();
    if (this.lives.count === count) await this.#checkAccepted();
  }

  /** The service's statements about payments and cancellations are true. */
  async #checkWords(): Promise<void> {
    const listed = await this.#list();
    if (listed === undefined) return;
    for (const { reference, word, paymentId, cancellation } of this.ledger.payments) {
      const found = listed.filter((one) => one.reference === reference);
      if (found.length > 1) this.ledger.violate(`payment ${reference} was made ${found.length} times`);
      const [one] = found;
      if (word === 'done' && one?.paymentId !== paymentId)
        this.ledger.violate(`payment ${reference} was acknowledged and is lost`);
      if (word === 'nothing done' && one !== undefined)
        this.ledger.violate(`payment ${reference} was refused, and done`);
      this.#checkCancellation(reference, cancellation, one?.status);
    }
  }

  #checkCancellation(reference: string, word: Word | undefined, status: string | undefined): void {
    if (word === 'done' && status !== 'cancelled')
      this.ledger.violate(`the cancellation of ${reference} was acknowledged and is lost`);
    if (word === 'nothing done' && status === 'cancelled')
      this.ledger.violate(`the cancellation of ${reference} was refused, and done`);
  }

  async #list(): Promise<
    readonly { readonly reference: string; readonly paymentId: string; readonly status: string }[] | undefined
  > {
    const signed = this.#signer.sign({ method: 'GET', url: `${baseUrl}/v1/payments?limit=100` });
    const answer = await this.#send({ signed });
    if (this.#wordOf('the list of payments', answer) !== 'done') return undefined;
    return answer!.body['data'] as [];
  }

  /** Repeats every payment with an Idempotency-Key: then each of them exists once. */
  async #repeat(): Promise<void> {
    for (const payment of this.ledger.payments)
      if (payment.idempotencyKey !== undefined) await this.#sendPayment(payment);
    await this.#checkWords();
  }

  #checkLog(): void {
    if (!existsSync(this.#logFile)) return;
    const lines = readFileSync(this.#logFile, 'utf8').split('\n');
    for (const line of lines.slice(0, -1))
      if (!isJson(line)) this.ledger.violate(`a torn line of the log: ${line}`);
    if (lines.at(-1) !== '') this.ledger.violate(`the log ends in the middle of a line: ${lines.at(-1)}`);
  }

  /** Undefined if there was no response. Each request has its own connection. */
  async #send(prepared: Prepared): Promise<Answer | undefined> {
    if (this.lives.hasEnded) return undefined;
    const caller = new Caller(this.lives.address);
    try {
      const answer = await caller.send(prepared);
      if (this.#killsAfterRefusal && answer.status >= 500 && this.lives.hasFailed) await this.lives.kill();
      return answer;
    } catch {
      return undefined;
    } finally {
      caller.close();
    }
  }

  #wordOf(what: string, answer: Answer | undefined): Word {
    return this.ledger.wordOf(what, answer, this.#mayFail);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
