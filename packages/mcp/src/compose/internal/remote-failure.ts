import { brandError } from '@sallyport/core/internal';

/** The messages for the model, by the kind of a failure of a remote server. Its answer is not in them. */
const TEXTS = {
  timeout: 'The server of this tool did not answer in time.',
  unavailable: 'The server of this tool is not available.',
  refused: 'The server of this tool does not accept requests of this server.',
  too_large: 'The answer of this tool is too large.',
  invalid: 'The server of this tool gave an invalid answer.',
  question: 'This tool needs an answer from the user, which is not possible here.',
  loop: 'The servers of this tool call each other in a circle.',
} as const;

/** The kind of a failure, as in records. */
export type RemoteFailureKind = keyof typeof TEXTS;

/** A request to a remote server that has no result. */
export class RemoteFailure extends Error {
  static {
    brandError(RemoteFailure, 'sallyport.RemoteFailure');
  }

  override readonly name = 'RemoteFailure';
  /** The kind, for records. */
  readonly kind: RemoteFailureKind;
  /** The HTTP status, if the server has answered. */
  readonly status: number | undefined;

  constructor(kind: RemoteFailureKind, init: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(TEXTS[kind], init.cause === undefined ? undefined : { cause: init.cause });
    this.kind = kind;
    this.status = init.status;
  }
}

/** A JSON-RPC error of a remote server: the server has answered. */
export class RemoteRpcError extends Error {
  static {
    brandError(RemoteRpcError, 'sallyport.RemoteRpcError');
  }

  override readonly name = 'RemoteRpcError';
  /** The code of JSON-RPC. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
