import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { ApiError } from '@countersign/contract';
import { AppLink } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';

interface LinkCheckProps<Facts> {
  readonly token: string | undefined;
  /** What kind of link it is, for the memory of answers. */
  readonly kind: string;
  readonly check: (token: string) => Promise<Facts>;
  readonly children: (facts: Facts, token: string) => ReactNode;
}

/** Asks whether the link of a mail still works, and shows its page, or says what to do. */
export function LinkCheck<Facts>({ token, kind, check, children }: LinkCheckProps<Facts>): ReactElement {
  const t = useMessages('signIn');
  const query = useQuery<Facts, ApiError>({
    queryKey: ['link', kind, token],
    queryFn: () => check(token ?? ''),
    enabled: token !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (token !== undefined && query.data !== undefined) return <>{children(query.data, token)}</>;
  return (
    <SignInLayout title={token === undefined ? t.linkMissingTitle : t.checkingLink}>
      {token === undefined ? (
        <Notice tone="warning">{t.linkMissingText}</Notice>
      ) : (
        <QueryState query={query}>{() => null}</QueryState>
      )}
      <div className={classes['links']}>
        <AppLink to="/sign-in">{t.toSignIn}</AppLink>
      </div>
    </SignInLayout>
  );
}
