import { webhookLimits } from '@countersign/contract';
import { rotateWebhookSecret } from '../../registry/store/webhooks.ts';
import { defineHandlers } from '../handlers.ts';
import { webhookAnswer, webhookIdOf } from './webhook-view.ts';

/** The secrets that webhooks are signed with. */
export const webhookSecretHandlers = defineHandlers(({ change, webhooks: { secrets } }) => ({
  rotateWebhookSecret: ({ body: { overlapSeconds = webhookLimits.overlapSecondsDefault } }, request) =>
    change(request, async (transaction, context) => {
      const webhookId = webhookIdOf(request);
      const secret = secrets.create();
      const rotation = { sealed: secrets.seal(webhookId, secret), overlapSeconds };
      const webhook = await rotateWebhookSecret(transaction, webhookId, rotation, context);
      const answer = webhookAnswer(webhook, request);
      return { ...answer, status: 201, body: { ...answer.body, secret } };
    }),
}));
