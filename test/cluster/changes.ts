import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner, type Signer } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { RunningService } from '@countersign/testing/running-service';
import { type ChangeKind, changeKinds, type Subject } from './change-kinds.ts';
import { anyOf, type Cluster, isUndecided, type Outcome, prepare } from './cluster.ts';

export interface ChangesOptions {
  readonly trials: number;
  /** Concurrent trials, each with its own account. */
  readonly atOnce: number;
}

export interface ChangeFigure {
  readonly kind: string;
  /** `a node`: the management API of a node; `the operator`: the commands on the machine. */
  readonly through: 'a node' | 'the operator';
  readonly trials: number;
  /** From the response to the change until another node last accepted a request; 0 for never. */
  readonly medianMs: number;
  readonly slowestMs: number;
}

export interface ChangesResult {
  readonly trials: number;
  readonly requests: number;
  /** Accepted by the node of the change after its response. Must be zero. */
  readonly lateHere: number;
  /** Accepted by another node after the deadline. Must be zero. */
  readonly lateElsewhere: number;
  /** Responses other than acceptance or the expected rejection. Must be zero. */
  readonly unexpected: readonly string[];
  /** 503 answers: the machine was too slow for the guard's time limit. */
  readonly undecided: number;
  readonly figures: readonly ChangeFigure[];
}

/** The deadline for other nodes, in milliseconds after the response to the change. */
export const changeDeadlineMs = 1000;

/** The interval between a client's calls to a node. Sender and nodes share a process, so a change must not queue behind them. */
const callEveryMsMax = 120;
/** A node that decides about nothing is asked again, for as long as a busy machine may need. */
const lastCallsMax = 100;

/** The longest wait until each node has accepted a request of the client before the change. */
const acceptanceMsMax = 10_000;

/** How long to call the nodes after the change, in milliseconds. */
const watchedMs = changeDeadlineMs + 250;

/** Changes clients while they call all nodes. */
export async function runChanges(
  cluster: Cluster,
  { trials, atOnce }: ChangesOptions,
): Promise<ChangesResult> {
  const campaign = new Campaign(cluster);
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < trials) await campaign.runTrial(variants[begun++ % variants.length]!);
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(atOnce, trials) }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return campaign.result();
}

interface Variant {
  readonly kind: ChangeKind;
  readonly through: ChangeFigure['through'];
}

const variants: readonly Variant[] = changeKinds.flatMap((kind) => [
  { kind, through: 'a node' } as const,
  ...(kind.local ? [{ kind, through: 'the operator' } as const] : []),
]);

interface Sent {
  readonly node: RunningService;
  readonly sentMs: number;
  readonly outcome: Outcome;
}

interface Scene {
  readonly administrator: Signer;
  readonly signer: Signer;
  readonly subject: Subject;
}

