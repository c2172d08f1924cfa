import { Button } from '@mantine/core';
import { Component, type ReactElement, type ReactNode, useEffect } from 'react';
import { wordsOf } from '../components/problem-words.ts';
import { layout as t } from '#messages/layout.ts';
import { localProblems } from '#messages/problem-advice.ts';
import classes from './failures.module.css';

interface LoadFailureProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Shown if the portal cannot find out who is signed in. */
export function LoadFailure({ error, onRetry }: LoadFailureProps): ReactElement {
  const { title, detail } = wordsOf(error, { service_unreachable: localProblems.notShown });
  useWhenOnline(onRetry);
  return (
    <main className={classes['message']} role="alert">
      <h1>{t.loadFailed}</h1>
      <p>
        {title}. {detail}
      </p>
      <Button onClick={onRetry}>{t.loadAgain}</Button>
    </main>
  );
}

interface PageBoundaryProps {
  /** Another path clears the failure. */
  readonly path: string;
  readonly children: ReactNode;
}

interface PageBoundaryState {
  readonly failure: unknown;
  readonly failedPath: string;
}

/** Keeps the layout when a page throws. A missing chunk means that the portal was updated. */
export class PageBoundary extends Component<PageBoundaryProps, PageBoundaryState> {
  override state: PageBoundaryState = { failure: undefined, failedPath: '' };

  static getDerivedStateFromError(failure: unknown): Partial<PageBoundaryState> {
    return { failure };
  }

  static getDerivedStateFromProps(
    { path }: PageBoundaryProps,
    { failure, failedPath }: PageBoundaryState,
  ): Partial<PageBoundaryState> | null {
    if (failure === undefined) return { failedPath: path };
    return failedPath === path ? null : { failure: undefined, failedPath: path };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === undefined ? this.props.children : <PageFailure failure={failure} />;
  }
}

function PageFailure({ failure }: { readonly failure: unknown }): ReactElement {
  const isPartGone =
    failure instanceof Error && /dynamically imported|module script|preload CSS/i.test(failure.message);
  if (isPartGone && !navigator.onLine) return <Offline />;
  return (
    <div className={classes['message']} role="alert">
      <h1>{isPartGone ? t.newVersionTitle : t.pageFailedTitle}</h1>
      <p>{isPartGone ? t.newVersionText : t.pageFailedText}</p>
      <Button onClick={() => location.reload()}>{t.loadAgain}</Button>
    </div>
  );
}

function Offline(): ReactElement {
  const { title, detail } = localProblems.notShown;
  useWhenOnline(reload);
  return (
    <div className={classes['message']} role="alert">
      <h1>{title}</h1>
      <p>{detail}</p>
      <Button onClick={reload}>{t.loadAgain}</Button>
    </div>
  );
}

function reload(): void {
  location.reload();
}

function useWhenOnline(goOn: () => void): void {
  useEffect(() => {
    addEventListener('online', goOn);
    return () => removeEventListener('online', goOn);
  }, [goOn]);
}
