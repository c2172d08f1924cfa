export const alertRulesPath = '/notices/rules';

export function alertRulePath(alertRuleId: string): string {
  return `${alertRulesPath}/${encodeURIComponent(alertRuleId)}/edit`;
}
