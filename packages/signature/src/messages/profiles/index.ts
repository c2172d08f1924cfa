import type { MessageProfile } from '../message-profile.ts';
import { adcp32 } from './adcp.ts';
import { agentPayments2025 } from './agent-payments.ts';
import { countersign } from './countersign.ts';
import { curl822 } from './curl.ts';
import { fapi2Request01, fapi2Response01 } from './fapi.ts';
import { mastodon45 } from './mastodon.ts';
import { gnap, openPayments } from './open-payments.ts';
import { ucpRequest2026, ucpResponse2026 } from './ucp.ts';
import { webBotAuth01, webBotAuth2025 } from './web-bot-auth.ts';

/** The profiles that come with the library, each for `defineProfile`. Change a copy to make it stricter. */
export const messageProfiles: {
  readonly adcp32: MessageProfile;
  readonly agentPayments2025: MessageProfile;
  readonly countersign: MessageProfile;
  readonly curl822: MessageProfile;
  readonly fapi2Request01: MessageProfile;
  readonly fapi2Response01: MessageProfile;
  readonly gnap: MessageProfile;
  readonly mastodon45: MessageProfile;
  readonly openPayments: MessageProfile;
  readonly ucpRequest2026: MessageProfile;
  readonly ucpResponse2026: MessageProfile;
  readonly webBotAuth01: MessageProfile;
  readonly webBotAuth2025: MessageProfile;
} = {
  adcp32,
  agentPayments2025,
  countersign,
  curl822,
  fapi2Request01,
  fapi2Response01,
  gnap,
  mastodon45,
  openPayments,
  ucpRequest2026,
  ucpResponse2026,
  webBotAuth01,
  webBotAuth2025,
};
