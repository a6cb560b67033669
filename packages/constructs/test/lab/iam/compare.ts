/** Holds requests against a role: which of them are denied, and which grants nothing needs. */
import { type AccessRequest, isAllowed, names, type PolicyStatement } from './decide.js';
import { type RecordedAccesses, requestsOf } from './expected.js';
import type { TemplatePolicies } from './template-policies.js';

const list = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat();

/** The requests that the role denies. */
function missingIn(policies: TemplatePolicies, fn: string, requests: readonly AccessRequest[]): readonly string[] {
  const identity = policies.ofRole(policies.roleOf(fn));
  const denied = requests.filter((request) => {
    const resource = policies.ofResource(request.resource);
    return !isAllowed(request, { identity, resource, needsResource: request.resource.startsWith('arn:aws:kms:') });
  });
  return [...new Set(denied.map(({ action, resource }) => `${action} on ${resource}`))];
}

/** Grants without a request: each action of a statement, and each resource, must be used at least once. */
function unusedIn(policies: TemplatePolicies, fn: string, requests: readonly AccessRequest[]): readonly string[] {
  const granted = policies.ofRole(policies.roleOf(fn)).filter(({ Effect }) => Effect === 'Allow');
  const isUsed = (part: Partial<PolicyStatement>, statement: PolicyStatement) =>
    requests.some((request) => names({ ...statement, ...part }, request));
  return granted.flatMap((statement) => [
    ...list(statement.Action)
      .filter((Action) => !isUsed({ Action }, statement))
      .map((action) => `${action} on ${list(statement.Resource).join(', ')}`),
    ...list(statement.Resource)
      .filter((Resource) => !isUsed({ Resource }, statement))
      .map((resource) => `${list(statement.Action).join(', ')} on ${resource}`),
  ]);
}

/** Both lists of one function. */
export function compareRole(
  policies: TemplatePolicies,
  fn: string,
  recorded: RecordedAccesses,
): { readonly missing: readonly string[]; readonly unused: readonly string[] } {
  const requests = requestsOf(policies, fn, recorded);
  return { missing: missingIn(policies, fn, requests), unused: unusedIn(policies, fn, requests) };
}
