import type { NoticeKind, NoticePreference, NoticePreferences } from '@countersign/contract';
import { Checkbox } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/queries.ts';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { notices as t } from '#messages/notices.ts';
import classes from './notices-section.module.css';

/** Selects the notices that the person gets in the inbox and by mail. */
export function NoticesSection(): ReactElement {
  const query = useApiQuery('getNoticePreferences');
  return (
    <div id="notices">
      <Section title={t.preferencesTitle} description={t.preferencesText}>
        <QueryState query={query}>{(data) => <Preferences {...data} />}</QueryState>
      </Section>
    </div>
  );
}

const ways = ['inInbox', 'byMail'] as const;

function Preferences({ preferences, isMailConfigured }: NoticePreferences): ReactElement {
  const update = useApiMutation('updateNoticePreferences');
  // A click takes effect at once on the page, and stays until the person leaves it.
  const [chosen, setChosen] = useState<ReadonlyMap<NoticeKind, NoticePreference>>(new Map());
  const change = (stored: NoticePreference, preference: NoticePreference): void => {
    const choose = (next: NoticePreference): void => setChosen((all) => new Map(all).set(next.kind, next));
    choose(preference);
    const onError = (error: unknown): void => {
      choose(stored);
      notify.error(error);
    };
    update.mutate({ body: { preferences: [preference] } }, { onError });
  };
  return (
    <>
      {!isMailConfigured && <Notice tone="info">{t.noMail}</Notice>}
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">{t.kind}</th>
            {ways.map((way) => (
              <th key={way} scope="col">
                {t[way]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preferences.map((stored) => {
            const preference = chosen.get(stored.kind) ?? stored;
            const { title, text } = t.kinds[stored.kind];
            return (
              <tr key={stored.kind}>
                <th scope="row">
                  {title}
                  <span className={classes['text']}>{text}</span>
                </th>
                {ways.map((way) => (
                  <td key={way}>
                    <Checkbox
                      aria-label={t.preferenceOf(title, t[way])}
                      checked={preference[way]}
                      disabled={way === 'byMail' && !isMailConfigured}
                      onChange={(event) =>
                        change(preference, { ...preference, [way]: event.currentTarget.checked })
                      }
                    />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
