import type { Fixed, TimeMs } from '../../storage/schema.ts';

declare module '../../storage/schema.ts' {
  interface Schema {
    alert_rules: AlertRulesTable;
    alerts: AlertsTable;
  }
}

export interface AlertRulesTable {
  alert_rule_id: Fixed<string>;
  account_id: Fixed<string>;
  name: string;
  /** JSON. */
  condition: string;
  /** Null for the whole account. */
  client_id: string | null;
  is_enabled: 0 | 1;
  in_inbox: 0 | 1;
  by_mail: 0 | 1;
  by_webhook: 0 | 1;
  /** When it began to look for its condition: addresses from before are not new to it. */
  watched_from_ms: TimeMs;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  version: number;
}

/** What rules found. */
export interface AlertsTable {
  alert_id: Fixed<string>;
  alert_rule_id: Fixed<string>;
  /** What it is about: empty, a keyId, or a clientId, a space and an address. One alert of a rule at a time has it. */
  subject: Fixed<string>;
  client_id: Fixed<string | null>;
  fired_at_ms: Fixed<TimeMs>;
  /** JSON. */
  content: Fixed<string>;
  /** Whether webhooks were told, and will be told of its end, whatever becomes of the rule. */
  by_webhook: Fixed<0 | 1>;
  /** Since when its condition has not held; null while it holds. */
  quiet_since_ms: TimeMs | null;
  /** Null while it lasts. */
  resolved_at_ms: TimeMs | null;
}
