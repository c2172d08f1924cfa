import type { ProfileEntry } from '@countersign/contract';
import { VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { StatusBadge } from '../components/notice.tsx';
import { messageProfiles as t } from '#messages/message-profiles.ts';
import classes from './client-profile.module.css';

/** What is known about a client's profile. */
interface ProfileState {
  /** Undefined while it loads, and if this service does not accept the profile. */
  readonly entry: ProfileEntry | undefined;
  /** True if this service does not accept the profile, so that it rejects every request of the client. */
  readonly isRejected: boolean;
}

/** Returns what the service says about a profile. */
export function useProfile(name: string): ProfileState {
  const accepted = useApiQuery('listProfiles').data?.data;
  const entry = accepted?.find((one) => one.name === name);
  return { entry, isRejected: accepted !== undefined && entry === undefined };
}

/** A client's profile by its title, and what its signatures leave open. */
export function ProfileLabel({ name }: { readonly name: string }): ReactElement {
  const { entry, isRejected } = useProfile(name);
  const open = entry?.leavesOpen ?? [];
  return (
    <span className={classes['label']}>
      <span>{entry?.title ?? name}</span>
      {open.length > 0 && <StatusBadge tone="warning">{t.leavesOpen(open)}</StatusBadge>}
      {isRejected && <StatusBadge tone="danger">{t.notAccepted}</StatusBadge>}
    </span>
  );
}

/** A client's profile by its name, where there is no room for more. */
export function ProfileBadge({ name }: { readonly name: string }): ReactElement {
  const { entry, isRejected } = useProfile(name);
  const open = entry?.leavesOpen ?? [];
  const hint = isRejected ? t.notAccepted : open.length > 0 ? t.leavesOpen(open) : undefined;
  return (
    <span title={[entry?.title, hint].filter(Boolean).join('. ') || undefined}>
      <StatusBadge tone={isRejected ? 'danger' : open.length > 0 ? 'warning' : 'neutral'}>
        {name}
        {hint !== undefined && <VisuallyHidden>{`. ${hint}`}</VisuallyHidden>}
      </StatusBadge>
    </span>
  );
}
