/** The rules, in the order in which they run. */
export const RULES = ['frameworks', 'imports', 'strict', 'secure', 'package'] as const;

/** One of {@link RULES}. */
export type Rule = (typeof RULES)[number];

/** A file that would change. */
export interface FileChange {
  /** From the root, with `/`. */
  readonly path: string;
  /** The original content. */
  readonly before: string;
  /** The new content. */
  readonly after: string;
}

/** A place in an original file. */
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

/** A step that the user has to do. */
export interface ManualStep extends Place {
  /** The rule that found it. */
  readonly rule: Rule;
}

/** A handler of an old framework. */
export interface MigratedHandler extends Place {
  /**
   * `rewritten`: no line is left in it. `mounted`: its application runs unchanged, with a posture. `left`: a line
   * `TODO(sallyport)` names the remaining step.
   */
  readonly outcome: 'rewritten' | 'mounted' | 'left';
}

/** The result of a dry run. */
export interface MigrationPlan {
  /** The directory, without symbolic links. */
  readonly root: string;
  /** In byte order of path. */
  readonly changes: readonly FileChange[];
  /** The order in which the changed files must be written: files that register on a container before the file that creates it. */
  readonly order: readonly string[];
  /** Handlers of Express, Hono, Middy and Powertools, each with its operation, as `GET /orders/{id}`. */
  readonly handlers: readonly MigratedHandler[];
  /** The manual steps. */
  readonly manual: readonly ManualStep[];
  /** Files that do not parse, each with its first error. They are not changed. */
  readonly broken: readonly Place[];
  /** Files that were skipped although their names match. */
  readonly skipped: readonly {
    /** From the root, with `/`. */
    readonly path: string;
    /** The reason. */
    readonly reason: string;
  }[];
}
