import type { ExplanationFinding } from '@countersign/contract';
import { explanation as explanationWords } from '../messages/en/explanation.ts';

/** What the two texts of a finding are. The second is what was hashed or signed, where it is not what came. */
export function evidenceLabels(
  { code, certainty }: Pick<ExplanationFinding, 'code' | 'certainty'>,
  t: typeof explanationWords,
): readonly [expected: string, received: string] {
  const isProven = certainty === 'proven';
  if (/^(?:url|method|base)_/.test(code))
    return [t.builtByService, isProven ? t.builtBySigner : t.claimedBySigner];
  return isProven && code.startsWith('body_') ? [t.bodyCame, t.bodyHashed] : [t.expected, t.received];
}
