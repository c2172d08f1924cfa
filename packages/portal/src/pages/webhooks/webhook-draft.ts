import { type Webhook, type WebhookEventType, webhookLimits } from '@countersign/contract';
import type { Mistakes } from '../../components/form.tsx';
import { webhooks } from '../../messages/en/webhooks.ts';

const t = webhooks.form;

/** What the form says about a webhook. */
export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly scope: 'all' | 'some';
  /** Kept while all are chosen, so that going back loses nothing. */
  readonly eventTypes: readonly string[];
  readonly isOrdered: boolean;
  readonly isForAllAccounts: boolean;
}

/** What can be changed of a webhook. */
export interface WebhookContent extends Pick<
  Webhook,
  'url' | 'description' | 'isOrdered' | 'isForAllAccounts'
> {
  readonly eventTypes: readonly WebhookEventType[] | null;
}

export const emptyWebhookDraft: WebhookDraft = {
  url: '',
  description: '',
  scope: 'all',
  eventTypes: [],
  isOrdered: false,
  isForAllAccounts: false,
};

export function draftOf(webhook: Webhook): WebhookDraft {
  const { url, description, eventTypes, isOrdered, isForAllAccounts } = webhook;
  const scope = eventTypes === null ? 'all' : 'some';
  return { url, description, scope, eventTypes: eventTypes ?? [], isOrdered, isForAllAccounts };
}

export function contentOf(draft: WebhookDraft): WebhookContent {
  const { url, description, scope, eventTypes, isOrdered, isForAllAccounts } = draft;
  return {
    url: url.trim(),
    description: description.trim(),
    // The service knows which types there are.
    eventTypes: scope === 'all' ? null : (eventTypes.toSorted() as WebhookEventType[]),
    isOrdered,
    isForAllAccounts,
  };
}

export function isSameContent(one: WebhookDraft, other: WebhookDraft): boolean {
  return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}

/** Finds mistakes that need no service. Where a URL may lead is the service's decision. */
export function checkDraft({ url, description, scope, eventTypes }: WebhookDraft): Mistakes {
  const { urlCharactersMax, descriptionCharactersMax } = webhookLimits;
  const text = url.trim();
  return {
    ...(!URL.canParse(text) && { url: t.urlWrong }),
    ...(text.length > urlCharactersMax && { url: t.urlTooLong(urlCharactersMax) }),
    ...(text === '' && { url: t.urlMissing }),
    ...(Array.from(description.trim()).length > descriptionCharactersMax && {
      description: t.descriptionTooLong(descriptionCharactersMax),
    }),
    ...(scope === 'some' && eventTypes.length === 0 && { eventTypes: t.typesMissing }),
  };
}
