/** Where a name has gone, or what a person has to do about it. */
export type NameMapping =
  | {
      /** The entry that exports it now: `@sallyport/core`. */
      readonly module: string;
      /** Its name there; left out when it is the same. */
      readonly name?: string;
    }
  | {
      /** A sentence for the manual list; the import stays. */
      readonly manual: string;
    };

/** Where the exports of one module have gone. */
export interface ModuleMapping {
  /** The entry that replaces the whole module, and below which its sub-paths are found. */
  readonly module?: string;
  /** The default export; `null` when it has no successor. */
  readonly default?: NameMapping | null;
  /** Single exports; what is not listed is found in `module`, if that is given. */
  readonly names?: Readonly<Record<string, NameMapping>>;
  /** A sentence for the manual list, for every use of the module and its sub-paths. */
  readonly manual?: string;
}

/** What a mapping file holds. `sallyport-migrate.schema.json` of the package is its JSON Schema. */
export interface Mapping {
  /** The form of the file. */
  readonly version: 1;
  /** Old modules, by their names in imports. */
  readonly modules?: Readonly<Record<string, ModuleMapping>>;
  /** Environment variables: old name to new name. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Beginnings of keys of `ctx.get` and `ctx.set`: old to new. */
  readonly metadataPrefix?: Readonly<Record<string, string>>;
  /** Dependencies of `package.json`: names to remove, and what takes their place. */
  readonly packages?: { readonly remove?: readonly string[]; readonly add?: Readonly<Record<string, string>> };
}
