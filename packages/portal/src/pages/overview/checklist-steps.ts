import type { Checklist, SignedInPerson } from '@countersign/contract';
import { clientPath } from '../../clients/client-path.ts';

/** The steps of the checklist, in the order in which they are best done. */
export const checklistSteps = ['signIn', 'client', 'request', 'network', 'rotation'] as const;

/** One step of the checklist. */
export type ChecklistStep = (typeof checklistSteps)[number];

/** Which steps are done. */
export function doneSteps(checklist: Checklist, person: SignedInPerson): ReadonlySet<ChecklistStep> {
  const isDone: Readonly<Record<ChecklistStep, boolean>> = {
    // Who signs in through an identity provider has no password here, and its second factor there.
    signIn: person.hasTotp || person.passkeyCount > 0 || !person.hasPassword,
    client: checklist.hasClient,
    request: checklist.hasAcceptedRequest,
    network: checklist.hasRestrictedNetwork,
    rotation: checklist.hasRotatedKey,
  };
  return new Set(checklistSteps.filter((step) => isDone[step]));
}

/** Where a step is done. */
export function stepPath(step: ChecklistStep, { firstClientId }: Checklist): string {
  if (step === 'signIn') return '/settings/profile';
  if (step === 'client' || firstClientId === undefined) return '/integrations/api-keys/new';
  const rest = { request: '?tab=snippets', network: '?tab=network', rotation: '/rotate' } as const;
  return clientPath(firstClientId, rest[step]);
}