class Campaign {
  readonly #cluster: Cluster;
  /** Shared by all accounts, because generating keys takes longer than everything else. */
  readonly #administratorKey = makeKeyPair();
  readonly #subjectKey = makeKeyPair();
  readonly #lastElsewhereMs = new Map<Variant, number[]>();
  readonly #unexpected: string[] = [];
  #requests = 0;
  #lateHere = 0;
  #lateElsewhere = 0;
  #undecided = 0;
  #calls = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  result(): ChangesResult {
    const figures = [...this.#lastElsewhereMs].map(([{ kind, through }, unsorted]) => {
      const sorted = unsorted.toSorted((left, right) => left - right);
      const medianMs = sorted[Math.floor(sorted.length / 2)]!;
      return { kind: kind.name, through, trials: sorted.length, medianMs, slowestMs: sorted.at(-1)! };
    });
    return {
      trials: figures.reduce((sum, { trials }) => sum + trials, 0),
      requests: this.#requests,
      lateHere: this.#lateHere,
      lateElsewhere: this.#lateElsewhere,
      unexpected: this.#unexpected,
      undecided: this.#undecided,
      figures,
    };
  }

  async runTrial(variant: Variant): Promise<void> {
    const { nodes, registry } = this.#cluster;
    const scene = await this.#makeScene();
    const traffic: Sent[] = [];
    let untilMs = Infinity;
    const call = async (node: RunningService): Promise<void> => {
      while (performance.now() < untilMs) {
        traffic.push(await this.#use(node, scene.signer));
        await sleep(Math.random() * callEveryMsMax);
      }
      // On a slow machine the last of these may have been sent before the deadline, or been decided about by nothing.
      if (untilMs > 0) traffic.push(...(await this.#useUntilDecided(node, scene.signer)));
    };
    const isUsed = (node: RunningService): boolean =>
      traffic.some((sent) => sent.node === node && isAccepted(sent.outcome));
    const here = variant.through === 'a node' ? anyOf(nodes) : undefined;
    const change = async (): Promise<number> => {
      try {
        await sleep(100 + Math.random() * 200);
        const patientUntilMs = performance.now() + acceptanceMsMax;
        while (!nodes.every(isUsed) && performance.now() < patientUntilMs) await sleep(10);
        if (here) await this.#manage(here, scene.administrator, variant.kind.call(scene.subject));
        else await variant.kind.local!(registry, scene.subject);
        const doneMs = performance.now();
        untilMs = doneMs + watchedMs;
        if (here) traffic.push(await this.#use(here, scene.signer));
        return doneMs;
      } catch (error) {
        untilMs = 0;
        throw error;
      }
    };
    const [doneMs] = await Promise.all([change(), ...nodes.map(call)]);
    this.#judge(variant, here, traffic, doneMs);
  }

  async #useUntilDecided(node: RunningService, signer: Signer): Promise<readonly Sent[]> {
    const uses: Sent[] = [];
    while (uses.length < lastCallsMax) {
      const use = await this.#use(node, signer);
      uses.push(use);
      if (!isUndecided(use.outcome)) break;
      await sleep(callEveryMsMax);
    }
    return uses;
  }

  #judge(variant: Variant, here: RunningService | undefined, traffic: readonly Sent[], doneMs: number): void {
    let lastElsewhereMs = 0;
    for (const { node, sentMs, outcome } of traffic) {
      const lateMs = sentMs - doneMs;
      if (isAccepted(outcome) && lateMs > 0) {
        if (node === here) this.#lateHere++;
        else if (lateMs > changeDeadlineMs) this.#lateElsewhere++;
        if (node !== here) lastElsewhereMs = Math.max(lastElsewhereMs, lateMs);
      }
      if (isUndecided(outcome)) this.#undecided++;
      else if (!isAccepted(outcome) && outcome.code !== variant.kind.code)
        this.#unexpected.push(`${variant.kind.name}: ${outcome.status} ${outcome.code}`);
    }
    this.#checkTraffic(variant, traffic, doneMs);
    const seen = this.#lastElsewhereMs.get(variant) ?? [];
    this.#lastElsewhereMs.set(variant, [...seen, lastElsewhereMs]);
  }

  /** A trial counts only if each node accepted before the change and rejected after the deadline. */
  #checkTraffic({ kind }: Variant, traffic: readonly Sent[], doneMs: number): void {
    for (const each of this.#cluster.nodes) {
      const ofNode = traffic.filter(({ node }) => node === each);
      const accepted = ofNode.some(({ sentMs, outcome }) => sentMs < doneMs && isAccepted(outcome));
      const refused = ofNode.some(
        ({ sentMs, outcome }) => sentMs > doneMs + changeDeadlineMs && outcome.code === kind.code,
      );
      if (!accepted) this.#unexpected.push(`${kind.name}: a node accepted nothing before the change`);
      if (!refused) this.#unexpected.push(`${kind.name}: a node refused nothing after the deadline`);
    }
  }

  async #makeScene(): Promise<Scene> {
    const { registry, nodes } = this.#cluster;
    const { accountId } = await registry.addAccount('Trial');
    const network = [{ entry: '127.0.0.1' }];
    const { publicKey } = this.#administratorKey;
    const { clientId: administratorId } = await registry.addClient({
      name: 'Administrator',
      accountId,
      publicKey,
      network,
      roles: ['administrator'],
    });
    await Promise.all(nodes.map((node) => node.service.readRegistry()));
    const administrator = createSigner({
      keyid: administratorId,
      privateKey: this.#administratorKey.privateKey,
    });
    const role = await this.#manage(anyOf(nodes), administrator, {
      method: 'POST',
      path: '/v1/roles',
      json: { name: 'caller', permissions: ['payments:read', 'payments:write'] },
    });
    const { clientId, keys } = await registry.addClient({
      name: 'Subject',
      accountId,
      publicKey: this.#subjectKey.publicKey,
      network,
      roles: ['caller'],
    });
    await Promise.all(nodes.map((node) => node.service.readRegistry()));
    return {
      administrator,
      signer: createSigner({ keyid: clientId, privateKey: this.#subjectKey.privateKey }),
      subject: { clientId, keyId: keys[0]!.keyId, roleId: String(role['roleId']) },
    };
  }

  async #manage(
    node: RunningService,
    signer: Signer,
    { method, path, json }: ReturnType<ChangeKind['call']>,
  ): Promise<Record<string, unknown>> {
    const options = { ...(json !== undefined && { json }), headers: { 'If-Match': '*' } };
    let outcome: Outcome;
    do outcome = await this.#cluster.send(node, prepare(signer, method, path, options));
    // PostgreSQL may be too slow on a busy machine: nothing was done then.
    while (isUndecided(outcome) || outcome.code === 'storage_unavailable');
    if (outcome.status >= 300) throw new Error(`${method} ${path}: ${outcome.status} ${outcome.text}`);
    return JSON.parse(outcome.text) as Record<string, unknown>;
  }

  /** A call that gets 404 after passing every check, and changes nothing. */
  async #use(node: RunningService, signer: Signer): Promise<Sent> {
    this.#requests++;
    const call = prepare(signer, 'POST', `/v1/payments/none-${++this.#calls}/cancel`);
    const sentMs = performance.now();
    return { node, sentMs, outcome: await this.#cluster.send(node, call) };
  }
}

/** No such payment, so every check was passed. */
function isAccepted({ code }: Outcome): boolean {
  return code === 'not_found';
}
