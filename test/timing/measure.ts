import { CroppedSamples, croppingLimits, type Finding } from './cropped-samples.ts';
import { type ClientKind, clientKinds, openScene, type Scene } from './scene.ts';

/** How a kind of client compares with clients that do not exist, for one kind of signature. */
export interface Comparison extends Finding {
  readonly signature: string;
  readonly kind: ClientKind;
}

/** From here on, dudect calls a difference certain. */
export const certain = 4.5;

/**
 * Measures the decision about requests that name each kind of client with signatures that no key verifies, in random
 * order. Differences are in nanoseconds.
 *
 * @param samples of each kind of client, for each kind of signature
 */
export async function measure(samples: number, onProgress: (text: string) => void): Promise<Comparison[]> {
  const scene = await openScene(clientsOfKind, 64 * clientsOfKind);
  const comparisons: Comparison[] = [];
  try {
    for (const [signature, make] of Object.entries(scene.signatures)) {
      // Made beforehand: signing takes longer than what is measured.
      const sampler = samplerOf(scene, Array.from({ length: 2048 }, make));
      const calibration = Array.from({ length: 40_000 }, () => sampler().took).slice(20_000);
      const limits = croppingLimits(calibration);
      const kinds = clientKinds.map(() => new CroppedSamples(limits, clientsOfKind));
      const total = samples * clientKinds.length;
      for (let count = 0; count < total; count++) {
        const { kind, client, took } = sampler();
        kinds[kind]!.add(client, took);
        if (count % 100_000 === 0) onProgress(`${signature}: ${Math.floor((100 * count) / total)} %`);
      }
      for (const [index, kind] of clientKinds.entries())
        if (index > 0) comparisons.push({ signature, kind, ...kinds[0]!.compare(kinds[index]!) });
    }
  } finally {
    await scene.close();
  }
  return comparisons;
}

const clientsOfKind = 32;

interface Sample {
  readonly kind: number;
  readonly client: number;
  /** Nanoseconds. */
  readonly took: number;
}

function samplerOf(scene: Scene, signatures: readonly Uint8Array[]): () => Sample {
  const below = (limit: number): number => Math.floor(Math.random() * limit);
  return () => {
    const kind = below(clientKinds.length);
    const client = below(clientsOfKind);
    const decideRequest = scene.prepare(clientKinds[kind]!, client, signatures[below(signatures.length)]!);
    const started = process.hrtime.bigint();
    const refusal = decideRequest();
    const took = Number(process.hrtime.bigint() - started);
    if (refusal?.code !== 'signature_invalid') throw new Error(`${clientKinds[kind]}: ${refusal?.code}`);
    return { kind, client, took };
  };
}
