import type { Webhook } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from 'wouter';
import type { Entity } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { notify } from '../../components/notify.ts';

/** A webhook, and the state that a change of it names. */
export type WebhookView = Entity<Webhook>;

/** Returns the ID in the address. */
export function useWebhookId(): string {
  return useParams<{ readonly webhookId: string }>().webhookId;
}

/**
 * Returns a function that changes a webhook, reloads the account's data and reports success. It reloads after a failure
 * too, in case someone else changed it first, and rejects with the API's error.
 */
export function useWebhookChange(): (act: () => Promise<unknown>, said: string) => Promise<void> {
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  return async (act, said) => {
    try {
      await act();
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    }
    notify.success(said);
  };
}
