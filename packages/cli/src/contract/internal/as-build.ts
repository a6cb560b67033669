import { isFrameworkError } from '@sallyport/core';
import { type Command, EXIT } from '../../internal/command.js';

/** The exit code of a service that does not compile or does not load is 3. */
export function asBuild(run: Command['run']): Command['run'] {
  return async (args, around) => {
    try {
      return await run(args, around);
    } catch (error) {
      if (!isFrameworkError(error) || error.code !== 'bundle.failed') throw error;
      around.err(`sallyport: ${error.message}\n`);
      return EXIT.build;
    }
  };
}
