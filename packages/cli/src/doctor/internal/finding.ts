/** The kind of a finding. */
export type Rule =
  | 'stack-status'
  | 'drift'
  | 'disabled-mapping'
  | 'mapping-problem'
  | 'disabled-rule'
  | 'missing-target'
  | 'missing-permission'
  | 'old-runtime'
  | 'paused-function'
  | 'alarm-without-action'
  | 'alarm-on'
  | 'dead-letters'
  | 'missing-source'
  /** The call of a check was denied or failed. */
  | 'not-checked';

/** A difference from the template or the inventory, or a state that needs an operator. */
export interface Finding {
  readonly rule: Rule;
  /** The logical id. */
  readonly resource: string;
  readonly problem: string;
  readonly remedy: string;
}
