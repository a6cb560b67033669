import { sanitizeLogString } from './control-characters.js';
import { guardHook, type MetricDefinition, type MetricUnit, type Observability } from './hooks.js';
import { assertKnownOptions, invalidOption } from './options.js';

/** Unit and tags of one value of a declared metric. */
export interface MetricOptions {
  /** Instead of the declared unit. */
  readonly unit?: MetricUnit;
  readonly tags?: Readonly<Record<string, string>>;
}

/** The invocation that a value belongs to. */
export interface MetricScope {
  readonly requestId: string;
  readonly tenantId: string;
}

/** Never tags: each would make a time series of its own for every request or tenant. */
export const UNBOUNDED_TAGS: readonly string[] = ['tenant_id', 'request_id', 'correlation_id', 'path', 'detail_type'];

const UNITS =
  /^(?:Milliseconds|Microseconds|Seconds|Percent|None|(?:Count|B(?:yte|it)s|(?:Kilo|Mega|Giga|Tera)b(?:yte|it)s)(?:\/Second)?)$/;
const MAX_TAG = 256;

/** What `ctx.metric` writes to: the metrics that were declared at construction, and no others. */
export class MetricRegistry {
  readonly #observability: Observability;
  readonly #definitions: ReadonlyMap<string, MetricDefinition>;
  /** What was dropped and reported already; bounded, for the names are the application's own. */
  readonly #reported = new Set<string>();

  /** @throws FrameworkError `app.invalid_configuration` for a definition that does not hold */
  constructor(observability: Observability) {
    this.#observability = observability;
    this.#definitions = new Map(Object.entries(observability.metrics ?? {}));
    for (const [name, definition] of this.#definitions) assertDefinition(name, definition);
  }

  /** Hands one value to the metric hook. What is not declared is dropped, with one `warn` each. */
  emit(name: string, value: number, options: MetricOptions | undefined, scope: MetricScope): void {
    const definition = this.#definitions.get(name);
    const unit = options?.unit ?? definition?.unit ?? 'None';
    if (!definition || !Number.isFinite(value) || !isUnit(unit)) {
      this.#drop(definition ? 'value' : 'metric', name);
      return;
    }
    guardHook(this.#observability.metric, {
      name,
      value,
      unit,
      tags: this.#declaredTags(name, definition, options?.tags),
      properties: { request_id: scope.requestId, tenant_id: scope.tenantId },
    });
  }

  #declaredTags(
    name: string,
    definition: MetricDefinition,
    tags: Readonly<Record<string, string>> = {},
  ): Record<string, string> {
    const declared: Record<string, string> = {};
    for (const [key, value] of Object.entries(tags)) {
      if (definition.tags?.includes(key)) declared[key] = sanitizeLogString(String(value)).slice(0, MAX_TAG);
      else this.#drop('tag', `${name}.${key}`);
    }
    return declared;
  }

  #drop(part: 'metric' | 'tag' | 'value', name: string): void {
    const what = sanitizeLogString(`${part} ${name}`).slice(0, MAX_TAG);
    if (this.#reported.has(what) || this.#reported.size >= MAX_TAG) return;
    this.#reported.add(what);
    guardHook(this.#observability.log, { level: 'warn', event: 'metric.dropped', dropped: what });
  }
}

function assertDefinition(name: string, definition: MetricDefinition): void {
  const option = `observability.metrics.${name}`;
  if (!/^[\w.:/-]{1,128}$/.test(name) || name.startsWith('framework.')) {
    throw invalidOption(
      'observability.metrics',
      'names of letters, digits, "_", ".", ":", "/", "-", not of the framework',
    );
  }
  if (typeof definition !== 'object' || definition === null) throw invalidOption(option, 'an object');
  assertKnownOptions(definition, ['unit', 'tags']);
  if (definition.unit !== undefined && !isUnit(definition.unit))
    throw invalidOption(`${option}.unit`, 'a CloudWatch unit');
  const tags: unknown = definition.tags ?? [];
  if (!Array.isArray(tags) || tags.length > 8 || !tags.every(isTagKey)) {
    throw invalidOption(`${option}.tags`, 'at most 8 bounded tag keys');
  }
}

function isUnit(unit: unknown): unit is MetricUnit {
  return typeof unit === 'string' && UNITS.test(unit);
}

function isTagKey(key: unknown): boolean {
  return typeof key === 'string' && /^[A-Za-z][\w-]{0,63}$/.test(key) && !UNBOUNDED_TAGS.includes(key);
}
