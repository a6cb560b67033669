import type { JsonSchema } from '@sallyport/contract/service';

/** The contract of a run, as the console shows it. */
export interface ContractView {
  readonly service: string;
  readonly entries: readonly ContractEntry[];
  /** Schemas that cannot be written, and the reasons. */
  readonly unknown: readonly { readonly at: string; readonly reason: string }[];
  /** The reason why there is no contract; `''` if the service has a contract. */
  readonly problem: string;
}

/** One operation, source or message of the contract. */
export interface ContractEntry {
  /** The door: `http`, `queue`, `socket in`, `tool`. */
  readonly door: string;
  /** `POST /notes`, `orders`, `search`. */
  readonly name: string;
  readonly summary: string;
  /** The file of its function. */
  readonly function: string;
  /** `null` for an application without postures, and for sources. */
  readonly posture: string | null;
  readonly scopes: readonly string[];
  readonly parts: readonly ContractPart[];
  /** The filled form that sends the examples; `null` for messages that the service sends. */
  readonly attempt: Attempt | null;
  readonly code: readonly CodeSample[];
}

/** A schema of an entry, and a value that it accepts. */
export interface ContractPart {
  /** `body`, `200`, `event tick`. */
  readonly name: string;
  readonly direction: 'in' | 'out';
  /** With the named schemas that it refers to; `null` for a part without a body. */
  readonly schema: JsonSchema | null;
  readonly example: unknown;
  /** Error codes of a status. */
  readonly codes: readonly string[];
}

/** The fields of a form, as the user would enter them. */
export interface Attempt {
  /** The kind of the form; `tool` for the view of MCP servers. */
  readonly kind: string;
  readonly target: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Code to copy. */
export interface CodeSample {
  readonly name: 'curl' | 'command' | 'client' | 'test kit';
  readonly text: string;
}

/** The examples of an entry by the names of its parts, for code. */
export interface Examples {
  readonly [part: string]: unknown;
}
