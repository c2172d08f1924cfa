import type { ExplanationFinding, FindingEvidence } from '@countersign/contract';
import { evidenceKind, isSameEvidence } from '@countersign/explain';
import { Anchor, Text } from '@mantine/core';
import { BookOpen, Wrench } from 'lucide-react';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { explanation as t } from '#messages/explanation.ts';
import type { FindingSentence } from '../messages/finding-sentence.ts';
import { findingTitles } from '#messages/finding-titles.ts';
import { findingSentence } from '#messages/findings.ts';
import classes from './finding-list.module.css';
import { SideBySide } from './side-by-side.tsx';
import { TextWithCode } from './text-with-code.tsx';

interface FindingListProps {
  readonly findings: readonly ExplanationFinding[];
}

/** Lists findings. Several in one text share their evidence, which is shown once, below all of them. */
export function FindingList({ findings }: FindingListProps): ReactElement {
  const shared = findings.filter((finding) =>
    findings.some((other) => other !== finding && isSameEvidence(other.evidence, finding.evidence)),
  );
  const proofs = shared.filter(
    (finding) => shared.find((other) => isSameEvidence(other.evidence, finding.evidence)) === finding,
  );
  return (
    <div className={classes['list']}>
      <ol className={classes['list']}>
        {findings.map((finding, index) => (
          <li key={`${finding.code} ${finding.what}`}>
            <FindingCard finding={finding} number={index + 1} hasOwnEvidence={!shared.includes(finding)} />
          </li>
        ))}
      </ol>
      {proofs.map((finding) => (
        <section key={finding.code} className={classes['whole']}>
          <h3 className={classes['proof']}>{t.proof}</h3>
          <Evidence finding={finding} evidence={finding.evidence} />
        </section>
      ))}
    </div>
  );
}

const tones = { proven: 'success', observed: 'neutral', likely: 'neutral' } as const;

interface FindingCardProps {
  readonly finding: ExplanationFinding;
  readonly number: number;
  readonly hasOwnEvidence: boolean;
}

function FindingCard({ finding, number, hasOwnEvidence }: FindingCardProps): ReactElement {
  const { code, certainty, what, mend, evidence, page } = finding;
  const title = findingTitles.get(code);
  return (
    <article className={classes['card']}>
      <header className={classes['header']}>
        <span className={classes['number']} aria-hidden>
          {number}
        </span>
        <div className={classes['heading']}>
          {title !== undefined && <h3 className={classes['title']}>{title}</h3>}
          <Text size="sm" className={classes['what']}>
            <Sentence {...findingSentence(code, 'cause', what)} />
          </Text>
        </div>
        <span title={t.certaintyTexts[certainty]}>
          <StatusBadge tone={tones[certainty]}>{t.certainties[certainty]}</StatusBadge>
        </span>
      </header>
      <div className={classes['mend']}>
        <Wrench size={15} aria-hidden />
        <div>
          <span className={classes['mend-label']}>{t.whatToDo}: </span>
          <Sentence {...findingSentence(code, 'fix', mend)} />
        </div>
      </div>
      {hasOwnEvidence && evidence?.expected !== evidence?.received && (
        <Evidence finding={finding} evidence={evidence} />
      )}
      <div className={classes['footer']}>
        <span>{t.certaintyTexts[certainty]}</span>
        {/^\/docs\/[a-z-]+(?:#[a-z_]+)?$/.test(page) && (
          <Anchor
            href={`/portal${page}`}
            target="_blank"
            rel="noreferrer"
            size="xs"
            className={classes['more']}
          >
            <BookOpen size={13} aria-hidden /> {t.more}
          </Anchor>
        )}
      </div>
    </article>
  );
}

/** Findings have no full stop, because values may follow. */
function Sentence({ text, lang }: FindingSentence): ReactElement {
  return (
    <span lang={lang}>
      <TextWithCode text={/[.!?]$/.test(text) ? text : `${text}.`} />
    </span>
  );
}

interface EvidenceProps {
  readonly finding: ExplanationFinding;
  readonly evidence: FindingEvidence | undefined;
}

function Evidence({ finding, evidence }: EvidenceProps): ReactElement | null {
  if (evidence === undefined) return null;
  const [expectedLabel, receivedLabel] = evidenceLabels(finding);
  return <SideBySide evidence={evidence} expectedLabel={expectedLabel} receivedLabel={receivedLabel} />;
}

function evidenceLabels(finding: ExplanationFinding): readonly [expected: string, received: string] {
  const labels = {
    signed: [t.builtByService, t.builtBySigner],
    changed: [t.arrived, t.builtBySigner],
    claimed: [t.builtByService, t.claimedBySigner],
    hashed: [t.bodyCame, t.bodyHashed],
    received: [t.expected, t.received],
  } as const;
  return labels[evidenceKind(finding)];
}
