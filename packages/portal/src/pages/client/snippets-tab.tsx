import type { ReactElement } from 'react';
import type { ClientView } from '../../clients/client-view.ts';
import { isClosedProfile } from '../../clients/profile-switch.ts';
import { Section } from '../../components/section.tsx';
import { isUsable } from '../../keys/rotation-state.ts';
import { client as clientWords } from '#messages/client.ts';
import { useSession } from '../../session/session-context.ts';
import { ClientExamples } from '../../snippets/client-examples.tsx';

const t = clientWords.snippets;

export function SnippetsTab({ view: { client, keys } }: { readonly view: ClientView }): ReactElement {
  const { features } = useSession();
  return (
    <Section title={t.title} description={isClosedProfile(client.profile) ? t.description : undefined}>
      <ClientExamples baseUrl={features.baseUrl} client={client} usedKey={keys.findLast(isUsable)} />
    </Section>
  );
}
