import type { ExplanationFinding } from '@countersign/contract';
import { Anchor, Text } from '@mantine/core';
import { BookOpen, Wrench } from 'lucide-react';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { useMessages } from '../messages/messages.ts';
import { evidenceLabels } from './evidence-labels.ts';
import classes from './finding-card.module.css';
import { SideBySide } from './side-by-side.tsx';
import { pagePath } from './page-path.ts';

const tones = { proven: 'danger', observed: 'warning', likely: 'neutral' } as const;

/** One mistake that was found: what is wrong, how sure that is, what to do, and the two texts that should be equal. */
export function FindingCard({
  finding,
  number,
  title,
}: {
  readonly finding: ExplanationFinding;
  readonly number: number;
  /** What the mistake is called; the page that knows the table of mistakes gives it. */
  readonly title?: string | undefined;
}): ReactElement {
  const t = useMessages('explanation');
  const { certainty, what, mend, evidence, page } = finding;
  const [expectedLabel, receivedLabel] = evidenceLabels(finding, t);
  const href = pagePath(page);
  return (
    <article className={classes['card']}>
      <header className={classes['header']}>
        <span className={classes['number']} aria-hidden>
          {number}
        </span>
        <div className={classes['heading']}>
          {title !== undefined && <h3 className={classes['title']}>{title}</h3>}
          <Text size="sm" className={classes['what']}>
            {sentence(what)}
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
          {sentence(mend)}
        </div>
      </div>
      {evidence !== undefined && evidence.expected !== evidence.received && (
        <SideBySide evidence={evidence} expectedLabel={expectedLabel} receivedLabel={receivedLabel} />
      )}
      <div className={classes['footer']}>
        <span>{t.certaintyTexts[certainty]}</span>
        {href !== undefined && (
          <Anchor href={href} target="_blank" rel="noreferrer" size="xs" className={classes['more']}>
            <BookOpen size={13} aria-hidden /> {t.more}
          </Anchor>
        )}
      </div>
    </article>
  );
}

/** Findings have no full stop, because values may follow. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
