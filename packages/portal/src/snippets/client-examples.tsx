import type { Client } from '@countersign/contract';
import { type ReactElement, Suspense } from 'react';
import { isClosedProfile } from '../clients/profile-switch.ts';
import { LoadingLines } from '../components/query-state.tsx';
import { lazyPart } from '../session/lazy-part.ts';
import { Snippets, type SnippetsProps } from './snippets.tsx';

const OtherProfileGuide = lazyPart(async () => (await import('./other-profile-guide.tsx')).OtherProfileGuide);

export interface ClientExamplesProps extends Pick<SnippetsProps, 'baseUrl' | 'usedKey'> {
  readonly client: Pick<Client, 'clientId' | 'profile'>;
}

/** How a client signs: programs for the closed profile, and what there is for any other. */
export function ClientExamples({ baseUrl, client, usedKey }: ClientExamplesProps): ReactElement {
  if (isClosedProfile(client.profile))
    return <Snippets baseUrl={baseUrl} clientId={client.clientId} usedKey={usedKey} />;
  return (
    <Suspense fallback={<LoadingLines />}>
      <OtherProfileGuide baseUrl={baseUrl} client={client} usedKey={usedKey} />
    </Suspense>
  );
}
