import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner } from '@countersign/signature/node';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { keyPair, otherKeyPair } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { waitUntil } from '@countersign/testing/wait-until';
import { Caller } from './caller.ts';
import { checkAfterStart, checkEverything, type CheckFigures, type CheckParts, noFigures } from './checks.ts';
import { Ledger, type Payer } from './ledger.ts';
import { findRefusalPeriod } from './refusal-period.ts';
import { preparePayment, Traffic } from './traffic.ts';

type End = 'kill' | 'kill while stopping' | 'clean stop';

/** Repeated until there are enough rounds. */
const ends: readonly End[] = [
  'kill',
  'kill while stopping',
  'kill',
  'clean stop',
  'kill',
  'clean stop',
  'kill',
];

export interface KillLoopOptions {
  readonly rounds: number;
  /** After this many crashes the run waits out Retry-After; after the others it signs for the end of that time. */
  readonly waits?: number;
  /** The longest that writers write in a round. Default 600. */
  readonly writeMsMax?: number;
  /** Called after every round. */
  readonly onRound?: (round: number, report: KillLoopReport) => void;
}

export interface KillLoopReport extends CheckFigures {
  readonly ends: Readonly<Record<End | 'kill at start', number>>;
  readonly payments: number;
  readonly clients: number;
  readonly violations: readonly string[];
}

/** Rounds, by their index among the ends, that kill a start first: once after a crash, once after a clean stop. */
const killsAtStart: readonly number[] = [3, 0];

const violationsMax = 20;

/** What each round writes before its end. */
const writtenMin = { payments: 5, clients: 2 } as const;

/**
 * Kills the working service in a loop, and checks after each start that nothing acknowledged is lost and nothing accepted is
 * accepted again. Stops early after 20 violations.
 */
export async function runKillLoop(options: KillLoopOptions): Promise<KillLoopReport> {
  const loop = new KillLoop(options);
  try {
    return await loop.run();
  } finally {
    await loop.close();
  }
}

