/** The new place of a name, or its manual step. */
export type NameMapping =
  | {
      /** The entry that exports it now: `@sallyport/core`. */
      readonly module: string;
      /** Its new name; left out if unchanged. */
      readonly name?: string;
    }
  | {
      /** A sentence for the manual list; the import is kept. */
      readonly manual: string;
    };

/** The new places of one module's exports. */
export interface ModuleMapping {
  /** The entry that replaces the whole module, with its sub-paths. */
  readonly module?: string;
  /** The default export; `null` when it has no successor. */
  readonly default?: NameMapping | null;
  /** Single exports; other exports are in `module`, if set. */
  readonly names?: Readonly<Record<string, NameMapping>>;
  /** A sentence for the manual list, for every use of the module and its sub-paths. */
  readonly manual?: string;
}

/** The content of a mapping file. `sallyport-migrate.schema.json` of the package is its JSON Schema. */
export interface Mapping {
  /** The version of the format. */
  readonly version: 1;
  /** Old modules, by their names in imports. */
  readonly modules?: Readonly<Record<string, ModuleMapping>>;
  /** Environment variables: old name to new name. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Prefixes of keys of `ctx.get` and `ctx.set`: old to new. */
  readonly metadataPrefix?: Readonly<Record<string, string>>;
  /** Dependencies of `package.json`: names to remove, their replacements, and new ranges of kept names. */
  readonly packages?: {
    readonly remove?: readonly string[];
    readonly add?: Readonly<Record<string, string>>;
    readonly raise?: Readonly<Record<string, string>>;
  };
}
