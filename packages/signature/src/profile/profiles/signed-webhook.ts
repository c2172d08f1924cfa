import type { SignatureFormat } from '../profile.ts';

/** The format of the service's signatures of webhooks, and their life. */
export interface WebhookFormat extends SignatureFormat<'ed25519'> {
  readonly time: {
    /** From `created` to `expires`. */
    readonly lifeSeconds: number;
  };
}

/**
 * What the service signs of an event that it sends to a webhook: where it is sent, its content, and the ID of the event, which
 * stays the same over retries. Each attempt has a signature of its own.
 */
export const signedWebhook: WebhookFormat = {
  id: 'signed-webhook',
  select: { label: 'countersign', tag: 'countersign-webhook' },
  components: {
    required: [
      { identifier: '@method', when: 'always' },
      { identifier: '@target-uri', when: 'always' },
      { identifier: 'content-digest', when: 'always' },
      { identifier: 'content-type', when: 'always' },
      { identifier: 'webhook-id', when: 'always' },
    ],
  },
  parameters: {
    created: 'required',
    expires: 'required',
    keyid: 'required',
    alg: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519'],
  // Less than a key stays published after its last signature.
  time: { lifeSeconds: 240 },
};
