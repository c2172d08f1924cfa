import { CroppedSamples, croppingLimits, type Finding } from './cropped-samples.ts';
import { clientKinds, openScene, type Scene, sides } from './scene.ts';

/** What a stranger could compare, and by how much the first took longer. */
export interface Comparison extends Finding {
  readonly subject: string;
  readonly reference: string;
}

/** From here on, dudect calls a difference certain. */
export const certain = 4.5;

/**
 * Measures the decision about requests with signatures that no key verifies, in random order: those that name each kind of
 * client, for each kind of signature, and those whose signature is below or above the modulus of the client. Differences
 * are in nanoseconds.
 *
 * @param samples of each that is compared
 */
export async function measure(samples: number, onProgress: (text: string) => void): Promise<Comparison[]> {
  const scene = await openScene(clientsOfKind, 64 * clientsOfKind);
  const comparisons: Comparison[] = [];
  try {
    for (const [signature, make] of Object.entries(scene.signatures)) {
      // Made beforehand: signing takes longer than what is measured.
      const signatures = Array.from({ length: 2048 }, make);
      const take: Take = (kind, client) =>
        timed(scene.prepare(clientKinds[kind]!, client, signatures[below(signatures.length)]!));
      const kinds = collect(take, clientKinds.length, samples, (text) => onProgress(`${signature}: ${text}`));
      for (const [index, kind] of clientKinds.entries())
        if (index > 0)
          comparisons.push({
            subject: `${kind}, signature ${signature}`,
            reference: clientKinds[0],
            ...kinds[0]!.compare(kinds[index]!),
          });
    }
    const take: Take = (side, client) =>
      timed(scene.prepare('active', client, scene.signatureBeside(client, sides[side]!)));
    const [low, high] = collect(take, sides.length, samples, (text) => onProgress(`modulus: ${text}`));
    comparisons.push({ subject: 'above the modulus', reference: 'below it', ...low!.compare(high!) });
  } finally {
    await scene.close();
  }
  return comparisons;
}

const clientsOfKind = 32;

/** Times one decision about a client, in nanoseconds. */
type Take = (kind: number, client: number) => number;

function collect(
  take: Take,
  kindCount: number,
  samples: number,
  onProgress: (text: string) => void,
): readonly CroppedSamples[] {
  const takeAny = (): { kind: number; client: number; took: number } => {
    const [kind, client] = [below(kindCount), below(clientsOfKind)];
    return { kind, client, took: take(kind, client) };
  };
  const calibration = Array.from({ length: 40_000 }, () => takeAny().took).slice(20_000);
  const limits = croppingLimits(calibration);
  const kinds = Array.from({ length: kindCount }, () => new CroppedSamples(limits, clientsOfKind));
  const total = samples * kindCount;
  for (let count = 0; count < total; count++) {
    const { kind, client, took } = takeAny();
    kinds[kind]!.add(client, took);
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
