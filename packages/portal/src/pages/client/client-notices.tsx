import type { Client } from '@countersign/contract';
import type { ReactElement } from 'react';
import { clientPath } from '../../clients/client-path.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { isClosedProfile } from '../../clients/profile-switch.ts';
import { useProfile } from '../../clients/client-profile.tsx';
import { LinkButton } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { shortTime } from '../../components/time-words.ts';
import { rotationState } from '../../keys/rotation-state.ts';
import { client as clientWords } from '#messages/client.ts';
import { messageProfiles } from '#messages/message-profiles.ts';
import { usePermission } from '../../session/session-context.ts';

/** Warnings about a client's status, keys and network. */
export function ClientNotices({ view }: { readonly view: ClientView }): ReactElement | null {
  const t = clientWords.notices;
  const { status, restorableUntil } = view.client;
  if (status === 'revoked') {
    return (
      <Notice tone="danger" title={t.revokedTitle}>
        {restorableUntil !== undefined && t.revoked(shortTime(restorableUntil))}
      </Notice>
    );
  }
  return (
    <>
      {status === 'disabled' && (
        <Notice tone="warning" title={t.disabledTitle}>
          {t.disabled}
        </Notice>
      )}
      {!isClosedProfile(view.client.profile) && <ProfileNotice client={view.client} />}
      <KeyNotice view={view} />
      <EveryoneNotice view={view} />
    </>
  );
}

function ProfileNotice({ client }: { readonly client: Client }): ReactElement | null {
  const { isRejected } = useProfile(client.profile);
  if (!isRejected) return null;
  return (
    <Notice tone="danger" title={messageProfiles.notAcceptedTitle}>
      {messageProfiles.notAcceptedText(client.profile)}
    </Notice>
  );
}

function EveryoneNotice({ view: { client } }: { readonly view: ClientView }): ReactElement | null {
  const t = clientWords.notices;
  if (!client.network.isEveryone) return null;
  return (
    <Notice
      tone="warning"
      title={t.everyoneTitle}
      action={
        <LinkButton to={clientPath(client.clientId, '?tab=network')} size="xs" variant="default">
          {t.restrict}
        </LinkButton>
      }
    >
      {t.everyone}
    </Notice>
  );
}

function KeyNotice({ view: { client, keys } }: { readonly view: ClientView }): ReactElement | null {
  const t = clientWords.notices;
  const rotation = rotationState(keys);
  const mayChange = usePermission('keys:write');
  const action = (label: string): ReactElement | false =>
    mayChange && (
      <LinkButton to={clientPath(client.clientId, '/rotate')} size="xs" variant="default">
        {label}
      </LinkButton>
    );
  if (rotation.phase === 'deploy' || rotation.phase === 'switch') {
    return (
      <Notice tone="info" title={t.rolloverTitle} action={action(t.goOn)}>
        {rotation.phase === 'deploy' ? t.rolloverDeploy : t.rolloverSwitch}
      </Notice>
    );
  }
  const key = rotation.phase === 'start' ? rotation.current : rotation.newKey;
  if (key === undefined) {
    return (
      <Notice tone="danger" title={t.noKeyTitle} action={action(t.addKey)}>
        {t.noKey}
      </Notice>
    );
  }
  if (key.rotation !== 'due' && key.rotation !== 'overdue') return null;
  const isLate = key.rotation === 'overdue';
  return (
    <Notice
      tone={isLate ? 'warning' : 'info'}
      title={isLate ? t.overdueTitle : t.dueTitle}
      action={action(t.rotate)}
    >
      {t.due(key.ageDays)}
    </Notice>
  );
}
