/** The rules, in the order in which they run. */
export const RULES = ['imports', 'strict', 'secure', 'package'] as const;

/** One of {@link RULES}. */
export type Rule = (typeof RULES)[number];

/** A file that would change. */
export interface FileChange {
  /** From the root, with `/`. */
  readonly path: string;
  /** The whole text as it was read. */
  readonly before: string;
  /** The whole text as it will be. */
  readonly after: string;
}

/** A place in a file as it was read. */
export interface Place {
  /** From the root, with `/`. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** A sentence. */
  readonly text: string;
}

/** Something that a person has to do. */
export interface ManualStep extends Place {
  /** The rule that found it. */
  readonly rule: Rule;
}

/** What a migration would do. */
export interface MigrationPlan {
  /** The directory, without symbolic links. */
  readonly root: string;
  /** In byte order of path. */
  readonly changes: readonly FileChange[];
  /** The order in which the changed files have to be written: what makes a container comes after what registers on it. */
  readonly order: readonly string[];
  /** What is left to a person. */
  readonly manual: readonly ManualStep[];
  /** Files that do not parse, each with its first error. They are left alone. */
  readonly broken: readonly Place[];
  /** Files that were left out although their names fit. */
  readonly skipped: readonly {
    /** From the root, with `/`. */
    readonly path: string;
    /** Why. */
    readonly reason: string;
  }[];
}
