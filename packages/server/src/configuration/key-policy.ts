import type { PublicKeyPolicy } from '@countersign/signature/node';
import type { Settings } from './settings.ts';

/** The settings that decide which public keys can be registered. */
export const keySettings = [
  'rsaModulusBitsMax',
  'allowPublishedTestKeys',
] as const satisfies readonly (keyof Settings)[];

/** Returns which public keys can be registered. */
export function keyPolicyOf({
  rsaModulusBitsMax: modulusBitsMax,
  allowPublishedTestKeys,
}: Pick<Settings, (typeof keySettings)[number]>): PublicKeyPolicy {
  return { modulusBitsMax, allowPublishedTestKeys };
}
