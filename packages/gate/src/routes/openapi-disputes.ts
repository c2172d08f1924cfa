import type { Findings } from './openapi-finding.ts';
import { writtenPermission } from './openapi-permissions.ts';
import type { DescribedRule } from './openapi-rules.ts';
import { type PathPattern, readPathPattern } from './path-pattern.ts';
import { includesPattern } from './pattern-comparison.ts';
import { PatternTree } from './pattern-tree.ts';
import { nameOf, type RouteRule } from './route-table.ts';

/** More than anyone reads. */
const reportedMax = 20;

/**
 * Reports routes that match the same requests without one including the other, such as `/a/{x}` and `/{y}/b`, and need
 * different permissions: OpenAPI does not say which of them applies, so the route table rejects these requests.
 */
export function reportDisputes(rules: readonly DescribedRule[], findings: Findings): void {
  const tree = new PatternTree<DescribedRule[]>('exact');
  let count = 0;
  for (const one of rules) {
    const pattern = readPathPattern(one.rule.path);
    if (typeof pattern === 'string') continue;
    for (const { leaf, path, pattern: other } of tree.meeting(pattern)) {
      const dispute = leaf.find((known) => isDisputed(known.rule, one.rule) && isEqual(other, pattern));
      if (dispute === undefined) continue;
      count += 1;
      if (count <= reportedMax)
        findings.warning(
          one.at,
          `${nameOf(one.rule)}: requests such as ${path} also match ${nameOf(dispute.rule)}, which needs ${writtenPermission(dispute.rule)} instead of ${writtenPermission(one.rule)}; they are rejected as ambiguous`,
        );
    }
    const added = [one];
    tree.add(pattern, added)?.push(one);
  }
  if (count > reportedMax)
    findings.warning(['paths'], `${count - reportedMax} more pairs of routes match the same requests`);
}

function isDisputed(left: RouteRule, right: RouteRule): boolean {
  return (
    left.methods!.some((method) => right.methods!.includes(method)) &&
    writtenPermission(left) !== writtenPermission(right)
  );
}

/** Returns true if neither of any two patterns is more specific than the other. */
function isEqual(left: PathPattern, right: PathPattern): boolean {
  return !includesPattern(left, right, 'exact') && !includesPattern(right, left, 'exact');
}
