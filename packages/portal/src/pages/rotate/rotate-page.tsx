import type { ReactElement } from 'react';
import { useSearch } from 'wouter';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { BackLink } from '../../components/back-link.tsx';
import { clientPath } from '../client/client-path.ts';
import { type ClientView, useClientView } from '../client/client-view.ts';
import { useClientId } from '../client/use-client-id.ts';
import { Compromised } from './compromised.tsx';
import { readRotationPlan } from './rotation-plan.ts';
import { isReplacing, rotationState } from './rotation-state.ts';
import { RotationSteps } from './rotation-steps.tsx';

/** Changes are told live; this is for when they are not. */
const lookAgainMs = 5000;

/** Leads from one key to the next. Where it stands, the keys of the client tell: the page can be left at any time. */
export default function RotatePage(): ReactElement {
  const t = useMessages('rotate');
  const clientId = useClientId();
  const choices = { maySeeKeys: usePermission('keys:read'), refetchIntervalMs: lookAgainMs };
  const { view, query } = useClientView(clientId, choices);
  const { way, keyId } = readRotationPlan(useSearch());
  const isCompromised = way === 'compromised';
  if (view === undefined) {
    return (
      <Page title={t.loading}>
        <QueryState query={{ ...query, data: undefined }}>{() => null}</QueryState>
      </Page>
    );
  }
  const { name } = view.client;
  const title = isReplacing(rotationState(view.keys, keyId)) ? t.title : t.addTitle;
  return (
    <Page
      title={isCompromised ? t.compromisedTitle : title}
      before={<BackLink to={clientPath(clientId, '?tab=keys')}>{t.back(name)}</BackLink>}
      description={t.forClient(name)}
    >
      <Way view={view} isCompromised={isCompromised} />
    </Page>
  );
}

function Way({
  view,
  isCompromised,
}: {
  readonly view: ClientView;
  readonly isCompromised: boolean;
}): ReactElement {
  const t = useMessages('rotate');
  const components = useMessages('components');
  if (!usePermission('keys:write')) {
    return (
      <Notice tone="warning" title={t.mayNotTitle}>
        {components.mayNot('keys:write')}
      </Notice>
    );
  }
  if (view.client.status === 'revoked') {
    return (
      <Notice tone="danger" title={t.revokedTitle}>
        {t.revokedText}
      </Notice>
    );
  }
  return isCompromised ? <Compromised view={view} /> : <RotationSteps view={view} />;
}
