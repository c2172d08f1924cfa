import { countersign as closed } from '../../profile/profiles/countersign.ts';
import type { MessageProfile } from '../message-profile.ts';

/** The closed profile in the general form, for comparison. `verifyRequest` also requires canonical texts and a close `Date`. */
export const countersign: MessageProfile = {
  id: 'countersign',
  title: "Countersign's closed profile",
  message: 'request',
  select: { label: closed.select.label },
  components: { required: closed.components.required, others: 'none', order: 'fixed' },
  parameters: { created: 'required', keyid: 'required', alg: 'required' },
  algorithms: closed.algorithms,
  time: { maxAgeSeconds: closed.time.maxAgeSeconds, maxFutureSeconds: closed.time.maxFutureSeconds },
  replay: 'base',
  digests: ['sha-256'],
};
