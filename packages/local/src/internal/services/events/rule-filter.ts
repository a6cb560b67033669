import { isObject } from '@sallyport/core/internal';
import type { AsyncSettings } from '@sallyport/testkit/engines';
import type { EventBusEvent } from '@sallyport/testkit/events';
import { EVENT_PATTERNS } from '../../sources/patterns/languages.js';
import { type Matcher, PatternError, parsePattern, readPatterns } from '../../sources/patterns/pattern.js';

/** A rule of a bus that invokes the function. */
export interface BusRule {
  /** An event pattern of EventBridge. */
  readonly pattern: Readonly<Record<string, unknown>>;
  /** The selector of the handler that the rule belongs to; default: the rule applies to all handlers. */
  readonly selector?: Readonly<Record<string, string>>;
}

/** Settings of a bus. An event is delivered if it matches one of the rules; without rules, if it matches the selector of a handler. */
export interface BusConfig extends AsyncSettings {
  readonly rules?: readonly BusRule[];
}

/** The default quota is 2,048, which can be raised to this value: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html. */
const MAX_PATTERN = 4096;

/** The selector of a handler: the events of a bus that it receives. */
export type Selector = Readonly<Record<string, string>>;

interface Rule {
  readonly matches: Matcher;
  /** The handler that the rule belongs to; `undefined`: all handlers. */
  readonly selector: Selector | undefined;
}

/** True if a rule delivers an event to one of the matching handlers; without handlers all rules apply. */
export type RuleFilter = (event: EventBusEvent, handlers: readonly Selector[]) => boolean;

/**
 * The rules of a bus that invoke the function. A handler without a rule receives the events that match its selector.
 *
 * @throws FrameworkError `local.usage` for a pattern that EventBridge rejects
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
 */
export function ruleFilter(bus: string, rules: unknown): RuleFilter {
  if (rules === undefined) return () => true;
  const parsed = readPatterns(`buses.${bus}`, () => {
    if (!Array.isArray(rules)) throw new PatternError('rules must be a list of { pattern } objects');
    return rules.map((rule: unknown, index) => parseRule(rule, `rules[${index}]`));
  });
  return (event, handlers) => {
    if (handlers.length === 0) return takes(parsed, event);
    return handlers.some((handler) =>
      takes(
        parsed.filter(({ selector }) => isFor(selector, handler)),
        event,
      ),
    );
  };
}

function takes(rules: readonly Rule[], event: EventBusEvent): boolean {
  return rules.length === 0 || rules.some(({ matches }) => matches(event));
}

function parseRule(rule: unknown, place: string): Rule {
  const { pattern, selector, ...more } = isObject(rule) ? rule : {};
  const isSelector = selector === undefined || isObject(selector);
  if (pattern === undefined || !isSelector || Object.keys(more).length > 0) {
    throw new PatternError(`${place} must be { pattern, selector? }`);
  }
  if (JSON.stringify(pattern).length > MAX_PATTERN) {
    throw new PatternError(`${place}.pattern must have at most ${MAX_PATTERN} characters`);
  }
  const matches = parsePattern(EVENT_PATTERNS, pattern, `${place}.pattern`);
  return { matches, selector: selector as Selector | undefined };
}

function isFor(selector: Selector | undefined, handler: Selector): boolean {
  if (selector === undefined) return true;
  const names = Object.keys(handler);
  return names.length === Object.keys(selector).length && names.every((name) => selector[name] === handler[name]);
}

/** True if the selector of a handler matches an event. */
export function isSelected({ source, detailType, ruleName, scheduleName }: Selector, event: EventBusEvent): boolean {
  const named = [ruleName, scheduleName].filter((name) => name !== undefined);
  const isNamed = named.every((name) => event.resources.some((arn) => arn === name || arn.split('/').pop() === name));
  const isOfSource = source === undefined || source === event.source;
  return isOfSource && (detailType === undefined || detailType === event['detail-type']) && isNamed;
}
