import { createSigner, type Signer } from '@countersign/signature/node';
import { anyOf, type Cluster, type GuardKind, makeKeyPair, prepare, startCluster } from './cluster.ts';

/** How much is sent. */
export interface EqualRequestsOptions {
  readonly rounds: number;
  /** Equal requests in a round. */
  readonly copies: number;
  readonly distinct: number;
}

/** What came back. */
export interface EqualRequestsResult {
  /** Rounds in which one copy was accepted and all others were refused as replays. */
  readonly goodRounds: number;
  /** What was seen in the other rounds. */
  readonly badRounds: readonly string[];
  readonly distinctAccepted: number;
  readonly distinctRefused: Readonly<Record<string, number>>;
  readonly equalPerSecond: number;
  readonly distinctPerSecond: number;
}

/** Equal requests at once, spread at random over three nodes; then requests that differ, of which each is new. */
export async function runEqualRequests(
  guard: GuardKind,
  options: EqualRequestsOptions,
): Promise<EqualRequestsResult> {
  const cluster = await startCluster(guard);
  try {
    const { publicKey, privateKey } = makeKeyPair();
    const { clientId } = await cluster.registry.addClient({
      name: 'Caller',
      publicKey,
      network: [{ entry: '127.0.0.1' }],
      roles: ['payments-operator'],
    });
    await Promise.all(cluster.nodes.map((node) => node.service.readRegistry()));
    const signer = createSigner({ keyid: clientId, privateKey });
    return {
      ...(await sendEqual(cluster, signer, options)),
      ...(await sendDistinct(cluster, signer, options)),
    };
  } finally {
    await cluster.close();
  }
}

async function sendEqual(
  cluster: Cluster,
  signer: Signer,
  { rounds, copies }: EqualRequestsOptions,
): Promise<Pick<EqualRequestsResult, 'goodRounds' | 'badRounds' | 'equalPerSecond'>> {
  const badRounds: string[] = [];
  const startedMs = performance.now();
  for (let round = 0; round < rounds; round++) {
    const call = paymentCall(signer, `equal ${round}`);
    const outcomes = await Promise.all(
      Array.from({ length: copies }, () => cluster.send(anyOf(cluster.nodes), call)),
    );
    const counts = countOf(outcomes.map(({ status, code }) => code ?? String(status)));
    const isGood = counts['201'] === 1 && counts['signature_replayed'] === copies - 1;
    if (!isGood) badRounds.push(`round ${round}: ${JSON.stringify(counts)}`);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  return { goodRounds: rounds - badRounds.length, badRounds, equalPerSecond: (rounds * copies) / seconds };
}

async function sendDistinct(
  cluster: Cluster,
  signer: Signer,
  { distinct }: EqualRequestsOptions,
): Promise<Pick<EqualRequestsResult, 'distinctAccepted' | 'distinctRefused' | 'distinctPerSecond'>> {
  let sent = 0;
  let distinctAccepted = 0;
  const refusals: string[] = [];
  const startedMs = performance.now();
  const sendAll = async (): Promise<void> => {
    while (sent < distinct) {
      const call = paymentCall(signer, `distinct ${sent++}`);
      const { status, code } = await cluster.send(anyOf(cluster.nodes), call);
      if (status === 201) distinctAccepted++;
      else refusals.push(code ?? String(status));
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, sendAll));
  const seconds = (performance.now() - startedMs) / 1000;
  return { distinctAccepted, distinctRefused: countOf(refusals), distinctPerSecond: distinct / seconds };
}

const callersAtOnce = 32;

function paymentCall(signer: Signer, reference: string): ReturnType<typeof prepare> {
  return prepare(signer, 'POST', '/v1/payments', { json: { amount: 1250, currency: 'EUR', reference } });
}

function countOf(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
