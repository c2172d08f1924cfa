import type { Permission, Role } from '@countersign/contract';
import { Minus, Plus } from 'lucide-react';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { roles as t } from '#messages/roles.ts';
import type { RoleDraft } from './role-draft.ts';
import { type ClientEffect, roleEffects } from './role-effect.ts';
import classes from './roles.module.css';
import { useAllRoles } from './use-all-roles.ts';

interface EffectPreviewProps {
  readonly role: Role;
  readonly draft: RoleDraft;
}

/** Shows which clients gain or lose permissions before a role is saved. */
export function EffectPreview({ role, draft }: EffectPreviewProps): ReactElement {
  const clients = useApiQuery('listClients', { query: { role: role.name, limit: 100 } });
  const roles = useAllRoles();
  const error = clients.error ?? roles.error;
  if (error) return <ErrorNotice error={error} />;
  const isUnchanged = draft.permissions.join() === role.permissions.toSorted().join();
  const effects =
    clients.data && roles.data && roleEffects(clients.data.data, roles.data, role, draft.permissions);
  return (
    <section className={classes['effect']} aria-live="polite" aria-label={t.effect}>
      <h3 className={classes['effect-title']}>{t.effect}</h3>
      {effects === undefined ? (
        <p>{t.effectLoading}</p>
      ) : (
        <Effects
          effects={effects}
          clientCount={clients.data?.data.length ?? 0}
          hasMore={clients.data?.nextCursor !== null}
          isUnchanged={isUnchanged}
        />
      )}
    </section>
  );
}

interface EffectsProps {
  readonly effects: readonly ClientEffect[];
  readonly clientCount: number;
  readonly hasMore: boolean;
  readonly isUnchanged: boolean;
}

function Effects({ effects, clientCount, hasMore, isUnchanged }: EffectsProps): ReactElement {
  if (clientCount === 0) return <p>{t.effectNoClients}</p>;
  if (isUnchanged) return <p>{t.effectNone}</p>;
  if (effects.length === 0) return <p>{t.effectSame(clientCount)}</p>;
  return (
    <>
      <p>{t.effectClients(effects.length)}</p>
      <ul className={classes['effects']}>
        {effects.map(({ clientId, name, gains, loses }) => (
          <li key={clientId}>
            <bdi className={classes['client']}>{name}</bdi>
            <PermissionChanges gains={gains} loses={loses} />
          </li>
        ))}
      </ul>
      {hasMore && <p>{t.effectMore}</p>}
    </>
  );
}

/** The permissions that someone gains and loses. */
export function PermissionChanges({ gains, loses }: Pick<ClientEffect, 'gains' | 'loses'>): ReactElement {
  return (
    <>
      <Permissions tone="gain" label={t.gains} permissions={gains} />
      <Permissions tone="loss" label={t.loses} permissions={loses} />
    </>
  );
}

interface PermissionsProps {
  readonly tone: 'gain' | 'loss';
  readonly label: string;
  readonly permissions: readonly Permission[];
}

function Permissions({ tone, label, permissions }: PermissionsProps): ReactElement | null {
  if (permissions.length === 0) return null;
  const Icon = tone === 'gain' ? Plus : Minus;
  return (
    <span className={classes['permissions']} data-tone={tone}>
      <Icon size={13} aria-hidden /> {label}{' '}
      {permissions.map((name) => (
        <code key={name}>{name}</code>
      ))}
    </span>
  );
}
