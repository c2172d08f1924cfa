import { apiKeys } from '#messages/api-keys.ts';
import { clientLabels } from '#messages/client-labels.ts';
import { clientLimits } from '#messages/client-limits.ts';
import { keyExpiry } from '#messages/key-expiry.ts';
import type { ClientFormWords } from './client-form.ts';

/** What the forms of a client say about mistakes. */
export const clientFormWords: ClientFormWords = {
  ...apiKeys.form,
  tagsWrong: clientLabels.tagsWrong,
  metadataWrong: clientLabels.metadataWrong,
  limitWrong: clientLimits.notANumber,
  limitTooHigh: clientLimits.tooHigh,
  keyEndPast: keyExpiry.past,
  keyEndWithoutKey: keyExpiry.withoutKey,
};
