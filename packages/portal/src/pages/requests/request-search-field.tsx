import { readRequestSearch, type RequestCondition, requestSearchMax } from '@countersign/contract';
import type { ReactElement } from 'react';
import lists from '../../lists/list.module.css';
import { SearchField } from '../../lists/search-field.tsx';
import { requestSearch as t } from '#messages/request-search.ts';
import { utcTime } from '../../components/time-words.ts';
import classes from './requests.module.css';

interface RequestSearchFieldProps {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** One field for every way to search for requests. It shows how it interprets the text. */
export function RequestSearchField({ value, onSearch }: RequestSearchFieldProps): ReactElement {
  return (
    <SearchField
      className={`${lists['search']} ${classes['search']}`}
      label={t.label}
      placeholder={t.placeholder}
      lengthMax={requestSearchMax}
      value={value}
      onSearch={onSearch}
      errorOf={mistakeIn}
      describe={(text) => <Meaning text={text} />}
    />
  );
}

function mistakeIn(text: string): string | undefined {
  const search = readRequestSearch(text);
  return 'mistake' in search ? t.mistake(search.mistake) : undefined;
}

function Meaning({ text }: { readonly text: string }): ReactElement {
  const search = readRequestSearch(text);
  if ('mistake' in search || search.conditions.length === 0) return <>{t.hint}</>;
  return (
    <>
      {t.finds}{' '}
      {search.conditions.map((condition, index) => (
        <span key={index} className={classes['condition']}>
          {t.kinds[condition.kind]} <bdi>{valueOf(condition)}</bdi>
        </span>
      ))}
    </>
  );
}

function valueOf(condition: RequestCondition): string {
  if (condition.kind === 'after' || condition.kind === 'before')
    return utcTime(new Date(condition.timeMs).toISOString());
  if (condition.kind !== 'status') return condition.text;
  return condition.from === condition.to ? String(condition.from) : `${condition.from}–${condition.to}`;
}
