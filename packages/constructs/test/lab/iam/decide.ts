/**
 * Evaluates one request as IAM documents it for callers of the same account: a matching Deny wins; otherwise a matching Allow of the caller's or of the resource's
 * policy is enough, and a key needs an Allow of its policy too, which may delegate to the account.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-basics-req-cont.html
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/policy-evaluation.html
 */

/** One statement, with ARNs instead of references. */
export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly NotAction?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly NotResource?: string | readonly string[];
  readonly Principal?: '*' | Readonly<Record<string, string | readonly string[]>>;
  readonly NotPrincipal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | boolean | readonly string[]>>>>;
}

/** One request. */
export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  /** The ARN of the role, or the name of a service: `sns.amazonaws.com`. */
  readonly caller: string;
  /** Condition keys, such as `aws:SourceArn`. */
  readonly context?: Readonly<Record<string, string>>;
}

const list = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : ([value].flat() as readonly T[]);

/** A pattern with `*` and `?`. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html */
function matches(pattern: string, value: string, flags = ''): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, `s${flags}`).test(value);
}

type Operator = (given: string | undefined, wanted: string) => boolean;

/** The operators that are used; an operator that is missing here is an error. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html */
const OPERATORS: Readonly<Record<string, Operator>> = {
  StringEquals: (given, wanted) => given === wanted,
  StringLike: (given, wanted) => given !== undefined && matches(wanted, given),
  ArnEquals: (given, wanted) => given !== undefined && matches(wanted, given),
  ArnLike: (given, wanted) => given !== undefined && matches(wanted, given),
  Bool: (given, wanted) => given === wanted,
  NumericLessThan: (given, wanted) => given !== undefined && Number(given) < Number(wanted),
};
/** A negated operator is true for a key that is absent. */
const NEGATED: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotLike: 'StringLike',
  ArnNotLike: 'ArnLike',
  ArnNotEquals: 'ArnEquals',
};

function isMet(
  conditions: NonNullable<PolicyStatement['Condition']>,
  context: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(conditions).every(([operator, keys]) => {
    const positive = NEGATED[operator] ?? operator.replace(/IfExists$/, '');
    const test = OPERATORS[positive];
    if (test === undefined) throw new Error(`the condition operator ${operator} is not known`);
    return Object.entries(keys).every(([key, wanted]) => {
      const given = context[key];
      if (operator.endsWith('IfExists') && given === undefined) return true;
      const isTrue = list(wanted).some((one) => test(given, String(one)));
      return operator in NEGATED ? !isTrue : isTrue;
    });
  });
}

/** True if the action and the resource are named; actions are compared without regard to case. */
export function names(
  statement: PolicyStatement,
  { action, resource }: Pick<AccessRequest, 'action' | 'resource'>,
): boolean {
  const hasAction =
    statement.NotAction === undefined
      ? list(statement.Action).some((one) => matches(one, action, 'i'))
      : !list(statement.NotAction).some((one) => matches(one, action, 'i'));
  const hasResource =
    statement.NotResource === undefined
      ? list(statement.Resource ?? '*').some((one) => matches(one, resource))
      : !list(statement.NotResource).some((one) => matches(one, resource));
  return hasAction && hasResource;
}

const ACCOUNT_ROOT = /^(?:arn:aws:iam::)?123456789012(?::root)?$/;

/** Whom a statement of a resource names: the caller, its account, or another. */
function named({ Principal, NotPrincipal }: PolicyStatement, caller: string): 'caller' | 'account' | undefined {
  if (NotPrincipal !== undefined) throw new Error('NotPrincipal is not known');
  if (Principal === '*') return 'caller';
  const all = Object.values(Principal ?? {}).flatMap((one) => list(one));
  if (all.includes(caller) || all.includes('*')) return 'caller';
  return all.some((one) => ACCOUNT_ROOT.test(one)) && caller.startsWith('arn:') ? 'account' : undefined;
}

/** The policies that apply to a request. */
export interface Policies {
  /** Of the caller. */
  readonly identity: readonly PolicyStatement[];
  /** Of the resource. */
  readonly resource?: readonly PolicyStatement[];
  /** True for a key: the policy of the resource must allow too. */
  readonly needsResource?: boolean;
}

/** True if the request is allowed. */
export function isAllowed(
  request: AccessRequest,
  { identity, resource = [], needsResource = false }: Policies,
): boolean {
  const applies = (one: PolicyStatement) => names(one, request) && isMet(one.Condition ?? {}, request.context ?? {});
  const own = identity.filter(applies);
  const theirs = resource.filter((one) => named(one, request.caller) !== undefined && applies(one));
  if ([...own, ...theirs].some(({ Effect }) => Effect === 'Deny')) return false;
  const allowed = (some: readonly PolicyStatement[]) => some.some(({ Effect }) => Effect === 'Allow');
  const directly = allowed(theirs.filter((one) => named(one, request.caller) === 'caller'));
  if (needsResource) return directly || (allowed(theirs) && allowed(own));
  return directly || allowed(own);
}
