import type { Role } from '@countersign/contract';
import type { ReactElement } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { roles as t } from '#messages/roles.ts';
import { usePermission } from '../../session/session-context.ts';
import { PermissionChanges } from './effect-preview.tsx';
import type { RoleDraft } from './role-draft.ts';
import classes from './roles.module.css';

interface MemberEffectProps {
  readonly role: Role;
  readonly draft: RoleDraft;
}

/** Shows which members gain or lose permissions before a role is saved. A member has one role. */
export function MemberEffect(props: MemberEffectProps): ReactElement | null {
  return usePermission('members:read') ? <Effect {...props} /> : null;
}

function Effect({ role, draft }: MemberEffectProps): ReactElement {
  const query = usePagedQuery('listMembers', { query: { limit: 100 } });
  if (query.error) return <ErrorNotice error={query.error} />;
  const members = query.data?.pages.flatMap((page) => page.data).filter((one) => one.role === role.name);
  const words = t.of.members;
  const gains = draft.permissions.filter((name) => !role.permissions.includes(name));
  const loses = role.permissions.filter((name) => !draft.permissions.includes(name));
  const isUnchanged = gains.length + loses.length === 0;
  return (
    <section className={classes['effect']} aria-live="polite" aria-label={words.effect}>
      <h3 className={classes['effect-title']}>{words.effect}</h3>
      {members === undefined && <p>{words.effectLoading}</p>}
      {members?.length === 0 && <p>{words.effectNobody}</p>}
      {members !== undefined && members.length > 0 && isUnchanged && <p>{t.effectNone}</p>}
      {members !== undefined && members.length > 0 && !isUnchanged && (
        <>
          <p>{words.effectMembers(members.length)}</p>
          <ul className={classes['effects']}>
            {members.map(({ userId, name }) => (
              <li key={userId}>
                <bdi className={classes['client']}>{name}</bdi>
                <PermissionChanges gains={gains} loses={loses} />
              </li>
            ))}
          </ul>
        </>
      )}
      {query.hasNextPage && <p>{words.effectMore}</p>}
    </section>
  );
}
