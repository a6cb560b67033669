import { group, invalidConfiguration, invalidOption, kind } from '../options/define-options.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import {
  callHook,
  type DeclaredMetrics,
  type MetricScope,
  type MetricUnit,
  type MetricValue,
  type Observability,
} from './hooks.js';

/** A metric that `ctx.metric` may write. */
export interface MetricDefinition {
  /** Unit of the value, as CloudWatch names it. Default `None`. */
  readonly unit?: MetricUnit;
  /** The tag keys that a value may have. Never a tag: `tenant_id`, `request_id`, `correlation_id`, `path`, `detail_type`. */
  readonly tags?: readonly string[];
}

/** Not allowed as tags: each would create a separate time series for every request or tenant. */
export const UNBOUNDED_TAGS: readonly string[] = ['tenant_id', 'request_id', 'correlation_id', 'path', 'detail_type'];

const UNITS =
  /^(?:Milliseconds|Microseconds|Seconds|Percent|None|(?:Count|B(?:yte|it)s|(?:Kilo|Mega|Giga|Tera)b(?:yte|it)s)(?:\/Second)?)$/;
const MAX_TAG = 256;
/** Members of a metric line that have another value. */
const OWN_MEMBERS: readonly string[] = ['_aws', 'service', 'version'];

/**
 * Declares the metrics that `ctx.metric` may write, by name.
 *
 * @throws FrameworkError `app.invalid_configuration` for an invalid definition
 * @example createApp({ observability: { metric, metrics: defineMetrics({ OrdersPlaced: { unit: 'Count', tags: ['channel'] } }) } });
 */
export function defineMetrics(definitions: Readonly<Record<string, MetricDefinition>>): DeclaredMetrics {
  const entries = Object.entries(definitions);
  for (const [name, definition] of entries) assertDefinition(name, definition);
  return new MetricRegistry(new Map(entries));
}

class MetricRegistry implements DeclaredMetrics {
  readonly #definitions: ReadonlyMap<string, MetricDefinition>;
  /** Names that were already reported as dropped; limited, because the names come from the application. */
  readonly #reported = new Set<string>();

  constructor(definitions: ReadonlyMap<string, MetricDefinition>) {
    this.#definitions = definitions;
  }

  emit(observability: Observability, { name, value, options }: MetricValue, scope: MetricScope): void {
    const definition = this.#definitions.get(name);
    const unit = options?.unit ?? definition?.unit ?? 'None';
    if (!definition || !Number.isFinite(value) || !isUnit(unit)) {
      this.#drop(observability, definition ? 'value' : 'metric', name);
      return;
    }
    const record = {
      name,
      value,
      unit,
      tags: this.#declaredTags(observability, name, definition, options?.tags),
      properties: { request_id: scope.requestId, tenant_id: scope.tenantId },
    };
    callHook(observability, 'metric', record, scope);
  }

  #declaredTags(
    observability: Observability,
    name: string,
    definition: MetricDefinition,
    tags: Readonly<Record<string, string>> = {},
  ): Record<string, string> {
    const declared: Record<string, string> = {};
    for (const [key, value] of Object.entries(tags)) {
      if (definition.tags?.includes(key)) declared[key] = sanitizeLogString(String(value)).slice(0, MAX_TAG);
      else this.#drop(observability, 'tag', `${name}.${key}`);
    }
    return declared;
  }

  #drop(observability: Observability, part: 'metric' | 'tag' | 'value', name: string): void {
    const what = sanitizeLogString(`${part} ${name}`).slice(0, MAX_TAG);
    if (this.#reported.has(what) || this.#reported.size >= MAX_TAG) return;
    this.#reported.add(what);
    callHook(observability, 'log', { level: 'warn', event: 'metric.dropped', dropped: what });
  }
}

const DEFINITION = group<MetricDefinition>()({
  unit: kind<MetricUnit>('a CloudWatch unit', isUnit),
  tags: kind<readonly string[]>(
    'at most 8 bounded tag keys',
    (tags) => Array.isArray(tags) && tags.length <= 8 && tags.every(isTagKey),
  ),
});

function assertDefinition(name: string, definition: MetricDefinition): void {
  const option = `observability.metrics.${name}`;
  if (!/^[\w.:/-]{1,128}$/.test(name) || name.startsWith('framework.') || OWN_MEMBERS.includes(name)) {
    throw invalidOption(
      'observability.metrics',
      'names of letters, digits, "_", ".", ":", "/", "-", other than "_aws", "service", "version" and "framework.…"',
    );
  }
  const checked = DEFINITION.read(definition ?? null, { name: option, environment: {}, fail: invalidConfiguration });
  const tags = checked?.tags ?? [];
  // In a line, a name is either a metric or a dimension.
  if (tags.includes('service') || tags.includes(name))
    throw invalidOption(`${option}.tags`, `tags other than "service" and "${name}"`);
}

function isUnit(unit: unknown): unit is MetricUnit {
  return typeof unit === 'string' && UNITS.test(unit);
}

function isTagKey(key: unknown): boolean {
  return typeof key === 'string' && /^[A-Za-z][\w-]{0,63}$/.test(key) && !UNBOUNDED_TAGS.includes(key);
}
