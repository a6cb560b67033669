import { readFailure } from './answer.js';

/**
 * What a client may read of a failure: the message of a FrameworkError of the application. Texts of the framework are for
 * developers, and those of other errors may quote anything.
 */
export function publicText(thrown: unknown, otherwise: string): string {
  const message = readFailure(thrown)?.message;
  return message === undefined || message.startsWith('framework: ') ? otherwise : message;
}
