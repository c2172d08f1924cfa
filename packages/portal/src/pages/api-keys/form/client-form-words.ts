import { apiKeys } from '#messages/api-keys.ts';
import { clientLabels } from '#messages/client-labels.ts';
import { clientLimits } from '#messages/client-limits.ts';
import { keyInput } from '#messages/key-input.ts';
import type { ClientFormWords } from './client-form.ts';

/** What the forms of a client say about mistakes. */
export const clientFormWords: ClientFormWords = {
  ...apiKeys.form,
  tagsWrong: clientLabels.tagsWrong,
  metadataWrong: clientLabels.metadataWrong,
  limitWrong: clientLimits.notANumber,
  limitTooHigh: clientLimits.tooHigh,
  keyEndPast: keyInput.end.past,
  keyEndWithoutKey: keyInput.end.withoutKey,
};
