/** One reason why an invocation ended badly. The terminal, `send`, `--json` and the page show this object. */
export interface Failure {
  /** `function`: it threw, exited or ran out of time; `record` and `request`: an error that the app logged; `access`, `door`, `build`. */
  readonly kind: 'function' | 'record' | 'request' | 'access' | 'door' | 'build';
  /** `TypeError`, `Sandbox.Timedout`. */
  readonly type: string;
  readonly message: string;
  /** The failed record of a batch; `null` if the failure is not about one record. */
  readonly record: string | null;
  readonly causes: readonly { readonly type: string; readonly message: string }[];
  /** Frames of the project, innermost first; of the others only their number is kept. */
  readonly frames: readonly Frame[];
  readonly otherFrames: number;
  /** Lines around the first frame; empty if no frame is in a source file of the project. */
  readonly code: readonly { readonly line: number; readonly text: string; readonly isHere: boolean }[];
  /** The remedy; `null` if unknown. */
  readonly hint: string | null;
  /** The last lines of standard error, if the process ended. */
  readonly stderr: readonly string[];
}

/** A frame of a stack in the project. */
export interface Frame {
  /** Relative to the project: `src/notes.ts`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The name of the function; `''` for an anonymous function. */
  readonly name: string;
}
