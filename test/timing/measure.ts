import { CroppedSamples, croppingLimits, type Finding } from './cropped-samples.ts';
import type { AlgorithmName } from '@countersign/signature';
import { type ClientKind, clientKindsOf } from './clients.ts';
import { openHttpScene } from './over-http.ts';
import { openScene, type Scene, sides } from './scene.ts';

/** Two measurements that a stranger could compare, and by how much the first took longer. */
export interface Comparison extends Finding {
  readonly subject: string;
  readonly reference: string;
}

/** From here on, dudect calls a difference certain. */
export const certain = 4.5;

/**
 * Measures the decision about requests of an algorithm with signatures that no key verifies, in random order: those that name each kind of
 * client, for each kind of signature, and those whose signature is below or above the modulus of the client. Differences
 * are in nanoseconds.
 *
 * @param samples the number for each side of a comparison
 */
export async function measure(
  algorithm: AlgorithmName,
  samples: number,
  onProgress: (text: string) => void,
): Promise<Comparison[]> {
  const scene = await openScene({ algorithm, clients: clientsOfKind, bystanders: 64 * clientsOfKind });
  const clientKinds = clientKindsOf(algorithm);
  const comparisons: Comparison[] = [];
  try {
    for (const [signature, make] of Object.entries(scene.signatures)) {
      // Created beforehand: signing takes longer than the measured work.
      const signatures = Array.from({ length: 2048 }, make);
      const take: Take = (kind, client) =>
        timed(scene.prepare(clientKinds[kind]!, client, signatures[below(signatures.length)]!));
      const kinds = await collectEach(take, clientKinds.length, { samples, calibrating: 20_000 }, (text) =>
        onProgress(`${signature}: ${text}`),
      );
      comparisons.push(...compareKinds(clientKinds, kinds, `signature ${signature}`));
    }
    if (algorithm !== 'rsa-v1_5-sha256') return comparisons;
    const take: Take = (side, client) =>
      timed(scene.prepare('active', client, scene.signatureBeside(client, sides[side]!)));
    const [low, high] = await collectEach(take, sides.length, { samples, calibrating: 20_000 }, (text) =>
      onProgress(`modulus: ${text}`),
    );
    comparisons.push({ subject: 'above the modulus', reference: 'below it', ...low!.compare(high!) });
  } finally {
    await scene.close();
  }
  return comparisons;
}

/**
 * Measures what a stranger sees: how long the whole response of a running service takes, over one connection, for requests
 * of an algorithm that name each kind of client with a signature that no key verifies. Differences are in nanoseconds.
 *
 * @param samples the number for each side of a comparison
 */
export async function measureOverHttp(
  algorithm: AlgorithmName,
  samples: number,
  onProgress: (text: string) => void,
): Promise<Comparison[]> {
  const scene = await openHttpScene({ algorithm, clients: clientsOfKind, bystanders: 64 * clientsOfKind });
  const clientKinds = clientKindsOf(algorithm);
  try {
    const kinds = await collectEach(
      (kind, client) => scene.time(clientKinds[kind]!, client),
      clientKinds.length,
      { samples, calibrating: 4000 },
      (text) => onProgress(`over HTTP: ${text}`),
    );
    return compareKinds(clientKinds, kinds, 'over HTTP');
  } finally {
    await scene.close();
  }
}

/** With the first kind. */
function compareKinds(
  clientKinds: readonly ClientKind[],
  samples: readonly CroppedSamples[],
  what: string,
): Comparison[] {
  const [reference, ...others] = clientKinds;
  return others.map((kind, index) => ({
    subject: `${kind}, ${what}`,
    reference: reference!,
    ...samples[0]!.compare(samples[index + 1]!),
  }));
}

const clientsOfKind = 32;

/** Times one decision about a client, in nanoseconds. */
type Take = (kind: number, client: number) => number;

interface Plan {
  /** Of each kind. */
  readonly samples: number;
  /** Samples of all kinds from which the limits are taken; twice as many go first, and the first half warms up. */
  readonly calibrating: number;
}

/** In random order, so that side effects on the next request affect all kinds equally. */
async function collectEach(
  take: (kind: number, client: number) => number | Promise<number>,
  kindCount: number,
  { samples, calibrating }: Plan,
  onProgress: (text: string) => void,
): Promise<readonly CroppedSamples[]> {
  const calibration: number[] = [];
  for (let count = 0; count < 2 * calibrating; count++) {
    const took = await take(below(kindCount), below(clientsOfKind));
    if (count >= calibrating) calibration.push(took);
  }
  const limits = croppingLimits(calibration);
  const kinds = Array.from({ length: kindCount }, () => new CroppedSamples(limits, clientsOfKind));
  const total = samples * kindCount;
  for (let count = 0; count < total; count++) {
    const [kind, client] = [below(kindCount), below(clientsOfKind)];
    kinds[kind]!.add(client, await take(kind, client));
    if (count % 100_000 === 0) onProgress(`${Math.floor((100 * count) / total)} %`);
  }
  return kinds;
}

function timed(decideRequest: ReturnType<Scene['prepare']>): number {
  const started = process.hrtime.bigint();
  const refusal = decideRequest();
  const took = Number(process.hrtime.bigint() - started);
  if (refusal?.code !== 'signature_invalid') throw new Error(`${refusal?.code}: ${refusal?.reason}`);
  return took;
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}
