import { AddAlertRulePage } from './add-alert-rule-page.tsx';
import { AlertRulesPage } from './alert-rules-page.tsx';
import { UpdateAlertRulePage } from './update-alert-rule-page.tsx';

/** One file for the browser: the pages are small, and share the words about rules. */
export const alertRuleViews = { AddAlertRulePage, AlertRulesPage, UpdateAlertRulePage } as const;
