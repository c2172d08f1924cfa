import type { Hop, HopChange, HopsExplanation } from '@countersign/explain';
import { Wrench } from 'lucide-react';
import type { ReactElement } from 'react';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { SideBySide } from '../../explanation/side-by-side.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import classes from './hop-result.module.css';

/** Shows what was changed between the program and the service, and whether that broke the signature. */
export function HopResult({ hops: explained }: { readonly hops: HopsExplanation }): ReactElement {
  const { verdict, hops } = explained;
  const [tone, text] = verdictOf(explained);
  return (
    <Section title={t.hops}>
      <Notice tone={tone} title={t.hopVerdicts[verdict]}>
        {text}
      </Notice>
      {hops.map((hop) => (
        <Changes key={`${hop.from} ${hop.to}`} hop={hop} />
      ))}
    </Section>
  );
}

function verdictOf({
  verdict,
  isProven,
  hops,
  firstWrongHop,
}: HopsExplanation): readonly [tone: 'warning' | 'success' | 'info', text: string | undefined] {
  switch (verdict) {
    case 'unsigned':
      return ['info', undefined];
    case 'never-valid':
      return ['warning', t.hopNeverValid];
    case 'intact':
      return isProven ? ['success', t.hopIntactProven] : ['info', t.hopIntact];
    case 'broken': {
      const isSeen = hops[firstWrongHop ?? 0]?.changes.some(({ isSigned }) => isSigned) === true;
      if (!isSeen) return ['warning', t.hopUnseen];
      return ['warning', isProven ? t.hopProven : t.hopUnproven];
    }
  }
}

function Changes({ hop: { changes, moreHeaders } }: { readonly hop: Hop }): ReactElement {
  const signed = changes.filter(({ isSigned }) => isSigned);
  const others = [
    ...changes.filter(({ isSigned }) => !isSigned).map(titleOf),
    ...(moreHeaders > 0 ? [t.hopMoreHeaders(moreHeaders)] : []),
  ];
  return (
    <>
      {signed.length > 0 && (
        <ol className={classes['list']}>
          {signed.map((change, index) => (
            // A part of the request changes once, so the order is stable.
            <li key={index} className={classes['change']}>
              <Change change={change} />
            </li>
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <p className={classes['others']}>
          {t.hopUnsigned}: {others.join('; ')}.
        </p>
      )}
    </>
  );
}

function Change({ change }: { readonly change: HopChange }): ReactElement {
  const { kinds, difference } = change;
  return (
    <>
      <h3 className={classes['title']}>{titleOf(change)}</h3>
      {difference && (
        <>
          <p className={classes['byte']}>
            {t.hopByte(difference.offset, difference.beforeBytes, difference.afterBytes)}
          </p>
          <SideBySide
            evidence={difference.evidence}
            expectedLabel={t.sideSent}
            receivedLabel={t.sideReceived}
          />
        </>
      )}
      {kinds.map(({ code, doneBy, mend }) => (
        <div key={code}>
          <p className={classes['done-by']}>
            {t.hopDoneBy}: {doneBy}
          </p>
          <p className={classes['mend']}>
            <Wrench size={15} aria-hidden /> {mend}.
          </p>
        </div>
      ))}
    </>
  );
}

function titleOf({ header, kinds }: HopChange): string {
  const where = header === undefined ? '' : `${header}: `;
  return (
    where +
    kinds.map(({ title, detail }) => (detail === undefined ? title : `${title} (${detail})`)).join('. ')
  );
}
