import { fromJson, isObject } from '@sallyport/core/internal';
import type { AsyncSettings } from '@sallyport/testkit/engines';
import type { TopicEvent, TopicNotification } from '@sallyport/testkit/events';
import { FILTER_POLICIES } from '../../sources/patterns/languages.js';
import { PatternError, parsePattern, readPatterns } from '../../sources/patterns/pattern.js';

/** Settings of a topic, and the filter policy of the function's subscription to it. */
export interface TopicConfig extends AsyncSettings {
  /** A policy of SNS; default: every message is delivered. */
  readonly filterPolicy?: Readonly<Record<string, unknown>>;
  /** The part of the message that the policy matches; default the attributes. */
  readonly filterPolicyScope?: 'MessageAttributes' | 'MessageBody';
}

/** Limits of a policy: https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html. */
const MAX_POLICY_BYTES = 262_144;
const MAX_NAMES = 5;
const MAX_COMBINATIONS = 150;

type Policy = Readonly<Record<string, unknown>>;
type Scope = NonNullable<TopicConfig['filterPolicyScope']>;

/**
 * The filter policy of the function's subscription to a topic, for the attributes of a message, or for the message itself. An empty
 * policy matches every message.
 *
 * @throws FrameworkError `local.usage` for a policy that SNS rejects
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
 */
export function topicFilter(
  name: string,
  { filterPolicy, filterPolicyScope = 'MessageAttributes' }: { filterPolicy?: unknown; filterPolicyScope?: unknown },
): (event: TopicEvent) => boolean {
  return readPatterns(`topics.${name}`, () => {
    if (filterPolicyScope !== 'MessageAttributes' && filterPolicyScope !== 'MessageBody') {
      throw new PatternError('filterPolicyScope must be MessageAttributes or MessageBody');
    }
    if (filterPolicy === undefined) return () => true;
    if (!isObject(filterPolicy)) throw new PatternError('filterPolicy must be an object');
    if (Object.keys(filterPolicy).length === 0) return () => true;
    checkPolicy(filterPolicy, filterPolicyScope);
    const matches = parsePattern(FILTER_POLICIES, filterPolicy, 'filterPolicy');
    const read = filterPolicyScope === 'MessageBody' ? bodyOf : attributesOf;
    return ({ Records }: TopicEvent) => {
      const properties = Records[0] && read(Records[0].Sns);
      return properties !== undefined && matches(properties);
    };
  });
}

function checkPolicy(policy: Policy, scope: Scope): void {
  if (Buffer.byteLength(JSON.stringify(policy)) > MAX_POLICY_BYTES) {
    throw new PatternError(`filterPolicy must have at most ${MAX_POLICY_BYTES} bytes`);
  }
  if (Object.keys(policy).length > MAX_NAMES)
    throw new PatternError(`filterPolicy must have at most ${MAX_NAMES} names`);
  if (scope === 'MessageAttributes' && isNested(policy)) {
    throw new PatternError('filterPolicy can be nested only with the scope MessageBody');
  }
  const combinations = countCombinations(policy, 1);
  if (combinations > MAX_COMBINATIONS) {
    throw new PatternError(
      `filterPolicy has ${combinations} combinations of values, at most ${MAX_COMBINATIONS} are allowed`,
    );
  }
}

function isNested(policy: Policy): boolean {
  return Object.entries(policy).some(([name, value]) => {
    const alternatives = alternativesOf(name, value);
    return alternatives ? alternatives.some(isNested) : isObject(value);
  });
}

/** The product of the lengths of all lists, each multiplied by its depth. The counts of alternatives are added. */
function countCombinations(policy: Policy, depth: number): number {
  let product = 1;
  for (const [name, value] of Object.entries(policy)) {
    const alternatives = alternativesOf(name, value);
    if (alternatives) product *= alternatives.reduce((sum, one) => sum + countCombinations(one, depth), 0);
    else if (Array.isArray(value)) product *= value.length * depth;
    else if (isObject(value)) product *= countCombinations(value, depth + 1);
  }
  return product;
}

function alternativesOf(name: string, value: unknown): readonly Policy[] | undefined {
  return name === '$or' && FILTER_POLICIES.isAlternatives(value) ? (value as readonly Policy[]) : undefined;
}

/** Attributes of the types that SNS compares: strings, numbers and lists. Attributes of other types are treated as missing. */
function attributesOf({ MessageAttributes: attributes }: TopicNotification): Policy {
  const values: Record<string, unknown> = {};
  for (const [name, { Type, Value }] of Object.entries(attributes)) {
    if (Type === 'String') values[name] = Value;
    else if (Type === 'Number') values[name] = Number(Value);
    else if (Type === 'String.Array') values[name] = listIn(Value);
  }
  return values;
}

/** The elements of a list; for any other string `{}`, which no rule matches. */
function listIn(text: string): unknown {
  const value = fromJson(text);
  return Array.isArray(value) ? value : {};
}

/** The message; `undefined` if it is not a JSON object, and therefore matches no policy. */
function bodyOf({ Message: message }: TopicNotification): Policy | undefined {
  const value = fromJson(message);
  return isObject(value) ? value : undefined;
}
