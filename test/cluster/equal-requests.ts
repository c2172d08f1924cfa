import type { Signer } from '@countersign/signature/node';
import { addPayer, anyOf, type Cluster, isUndecided, type Outcome, preparePayment } from './cluster.ts';

export interface EqualRequestsOptions {
  readonly rounds: number;
  /** Per round. */
  readonly copies: number;
  readonly distinct: number;
}

export interface EqualRequestsResult {
  /** Rounds with one accepted copy and the others rejected as replays. */
  readonly goodRounds: number;
  /** Describes the other rounds. */
  readonly badRounds: readonly string[];
  readonly distinctAccepted: number;
  readonly distinctRefused: Readonly<Record<string, number>>;
  readonly equalPerSecond: number;
  readonly distinctPerSecond: number;
}

/** Sends equal requests at once, at random to three nodes, and then requests that differ. */
export async function runEqualRequests(
  cluster: Cluster,
  options: EqualRequestsOptions,
): Promise<EqualRequestsResult> {
  const signer = await addPayer(cluster);
  return {
    ...(await sendEqual(cluster, signer, options)),
    ...(await sendDistinct(cluster, signer, options)),
  };
}

async function sendEqual(
  cluster: Cluster,
  signer: Signer,
  { rounds, copies }: EqualRequestsOptions,
): Promise<Pick<EqualRequestsResult, 'goodRounds' | 'badRounds' | 'equalPerSecond'>> {
  const badRounds: string[] = [];
  const startedMs = performance.now();
  for (let round = 0; round < rounds; round++) {
    const outcomes = await sendCopies(cluster, signer, `equal ${round}`, copies);
    const counts = countOf(outcomes.map(({ status, code }) => code ?? String(status)));
    const isGood = counts['201'] === 1 && counts['signature_replayed'] === copies - 1;
    if (!isGood) badRounds.push(`round ${round}: ${JSON.stringify(counts)}`);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  return { goodRounds: rounds - badRounds.length, badRounds, equalPerSecond: (rounds * copies) / seconds };
}

/**
 * Sends copies of one request. If a node cannot reach its guard in time, it is unknown whether the guard
 * recorded the request; that round only shows that nothing passes twice, and is repeated with another
 * request.
 */
async function sendCopies(
  cluster: Cluster,
  signer: Signer,
  reference: string,
  copies: number,
): Promise<readonly Outcome[]> {
  for (let attempt = 1; ; attempt++) {
    const call = preparePayment(signer, `${reference}, ${attempt}`);
    const outcomes = await Promise.all(
      Array.from({ length: copies }, () => cluster.send(anyOf(cluster.nodes), call)),
    );
    const hasPassedTwice = outcomes.filter(({ status }) => status === 201).length > 1;
    if (hasPassedTwice || attempt === attemptsMax || !outcomes.some(isUndecided)) return outcomes;
  }
}

async function sendDistinct(
  cluster: Cluster,
  signer: Signer,
  { distinct }: EqualRequestsOptions,
): Promise<Pick<EqualRequestsResult, 'distinctAccepted' | 'distinctRefused' | 'distinctPerSecond'>> {
  let begun = 0;
  let sent = 0;
  let distinctAccepted = 0;
  const refusals: string[] = [];
  const startedMs = performance.now();
  const sendNew = async (attempt = 1): Promise<Outcome> => {
    const call = preparePayment(signer, `distinct ${sent++}`);
    const outcome = await cluster.send(anyOf(cluster.nodes), call);
    return isUndecided(outcome) && attempt < attemptsMax ? sendNew(attempt + 1) : outcome;
  };
  const sendAll = async (): Promise<void> => {
    while (begun++ < distinct) {
      const { status, code } = await sendNew();
      if (status === 201) distinctAccepted++;
      else refusals.push(code ?? String(status));
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, sendAll));
  const seconds = (performance.now() - startedMs) / 1000;
  return { distinctAccepted, distinctRefused: countOf(refusals), distinctPerSecond: distinct / seconds };
}

const callersAtOnce = 32;
const attemptsMax = 20;

function countOf(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
