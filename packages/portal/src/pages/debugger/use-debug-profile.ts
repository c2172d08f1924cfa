import type { ProfileEntry } from '@countersign/contract';
import type { MessageProfile } from '@countersign/explain/profiles';
import { isProfileId } from '@countersign/signature/profile';
import { useMemo } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { isClosedProfile } from '../../clients/profile-switch.ts';
import { usePermission } from '../../session/session-context.ts';
import type { DebugForm } from './debug-form.ts';
import type { DebugRules } from './debug-request.ts';

/** The profile that a request is judged by. */
export interface DebugProfile {
  readonly name: string;
  /** The profile of the selected client, if it is known. */
  readonly ofClient: string | undefined;
  readonly rules: DebugRules;
  /** True if the service does not accept it, so that nobody here knows its rules. */
  readonly isRejected: boolean;
  readonly isLoading: boolean;
  /** The profiles to choose from; none if the service accepts only the closed ones. */
  readonly choices: readonly Pick<ProfileEntry, 'name' | 'title'>[];
}

/** Returns the selected profile, or that of the selected client. */
export function useDebugProfile({ keyFrom, clientId, profile }: DebugForm): DebugProfile {
  const isAllowed = usePermission('clients:read');
  const hasClient = keyFrom === 'client' && clientId !== undefined && isAllowed;
  const client = useApiQuery('getClient', { path: { clientId: clientId ?? '' } }, { enabled: hasClient });
  const accepted = useApiQuery('listProfiles', {}, { enabled: isAllowed });
  const ofClient = hasClient ? client.data?.profile : undefined;
  const name = profile ?? ofClient ?? 'countersign';
  const entries = accepted.data?.data;
  const rules = useMemo(() => rulesOf(name, entries), [name, entries]);
  const isRejected = entries !== undefined && !isClosedProfile(name) && rules.messageProfile === undefined;
  const hasOthers = isRejected || entries?.some((entry) => !isClosedProfile(entry.name)) === true;
  return {
    name,
    ofClient,
    rules,
    isRejected,
    isLoading: (hasClient && client.isPending) || (isAllowed && accepted.isPending),
    choices: hasOthers ? [...(entries ?? []), ...(isRejected ? [{ name, title: name }] : [])] : [],
  };
}

function rulesOf(name: string, entries: readonly ProfileEntry[] | undefined): DebugRules {
  const definition = entries?.find((entry) => entry.name === name)?.definition;
  return {
    profile: isProfileId(name) ? name : 'countersign',
    // The worker checks it as a whole.
    messageProfile: definition as unknown as MessageProfile | undefined,
  };
}
