import { assertKnownOptions, invalidOption } from '../options/option-errors.js';
import { isNeverOpened, judgeKey, type KeyAction, type KeyJudge, normalizeKey } from './internal/keys.js';

export type PolicyAction = 'allow' | 'redact' | 'mask';

/** What a service adds to the built-in table. Keys are compared as the table's: case, `_`, `-`, `.` and blanks do not count. */
export interface SanitizerPolicy {
  /** Keys whose values are cleaned on. Keys that are always redacted (passwords, tokens, …) stay redacted. */
  readonly allow?: readonly string[];
  readonly redact?: readonly string[];
  /** Keys of which the last 4 of 8 digits or more are shown. */
  readonly mask?: readonly string[];
  /** A rule for a key inside a parent; beats a plain one. */
  readonly rules?: readonly { readonly parent: string; readonly key: string; readonly action: PolicyAction }[];
  readonly limits?: Partial<SanitizerLimits>;
}

export interface SanitizerLimits {
  /** Levels of containers; default 8. */
  readonly depth: number;
  /** Entries of one container; default 200. */
  readonly entries: number;
  /** Values of one call; default 10,000. */
  readonly nodes: number;
  /** Bytes of one string; default 8,192. */
  readonly stringBytes: number;
}

const DEFAULT_LIMITS: SanitizerLimits = { depth: 8, entries: 200, nodes: 10_000, stringBytes: 8192 };
const ACTIONS: Readonly<Record<PolicyAction, KeyAction>> = { allow: 'clean', redact: 'redact', mask: 'restricted' };

/** @throws FrameworkError `app.invalid_configuration` for a limit that is no whole number from 1 */
export function parseLimits(limits: Partial<SanitizerLimits> = {}): SanitizerLimits {
  assertKnownOptions(limits, Object.keys(DEFAULT_LIMITS));
  for (const [key, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1) throw invalidOption(`limits.${key}`, 'a whole number from 1');
  }
  return { ...DEFAULT_LIMITS, ...limits };
}

/** @throws FrameworkError `app.invalid_configuration` for an unknown option or action, or a blank key */
export function judgeOf(policy: SanitizerPolicy): KeyJudge {
  assertKnownOptions(policy, ['allow', 'redact', 'mask', 'rules', 'limits']);
  const plain = plainRules(policy);
  const inParent = parentRules(policy);
  if (plain.size === 0 && inParent.size === 0) return judgeKey;
  return (key, parent, exactOnly) => {
    const normalized = normalizeKey(key);
    const action = inParent.get(`${parent}\n${normalized}`) ?? plain.get(normalized);
    return action === undefined || isNeverOpened(normalized) ? judgeKey(key, parent, exactOnly) : action;
  };
}

function plainRules(policy: SanitizerPolicy): Map<string, KeyAction> {
  const rules = new Map<string, KeyAction>();
  // The strictest of two plain rules for one key wins, so it is set last.
  for (const action of ['allow', 'mask', 'redact'] as const) {
    const keys: unknown = policy[action] ?? [];
    if (!Array.isArray(keys)) throw invalidOption(action, 'a list of keys');
    for (const key of keys) rules.set(policyKey(key, action), ACTIONS[action]);
  }
  return rules;
}

function parentRules(policy: SanitizerPolicy): Map<string, KeyAction> {
  const rules = new Map<string, KeyAction>();
  const given: NonNullable<SanitizerPolicy['rules']> = policy.rules ?? [];
  if (!Array.isArray(given)) throw invalidOption('rules', 'a list');
  for (const rule of given as NonNullable<SanitizerPolicy['rules']>) {
    if (typeof rule !== 'object' || rule === null) throw invalidOption('rules', 'a list of { parent, key, action }');
    assertKnownOptions(rule, ['parent', 'key', 'action']);
    if (!Object.hasOwn(ACTIONS, rule.action)) throw invalidOption('rules.action', 'allow, redact or mask');
    rules.set(`${policyKey(rule.parent, 'rules.parent')}\n${policyKey(rule.key, 'rules.key')}`, ACTIONS[rule.action]);
  }
  return rules;
}

function policyKey(key: unknown, option: string): string {
  const normalized = typeof key === 'string' ? normalizeKey(key) : '';
  if (normalized === '') throw invalidOption(option, 'keys that are not blank');
  return normalized;
}
