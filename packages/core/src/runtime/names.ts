import { defineOptions, integer } from '../options/define-options.js';
import { sha256 } from '../values/digests.js';

const STAGES: Readonly<Record<string, string>> = {
  prod: 'live',
  production: 'live',
  live: 'live',
  dev: 'dev',
  development: 'dev',
  stg: 'stage',
  stage: 'stage',
  staging: 'stage',
  test: 'test',
  testing: 'test',
  local: 'local',
};
const DEFAULT_MAX_LENGTH = 63;
const HASH_DIGITS = 8;
const MIN_LENGTH = HASH_DIGITS + 2;

const OPTIONS = defineOptions<{ readonly maxLength?: number }>()({
  maxLength: integer(MIN_LENGTH).default(DEFAULT_MAX_LENGTH),
});

/** A part of a name: lower case, `a`–`z`, `0`–`9` and single dashes inside. */
export function namePart(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** One word for each stage with several usual names; any other stage becomes a {@link namePart}. */
export function normalizeStage(stage: string): string {
  const name = stage.trim().toLowerCase();
  return Object.hasOwn(STAGES, name) ? (STAGES[name] ?? '') : namePart(stage);
}

/** `app[-tenant]-stage`; empty parts are omitted with their dash. */
export function baseName(app: string, stage: string, tenant = ''): string {
  return joined(namePart(app), namePart(tenant), normalizeStage(stage));
}

/**
 * `app[-tenant]-resource-stage`; empty parts are omitted with their dash. A name that is too long is cut and ends in `-` and 8 hex digits
 * of the SHA-256 of the whole, so that two long names remain different.
 *
 * @throws FrameworkError `app.invalid_configuration` for a `maxLength` below 10
 */
export function resourceName(
  app: string,
  resource: string,
  stage: string,
  tenant = '',
  options: { readonly maxLength?: number } = {},
): string {
  const { maxLength } = OPTIONS.parse(options);
  const whole = joined(namePart(app), namePart(tenant), namePart(resource), normalizeStage(stage));
  if (whole.length <= maxLength) return whole;
  const head = whole.slice(0, maxLength - HASH_DIGITS - 1).replace(/-$/, '');
  return `${head}-${sha256(whole).slice(0, HASH_DIGITS)}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('-');
}
