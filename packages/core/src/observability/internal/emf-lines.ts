import { createMap } from '../../request/request.js';
import type { MetricUnit } from '../hooks.js';

/** One value of a metric. */
export interface MetricPoint {
  readonly name: string;
  readonly unit: MetricUnit;
  readonly value: number;
}

/** Metrics with the same dimension sets, and the values of these dimensions. */
export interface MetricPart {
  readonly sets: readonly (readonly string[])[];
  readonly points: readonly MetricPoint[];
}

/** The parts of one record, which are in the same line. */
export interface MetricEntry {
  readonly parts: readonly MetricPart[];
  /** The dimensions, by name. */
  readonly dimensions: ReadonlyMap<string, string>;
  /** Further members, which are searchable. */
  readonly properties: readonly (readonly [name: string, value: string])[];
}

/**
 * Most values of a metric in a line, and most metrics in a directive.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
const MOST = 100;

/** The metrics of one directive: its dimension sets, and the unit of each metric. */
interface Directive {
  readonly sets: readonly (readonly string[])[];
  readonly units: Map<string, MetricUnit>;
}

/** One line of the embedded metric format. Entries are added while they fit: a member of a line has one value, a metric 100. */
class Draft {
  readonly #dimensions = new Map<string, string>();
  readonly #properties = new Map<string, string>();
  readonly #values = new Map<string, number[]>();
  /** By their dimension sets. */
  readonly #directives = new Map<string, Directive>();

  /** True if the entry can be added without a change of its meaning, or of the other entries. */
  fits({ parts, dimensions }: MetricEntry): boolean {
    for (const [name, value] of dimensions) {
      const known = this.#dimensions.get(name) ?? this.#properties.get(name) ?? value;
      if (known !== value || this.#values.has(name)) return false;
    }
    const added = new Set<string>();
    for (const { sets, points } of parts) {
      const directive = this.#directives.get(JSON.stringify(sets));
      for (const { name, unit } of points) {
        added.add(name);
        if (this.#dimensions.has(name) || this.#properties.has(name)) return false;
        if (this.#values.has(name) && directive?.units.get(name) !== unit) return false;
        if ((this.#values.get(name)?.length ?? 0) >= MOST) return false;
      }
    }
    return new Set([...this.#values.keys(), ...added]).size <= MOST;
  }

  add({ parts, dimensions, properties }: MetricEntry): void {
    for (const [name, value] of dimensions) this.#dimensions.set(name, value);
    const counted = new Set<string>();
    for (const { sets, points } of parts) {
      const key = JSON.stringify(sets);
      const directive = this.#directives.get(key) ?? { sets, units: new Map() };
      this.#directives.set(key, directive);
      for (const { name, unit, value } of points) {
        directive.units.set(name, unit);
        // A metric in two directives has one member.
        if (counted.has(name)) continue;
        counted.add(name);
        const values = this.#values.get(name) ?? [];
        values.push(value);
        this.#values.set(name, values);
      }
    }
    for (const [name, value] of properties) {
      if (!this.#dimensions.has(name) && !this.#values.has(name) && !this.#properties.has(name))
        this.#properties.set(name, value);
    }
  }

  /** The line, its keys in this order: `_aws`, dimensions, metrics, properties. */
  toLine(namespace: string, timestamp: number): Record<string, unknown> {
    const line = createMap<unknown>();
    const directives = [...this.#directives.values()].map(({ sets, units }) => ({
      Namespace: namespace,
      Dimensions: sets,
      Metrics: Array.from(units, ([Name, Unit]) => ({ Name, Unit })),
    }));
    line._aws = { Timestamp: timestamp, CloudWatchMetrics: directives };
    for (const [name, value] of this.#dimensions) line[name] = value;
    for (const [name, values] of this.#values) line[name] = values.length === 1 ? values[0] : values;
    for (const [name, value] of this.#properties) line[name] = value;
    return line;
  }
}

/** The lines of all entries: one line, unless a member would need two values or a limit of the format is reached. */
export function toLines(
  entries: readonly MetricEntry[],
  namespace: string,
  timestamp: number,
): readonly Record<string, unknown>[] {
  const drafts: Draft[] = [];
  for (const entry of entries) {
    let draft = drafts.find((one) => one.fits(entry));
    if (!draft) {
      draft = new Draft();
      drafts.push(draft);
    }
    draft.add(entry);
  }
  return drafts.map((draft) => draft.toLine(namespace, timestamp));
}
