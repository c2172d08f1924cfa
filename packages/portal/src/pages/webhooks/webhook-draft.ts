import {
  type ApiError,
  isWebhookHeaderValue,
  problemsOfHeaderNames,
  type Webhook,
  type WebhookChange,
  type WebhookEventType,
  webhookLimits,
} from '@countersign/contract';
import type { Mistakes } from '../../components/form-state.ts';
import { webhooks } from '#messages/webhooks.ts';

const t = webhooks.form;

/** A custom header in the form. */
export interface HeaderDraft {
  /** Identifies the row. */
  readonly id: number;
  readonly name: string;
  /** Empty to keep the one that is stored. */
  readonly value: string;
  readonly isStored: boolean;
}

/** What the form says about a webhook. */
export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly scope: 'all' | 'some';
  /** Kept while all are chosen, so that going back loses nothing. */
  readonly eventTypes: readonly string[];
  readonly isOrdered: boolean;
  readonly isForAllAccounts: boolean;
  /** Empty for no limit. */
  readonly attemptsPerMinuteMax: string;
  readonly headers: readonly HeaderDraft[];
}

/** What can be changed of a webhook. */
export interface WebhookContent extends Pick<
  Webhook,
  'url' | 'description' | 'isOrdered' | 'isForAllAccounts' | 'headerNames' | 'attemptsPerMinuteMax'
> {
  readonly eventTypes: readonly WebhookEventType[] | null;
  /** The values that are set; null removes a header. */
  readonly headers: NonNullable<WebhookChange['headers']>;
}

export const emptyWebhookDraft: WebhookDraft = {
  url: '',
  description: '',
  scope: 'all',
  eventTypes: [],
  isOrdered: false,
  isForAllAccounts: false,
  attemptsPerMinuteMax: '',
  headers: [],
};

export function draftOf(webhook: Webhook): WebhookDraft {
  const { url, description, eventTypes, isOrdered, isForAllAccounts } = webhook;
  const { attemptsPerMinuteMax, headerNames } = webhook;
  return {
    url,
    description,
    scope: eventTypes === null ? 'all' : 'some',
    eventTypes: eventTypes ?? [],
    isOrdered,
    isForAllAccounts,
    attemptsPerMinuteMax: attemptsPerMinuteMax === null ? '' : String(attemptsPerMinuteMax),
    headers: headerNames.map((name, id) => ({ id, name, value: '', isStored: true })),
  };
}

/** @param saved the webhook as it is, if there is one */
export function contentOf(draft: WebhookDraft, saved?: Webhook): WebhookContent {
  const { url, description, scope, eventTypes, isOrdered, isForAllAccounts, attemptsPerMinuteMax } = draft;
  const rows = draft.headers.map(({ name, value }) => ({ name: name.trim().toLowerCase(), value }));
  const names = rows.map(({ name }) => name);
  const removed = (saved?.headerNames ?? []).filter((name) => !names.includes(name));
  return {
    url: url.trim(),
    description: description.trim(),
    // The service knows which types there are.
    eventTypes: scope === 'all' ? null : (eventTypes.toSorted() as WebhookEventType[]),
    isOrdered,
    isForAllAccounts,
    attemptsPerMinuteMax: attemptsPerMinuteMax.trim() === '' ? null : Number(attemptsPerMinuteMax),
    headerNames: names,
    headers: Object.fromEntries([
      ...removed.map((name) => [name, null] as const),
      ...rows.filter(({ value }) => value !== '').map(({ name, value }) => [name, value] as const),
    ]),
  };
}

/** Returns what is sent to the service. */
export function bodyOf({
  headerNames: _headerNames,
  ...body
}: WebhookContent): Omit<WebhookContent, 'headerNames'> {
  return body;
}

export function isSameContent(one: WebhookDraft, other: WebhookDraft): boolean {
  return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}

/**
 * Finds mistakes that need no service. Where a URL may lead is the service's decision.
 *
 * @param savedUrl the URL that stored headers are sent to
 */
export function checkDraft(draft: WebhookDraft, savedUrl?: string): Mistakes {
  const { url, description, scope, eventTypes, attemptsPerMinuteMax } = draft;
  const { urlCharactersMax, descriptionCharactersMax } = webhookLimits;
  const text = url.trim();
  const rate = attemptsPerMinuteMax.trim();
  const headers = headerMistake(draft, savedUrl);
  return {
    ...(!URL.canParse(text) && { url: t.urlWrong }),
    ...(text.length > urlCharactersMax && { url: t.urlTooLong(urlCharactersMax) }),
    ...(text === '' && { url: t.urlMissing }),
    ...(Array.from(description.trim()).length > descriptionCharactersMax && {
      description: t.descriptionTooLong(descriptionCharactersMax),
    }),
    ...(scope === 'some' && eventTypes.length === 0 && { eventTypes: t.typesMissing }),
    ...(!isRate(rate) && {
      attemptsPerMinuteMax: t.attemptsPerMinuteWrong(webhookLimits.attemptsPerMinuteMax),
    }),
    ...(headers !== undefined && { headers }),
  };
}

function isRate(text: string): boolean {
  return text === '' || (/^[1-9][0-9]*$/.test(text) && Number(text) <= webhookLimits.attemptsPerMinuteMax);
}

function headerMistake({ url, headers }: WebhookDraft, savedUrl: string | undefined): string | undefined {
  const isElsewhere = savedUrl !== undefined && originOf(url.trim()) !== originOf(savedUrl);
  const [problem] = problemsOfHeaderNames(headers.map(({ name }) => name.trim()));
  if (problem !== undefined)
    return problem.name === undefined ? problem.detail : t.headerNameWrong(problem.name, problem.detail);
  for (const { name, value, isStored } of headers) {
    if (value !== '' && !isWebhookHeaderValue(value))
      return t.headerValueWrong(name, webhookLimits.headerValueCharactersMax);
    if (value === '' && !isStored) return t.headerValueMissing(name);
    if (value === '' && isElsewhere) return t.headerElsewhere(name);
  }
  return undefined;
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}

/** Assigns a rejection to fields: that of one header belongs to all. */
export function placeOfProblem({ errors }: ApiError): Mistakes | undefined {
  const placed = errors.map(({ pointer, detail }) => [pointer.split('/')[1] ?? '', detail] as const);
  const isComplete = placed.length > 0 && placed.every(([name]) => Object.hasOwn(emptyWebhookDraft, name));
  return isComplete ? Object.fromEntries(placed) : undefined;
}
