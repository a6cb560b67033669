/** The orders of the parent to a worker. A worker serves one peer and one workload, and answers each order once. */
export type Order =
  | { readonly do: 'check' }
  | { readonly do: 'run'; readonly cpuMs: number }
  | { readonly do: 'allocate'; readonly warmUpMs: number };

export type Answer =
  | { readonly ok: true; readonly value: number }
  /** The reason why the peer cannot be measured. */
  | { readonly ok: false; readonly problem: string };