class KillLoop {
  readonly #options: KillLoopOptions;
  readonly #dataFolder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  readonly #ledger = new Ledger();
  readonly #ends: Record<End | 'kill at start', number> = {
    kill: 0,
    'kill while stopping': 0,
    'clean stop': 0,
    'kill at start': 0,
  };
  readonly #figures = noFigures();
  readonly #violations: string[] = [];
  readonly #payers: Payer[] = [];
  #process: ServiceProcess | undefined;
  #firstSecond = 0;
  #waitsLeft: number;

  constructor(options: KillLoopOptions) {
    this.#options = options;
    this.#waitsLeft = options.waits ?? 0;
  }

  get #report(): KillLoopReport {
    const { payments, clientIds } = this.#ledger;
    return {
      ...this.#figures,
      ends: this.#ends,
      payments: payments.size,
      clients: clientIds.length,
      violations: this.#violations,
    };
  }

  async run(): Promise<KillLoopReport> {
    await this.#registerPayers();
    let lastEnd: End = 'clean stop';
    for (let round = 1; round <= this.#options.rounds && this.#violations.length < violationsMax; round++) {
      const end = ends[(round - 1) % ends.length]!;
      await this.#withService(lastEnd, killsAtStart.includes(round % ends.length), (caller) =>
        this.#writeUntil(end, caller),
      );
      this.#ends[end]++;
      lastEnd = end;
      this.#options.onRound?.(round, this.#report);
    }
    await this.#withService(lastEnd, false, async (caller) => {
      await checkEverything({ ...this.#parts(caller), dataFolder: this.#dataFolder });
      await this.#end('clean stop');
    });
    return this.#report;
  }

  async close(): Promise<void> {
    await this.#process?.end();
    rmSync(this.#dataFolder, { recursive: true, force: true });
  }

  /** One life of the service: start, checks, work until its end. */
  async #withService(
    lastEnd: End,
    killAtStart: boolean,
    work: (caller: Caller) => Promise<void>,
  ): Promise<void> {
    if (killAtStart) {
      const early = this.#start();
      await sleep(Math.random() * 400);
      await early.end();
      this.#ends['kill at start']++;
    }
    this.#process = this.#start();
    const caller = new Caller(await this.#process.listening());
    try {
      await this.#passRefusalPeriod(caller, lastEnd);
      await checkAfterStart(this.#parts(caller), lastEnd === 'clean stop' && !killAtStart);
      this.#ledger.turnPage();
      await work(caller);
    } finally {
      caller.close();
    }
  }

  #start(): ServiceProcess {
    return new ServiceProcess(this.#dataFolder, {
      // Signatures are made for the end of each rejection period, which lies some seconds further ahead after
      // every crash.
      COUNTERSIGN_CREATED_MAX_FUTURE_SECONDS: '3600',
      // Two clients make all requests, as fast as they can.
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
    });
  }

  #parts(caller: Caller): CheckParts {
    return {
      caller,
      ledger: this.#ledger,
      payers: this.#payers,
      figures: this.#figures,
      nowMs: this.#nowMs,
      onViolation: this.#violate,
    };
  }

  /** The signers' clock, at the second from which the service accepts again. */
  readonly #nowMs = (): number => Math.max(Date.now(), this.#firstSecond * 1000);

  readonly #violate = (text: string): void => {
    const { output = '' } = this.#process ?? {};
    this.#violations.push(/"error"/.test(output) ? `${text}\n${output}` : text);
  };

  /** Finds the first second whose signatures are accepted, then waits for it or signs for it. */
  async #passRefusalPeriod(caller: Caller, lastEnd: End): Promise<void> {
    const period = await findRefusalPeriod(caller, this.#payers[0]!, this.#violate);
    const { refusedSeconds, firstSecond } = period;
    // It continues to reject what an earlier crash made it reject.
    if (lastEnd === 'clean stop' && refusedSeconds > 0 && firstSecond > this.#firstSecond) {
      this.#violate(`after a clean stop signatures are refused for ${refusedSeconds} s`);
    }
    this.#figures.refusedSecondsMax = Math.max(this.#figures.refusedSecondsMax, refusedSeconds);
    this.#firstSecond = Math.max(this.#firstSecond, firstSecond);
    if (refusedSeconds === 0 || this.#waitsLeft === 0) return;
    this.#waitsLeft--;
    this.#figures.waited++;
    await sleep(refusedSeconds * 1000);
  }

  async #writeUntil(end: End, caller: Caller): Promise<void> {
    const { writeMsMax = 600 } = this.#options;
    const parts = { ...this.#parts(caller), dataFolder: this.#dataFolder };
    const traffic = new Traffic(parts, 2);
    await sleep(writeMsMax / 6 + (Math.random() * (writeMsMax * 5)) / 6);
    // On a busy machine that may be too early: a round that wrote nothing proves nothing.
    const { recentSignatures, recentClientIds } = this.#ledger;
    await waitUntil(
      () => recentSignatures.length >= writtenMin.payments && recentClientIds.length >= writtenMin.clients,
      'payments and clients that were acknowledged',
    );
    // One request is signed before a clean stop and sent after it: it must pass.
    if (end === 'clean stop') {
      const payment = this.#ledger.newPayment(this.#payers[0]!);
      this.#ledger.unsent = { payment, prepared: preparePayment(payment) };
    }
    traffic.expectEnd();
    await this.#end(end);
    await traffic.ended();
  }

  async #end(end: End): Promise<void> {
    const service = this.#process!;
    if (end === 'kill') {
      await service.end();
    } else if (end === 'clean stop') {
      const { code } = await service.end('SIGTERM');
      if (code !== 0) this.#violate(`a clean stop ended with exit code ${code}:\n${service.output}`);
    } else {
      const stopped = service.end('SIGTERM');
      await sleep(Math.random() * 30);
      await service.end();
      await stopped;
    }
  }

  async #registerPayers(): Promise<void> {
    const registry = await openLocalRegistry({ dataFolder: this.#dataFolder, createIfMissing: true });
    try {
      for (const { publicKey, privateKey } of [keyPair, otherKeyPair]) {
        const { accountId } = await registry.addAccount('Paying account');
        const { clientId } = await registry.addClient({
          name: 'Paying client',
          accountId,
          publicKey,
          network: [{ entry: '0.0.0.0' }],
          roles: ['payments-operator'],
        });
        this.#payers.push({
          clientId,
          signer: createSigner({ keyid: clientId, privateKey, nowMs: this.#nowMs }),
        });
      }
    } finally {
      await registry.close();
    }
  }
}
