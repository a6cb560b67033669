/** Holds requests against roles: which of them are denied, and which grants nothing needs. */
import { isAllowed, names, type PolicyStatement } from './decide.js';
import { type RecordedAccesses, requestsOf } from './expected.js';
import { RequestList } from './requests.js';
import { type RoleUse, usesOfRoles } from './service-roles.js';
import type { TemplatePolicies } from './template-policies.js';

const list = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat();

/** Denied requests, and grants without a request. */
interface Comparison {
  readonly missing: readonly string[];
  readonly unused: readonly string[];
}

/** The requests that these statements of a role deny. */
function denied(
  policies: TemplatePolicies,
  identity: readonly PolicyStatement[],
  { all }: RequestList,
): readonly string[] {
  const some = all.filter((request) => {
    const resource = policies.ofResource(request.resource);
    return !isAllowed(request, { identity, resource, needsResource: request.resource.startsWith('arn:aws:kms:') });
  });
  return [...new Set(some.map(({ action, resource }) => `${action} on ${resource}`))];
}

/** Grants without a request: each action of a statement, and each resource, must be used at least once. */
function unusedIn(granted: readonly PolicyStatement[], { all }: RequestList): readonly string[] {
  const isUsed = (part: Partial<PolicyStatement>, statement: PolicyStatement) =>
    all.some((request) => names({ ...statement, ...part }, request));
  return granted.flatMap((statement) => [
    ...list(statement.Action)
      .filter((Action) => !isUsed({ Action }, statement))
      .map((action) => `${action} on ${list(statement.Resource).join(', ')}`),
    ...list(statement.Resource)
      .filter((Resource) => !isUsed({ Resource }, statement))
      .map((resource) => `${list(statement.Action).join(', ')} on ${resource}`),
  ]);
}

/** True if another statement grants the action on a resource of the first. */
function overlaps(other: PolicyStatement, { Resource }: PolicyStatement, action: string): boolean {
  return list(other.Action).includes(action) && list(other.Resource).some((one) => list(Resource).includes(one));
}

/** Adds requests that a template does not show: of the application's own code. */
export type More = (requests: RequestList) => void;

/** Roles that the CDK makes for its own functions and for the logs of a network. */
const OF_THE_CDK = [/^BucketNotificationsHandler/, /^Custom(?:S3AutoDelete|VpcRestrict|SES)/, /^NetworkallIAMRole/];

/** The roles of a template, each with the requests of all its users. */
export class RoleComparison {
  readonly #requests = new Map<string, RequestList>();
  readonly #uses: readonly RoleUse[];

  /** @param more requests by the beginning of a role's id */
  constructor(
    readonly policies: TemplatePolicies,
    recorded: RecordedAccesses,
    more: Readonly<Record<string, More>> = {},
  ) {
    const ofFunctions = policies.ids('AWS::Lambda::Function').map((fn): RoleUse => {
      const add: RoleUse['add'] = (requests) => requests.all.push(...requestsOf(policies, fn, recorded).all);
      return { role: policies.roleOf(fn), service: 'lambda.amazonaws.com', add };
    });
    this.#uses = [...usesOfRoles(policies), ...ofFunctions].filter(({ role }) => role in policies.template.Resources);
    for (const role of policies.ids('AWS::IAM::Role')) {
      if (OF_THE_CDK.some((pattern) => pattern.test(role))) continue;
      const requests = new RequestList(policies, role);
      for (const use of this.#uses) if (use.role === role) use.add(requests);
      for (const [start, add] of Object.entries(more)) if (role.startsWith(start)) add(requests);
      this.#requests.set(role, requests);
    }
  }

  /** Both lists of all roles, with the ids of the roles. */
  result(): Comparison & { readonly roles: number } {
    const missing: string[] = [];
    const unused: string[] = [];
    for (const [role, requests] of this.#requests) {
      const identity = this.policies.ofRole(role);
      const { only = /^/ } = this.#uses.find((one) => one.role === role) ?? {};
      const granted = unusedIn(
        identity.filter(({ Effect }) => Effect === 'Allow'),
        requests,
      );
      missing.push(...denied(this.policies, identity, requests).map((one) => `${role}: ${one}`));
      unused.push(...granted.filter((one) => only.test(one)).map((one) => `${role}: ${one}`));
    }
    return { missing: [...missing, ...this.#untrusted()], unused, roles: this.#requests.size };
  }

  /** The grants whose absence the comparison would not find: removes each action of each statement once. Another statement may grant the same. */
  unnoticed(): { readonly removed: number; readonly unnoticed: readonly string[] } {
    let removed = 0;
    const unnoticed: string[] = [];
    for (const [role, requests] of this.#requests) {
      const identity = this.policies.ofRole(role);
      for (const statement of identity) {
        for (const action of list(statement.Action)) {
          const Action = list(statement.Action).filter((one) => one !== action);
          const rest = identity.map((one) => (one === statement ? { ...one, Action } : one));
          removed += 1;
          const isTwice = identity.some((one) => one !== statement && overlaps(one, statement, action));
          if (!isTwice && denied(this.policies, rest, requests).length === 0) unnoticed.push(`${role}: ${action}`);
        }
      }
    }
    return { removed, unnoticed };
  }

  /** Services that may not assume the role that they need. */
  #untrusted(): readonly string[] {
    return this.#uses.flatMap(({ role, service, context = {} }) => {
      const request = { action: 'sts:AssumeRole', resource: role, caller: service, context };
      const isTrusted = isAllowed(request, { identity: [], resource: this.policies.trustOf(role) });
      return isTrusted ? [] : [`${role}: sts:AssumeRole by ${service}`];
    });
  }
}
