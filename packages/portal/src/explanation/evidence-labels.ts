import type { ExplanationFinding } from '@countersign/contract';
import { evidenceKind } from '@countersign/explain';
import type { Messages } from '../messages/messages.ts';

/** Labels the two texts of a finding's evidence. */
export function evidenceLabels(
  finding: Pick<ExplanationFinding, 'code' | 'certainty'>,
  t: Messages['explanation'],
): readonly [expected: string, received: string] {
  const labels = {
    signed: [t.builtByService, t.builtBySigner],
    claimed: [t.builtByService, t.claimedBySigner],
    hashed: [t.bodyCame, t.bodyHashed],
    received: [t.expected, t.received],
  } as const;
  return labels[evidenceKind(finding)];
}
