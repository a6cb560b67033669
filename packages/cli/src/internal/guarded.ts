import { isFrameworkError } from '@sallyport/core';
import { type Command, EXIT } from './command.js';

/** Runs a command; an error is printed and becomes an exit code. The message of an unknown error can contain data, so only its type is printed. */
export function guarded(run: Command['run']): Command['run'] {
  return async (args, around) => {
    try {
      return await run(args, around);
    } catch (error) {
      const known = isFrameworkError(error);
      around.err(`sallyport: ${known ? error.message : `unexpected ${(error as Error)?.name ?? 'error'}`}\n`);
      return known && (error.code === 'cli.usage' || error.code === 'cli.client_missing') ? EXIT.usage : EXIT.failed;
    }
  };
}
