/** Effect of a change: `breaks` fails callers or messages; `warns` can surprise them. */
export type Level = 'breaks' | 'warns';

/** One change that breaks callers, receivers or messages, or that can surprise them. */
export interface Finding {
  /** Names the change in `contract.allow.json`; equal for the same change in each run. */
  readonly id: string;
  /** The effect. */
  readonly level: Level;
  /** The affected programs, in words: `callers of POST /notes`. */
  readonly who: string;
  /** The operation or source: `POST /notes`, `queue orders`. */
  readonly at: string;
  /** The path inside its schema: `body.lines[].count`; `''` for the whole. */
  readonly path: string;
  /** The rule of the change, such as `required-added`. */
  readonly change: string;
  /** The old side, in words. */
  readonly old: string;
  /** The new side, in words. */
  readonly new: string;
  /** The way out. */
  readonly remedy: string;
}

/** A change of one schema, before it has a place. */
export interface SchemaChange {
  readonly level: Level;
  readonly path: string;
  readonly change: string;
  readonly sent: string;
  readonly received: string;
}

/** A short form of a value for a report. */
export function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
