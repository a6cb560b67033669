import { FrameworkError, type FrameworkErrorInit } from '@sallyport/core';

/** Its name is its code, which the runtime sends as `errorType`: a state machine can catch `app.not_found`. */
export class InvokeError extends FrameworkError {
  override readonly name: string;

  constructor(code: string, message: string, init?: FrameworkErrorInit) {
    super(code, message, init);
    this.name = code;
  }
}
