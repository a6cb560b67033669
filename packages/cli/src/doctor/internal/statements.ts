import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { referencesOf } from '../../internal/template.js';

/** A statement of a policy of IAM. Names of the template are patterns: `*` is a part that is known only in AWS. */
export interface Statement {
  readonly isAllowed: boolean;
  /** The actions, or with `isExcluding` all others. */
  readonly actions: readonly string[];
  readonly isExcluding: boolean;
  /** The resources; `*` for `NotResource`. */
  readonly resources: readonly string[];
  readonly isConditional: boolean;
  /** The resources for a message. */
  readonly label: string;
}

/** The physical name or ARN of a resource of the stack; `undefined` if it is not deployed. */
export type PhysicalOf = (id: string) => string | undefined;

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html */
export function statementsOf(document: unknown, physicalOf: PhysicalOf): readonly Statement[] {
  return policyValues(membersOf(document).Statement)
    .filter(isObject)
    .map((statement) => toStatement(statement, physicalOf));
}

function toStatement({ Effect, Action, NotAction, Resource, Condition }: Members, physicalOf: PhysicalOf): Statement {
  const resources = Resource === undefined ? ['*'] : policyValues(Resource).map((one) => textOf(one, physicalOf));
  const ids = [...referencesOf(Resource)];
  return {
    isAllowed: Effect === 'Allow',
    actions: policyValues(NotAction ?? Action)
      .map(stringOf)
      .filter((action) => action !== ''),
    isExcluding: NotAction !== undefined,
    resources,
    isConditional: Condition !== undefined,
    label: (ids.length > 0 ? ids : resources).join(', '),
  };
}

/** The actions of a statement that no deployed statement allows on one of its resources, or that a deployed statement denies on all of them. */
export function missingActions(wanted: Statement, deployed: readonly Statement[]): readonly string[] {
  if (!wanted.isAllowed || wanted.isExcluding) return [];
  return wanted.actions.filter((action) =>
    wanted.resources.some((resource) => {
      const fitting = deployed.filter(
        (one) => hasAction(one, action) && one.resources.some((own) => overlaps(own, resource)),
      );
      const isAllowed = fitting.some((one) => one.isAllowed && (wanted.isConditional || !one.isConditional));
      const isDenied = fitting.some(
        (one) => !one.isAllowed && !one.isConditional && one.resources.some((own) => own === '*' || own === resource),
      );
      return !isAllowed || isDenied;
    }),
  );
}

/** Actions are not case-sensitive: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html */
function hasAction({ actions, isExcluding }: Statement, action: string): boolean {
  const isNamed = actions.some((own) => covers(own.toLowerCase(), action.toLowerCase()));
  return isNamed !== isExcluding;
}

/** True if a pattern with `*` and `?` matches a name. */
function covers(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

/** True if two patterns with `*` and `?` match a common name. Each row has the prefixes of `b` that fit a prefix of `a`. */
export function overlaps(a: string, b: string): boolean {
  let row = [true, ...Array.from(b, (_, index) => /^\*+$/.test(b.slice(0, index + 1)))];
  for (const one of a) {
    const next = [one === '*' && row[0] === true];
    for (let index = 0; index < b.length; index += 1) {
      const [above = false, before = false, left = false] = [row[index + 1], row[index], next[index]];
      const other = b[index];
      const isSame = one === other || one === '?' || other === '?';
      next.push(one === '*' || other === '*' ? above || left || before : isSame && before);
    }
    row = next;
  }
  return row[b.length] === true;
}

/** The pattern for a value of a template; `*` for a part that CloudFormation computes. */
export function textOf(value: unknown, physicalOf: PhysicalOf): string {
  if (!isObject(value)) return typeof value === 'string' ? value : '*';
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join, 'Fn::Sub': sub } = value;
  if (typeof Ref === 'string') return physicalOf(Ref) ?? '*';
  if (attribute !== undefined)
    return named(typeof attribute === 'string' ? attribute : policyValues(attribute)[0], physicalOf);
  if (Array.isArray(join)) {
    const [separator, parts] = join;
    return policyValues(parts)
      .map((part) => textOf(part, physicalOf))
      .join(stringOf(separator));
  }
  const text = stringOf(Array.isArray(sub) ? sub[0] : sub);
  return text === '' ? '*' : text.replace(/\$\{([^}]+)\}/g, (_, name: string) => named(name, physicalOf));
}

/** An attribute of a resource has its name: `arn:aws:sqs:eu-west-1:123456789012:orders`. */
function named(attribute: unknown, physicalOf: PhysicalOf): string {
  const [id = ''] = stringOf(attribute).split('.');
  const physical = physicalOf(id);
  if (physical === undefined) return '*';
  return physical.startsWith('arn:') ? `${physical}*` : `*${physical.replace(/^https?:.*\//, '')}*`;
}

function policyValues(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
