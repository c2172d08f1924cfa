import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { Page } from '../../components/page.tsx';
import { useMessages } from '../../messages/messages.ts';
import { Debugger } from './debugger.tsx';
import { KeptRequest } from './kept-request.tsx';

/** Logs > Signature debugger: explains a pasted request in the page, and what is known of a refused one. */
export default function DebuggerPage(): ReactElement {
  const t = useMessages('signatureDebugger');
  const [query] = useSearchParams();
  const requestId = query.get('request') ?? undefined;
  const clientId = query.get('client') ?? undefined;
  return (
    <Page title={t.title} description={t.description}>
      {requestId === undefined ? (
        <Debugger key={clientId ?? ''} clientId={clientId} at={undefined} />
      ) : (
        <KeptRequest key={requestId} requestId={requestId} />
      )}
    </Page>
  );
}
