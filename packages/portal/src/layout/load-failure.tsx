import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { wordsOf } from '../components/problem-words.ts';
import { layout as t } from '../messages/en/layout.ts';
import classes from './full-page-message.module.css';

/** What is shown when the portal cannot even find out who is signed in. */
export function LoadFailure(props: { readonly error: unknown; readonly onRetry: () => void }): ReactElement {
  const { title, detail } = wordsOf(props.error);
  return (
    <main className={classes['message']} role="alert">
      <h1>{t.loadFailed}</h1>
      <p>
        {title}. {detail}
      </p>
      <Button onClick={props.onRetry}>{t.loadAgain}</Button>
    </main>
  );
}
