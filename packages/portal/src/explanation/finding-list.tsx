import type { ExplanationFinding } from '@countersign/contract';
import { findings as table } from '@countersign/explain';
import type { ReactElement } from 'react';
import { explanation as t } from '../messages/en/explanation.ts';
import { evidenceLabels } from './evidence-labels.ts';
import { FindingCard } from './finding-card.tsx';
import classes from './finding-list.module.css';
import { SideBySide } from './side-by-side.tsx';

/**
 * The mistakes that were found, the first one first. When several are in one text, their evidence is the same: it stands
 * below all of them, once.
 */
export function FindingList({
  findings,
}: {
  readonly findings: readonly ExplanationFinding[];
}): ReactElement {
  const shared = findings.filter((finding) =>
    findings.some((other) => other !== finding && isSameEvidence(other, finding)),
  );
  const proofs = shared.filter(
    (finding) => shared.find((other) => isSameEvidence(other, finding)) === finding,
  );
  return (
    <div className={classes['list']}>
      <ol className={classes['list']}>
        {findings.map((finding, index) => (
          <li key={`${finding.code} ${finding.what}`}>
            <FindingCard
              finding={shared.includes(finding) ? { ...finding, evidence: undefined } : finding}
              number={index + 1}
              title={titleOf(finding.code)}
            />
          </li>
        ))}
      </ol>
      {proofs.map((finding) => (
        <SharedProof key={finding.code} finding={finding} />
      ))}
    </div>
  );
}

function SharedProof({ finding }: { readonly finding: ExplanationFinding }): ReactElement | null {
  const [expectedLabel, receivedLabel] = evidenceLabels(finding, t);
  if (!finding.evidence) return null;
  return (
    <section className={classes['whole']}>
      <h3 className={classes['title']}>{t.proof}</h3>
      <SideBySide evidence={finding.evidence} expectedLabel={expectedLabel} receivedLabel={receivedLabel} />
    </section>
  );
}

/** Several mistakes in one text show as one difference. */
function isSameEvidence(
  { evidence: one }: ExplanationFinding,
  { evidence: other }: ExplanationFinding,
): boolean {
  return one !== undefined && one.expected === other?.expected && one.received === other.received;
}

/** Undefined for what a newer service may find. */
function titleOf(code: string): string | undefined {
  return Object.hasOwn(table, code) ? table[code as keyof typeof table].title : undefined;
}
