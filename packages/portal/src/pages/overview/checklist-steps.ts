import type { Checklist, SignedInPerson } from '@countersign/contract';
import { clientPath } from '../../clients/client-path.ts';

/** In the best order to do them. */
export const checklistSteps = ['signIn', 'client', 'request', 'network', 'rotation'] as const;

export type ChecklistStep = (typeof checklistSteps)[number];

export function doneSteps(checklist: Checklist, person: SignedInPerson): ReadonlySet<ChecklistStep> {
  const isDone: Readonly<Record<ChecklistStep, boolean>> = {
    // People who sign in through an identity provider have their second factor there.
    signIn: person.hasTotp || person.passkeyCount > 0 || !person.hasPassword,
    client: checklist.hasClient,
    request: checklist.hasAcceptedRequest,
    network: checklist.hasRestrictedNetwork,
    rotation: checklist.hasRotatedKey,
  };
  return new Set(checklistSteps.filter((step) => isDone[step]));
}

/** Returns the page of a step. */
export function stepPath(step: ChecklistStep, { firstClientId }: Checklist): string {
  if (step === 'signIn') return '/settings/profile';
  if (step === 'client' || firstClientId === undefined) return '/integrations/api-keys/new';
  const rest = { request: '?tab=snippets', network: '?tab=network', rotation: '/rotate' } as const;
  return clientPath(firstClientId, rest[step]);
}
