import type { ReactElement } from 'react';
import type { ClientView } from '../../clients/client-view.ts';
import { Section } from '../../components/section.tsx';
import { isUsable } from '../../keys/rotation-state.ts';
import { client as clientWords } from '../../messages/en/client.ts';
import { useSession } from '../../session/session-context.ts';
import { Snippets } from '../../snippets/snippets.tsx';

const t = clientWords.snippets;

export function SnippetsTab({ view: { client, keys } }: { readonly view: ClientView }): ReactElement {
  const { features } = useSession();
  return (
    <Section title={t.title} description={t.description}>
      <Snippets baseUrl={features.baseUrl} clientId={client.clientId} usedKey={keys.findLast(isUsable)} />
    </Section>
  );
}
