import type { AnalyticsGroup } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import type { Range } from '../../components/range-picker.tsx';
import { Section } from '../../components/section.tsx';
import { outcomeTitle } from '../../explanation/outcome-badge.tsx';
import { analytics as t } from '#messages/analytics.ts';
import { formatNumber } from '#messages/plural.ts';
import classes from './analytics.module.css';
import { requestsWith } from './value-links.ts';

interface ValueSectionProps {
  readonly group: AnalyticsGroup;
  readonly range: Range;
  readonly clientId: string | undefined;
}

/** A table of the values of one fact, each with its requests as a bar. */
export function ValueSection({ group, range, clientId }: ValueSectionProps): ReactElement {
  const { by, values, other } = group;
  const [isWhole, setIsWhole] = useState(false);
  const most = Math.max(...[...values, other].map(sumOf));
  const shown = isWhole ? values : values.slice(0, shownMax);
  return (
    <Section title={t.facts[by]}>
      {most === 0 ? (
        <p className={classes['quiet']}>{t.none[by]}</p>
      ) : (
        <table className={classes['values']} aria-label={t.facts[by]}>
          <thead>
            <tr>
              <th scope="col">{t.names[by]}</th>
              <th scope="col">{t.requests}</th>
              <th scope="col">{t.rejected}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((value) => (
              <ValueRow key={value.name} verdicts={value} most={most}>
                <Link href={requestsWith(by, value.name, { range, clientId })}>
                  <ValueName by={by} name={value.name} />
                </Link>
              </ValueRow>
            ))}
            {sumOf(other) > 0 && (
              <ValueRow verdicts={other} most={most}>
                {t.others[by]}
              </ValueRow>
            )}
          </tbody>
        </table>
      )}
      {values.length > shownMax && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? t.showFewer : t.showAll(values.length)}
        </Button>
      )}
    </Section>
  );
}

const shownMax = 8;

type Verdicts = AnalyticsGroup['other'];

interface ValueRowProps {
  readonly verdicts: Verdicts;
  readonly most: number;
  readonly children: ReactElement | string;
}

function ValueRow({ verdicts, most, children }: ValueRowProps): ReactElement {
  const share = (count: number): string => `${(100 * count) / most}%`;
  const { accepted, observed, refused } = verdicts;
  return (
    <tr>
      <th scope="row">
        {children}
        <span className={classes['bar']} aria-hidden>
          <span style={{ width: share(accepted + observed) }} />
          <span data-tone="refused" style={{ width: share(refused) }} />
        </span>
      </th>
      <td>{formatNumber(sumOf(verdicts))}</td>
      <td data-tone={refused > 0 ? 'refused' : undefined}>{formatNumber(refused)}</td>
    </tr>
  );
}

function ValueName({ by, name }: { readonly by: AnalyticsGroup['by']; readonly name: string }): ReactElement {
  if (by !== 'cause') return <code>{name}</code>;
  return <span title={name}>{outcomeTitle(name)}</span>;
}

function sumOf({ accepted, observed, refused }: Verdicts): number {
  return accepted + observed + refused;
}
