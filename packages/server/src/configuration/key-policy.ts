import type { PublicKeyPolicy } from '@countersign/signature/node';
import type { Settings } from './settings.ts';

/** Returns which public keys can be registered. */
export function keyPolicyOf({
  rsaModulusBitsMax: modulusBitsMax,
  allowPublishedTestKeys,
}: Pick<Settings, 'rsaModulusBitsMax' | 'allowPublishedTestKeys'>): PublicKeyPolicy {
  return { modulusBitsMax, allowPublishedTestKeys };
}
